"""The method where none is named: for tables `Best`, which tries those that fit and keeps what loses least.

Sets of items are grouped. A promise that few methods keep names its own (`Promise.kept_by`).
"""

from __future__ import annotations

from dataclasses import fields

from sfumato.contracts.method import Method, known_methods, method_from_dict
from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import told
from sfumato.privacy.promise import Promise

__all__ = ["chosen_method", "default_method"]


def chosen_method(method: object, data: Table | Baskets | Graph, promise: Promise | None) -> Method:
    """The method meant: one that was made, a class or a name for one with its own parameters, None for the default."""
    if isinstance(method, Method):
        return method
    if isinstance(method, Promise):
        raise ParameterError(f"{method!r} is a promise; write publish(data, promise={method!r}), or name a method")
    if isinstance(method, str):
        return method_from_dict({"name": method})
    if isinstance(method, type) and issubclass(method, Method):
        return method_from_dict({"name": method.__name__})
    if method is not None:
        raise ParameterError(f"method must be a method such as LocalRecoding(), or its name, got {told(method)}")
    if promise is not None and not isinstance(promise, Promise):
        raise ParameterError(f"promise must be a promise such as KAnonymity(10), got {told(promise)}")
    return default_method(data, promise)


def default_method(data: Table | Baskets | Graph, promise: Promise | None) -> Method:
    """The method for these data and this promise, where nobody named one."""
    if promise is None:
        if data.data_kind == "graph":
            raise ParameterError("no method is named; say EdgePerturbation(mu=0.001), or another probability of a flip")
        raise ParameterError("neither a method nor a promise is named; promise something, such as KAnonymity(10)")
    own = sorted({part.kept_by for part in promise.parts if part.kept_by})
    if len(own) > 1:
        raise ParameterError(f"no one method keeps {promise!r}; {' and '.join(own)} keep one part each: name one")
    if own:
        return _keeper(own[0], promise)
    if not all(part.kept_by_groups for part in promise.parts):
        odd = next(part for part in promise.parts if not part.kept_by_groups)
        raise ParameterError(f"no default method keeps {odd!r}; name one that does: `sfumato methods` lists them")
    if data.data_kind == "graph":
        raise ParameterError(f"{promise!r} is not for graphs; name a method, such as EdgePerturbation(mu=0.001)")
    if data.data_kind == "baskets":
        return method_from_dict({"name": "Grouped"})
    return method_from_dict({"name": "Best"})


def _keeper(name: str, promise: Promise) -> Method:
    """The method of this name, which may have to be told the k of the promise that it keeps."""
    kind = known_methods()[name]
    k = next((part.k for part in promise.parts if part.kept_by == name and hasattr(part, "k")), None)
    asks = k is not None and any(each.name == "k" for each in fields(kind))  # type: ignore[arg-type]
    return method_from_dict({"name": name, **({"k": k} if asks else {})})
