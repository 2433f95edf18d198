"""Every example in the documentation runs, and says what it says it says.

A page runs from top to bottom in one folder and one namespace:

- `python` blocks are executed; a `text` block titled "Output" right behind one must equal what it printed;
- `console` blocks run their `$ sfumato` lines; lines that follow must equal what the command printed. `...` stands for
  anything. A command must end with 0, unless the next line is `$ echo $?`;
- a block whose title is a file name is written to that file first, and TOML is read by the real reader;
- `{.python .no-run}` blocks are not run; in the Python reference they are signatures, and compared with the real ones.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.cli import run
from sfumato.collection.randomizers.randomizer import Randomizer
from sfumato.contracts.method import method_from_dict
from sfumato.data.schema_file import read_schema, schema_from_dict
from sfumato.datasets import hospital
from sfumato.privacy.promise import Promise, promise_from_dict
from sfumato.recipe import read_recipe

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
LANGUAGES = {"python", "console", "toml", "text", "json", "sql"}
FENCE = re.compile(r"^```(?P<info>[^`\n]*)\n(?P<body>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    language: str
    title: str
    no_run: bool
    body: str
    line: int


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def blocks_of(page: str) -> list[Block]:
    text = text_of(page)
    blocks = []
    for match in FENCE.finditer(text):
        info = match["info"].strip()
        language = re.match(r"\{?\s*\.?([a-z]*)", info)
        title = re.search(r'title="([^"]*)"', info)
        blocks.append(
            Block(
                language=language[1] if language else "",
                title=title[1] if title else "",
                no_run=".no-run" in info,
                body=match["body"],
                line=text[: match.start()].count("\n") + 2,
            )
        )
    return blocks


def without_blocks(page: str) -> str:
    return FENCE.sub("", text_of(page))


def matches(wanted: str, printed: str) -> bool:
    def tidy(text: str) -> str:
        return "\n".join(line.rstrip() for line in text.strip("\n").split("\n")).rstrip()

    pattern = re.escape(tidy(wanted)).replace(r"\.\.\.", ".*?")
    return re.fullmatch(pattern, tidy(printed), re.DOTALL) is not None


def commands_of(body: str) -> list[tuple[str, str]]:
    """Every command of a console block, and the output shown for it."""
    found: list[tuple[str, list[str]]] = []
    for line in body.replace("\\\n", " ").splitlines():
        if line.startswith("$ "):
            found.append((line[2:].strip(), []))
        else:
            assert found, "a console block starts with a command"
            found[-1][1].append(line)
    return [(command, "\n".join(lines)) for command, lines in found]


class Reader:
    """Somebody who works through a page."""

    def __init__(self, page: str) -> None:
        self.page = page
        self.namespace: dict[str, object] = {"__name__": "__docs__"}
        self.code = 0

    def python(self, block: Block) -> str:
        if block.no_run:
            return ""
        source = compile("\n" * (block.line - 1) + block.body, str(DOCS / self.page), "exec")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(source, self.namespace)
        return printed.getvalue()

    def command(self, command: str) -> str:
        if command == "echo $?":
            return str(self.code)
        words = shlex.split(command)
        if words[0] == "pip":
            return ""
        if words[0] != "sfumato":
            assert words[0] in ("cat", "cp", "head", "ls", "rm"), f"no test for `{command}`"
            assert not any(word.startswith(("/", "~")) or ".." in word for word in words), "a page stays in its folder"
            return subprocess.run(words, capture_output=True, text=True, check=True).stdout
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            self.code = run(words[1:])
        return printed.getvalue()

    def file(self, block: Block) -> None:
        assert re.fullmatch(r"[a-z-]+\.[a-z]+", block.title), f"no file can be called {block.title!r}"
        Path(block.title).write_text(block.body, encoding="utf-8")

    def toml(self, block: Block) -> None:
        """Files go through the reader; a part of one is checked by what reads that part."""
        given = tomllib.loads(block.body)
        if block.title:
            self.file(block)
            if "input" in given:
                read_recipe(block.title)
            else:
                read_schema(block.title)
            return
        if "columns" in given:
            schema_from_dict(given)
        if "method" in given:
            method_from_dict(given["method"])
        promises = given.get("promise", [])
        for promise in promises if isinstance(promises, list) else [promises]:
            promise_from_dict(promise)
        assert {"columns", "method", "promise", "rest"} & set(given), "what is this a part of?"


LONG = {"how-to/patterns.md", "how-to/promises.md"}
"""Pages that take many seconds; .ci/run runs them too."""


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=pytest.mark.slow) if page in LONG else page for page in PAGES]
)
def test_a_page_runs_from_top_to_bottom(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("SFUMATO_PROGRESS", "0")
    reader = Reader(page)
    printed: str | None = None
    for block in blocks_of(page):
        where = f"{page}:{block.line}"
        assert block.language in LANGUAGES, f"{where}: a block of the language {block.language!r}"
        if block.title == "Output":
            assert printed is not None, f"{where}: output of nothing"
            assert matches(block.body, printed), f"{where}: the code printed\n{printed}"
        elif block.language == "toml":
            reader.toml(block)
        elif block.title:
            reader.file(block)
        elif block.language == "json":
            json.loads(block.body)
        elif block.language == "console":
            commands = commands_of(block.body)
            for i, (command, wanted) in enumerate(commands):
                output = reader.command(command)
                if wanted.strip():
                    assert matches(wanted, output), f"{where}: `{command}` printed\n{output}"
                told = i + 1 < len(commands) and commands[i + 1][0] == "echo $?"
                assert reader.code == 0 or told or command == "echo $?", (
                    f"{where}: `{command}` ended with {reader.code}"
                )
            reader.code = 0
        printed = reader.python(block) if block.language == "python" else None


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for link in LINK.findall(without_blocks(page)):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        file, _, anchor = link.partition("#")
        target = (DOCS / page).parent / file if file else DOCS / page
        assert target.is_file(), f"{page}: {link}"
        assert target.resolve().is_relative_to(DOCS), f"{page}: {link}"
        if anchor:
            assert anchor in anchors_of(target.resolve().relative_to(DOCS).as_posix()), f"{page}: {link}"


def anchors_of(page: str) -> set[str]:
    """As the site makes them from headings."""
    names = set()
    for heading in HEADING.findall(without_blocks(page)):
        named = re.search(r"\{#([\w-]+)\}$", heading)
        plain = re.sub(r"[^\w\s-]", "", heading.replace("`", "")).strip().lower()
        names.add(named[1] if named else re.sub(r"[-\s]+", "-", plain))
    return names | set(re.findall(r"^[^|#\n]+ \{#([\w-]+)\}$", without_blocks(page), re.MULTILINE))  # terms


def test_every_page_is_in_the_navigation_once():
    def pages(entry):
        if isinstance(entry, str):
            yield entry
        else:
            for each in entry.values() if isinstance(entry, dict) else entry:
                yield from pages(each)

    config = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
    assert sorted(pages(config["project"]["nav"])) == PAGES


def test_the_site_builds_and_fetches_nothing_from_elsewhere(tmp_path):
    builder = Path(sys.executable).with_name("zensical")
    if not builder.exists():
        pytest.skip("zensical is not installed")
    shutil.copytree(DOCS, tmp_path / "docs")
    shutil.copy(ROOT / "zensical.toml", tmp_path)
    built = subprocess.run([builder, "build", "--strict"], cwd=tmp_path, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    for page in PAGES:
        html = (tmp_path / "site" / page).with_suffix(".html").read_text(encoding="utf-8")
        fetched = re.findall(r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?([^"'\s>]+)""", html)
        fetched += re.findall(r"""<link\b(?![^>]*rel="(?:next|prev|canonical)")[^>]*\bhref=["']?([^"'\s>]+)""", html)
        assert fetched
        assert not [address for address in fetched if "//" in address], page


