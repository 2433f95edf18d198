"""sfumato publishes data about people so that nobody is picked out beyond a chance that is told.

Names are loaded when first used, so that `import sfumato` costs next to nothing. Each is written once, in the stub
beside this file.
"""

from __future__ import annotations as _annotations

from importlib import import_module as _import_module
from typing import Any as _Any

from sfumato.ground.surface import MODULES as _MODULES
from sfumato.ground.surface import public_homes as _public_homes

__version__ = "0.1.0"

__all__ = [*sorted(_public_homes()), "__version__"]


def __getattr__(name: str) -> _Any:
    if name in _MODULES:
        return _import_module(f"sfumato.{name}")
    home = _public_homes().get(name)
    if home is None:
        raise AttributeError(f"module 'sfumato' has no attribute {name!r}{_near(name)}")
    value = globals()[name] = getattr(_import_module(home), name)
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})


def _near(name: str) -> str:
    if name.startswith("_"):  # asked for by tools, thousands of times
        return ""
    from sfumato.ground.errors import suggest

    return said if (said := suggest(name, [*__all__, *_MODULES])).startswith("; did") else "; dir(sfumato) lists them"
