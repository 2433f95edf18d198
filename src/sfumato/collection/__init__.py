"""Privacy before the data is ours: answers are randomized where they are given, and learnt from by their sum.

- `randomizers/`: what runs at the respondent. `draws.py` has all that is ever drawn, `privacy.py` what is promised.
- `reconstruction/`: what the collector learns: shares with exact covariances, and distributions to be shown.

Names are loaded when first used; each is written once, in the stub beside this file.
"""

from __future__ import annotations as _annotations

from importlib import import_module as _import_module
from typing import Any as _Any

from sfumato.ground.surface import public_homes as _public_homes

__all__ = [*sorted(_public_homes(__name__))]


def __getattr__(name: str) -> _Any:
    home = _public_homes(__name__).get(name)
    if home is None:
        from sfumato.ground.errors import suggest

        said = "" if name.startswith("_") else suggest(name, __all__)
        raise AttributeError(f"module 'sfumato.collection' has no attribute {name!r}{said}")
    value = globals()[name] = getattr(_import_module(home), name)
    return value


def __dir__() -> list[str]:
    return list(__all__)