@pytest.mark.parametrize("page", PAGES)
def test_pages_speak_of_the_product_alone(page):
    text = text_of(page)
    assert text.startswith("# ")
    for place in ("/work/", "/tmp/", "/home/", "/root/", "localhost", "127.0.0.1"):
        assert place not in text, place


# -- the reference is complete -------------------------------------------------------------------------------------
def section(page: str, heading: str) -> str:
    """What stands below a heading, up to the next one of its level."""
    text = text_of(page)
    start = re.search(rf"^(#+) `?{re.escape(heading)}\b.*$", text, re.MULTILINE)
    assert start, f"{page} has no section on {heading}"
    stop = re.search(rf"^#{{1,{len(start[1])}}} ", text[start.end() :], re.MULTILINE)
    return text[start.start() : start.end() + stop.start() if stop else None]


@pytest.mark.parametrize(
    ("page", "surface", "name"),
    [("reference/python.md", sf, name) for name in sf.__all__]
    + [("reference/collection.md", sf.collection, name) for name in sf.collection.__all__],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_every_public_name_has_its_place(page, surface, name):
    thing = getattr(surface, name)
    if not inspect.isclass(thing) and not callable(thing):
        assert f"`{name}`" in text_of(page)
        return
    described = section(page, name)
    shown = re.search(r"^```\{\.python \.no-run\}\n(.*?)^```", described, re.MULTILINE | re.DOTALL)
    if shown:
        assert " ".join(shown[1].split(" -> ")[0].split()) == signature_of(thing)
    else:
        assert name in ("Hierarchy", "Release", "Verdict", "Measures"), f"{name} has no signature"
    if not inspect.isclass(thing):
        return
    common = issubclass(thing, Promise) and name != "KAnonymity"  # what all promises have is described there
    of_all = {member for base in thing.__mro__[1:] for member in vars(base)} if issubclass(thing, Randomizer) else ()
    for member, value in vars(thing).items():
        if (common and member in vars(Promise)) or member in of_all:
            continue
        if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, (property, classmethod))):
            assert re.search(rf"\b{member}\b", described), f"{name} has {member}"


