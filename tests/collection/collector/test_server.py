"""The server: what it takes, what it refuses, and what it tells whom."""

from __future__ import annotations

import http.client
import itertools
import json
import socket
import ssl
import subprocess

import pytest

from sfumato import collection
from sfumato.ground.errors import DataError, MissingLibraryError, ParameterError
from support.enumerated_draws import report_law
from support.surveys import (
    EVERY_KIND,
    PROMISING,
    ask,
    code_of,
    drawn_reports,
    every_code,
    posted,
    served,
    submission,
    survey_of,
)

pytest.importorskip("starlette", reason="the extra serve is not installed: requirements/serve.txt has it")
pytest.importorskip("uvicorn", reason="the extra serve is not installed: requirements/serve.txt has it")

from sfumato.collection.collector import server
from sfumato.collection.collector.store import open_store

SURVEY = survey_of(PROMISING)


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with served(SURVEY, tmp_path_factory.mktemp("served") / "answers.sqlite") as found:
        yield found


def test_a_submission_is_kept_and_counted_once(running):
    collector, address = running
    before = collector.store.count()
    given = submission(drawn_reports(SURVEY))
    for _ in range(3):
        status, body, _ = posted(address, given)
        assert (status, json.loads(body)) == (200, {"kept": True})
    assert collector.store.count() == before + 1
    assert given["reports"] in collector.store.submissions()


GOOD = drawn_reports(SURVEY)
NUMBER = "0123456789abcdef" * 2
MALFORMED = [
    b"", b"{", b"[]", b"null", b"1", b"NaN", b'{"submission": NaN}', b"\xff\xfe", b"[" * 600, b'"' + b"a" * 300 + b'"',
    {}, {"submission": NUMBER}, {"reports": GOOD}, {"submission": NUMBER, "reports": GOOD, "more": 1},
    {"submission": NUMBER, "reports": None}, {"submission": NUMBER, "reports": []},
    {"submission": NUMBER, "reports": {}}, {"submission": NUMBER, "reports": {**GOOD, "other": [0]}},
    {"submission": NUMBER, "reports": {key: value for key, value in GOOD.items() if key != "kary"}},
    *({"submission": number, "reports": GOOD} for number in (None, 1, "", "0" * 31, "0" * 33, "G" * 32, "A" * 32, "0" * 32 + "\n")),
]  # fmt: skip


@pytest.mark.parametrize("given", MALFORMED, ids=range(len(MALFORMED)))
def test_what_is_malformed_is_refused_and_changes_nothing(running, given):
    collector, address = running
    before = collector.store.submissions()
    status, body, _ = posted(address, given)
    assert status in (400, 422)
    said = json.loads(body)["error"]
    assert said
    assert "\n" not in said
    assert collector.store.submissions() == before


def impossible_reports(randomizer):
    """For every place of a report the numbers beside its limits, and what is no whole number; reports of other lengths."""
    limits = list(randomizer.report_limits.values())
    good = randomizer.draw(code_of(randomizer), _draws())[0].tolist()
    for i, (least, most) in enumerate(limits):
        for wrong in (least - 1, most + 1, 2**63, -(2**70), 0.5, float(most), True, None, str(least), [least], {}):
            yield [*good[:i], wrong, *good[i + 1 :]]
    yield from ([], good[:-1], [*good, 0], "0", None, 0, {"0": 0}, [good])


def _draws():
    from sfumato.collection.randomizers.draws import Draws
    from sfumato.ground.randomness import Randomness

    return Draws(Randomness())


@pytest.mark.parametrize("kind", PROMISING)
def test_every_impossible_value_is_refused(running, kind):
    collector, address = running
    before, tried = collector.store.count(), 0
    for report in impossible_reports(PROMISING[kind]):
        status, body, _ = posted(address, submission({**GOOD, kind: report}))
        assert status == 422, report
        assert "whole number" in json.loads(body)["error"] or "drawn" in json.loads(body)["error"]
        tried += 1
    assert tried >= 19
    assert collector.store.count() == before


@pytest.mark.parametrize(
    "kind", [kind for kind in EVERY_KIND if kind not in ("hashing", "laplace", "staircase", "normal")]
)
def test_reports_that_can_be_drawn_and_no_others_are_read(kind):
    """By the law of the randomizer, along every path of its draws, where a report has few places."""
    randomizer = EVERY_KIND[kind]
    codes = [0] if kind in ("rappor", "bloom") else every_code(randomizer)  # under any all of them can be drawn
    drawable = {report for code in codes for report in report_law(randomizer, code)}
    ranges = [range(least - 1, most + 2) for least, most in randomizer.report_limits.values()]
    for report in itertools.product(*ranges):
        try:
            randomizer.read_report(list(report))
        except DataError:
            assert report not in drawable
        else:
            assert report in drawable


def too_long(address):
    """The status of a post that says and begins to be very long, and is answered before it ends."""
    connection = http.client.HTTPConnection(address.split("/")[2], timeout=10)
    connection.putrequest("POST", "/answers")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", "5000000")
    connection.endheaders(b" " * 5_000)
    status = connection.getresponse().status
    connection.close()
    return status


