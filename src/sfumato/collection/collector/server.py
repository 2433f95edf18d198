"""The server of a survey: the form, the script that randomizes, and what takes reports.

It listens on this machine alone unless it is given a certificate and a key, sets no cookie, writes no log of who asked,
and loads nothing from elsewhere. The estimates are the owner's until they are published: they are behind a token that
stands after the # of an address, which browsers do not send, and goes to the server in a header.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
import re
import secrets
import socket
import threading
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from sfumato.collection.collector.store import Store
from sfumato.collection.collector.survey import Survey, check_epsilon, estimate_rows
from sfumato.data.values import text
from sfumato.ground.errors import DataError, ParameterError, SfumatoError
from sfumato.ground.optional import load_optional

__all__ = ["KINDS", "Collector", "Listening", "check_can_be_served", "configured", "listen", "serve"]

_FOLDER = Path(__file__).parent
_SUBMISSION = re.compile(r"[0-9a-f]{32}")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}  # fmt: skip
KINDS = (
    "kary", "warner", "unrelated", "matrix", "unary", "hadamard", "hashing", "subset", "rappor", "bloom", "duchi",
    "piecewise", "hybrid", "laplace", "staircase", "uniform", "normal", "select-a-size", "cut-and-paste",
)  # fmt: skip
"""The kinds of draws that the script knows."""
MOST_SECONDS = 20
"""How long the body of a request may take to arrive."""
_MOST_CONNECTIONS = 1000
"""How many may be open or answered at once; whoever comes then is told to come later."""
_MOST_IN_A_LIST = 8
"""Answers up to which each is a button of its own; past it they are in a list to choose from."""


class _RefusedError(SfumatoError):
    """A request that is answered with an error."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status


