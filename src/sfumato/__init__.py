"""sfumato publishes data about people so that no one in it can be picked out.

Names are loaded when first used, so that `import sfumato` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.data.hierarchy import Hierarchy as Hierarchy
    from sfumato.data.reading import read_table as read_table
    from sfumato.data.schema import Column as Column
    from sfumato.data.schema import Schema as Schema
    from sfumato.data.table import Table as Table

__version__ = "0.1.0"

_HOMES = {
    "Column": "sfumato.data.schema",
    "Hierarchy": "sfumato.data.hierarchy",
    "Schema": "sfumato.data.schema",
    "Table": "sfumato.data.table",
    "read_table": "sfumato.data.reading",
}

__all__ = [*sorted(_HOMES), "__version__"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'sfumato' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
