"""Imports point one way, so that a room can be changed without reading the others."""

import ast
import re
from pathlib import Path

import sfumato
from sfumato.contracts.method import known_methods
from sfumato.ground.surface import MODULES

SOURCE = Path(sfumato.__file__).parent
LAYERS = [
    {"ground", "errors"},
    {"data", "datasets"},
    {"privacy"},
    {"published"},
    {"contracts"},
    {"tables", "baskets", "graphs", "collection", "outputs", "parties"},
    {"report"},
    {"release", "verbs", "recipe", "plots"},
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
            backwards = RANK[there] > RANK[here] or (there != here and there in ROOMS and here in ROOMS)
            if backwards:
                wrong.append(f"{path.relative_to(SOURCE)} imports {module}")
    assert not wrong


WITHIN_TABLES = [
    {"coding"},
    {"grouping.cutting"},
    {"showing", "condensing"},
    {"grouping"},
    {"lattice", "pattern", "distribution", "perturbing", "republishing", "counting"},
    {"choosing"},
]
"""The rooms of `tables` that make releases, from the ground up. Condensing draws for `showing`; its own two methods,
`Condensation` and its stream, form groups."""
READERS = {"attacks", "measures", "answers", "estimates"}
"""What stands at the same address in every room: it reads releases, and imports no method."""


def address(module):
    """The part of a room that a module stands in: `grouping.cutting` for `sfumato.tables.grouping.cutting.k_optimal`."""
    return ".".join(module.split(".")[2:-1])


def modules(room):
    for path in sorted((SOURCE / room).rglob("*.py")):
        if path.name != "__init__.py":
            yield path, ".".join(["sfumato", *path.relative_to(SOURCE).with_suffix("").parts])


def test_inside_the_room_of_tables_imports_point_one_way():
    rank = {part: at for at, layer in enumerate(WITHIN_TABLES) for part in layer}
    wrong = []
    for path, module in modules("tables"):
        here = address(module)
        if here.split(".")[0] in READERS:
            continue
        for other in imports(path):
            there = address(other)
            if not other.startswith("sfumato.tables.") or (here, there) == ("condensing", "grouping"):
                continue
            assert there in rank, f"{path.relative_to(SOURCE)} imports {other}"
            if rank[there] > rank[here]:
                wrong.append(f"{path.relative_to(SOURCE)} imports {other}")
    assert not wrong


def test_who_reads_a_release_imports_no_method():
    """Wherever it stands: attacks, measures, answers and estimates start from what is published."""
    methods = {cls.__module__ for cls in known_methods().values()}
    assert len(methods) > 25
    wrong = []
    for room in ("tables", "baskets", "graphs"):
        for path, module in modules(room):
            if address(module).split(".")[0] in READERS:
                wrong += [f"{module} imports {other}" for other in imports(path) if other in methods]
    assert not wrong


def test_packages_run_nothing():
    """A package's `__init__` says what is in it; whoever needs a module imports that one."""
    allowed = {"", "cli", "report", *MODULES}  # the surface, two fronts, and rooms with names of their own
    for path in SOURCE.rglob("__init__.py"):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        where = str(path.parent.relative_to(SOURCE)).removeprefix(".")
        assert where in allowed or len(body) == 1, where


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
    reading = (
        r"release\.public\b|getattr\(\w+, \"public\"|\bpublic\.get\(|\bin (?:\w+\.)?public\b|public\[[^\]]*\](?! =)"
    )
    found = {(where, line) for where, line in lines_with(reading, outside=("published",)) if not line.startswith('"""')}
    whole = 'if not isinstance(public, dict) or not isinstance(public.get("forms", {}), dict):'
    beside = 'beside = public.get("files", [])'
    assert found == {
        ("release/certificate.py", whole), ("release/certificate.py", beside)
    }  # fmt: skip  # whether a certificate is one at all is asked before there is a release


KINDS_ASKED = {
    "cli/publishing.py": "columns that no schema names are said of tables alone",
    "verbs/verify.py": "verify takes a table or a frame of any library",
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
        assert not re.search(r"^\s*(?:import random\b|from random import)", text, re.MULTILINE), path
