"""The verifier knows nothing of methods: what reads a release reaches no code that makes one, not even indirectly."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import sfumato
from sfumato.contracts.attack import known_attacks
from sfumato.contracts.method import known_methods

SOURCE = Path(sfumato.__file__).parent
MAKING = {cls.__module__ for cls in (*known_methods().values(), *known_attacks().values())}


def file_of(module):
    """The file of a module of sfumato, None where it is a name inside one."""
    path = SOURCE.joinpath(*module.split(".")[1:])
    return next((each for each in (path.with_suffix(".py"), path / "__init__.py") if each.is_file()), None)


@cache
def imported(path):
    """Modules that a file names anywhere, also in functions, with the packages around them; but not for typing alone."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            skipped |= {id(child) for child in ast.walk(node)}
    named = set()
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sfumato"):
            named |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names if alias.name.startswith("sfumato")}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("sfumato."):
            named.add(node.value.partition(":")[0])  # shapes are named by where they are
    for module in list(named):
        parts = module.split(".")
        named |= {".".join(parts[:i]) for i in range(2, len(parts))}
    return {module for module in named if file_of(module) is not None and module != "sfumato"}


def reached(start):
    """What a module imports, directly or through others, with the way there."""
    ways, waiting = {start: [start]}, [start]
    while waiting:
        module = waiting.pop()
        for other in imported(file_of(module)):
            if other not in ways:
                ways[other] = [*ways[module], other]
                waiting.append(other)
    return ways


def published_modules():
    for path in sorted((SOURCE / "published").rglob("*.py")):
        yield ".".join(["sfumato", *path.relative_to(SOURCE).with_suffix("").parts]).removesuffix(".__init__")


def test_the_walk_finds_methods_where_they_are_reached():
    assert len(MAKING) > 30
    assert MAKING & set(reached("sfumato.verbs.curse"))
    assert "sfumato.published.tables.condensed" in reached("sfumato.published.shape")


@pytest.mark.parametrize("module", list(published_modules()))
def test_no_method_is_reached(module):
    ways = reached(module)
    wrong = [" -> ".join(ways[each]) for each in MAKING if each in ways]
    assert not wrong
    rooms = [" -> ".join(way) for each, way in ways.items() if each.split(".")[1] in ("tables", "baskets", "graphs")]
    assert not rooms


def test_nothing_that_makes_releases_is_loaded_by_reading_one(tmp_path):
    folder = Path(__file__).parents[1] / "releases_version_1" / "mondrian-k"
    code = (
        "import sys; from sfumato.release.bundle import load_release; from sfumato.verbs.verify import verify; "
        f"assert verify(load_release({str(folder)!r})).holds; "
        "print(*sorted(name for name in sys.modules if name.startswith('sfumato.')))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "sfumato.published.tables.classes" in loaded
    assert not MAKING & set(loaded)
    assert "sfumato.published.tables.condensed" not in loaded