@dataclass
class Collector:
    """The pages of a survey and what they do, with the store of its reports; `token` opens the estimates."""

    survey: Survey
    store: Store
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    hosts: frozenset[str] = frozenset()
    """The names by which it may be asked; any, where there are none."""

    def __post_init__(self) -> None:
        """See that the survey can be served; nothing was estimated yet."""
        check_can_be_served(self.survey)
        self._lock = threading.Lock()
        self._estimated: tuple[int, str] = (-1, "")

    def app(self) -> Any:
        """The application, for a server of ASGI."""
        applications = load_optional("starlette.applications", to="the collector", install="sfumato[serve]")
        routing = load_optional("starlette.routing", to="the collector", install="sfumato[serve]")
        routes = [
            routing.Route("/", self._page("form.html", "text/html")),
            routing.Route("/script.js", self._page("script.js", "text/javascript")),
            routing.Route("/style.css", self._page("style.css", "text/css")),
            routing.Route("/estimates", self._page("estimates.html", "text/html")),
            routing.Route("/estimates.js", self._page("estimates.js", "text/javascript")),
            routing.Route("/estimates.json", self._estimates),
            routing.Route("/answers", self._answers, methods=["POST"]),
        ]
        return _Guard(applications.Starlette(routes=routes), self.hosts)

    # -- pages ---------------------------------------------------------------------------------------------------------
    @cached_property
    def pages(self) -> dict[str, str]:
        """The pages and what they need, by name; scripts as they lie in the package."""
        import jinja2

        environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(_FOLDER), autoescape=True, trim_blocks=True, lstrip_blocks=True,
            undefined=jinja2.StrictUndefined,
        )  # fmt: skip
        environment.filters["text"] = text
        known = {"survey": self.survey, "most_in_a_list": _MOST_IN_A_LIST}
        files = {name: (_FOLDER / name).read_text(encoding="utf-8") for name in _FILES}
        made = {name: environment.get_template(f"{name}.jinja").render(known) for name in _TEMPLATES}
        return files | made

    def _page(self, name: str, kind: str) -> Any:
        responses = load_optional("starlette.responses", to="the collector", install="sfumato[serve]")

        async def page(request: Any) -> Any:
            return responses.Response(self.pages[name], media_type=kind)

        return page

    # -- answers -------------------------------------------------------------------------------------------------------
    @cached_property
    def most_bytes(self) -> int:
        """How long a submission can be, with room for spaces."""
        needed = 0
        for question in self.survey.questions:
            limits = question.randomizer.report_limits.values()
            needed += sum(max(len(str(least)), len(str(most))) + 3 for least, most in limits) + len(question.name) + 20
        return needed + 500

    async def _answers(self, request: Any) -> Any:
        """Keep a submission, and acknowledge it when it is on the disk."""
        from starlette.concurrency import run_in_threadpool
        from starlette.requests import ClientDisconnect
        from starlette.responses import JSONResponse, Response

        try:
            async with asyncio.timeout(MOST_SECONDS):
                body = await self._body(request)
            submission, reports = self.read_body(body)
        except ClientDisconnect:
            return Response(status_code=400)  # nobody is there to read it
        except TimeoutError:
            said = f"a submission is sent within {MOST_SECONDS} seconds"
            return JSONResponse({"error": said}, status_code=408, headers={"Connection": "close"})
        except _RefusedError as error:
            return JSONResponse({"error": str(error)}, status_code=error.status)
        try:
            await run_in_threadpool(self.store.add, submission, reports)
        except DataError:
            return JSONResponse({"error": "the answer could not be kept; try again later"}, status_code=503)
        return JSONResponse({"kept": True})

    async def _body(self, request: Any) -> bytes:
        """What was sent, refused where it is too long or of another kind, before all of it is read."""
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise _RefusedError(415, "a submission is sent as application/json")
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > self.most_bytes:
                raise _RefusedError(413, f"a submission to this survey is at most {self.most_bytes:,} bytes long")
        return body

    def read_body(self, body: bytes) -> tuple[str, dict[str, list[int]]]:
        """The random number of a submission and its reports; one that no browser with this survey sends is refused."""
        try:
            given = json.loads(body, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            raise _RefusedError(400, "a submission is JSON, and this is none") from None
        if not isinstance(given, dict) or set(given) != {"submission", "reports"}:
            raise _RefusedError(422, "a submission has a submission and reports, and nothing else")
        submission = given["submission"]
        if not isinstance(submission, str) or not _SUBMISSION.fullmatch(submission):
            raise _RefusedError(422, "the number of a submission is 32 digits from 0 to 9 and a to f")
        try:
            return submission, self.survey.read_submission(given["reports"])
        except SfumatoError as error:
            raise _RefusedError(422, str(error)) from None

    # -- estimates -----------------------------------------------------------------------------------------------------
    async def _estimates(self, request: Any) -> Any:
        """The estimates, for whoever has the token."""
        from starlette.concurrency import run_in_threadpool
        from starlette.responses import JSONResponse, Response

        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            return JSONResponse({"error": "the estimates are the owner's: a token opens them"}, status_code=403)
        try:
            return Response(await run_in_threadpool(self.estimates), media_type="application/json")
        except DataError:
            return JSONResponse({"error": "the reports cannot be read now; try again later"}, status_code=503)

    def estimates(self) -> str:
        """The estimates as JSON, worked out again where reports have come in."""
        with self._lock:
            n = self.store.count()
            if self._estimated[0] != n:
                self._estimated = (n, json.dumps(_estimates(self.survey, self.store.submissions())))
            return self._estimated[1]


def check_can_be_served(survey: Survey) -> None:
    """See that the script can draw for every question, and that those who answer are promised something."""
    for question in survey.questions:
        if question.randomizer.shipped["kind"] not in KINDS:
            raise ParameterError(
                f"question {question.name!r}: the form cannot draw for {type(question.randomizer).__name__}; take "
                f"a randomizer of categories, of numbers or of sets that sfumato has"
            )
        if question.randomizer.privacy.gamma is None:
            raise ParameterError(
                f"question {question.name!r}: {type(question.randomizer).__name__} promises nothing to whoever answers "
                f"({question.randomizer.privacy.why_none}), and people are not asked so; take another randomizer"
            )
    check_epsilon(survey)


_FILES = ("script.js", "style.css", "estimates.js")
_TEMPLATES = ("form.html", "estimates.html")


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _estimates(survey: Survey, submissions: list[dict[str, list[int]]]) -> dict[str, Any]:
    """What was answered to each question, with intervals; nothing of a question that has no reports."""
    reports, questions = survey.report_frame(submissions), []
    for question in survey.questions:
        mine = survey.reports_to(question, reports)
        rows = estimate_rows(question.randomizer.estimate(mine)) if mine.height else []  # type: ignore[attr-defined]
        bounds = [question.grid["low"], question.grid["high"]] if question.grid else None
        questions.append(
            {
                "name": question.name, "text": question.text, "reports": mine.height, "bounds": bounds,
                "of": "item" if question.items else "answer", "rows": rows,
            }
        )  # fmt: skip
    return {"title": survey.title, "submissions": len(submissions), "questions": questions}


class _Guard:
    """Asks every request for the name it was sent to and for its origin, and gives every answer its headers.

    A page of another site can make a browser send a request here, and by a name of its own that leads to this machine
    even read the answer: so only known names are answered, and nothing is taken from other origins.
    """

    def __init__(self, app: Any, hosts: frozenset[str]) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        given = {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}
        host, origin = given.get("host", ""), given.get("origin")
        own = {f"http://{host}", f"https://{host}"}

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] += [(k.lower().encode(), v.encode()) for k, v in _HEADERS.items()]
            await send(message)

        if (self._hosts and host not in self._hosts) or (origin is not None and origin not in own):
            await _refuse(send_with_headers)
            return
        await self._app(scope, receive, send_with_headers)


