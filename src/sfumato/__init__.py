"""sfumato publishes data about people so that nobody is picked out beyond a chance that is told.

Names are loaded when first used, so that `import sfumato` costs next to nothing. Each is written once, in the stub
beside this file.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sfumato.ground.surface import MODULES, public_homes

__version__ = "0.1.0"

__all__ = [*sorted(public_homes()), "__version__"]


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return import_module(f"sfumato.{name}")
    home = public_homes().get(name)
    if home is None:
        raise AttributeError(f"module 'sfumato' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(home), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *MODULES})
