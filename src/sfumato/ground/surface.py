"""The public names, read from the stub `sfumato/__init__.pyi`: the one place where each is written.

The package loads a name from here when it is first used (SPEC 1). Registries of methods, attacks and promises are
filled from here too, so that no room has to import all that stands in it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

__all__ = ["MODULES", "load_class", "load_folder", "load_modules", "names_of_room", "public_homes"]

MODULES = ("collection", "datasets", "errors", "plots")
"""Modules that are public as such."""


@cache
def public_homes(package: str = "sfumato") -> dict[str, str]:
    """The module of every public name of a package, which has a stub beside its `__init__`."""
    stub = ast.parse(files(package).joinpath("__init__.pyi").read_text(encoding="utf-8"))
    return {
        alias.name: f"{package}.{node.module}"
        for node in stub.body
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names
    }


def names_of_room(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """What the `__init__` of a room with public names is made of: `__getattr__`, `__dir__` and `__all__`."""
    names = sorted(public_homes(package))

    def load(name: str) -> Any:
        if name not in names:
            from sfumato.ground.errors import suggest

            near = "" if name.startswith("_") else suggest(name, names)
            raise AttributeError(f"module {package!r} has no attribute {name!r}{near}")
        return getattr(import_module(public_homes(package)[name]), name)

    return load, lambda: list(names), names


def load_modules(*rooms: str) -> None:
    """Import every module of these rooms that has a public name, so that its classes are registered."""
    for home in dict.fromkeys(public_homes().values()):
        if home.startswith(tuple(f"sfumato.{room}." for room in rooms)):
            import_module(home)


def load_folder(folder: str) -> None:
    """Import every file of a folder, such as `tables.measures`, so that what it registers is known; if there is one."""
    package = f"sfumato.{folder}"
    spec = find_spec(package)
    for each in iter_modules(spec.submodule_search_locations if spec is not None else []):
        import_module(f"{package}.{each.name}")


def load_class(name: str) -> None:
    """Import the module of a public name, whatever its case; nothing where there is no such name."""
    home = next((home for public, home in public_homes().items() if public.lower() == name.lower()), None)
    if home is not None:
        import_module(home)
