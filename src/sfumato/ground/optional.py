"""Libraries that are not installed with sfumato: loaded where they are used, and named with the way to get them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sfumato.ground.errors import MissingLibraryError

__all__ = ["load_optional"]


def load_optional(name: str, *, to: str, install: str | None = None) -> Any:
    """Return the module of that name; where it cannot be imported, say what needs it and how it is installed.

    `to` is what the caller wants to do. `install` is what pip is given, where that is not the name of the module.

    >>> load_optional("nothing", to="a frame")
    Traceback (most recent call last):
    sfumato.ground.errors.MissingLibraryError: a frame needs nothing, which is not installed; run pip install nothing
    """
    try:
        import_module(name.partition(".")[0])
        return import_module(name)
    except ImportError:
        package = install or name.partition(".")[0]
        shown = f"'{package}'" if "[" in package else package
        raise MissingLibraryError(
            f"{to} needs {name.partition('.')[0]}, which is not installed; run pip install {shown}"
        ) from None