def begun(address):
    """A connection over which a post was begun and not ended."""
    connection = http.client.HTTPConnection(address.split("/")[2], timeout=10)
    connection.putrequest("POST", "/answers")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", "200")
    connection.endheaders(b"{")
    return connection


def test_what_breaks_off_is_nobodys_trouble(tmp_path, capfd):
    survey = survey_of({"a": collection.Warner(0.75)})
    with served(survey, tmp_path / "answers.sqlite") as (collector, address):
        for _ in range(3):
            begun(address).close()
        assert posted(address, submission({"a": [0]}))[0] == 200
        assert collector.store.count() == 1
    assert "".join(capfd.readouterr()) == ""


def test_what_never_ends_is_ended(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(server, "MOST_SECONDS", 0.2)
    with served(survey_of({"a": collection.Warner(0.75)}), tmp_path / "answers.sqlite") as (_, address):
        connection = begun(address)
        response = connection.getresponse()
        assert response.status == 408
        assert json.loads(response.read()) == {"error": "a submission is sent within 0.2 seconds"}
        connection.close()
    assert "".join(capfd.readouterr()) == ""


def test_connections_are_limited(running):
    collector, _ = running
    with socket.socket() as any_socket:
        told = server.configured(collector, server.Listening(any_socket, "http://127.0.0.1/", frozenset(), {}))
    assert (told.limit_concurrency, told.timeout_keep_alive) == (1000, 5)


def test_only_json_is_taken_and_only_so_much(running):
    collector, address = running
    good = json.dumps(submission(GOOD)).encode()
    before = collector.store.count()
    assert ask(f"{address}answers", good, headers={"Content-Type": "text/plain"})[0] == 415
    assert ask(f"{address}answers", good)[0] == 415
    assert posted(address, good + b" " * collector.most_bytes)[0] == 413
    assert too_long(address) == 413
    assert ask(f"{address}answers")[0] == 405
    assert ask(f"{address}answers", good, method="PUT")[0] == 405
    assert collector.store.count() == before


def test_other_names_and_origins_are_refused(running):
    collector, address = running
    own = address.rstrip("/")
    before = collector.store.count()
    assert posted(address, submission(GOOD), Origin="https://elsewhere.example")[0] == 403
    assert posted(address, submission(GOOD), Origin="null")[0] == 403
    assert posted(address, submission(GOOD), Host="elsewhere.example")[0] == 403
    assert ask(address, headers={"Host": "elsewhere.example"})[0] == 403
    assert collector.store.count() == before
    assert posted(address, submission(GOOD), Origin=own)[0] == 200


@pytest.mark.parametrize(
    "path", ["", "script.js", "style.css", "estimates", "estimates.js", "estimates.json", "nowhere"]
)
def test_every_answer_is_guarded_and_sets_no_cookie(running, path):
    _, _, headers = ask(running[1] + path)
    lower = {key.lower(): value for key, value in headers.items()}
    policy = lower["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert lower["x-content-type-options"] == "nosniff"
    assert lower["referrer-policy"] == "no-referrer"
    assert lower["cache-control"] == "no-store"
    assert "set-cookie" not in lower
    assert "server" not in lower


def test_the_script_is_served_as_it_lies(running):
    from pathlib import Path

    status, body, headers = ask(running[1] + "script.js")
    assert status == 200
    assert body == Path(server.__file__).with_name("script.js").read_text(encoding="utf-8")
    assert headers["content-type"].startswith("text/javascript")


def test_estimates_are_behind_the_token(running):
    collector, address = running
    for headers in ({}, {"Authorization": "Bearer "}, {"Authorization": "Bearer wrong"}, {"Authorization": "é"}):
        status, body, _ = ask(
            f"{address}estimates.json", headers={k: v.encode("utf-8").decode("latin-1") for k, v in headers.items()}
        )
        assert status == 403
        assert "share" not in body
    assert posted(address, submission(GOOD))[0] == 200
    status, body, _ = ask(f"{address}estimates.json", headers={"Authorization": f"Bearer {collector.token}"})
    found = json.loads(body)
    assert status == 200
    assert found["submissions"] == collector.store.count()
    assert [each["name"] for each in found["questions"]] == list(PROMISING)
    rows = found["questions"][0]["rows"]
    estimated = SURVEY.estimate(SURVEY.report_frame(collector.store.submissions()))
    assert rows == estimated["kary"].to_dict()
    (mean,) = next(each for each in found["questions"] if each["name"] == "duchi")["rows"]
    assert (mean["value"], mean["share"]) == ("mean", estimated["duchi"].value)


def test_estimates_of_nothing_and_of_one_question_alone(tmp_path):
    survey = survey_of({"a": collection.Warner(0.75), "b": collection.Warner(0.75)}, ask="one")
    store = open_store(tmp_path / "answers.sqlite", survey)
    collector = server.Collector(survey, store)
    assert json.loads(collector.estimates())["submissions"] == 0
    store.add("0" * 32, {"b": [1]})
    found = json.loads(collector.estimates())
    assert [(each["reports"], len(each["rows"])) for each in found["questions"]] == [(0, 0), (1, 2)]
    store.close()


def test_a_store_that_fails_is_said_and_not_acknowledged(tmp_path):
    survey = survey_of({"a": collection.Warner(0.75)})
    with served(survey, tmp_path / "answers.sqlite") as (collector, address):
        collector.store._run("DROP TABLE sfumato_answers")
        status, body, _ = posted(address, submission({"a": [0]}))
        assert status == 503
        assert json.loads(body) == {"error": "the answer could not be kept; try again later"}
        status, body, _ = ask(f"{address}estimates.json", headers={"Authorization": f"Bearer {collector.token}"})
        assert (status, json.loads(body)) == (503, {"error": "the reports cannot be read now; try again later"})
        collector.store._run("CREATE TABLE sfumato_answers (submission TEXT PRIMARY KEY, day TEXT, reports TEXT)")


def test_nothing_of_a_request_is_logged(tmp_path, capfd):
    survey = survey_of({"a": collection.Warner(0.75)})
    with served(survey, tmp_path / "answers.sqlite") as (_, address):
        ask(address, headers={"User-Agent": "a browser of its own"})
        posted(address, submission({"a": [0]}))
        posted(address, b"{")
        ask(f"{address}nowhere")
    assert "".join(capfd.readouterr()) == ""
    files = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"127.0.0.1" not in files
    assert b"browser" not in files


def test_a_randomizer_that_the_script_does_not_know_is_refused(tmp_path, monkeypatch):
    survey = survey_of({"a": collection.Warner(0.75)})
    monkeypatch.setattr(server, "KINDS", ("kary",))
    store = open_store(tmp_path / "answers.sqlite", survey)
    with pytest.raises(ParameterError, match="question 'a': the form cannot draw for Warner"):
        server.Collector(survey, store)
    store.close()


@pytest.mark.parametrize("kind", [kind for kind in EVERY_KIND if kind not in PROMISING])
def test_a_survey_that_promises_nothing_is_studied_and_not_served(tmp_path, kind):
    survey = survey_of({"a": collection.Warner(0.75), kind: EVERY_KIND[kind]})
    store = open_store(tmp_path / "answers.sqlite", survey)
    with pytest.raises(ParameterError, match=f"question '{kind}': .* promises nothing to whoever answers") as caught:
        server.Collector(survey, store)
    assert "\n" not in str(caught.value)
    store.close()


def test_a_survey_that_tells_more_than_can_be_promised_is_not_served(tmp_path):
    survey = survey_of({f"q{i}": collection.KaryResponse(["a", "b"], 20.0) for i in range(40)})
    store = open_store(tmp_path / "answers.sqlite", survey)
    with pytest.raises(ParameterError, match="have an epsilon of 800 together, and 100 is the most"):
        server.Collector(survey, store)
    store.close()


def test_the_kinds_are_those_of_the_script():
    assert set(server.KINDS) == set(EVERY_KIND)


# -- listening ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::", "survey.example"])
def test_another_host_needs_a_certificate(host):
    with pytest.raises(ParameterError, match="can be reached from other machines"):
        server.listen(host, 0)


def test_what_cannot_be_listened_on_is_refused(tmp_path):
    (tmp_path / "text").write_text("no certificate")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ParameterError, match="cannot be listened on"):
            server.listen(port=taken.getsockname()[1])
    with pytest.raises(ParameterError, match="port must be between 0 and 65535"):
        server.listen(port=70_000)
    with pytest.raises(ParameterError, match="go together"):
        server.listen(certificate=tmp_path / "text")
    with pytest.raises(ParameterError, match="no certificate and key"):
        server.listen(certificate=tmp_path / "text", key=tmp_path / "text")
    with pytest.raises(ParameterError, match="no certificate and key"):
        server.listen(certificate=tmp_path / "nowhere", key=tmp_path / "nowhere")


def test_over_tls(tmp_path):
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem"],
        cwd=tmp_path, capture_output=True,
    )  # fmt: skip
    if made.returncode:
        pytest.skip("openssl cannot make a certificate here")
    survey = survey_of({"a": collection.Warner(0.75)})
    with served(survey, tmp_path / "answers.sqlite", certificate=tmp_path / "cert.pem", key=tmp_path / "key.pem") as (
        collector,
        address,
    ):
        assert address.startswith("https://127.0.0.1:")
        trusted = ssl.create_default_context(cafile=tmp_path / "cert.pem")
        body = json.dumps(submission({"a": [0]})).encode()
        headers = {"Content-Type": "application/json", "Origin": address.rstrip("/")}
        assert ask(f"{address}answers", body, headers=headers, context=trusted)[0] == 200
        assert collector.store.count() == 1


def test_without_the_extra_it_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(MissingLibraryError, match=r"pip install 'sfumato\[serve\]'"):
        server.listen(port=0)