async def _refuse(send: Any) -> None:
    body = json.dumps({"error": "this survey is not asked for from there"}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})


# -- listening ---------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Listening:
    """A socket that is open, and how it is reached."""

    socket: socket.socket
    address: str
    hosts: frozenset[str]
    tls: dict[str, str]


def listen(
    host: str = "127.0.0.1", port: int = 8000, *, certificate: Path | None = None, key: Path | None = None
) -> Listening:  # fmt: skip
    """Open the socket; anywhere but on this machine only with a certificate and its key."""
    load_optional("uvicorn", to="the collector", install="sfumato[serve]")
    if (certificate is None) != (key is None):
        raise ParameterError("--certificate and --key go together: give both, or none")
    tls = _checked_tls(certificate, key) if certificate is not None and key is not None else {}
    own = is_loopback(host)
    if not own and not tls:
        raise ParameterError(
            f"host {host!r} can be reached from other machines, and answers would travel open; give --certificate and "
            f"--key, or leave --host out"
        )
    opened = _bound(host, port)
    port = opened.getsockname()[1]
    name = f"[{host}]" if ":" in host else host
    hosts = frozenset(f"{each}:{port}" for each in ("127.0.0.1", "localhost", "[::1]", name)) if own else frozenset()
    return Listening(opened, f"{'https' if tls else 'http'}://{name}:{port}/", hosts, tls)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, as nobody else can reach it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _checked_tls(certificate: Path, key: Path) -> dict[str, str]:
    import ssl

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise ParameterError(
            f"'{certificate}' and '{key}' are no certificate and key of TLS: {error.strerror or error}"
        ) from None
    return {"ssl_certfile": str(certificate), "ssl_keyfile": str(key)}


def _bound(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise ParameterError(f"port must be between 0 and 65535, got {port}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # asyncio sends at once where TCP is said
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((host, port))
        opened.listen(1024)
    except OSError as error:
        opened.close()
        raise ParameterError(
            f"{host} port {port} cannot be listened on: {error.strerror}; give another --port"
        ) from None
    return opened


def configured(collector: Collector, listening: Listening) -> Any:
    """What uvicorn is told: no log of requests, nothing taken from proxies."""
    uvicorn = load_optional("uvicorn", to="the collector", install="sfumato[serve]")
    return uvicorn.Config(
        collector.app(), access_log=False, log_level="warning", server_header=False, proxy_headers=False,
        lifespan="off", ws="none", timeout_graceful_shutdown=5, timeout_keep_alive=5,
        limit_concurrency=_MOST_CONNECTIONS, **listening.tls,
    )  # fmt: skip


def serve(collector: Collector, listening: Listening) -> None:
    """Answer requests until the process is told to stop."""
    uvicorn = load_optional("uvicorn", to="the collector", install="sfumato[serve]")
    uvicorn.Server(configured(collector, listening)).run(sockets=[listening.socket])
