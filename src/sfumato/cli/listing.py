"""`sfumato methods` and `sfumato promises`: what there is, in each thing's own words."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Any

from sfumato.cli.options import in_columns, say, write_json
from sfumato.contracts.method import Method, known_methods
from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError, suggest
from sfumato.privacy.promise import Promise, known_promises
from sfumato.privacy.words import first_sentence

__all__ = ["list_methods", "list_promises"]

_KINDS: dict[type, str] = {Table: "Tables", Baskets: "Sets of items", Graph: "Graphs"}
_WORD: dict[type, str] = {Table: "table", Baskets: "baskets", Graph: "graph"}
_OF: dict[type, str] = {Table: "tables", Baskets: "sets of items", Graph: "graphs"}


def list_methods(name: str | None, *, as_json: bool) -> int:
    """List all methods by the data that they publish, recommended ones first; or describe one."""
    known = known_methods()
    if name is not None:
        return _describe(_named(name, known, "method"), as_json=as_json)
    by_kind = {
        title: sorted((each for each in known.values() if each.takes is kind), key=_order)
        for kind, title in _KINDS.items()
    }
    if as_json:
        write_json({title: [_as_dict(each) for each in methods] for title, methods in by_kind.items()})
        return 0
    lines = []
    for title, methods in by_kind.items():
        lines += [title, *in_columns((_mark(each) + each.__name__, _line(each)) for each in methods), ""]
    say(*lines, "* recommended; `sfumato methods NAME` tells one in full, `sfumato promises` what can be promised.")
    return 0


def list_promises(name: str | None, *, as_json: bool) -> int:
    """List all promises, or describe one."""
    known = known_promises()
    if name is not None:
        return _describe(_named(name, known, "promise"), as_json=as_json)
    promises = sorted(known.values(), key=lambda each: (each.option is None, _place(each), each.__name__))
    if as_json:
        write_json([_as_dict(each) for each in promises])
        return 0
    say(*in_columns((each.__name__, _asked(each) + first_sentence(each.__doc__)) for each in promises),
        "", "Promises without an option are asked for in recipes and in Python.")  # fmt: skip
    return 0


def _named(name: str, known: Mapping[str, type[Any]], word: str) -> type[Any]:
    found = next((each for key, each in known.items() if key.lower() == name.lower()), None)
    if found is None:
        raise ParameterError(f"no {word} is called {name!r}{suggest(name, known)}")
    return found


def _order(method: type[Method]) -> tuple[bool, str]:
    return not method.recommended, method.__name__.lower()


def _mark(method: type[Method]) -> str:
    return "* " if method.recommended else "  "


def _line(method: type[Method]) -> str:
    said = first_sentence(method.__doc__)
    return f"{said} Take it {method.recommended}." if method.recommended else said


def _place(promise: type[Promise]) -> int:
    return promise.option.place if promise.option is not None else 0


def _asked(promise: type[Promise]) -> str:
    return f"({promise.option.flag}) " if promise.option is not None else ""


def _describe(kind: type[Any], *, as_json: bool) -> int:
    """Tell one method or promise in full: what it is, what it is for, and its parameters."""
    if as_json:
        write_json(_as_dict(kind))
        return 0
    about = []
    if issubclass(kind, Method):
        about = [f"publishes: {_OF[kind.takes]}", f"promises: {_promises_of(kind)}"]
        about += [f"take it {kind.recommended}"] if kind.recommended else []
    elif kind.option is not None:
        about = [f"asked for by {kind.option.flag}"]
    parameters = [(each.name, _parameter(each)) for each in fields(kind)]
    say(kind.__name__, "", inspect.getdoc(kind) or "", "", *about,
        *(["", "parameters", *in_columns(parameters)] if parameters else []))  # fmt: skip
    return 0


def _promises_of(method: type[Method]) -> str:
    """What a method promises, in words."""
    if method.needs_promise:
        kinds = [each for each in known_promises().values() if _WORD[method.takes] in each.of and each.option]
        names = (each.__name__ for each in sorted(kinds, key=_place))
        return f"the one asked for, such as {', '.join(names)}; one that it cannot keep is refused"
    own = _own_promise(method)
    return own if own is not None else "none of its own"


def _own_promise(method: type[Method]) -> str | None:
    """What the method says of its own promise, where it has one."""
    if method.promise_for is Method.promise_for:
        return None
    said = first_sentence(method.promise_for.__doc__).removesuffix(".")
    return "none; one that is asked for is refused" if said.startswith("Raise") else said


def _parameter(each: Field[Any]) -> str:
    if each.default is not MISSING:
        return f"{each.type}, {each.default!r} by default"
    return f"{each.type}, which must be given" if each.default_factory is MISSING else str(each.type)


def _as_dict(kind: type[Any]) -> dict[str, Any]:
    """One method or promise as plain values."""
    found: dict[str, Any] = {"name": kind.__name__, "line": first_sentence(kind.__doc__)}
    if issubclass(kind, Method):
        found |= {"publishes": _OF[kind.takes], "recommended": kind.recommended, "promises": _promises_of(kind)}
    else:
        found["option"] = kind.option.flag if kind.option is not None else None
    return found | {"parameters": {each.name: _parameter(each) for each in fields(kind)}}
