"""What a comparison tries: the methods that fit the data, each with every promise or with strengths of its own."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence

from sfumato.contracts.method import Method, known_methods, method_from_dict
from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError, SfumatoError
from sfumato.ground.validate import told
from sfumato.privacy.promise import Promise
from sfumato.privacy.words import join_names
from sfumato.verbs.comparing.point import Point

__all__ = ["planned"]

_KINDS = {"table": "tables", "baskets": "sets of items", "graph": "graphs"}
_KS = (5, 10, 20, 50)
_FEWEST_CLASSES = 10


def planned(
    data: Table | Baskets | Graph, methods: Sequence[object] | None, promises: Sequence[object] | None,
    *, fewest_classes: int = _FEWEST_CLASSES,
) -> list[Point]:  # fmt: skip
    """All points to try, those that people take first at the head: the recommended methods, and the quick ones.

    Promises that are not given are those by which the data have room for so many classes.
    """
    chosen = list(_fitting(data)) if methods is None else [each for given in methods for each in _made(given)]
    asked = _promises(data, fewest_classes) if promises is None else [_checked(each) for each in promises]
    odd = next((method for method in chosen if not isinstance(data, method.takes)), None)
    if odd is not None:
        raise ParameterError(
            f"{type(odd).__name__} publishes {odd.takes.__name__}, and the data are {type(data).__name__}; leave it out"
        )
    _check_kind(data, asked)
    points = [point for method in chosen for point in _with_promises(method, asked, named=methods is not None)]
    if not points:
        raise ParameterError("nothing is to be compared: no method fits these data and promises; name some")
    return list({point.key: point for point in points}.values())


def _fitting(data: Table | Baskets | Graph) -> Iterator[Method]:
    """The methods that take such data and are not only for study, with the parameters that they are compared by."""
    kinds = [kind for kind in known_methods().values() if isinstance(data, kind.takes) and not kind.for_study]
    for kind in sorted(kinds, key=lambda kind: (not kind.recommended, kind.__name__)):
        for written in kind.compared:
            yield method_from_dict({"name": kind.__name__, **tomllib.loads(written)})


def _made(given: object) -> list[Method]:
    """The method meant by one that was made, a class or a name; a name stands for all that it is compared by."""
    if isinstance(given, Method):
        return [given]
    if isinstance(given, type) and issubclass(given, Method):
        given = given.__name__
    if not isinstance(given, str):
        raise ParameterError(f"methods must be methods such as Ordered(), or their names, got {told(given)}")
    kind = next((each for name, each in known_methods().items() if name.lower() == given.lower()), None)
    if kind is None or not kind.compared:
        return [method_from_dict({"name": given})]  # or says which name was meant
    return [method_from_dict({"name": kind.__name__, **tomllib.loads(written)}) for written in kind.compared]


def _promises(data: Table | Baskets | Graph, fewest_classes: int) -> list[Promise]:
    """k-anonymity at the strengths that people ask for, as far as the data have records for some classes."""
    from sfumato.privacy.k_anonymity import KAnonymity

    if data.data_kind == "graph":
        return []
    return [KAnonymity(k) for k in _KS if k * fewest_classes <= len(data)] or [KAnonymity(2)]


def _checked(given: object) -> Promise:
    if not isinstance(given, Promise):
        raise ParameterError(f"promises must be promises such as KAnonymity(10), got {told(given)}")
    return given


def _check_kind(data: Table | Baskets | Graph, promises: Sequence[Promise]) -> None:
    """Refuse a promise that cannot be made of such data."""
    for part in (part for promise in promises for part in promise.parts):
        if data.data_kind not in part.of:
            of = join_names([word for kind, word in _KINDS.items() if kind in part.of])
            raise ParameterError(
                f"{part!r} is a promise for {of}, and the data are {_KINDS[data.data_kind]}; leave it out"
            )


def _may_keep(method: Method, promise: Promise, *, named: bool) -> bool:
    """Whether a method that needs no promise is one for this promise: it names the method, or speaks of records."""
    own = {part.kept_by for part in promise.parts if part.kept_by}
    records = all(part.speaks_of == "records" for part in promise.parts)
    return type(method).__name__ in own or (named and records and not own)


def _with_promises(method: Method, promises: Sequence[Promise], *, named: bool) -> Iterator[Point]:
    """A method with each promise; once without, where it needs none. What was named is tried, and told if refused."""
    if not method.needs_promise:
        promises = [promise for promise in promises if _may_keep(method, promise, named=named)]
        if not promises:
            yield Point(method=method, promise=None)
    for promise in promises:
        try:
            method.promise_for(promise)
        except SfumatoError as error:
            if named:
                yield Point(method=method, promise=promise, came="refused", why=str(error))
            continue
        yield Point(method=method, promise=promise)