def signature_of(thing) -> str:
    signature = inspect.signature(thing)
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    shown = str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))
    return (thing.__name__ + shown).replace("'", '"')


@pytest.mark.parametrize("command", ["inspect", "publish", "verify", "measure", "attack", "ask", "estimate", "demo"])
def test_every_option_is_described(command, capsys):
    assert run([command, "--help"]) == 0
    described = section("reference/command-line.md", f"sfumato {command}")
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", capsys.readouterr().out)) - {"--source", "--folder"}
    assert options
    for option in (
        options - {"--release", "--original"} if command in ("measure", "attack", "ask", "estimate") else options
    ):
        assert f"`{option}" in described, option


def test_every_figure_is_explained():
    table = hospital(200)
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(5))
    measures = sf.measure(release, table, population=hospital(400, seed=2), n_queries=5)
    text = text_of("reference/measures.md")
    for name in measures:
        shown = re.sub(r"_above_[\d.]+$", "_above_t", name)
        assert f"`{shown}`" in text, name
    baskets = sf.Baskets.from_lists([["a", "b"], ["a"], ["b", "c"], ["a", "c"]] * 5)
    for method, promise in ((sf.Nonreciprocal(), sf.KAnonymity(2)), (sf.Apriori(), sf.KMAnonymity(2, 2))):
        for name in sf.measure(sf.publish(baskets, method, promise), baskets):
            assert f"`{name}`" in text, name


def test_every_key_of_a_certificate_is_explained(tmp_path):
    release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5))
    for form in ("parquet", "csv"):
        release.save(tmp_path / form, format=form, report=False)
        certificate = json.loads((tmp_path / form / "release.json").read_text())
        text = text_of("reference/release.md")
        for key in (*certificate, *certificate["verdict"], *certificate["measures"], *certificate["public"]):
            assert f"`{key}`" in text, key
