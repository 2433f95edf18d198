"""Imports point one way, so that a room can be changed without reading the others."""

import ast
import re
from pathlib import Path

import sfumato

SOURCE = Path(sfumato.__file__).parent
LAYERS = [
    {"errors", "randomness", "progress", "kernels", "figures", "ground"},
    {"data", "datasets"},
    {"privacy"},
    {"published"},
    {"method", "answers", "attacking"},
    {"tables", "baskets", "graphs", "collection", "outputs", "parties"},
    {"report"},
    {
        "release",
        "verification",
        "verbs",
        "bundle",
        "data_files",
        "recipe",
        "purpose",
    },
    {"cli", "studio", "spark"},
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
ROOMS = LAYERS[5]


def imports(path):
    """Modules of sfumato that a file imports when it runs; what stands under TYPE_CHECKING does not count."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            skipped |= {id(child) for child in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sfumato"):
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("sfumato"))


def test_imports_point_one_way():
    wrong = []
    for path in SOURCE.rglob("*.py"):
        here = path.relative_to(SOURCE).with_suffix("").parts[0]
        if here in ("__init__", "__main__"):
            continue
        assert here in RANK, f"{here} has no place in the house"
        for module in imports(path):
            parts = module.split(".")
            if len(parts) == 1:
                continue
            there = parts[1]
            registry = here in ("method", "attacking") and there in (
                "tables",
                "baskets",
                "graphs",
            )  # a method is found by its class
            backwards = RANK[there] > RANK[here] or (there != here and there in ROOMS and here in ROOMS)
            if backwards and not registry:
                wrong.append(f"{path.relative_to(SOURCE)} imports {module}")
    assert not wrong


def lines_with(pattern, *, outside):
    """Lines of the source that match, as file and text, but for those of some folders."""
    for path in sorted(SOURCE.rglob("*.py")):
        where = path.relative_to(SOURCE)
        if where.parts[0] not in outside:
            yield from (
                (str(where), line.strip()) for line in path.read_text().splitlines() if re.search(pattern, line)
            )


def test_only_published_looks_into_what_a_release_tells():
    """Methods write `public`, and nobody but a shape reads its keys."""
    reading = r"release\.public\b|\bpublic\.get\(|\bin (?:\w+\.)?public\b|public\[[^\]]*\](?! =)"
    found = {(where, line) for where, line in lines_with(reading, outside=("published",)) if not line.startswith('"""')}
    whole = 'if not isinstance(public, dict) or not isinstance(public.get("forms", {}), dict):'
    assert found == {("bundle.py", whole)}  # whether a certificate is one at all is asked before there is a release


KINDS_ASKED = {
    "cli/publishing.py": "columns that no schema names are said of tables alone",
    "release.py": "verify takes a table or a frame of any library",
    "tables/attacks/intersection.py": "an earlier original may be missing",
    "tables/condensing/stream_columns.py": "a stream takes a table, a frame of any library, or mappings",
}
"""Where it is asked what kind of data something is, and why."""


def test_kinds_of_data_are_asked_for_in_few_places():
    asked = lines_with(r"isinstance\([^)]*\b(Table|Baskets|Graph|PublishedBaskets)\b", outside=("data", "published"))
    places = [where for where, line in asked if "exp.Table" not in line]
    assert len(places) <= 10
    assert set(places) == set(KINDS_ASKED)


def test_randomness_comes_from_one_place():
    for path in SOURCE.rglob("*.py"):
        if path.name == "randomness.py":
            continue
        text = path.read_text(encoding="utf-8")
        assert "np.random" not in text, path
        assert "import random" not in text, path
