"""Sentences that are said to people about what is known of them, found mechanically; and the list in the docs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import sfumato

SOURCE = Path(sfumato.__file__).parent
DOCS = Path(__file__).parents[2] / "docs"
LIST = DOCS / "explanation" / "claims.md"
SAID_BY = (
    "report/*.py", "privacy/*.py", "published/**/*.py", "verbs/*.py", "*/measures/*.py", "data/inspecting*.py",
    "cli/inspecting.py",
)  # fmt: skip
ABOUT_PEOPLE = re.compile(
    r"\b(whoever|nobody|somebody|anybody|everybody|anyone|no one|persons?|person’s|people|adversar\w+|guess\w*|learn\w*)\b",
    re.IGNORECASE,
)
BOUND = re.compile(
    r"(probability|chance)\b[^.|]{0,60}\b(at most|above|up to)\b|\b(at most|no more than|more than) (1|one) in\b"
    r"|1/[kl]\b|for certain\b|1 over the size",
    re.IGNORECASE,
)
"""What a page of the docs says that bounds how surely something of somebody is known."""
_FEWEST_WORDS = 4


@dataclass(frozen=True)
class Claim:
    """A row of the list."""

    sentence: str
    said_in: str
    rests_on: str
    said_when: str

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(".*?".join(map(re.escape, self.sentence.split("…"))), re.DOTALL)


def one_line(text: str) -> str:
    return " ".join(text.replace("|", "/").split())


def _is_said(text: str) -> bool:
    return bool(ABOUT_PEOPLE.search(text)) and len(text.split()) >= _FEWEST_WORDS


def _strings(path: Path) -> Iterator[str]:
    """Texts of a file that are neither docstrings nor parts of an error: f-strings with … for what is filled in."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    left_out: set[int] = set()
    for node in ast.walk(tree):
        error = isinstance(node, ast.Raise) or (isinstance(node, ast.FunctionDef) and node.name.endswith("_error"))
        error = error or (
            isinstance(node, ast.Call) and getattr(node.func, "id", "").endswith(("Error", "given_table"))
        )
        alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        inside = isinstance(node, ast.JoinedStr)
        if error or alone or inside:
            left_out |= {id(each) for each in ast.walk(node) if each is not node}
    for node in ast.walk(tree):
        if id(node) in left_out:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "…" for part in node.values]
            yield "".join(map(str, parts))


def _template_sentences(path: Path) -> Iterator[str]:
    text = re.sub(r"<style>.*?</style>|\{%.*?%\}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r"\{\{.*?\}\}", "…", text, flags=re.DOTALL)
    text = re.sub(r"</?(code|strong|em|b|i|span)\b[^>]*>", "", text)
    for segment in re.split(r"<[^>]+>", text):
        yield from re.split(r"(?<=[.:!?])\s+", one_line(segment))


def said_in_source() -> dict[tuple[str, str], None]:
    """(file, sentence) of what reports, verdicts and threats say of people."""
    found: dict[tuple[str, str], None] = {}
    for pattern in SAID_BY:
        for path in sorted(SOURCE.glob(pattern)):
            for text in map(one_line, _strings(path)):
                if _is_said(text):
                    found[path.relative_to(SOURCE).as_posix(), text] = None
    for path in sorted((SOURCE / "report").glob("*.jinja")):
        for text in _template_sentences(path):
            if _is_said(text):
                found[path.relative_to(SOURCE).as_posix(), text] = None
    return found


def said_in_docs() -> dict[tuple[str, str], None]:
    """(page, sentence) of the docs that bound what is known of somebody."""
    found: dict[tuple[str, str], None] = {}
    for page in sorted(DOCS.rglob("*.md")):
        if page == LIST or page.name in ("map.md", "vectors.md"):
            continue
        prose = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for text in re.split(r"(?<=[.:!?])\s+|\n\n|\||\n(?=- )", prose):
            if BOUND.search(text) and len(text.split()) >= _FEWEST_WORDS and not text.lstrip().startswith("!["):
                found[page.relative_to(DOCS).as_posix(), one_line(text)] = None
    return found


def listed() -> list[Claim]:
    """The rows of all tables of the list; the first column is the sentence."""
    rows = []
    for line in LIST.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if len(cells) == 4 and not set(cells[0]) <= set("-: ") and cells[0] != "sentence":
            rows.append(Claim(*cells))
    return rows
