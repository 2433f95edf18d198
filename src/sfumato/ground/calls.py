"""Calls with a parameter that does not exist, or of the wrong kind: one sentence that names it and the way out.

Functions carry `@says_what_it_takes`, classes derive from `SaysWhatItTakes`, or from `SaysWhatMethodsTake` where nobody
but sfumato makes them. What is raised is a `ParameterError` and a `TypeError` at once. A check costs a look at the
names of the arguments; a method looks at them only where a call has failed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache, wraps
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import CodeType, FunctionType
from typing import Any, ClassVar, ParamSpec, Self, TypeVar

from sfumato.ground.errors import ArgumentError, SfumatoError, suggest
from sfumato.ground.given import checked_arguments, kinds_of

__all__ = ["SaysWhatItTakes", "SaysWhatMethodsTake", "knows_its_parameters", "says_what_it_takes"]

P = ParamSpec("P")
R = TypeVar("R")

_MEANT: Mapping[str, str] = {
    "k": "promise", "l": "promise", "t": "promise", "m": "promise", "beta": "promise", "delta": "promise",
    "qi": "quasi", "qid": "quasi", "qids": "quasi", "secret": "sensitive", "id": "identifier", "ids": "identifier",
    "drop": "identifier", "keep": "plain", "insensitive": "plain", "types": "kinds", "dtypes": "kinds",
    "random_state": "seed", "rng": "seed", "relaxed": "strict", "algorithm": "method", "model": "promise",
    "sep": "delimiter", "na_values": "missing", "df": "table", "data": "table", "path": "source", "filename": "source",
    "table": "data",
}  # fmt: skip
"""What other libraries call a parameter, and what it is called here; where a function has the latter."""
_WAY: Mapping[str, str] = {
    "promise": "as in promise=KAnonymity(5)", "strict": "as in strict=False", "seed": "as in seed=1",
}  # fmt: skip


_TAKES_ANYTHING = CO_VARARGS | CO_VARKEYWORDS


def says_what_it_takes(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a function so that a call with a parameter it does not have, or without one it needs, gets one sentence.

    So does an argument that is not what its annotation says, where that is simple (`ground/given.py`).

    >>> @says_what_it_takes
    ... def greet(name, *, loudly=False): ...
    >>> greet("Ann", louder=True)
    Traceback (most recent call last):
    sfumato.ground.errors.ArgumentError: greet has no parameter 'louder'; did you mean 'loudly'?
    """

    @cache
    def kinds() -> dict[str, tuple[str, ...]]:
        return {each: kinds_of(annotation) for each, annotation in function.__annotations__.items()}

    return _watched(function, lambda given: checked_arguments(kinds(), given))


def knows_its_parameters(function: Callable[P, R]) -> Callable[P, R]:
    """As `says_what_it_takes`, for a function that looks at what it is given itself."""
    return _watched(function, lambda given: given)


def _watched(function: Callable[P, R], check: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[P, R]:
    code: CodeType = function.__code__
    name: str = function.__name__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @wraps(function)
    def call(*args: P.args, **keywords: P.kwargs) -> R:
        _refuse_call(function, name, len(args), keywords)
        return function(**check({**dict(zip(names, args, strict=False)), **keywords}))  # type: ignore[call-arg]

    return call


class SaysWhatMethodsTake:
    """A class whose public methods refuse a parameter that they do not have in one sentence."""

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:
        """Watch the public methods that the class itself defines; those it inherits are watched already."""
        super().__init_subclass__(**options)
        for name, member in list(vars(cls).items()):
            if name.startswith("_"):
                continue
            if isinstance(member, (classmethod, staticmethod)):
                bound = isinstance(member, classmethod)
                setattr(cls, name, type(member)(_explained(member.__func__, bound=bound)))
            elif isinstance(member, FunctionType):
                setattr(cls, name, _explained(member, bound=True))


def _explained(function: Callable[P, R], *, bound: bool, name: str = "") -> Callable[P, R]:
    """Wrap a method so that a call that Python cannot make gets one sentence; any other is only passed on.

    A `bound` one is given its object or class first, which no caller writes. `name` is what it is called in messages.
    """
    name = name or function.__name__
    code: CodeType | None = getattr(function, "__code__", None)
    if code is None or hasattr(function, "__wrapped__") or code.co_flags & CO_VARKEYWORDS or code.co_posonlyargcount:
        return function

    @wraps(function)
    def call(*args: P.args, **keywords: P.kwargs) -> R:
        try:
            return function(*args, **keywords)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise  # by what the method does, and not by how it was called
        _refuse_call(function, name, len(args), keywords, skipped=int(bound))
        raise ArgumentError(f"{name} cannot be called like this; see help({name})")

    return call


class SaysWhatItTakes(SaysWhatMethodsTake):
    """A class that refuses a parameter it does not have in one sentence, and so do its public methods."""

    __slots__ = ()
    _wrong_kind: ClassVar[type[SfumatoError] | None] = None
    """What is raised for an argument that is not what its annotation says; None where the class itself looks at all."""

    def __new__(cls, *args: Any, **keywords: Any) -> Self:
        """Look at the names of the arguments; whether some are missing is seen by `__init__`, as copies give none.

        A dataclass gets its `__init__` after `__init_subclass__`, so that it is watched from the first object on.
        """
        made = vars(cls).get("__init__")
        if isinstance(made, FunctionType) and not hasattr(made, "__wrapped__"):
            cls.__init__ = _explained(made, bound=True, name=cls.__name__)  # type: ignore[method-assign]
        code = getattr(getattr(cls.__init__, "__wrapped__", cls.__init__), "__code__", None)
        if code is not None and (args or keywords) and not code.co_flags & _TAKES_ANYTHING:
            names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
            _refuse_unknown(cls.__name__, keywords, names)
            _refuse_too_many(cls.__name__, len(args), names[: code.co_argcount - 1])
            if cls._wrong_kind is not None:
                kinds = {each: kinds_of(annotation) for each, annotation in cls.__init__.__annotations__.items()}
                checked_arguments(kinds, {**dict(zip(names, args, strict=False)), **keywords}, cls._wrong_kind)
        return super().__new__(cls)


def _refuse_call(
    function: Callable[..., Any], name: str, n_given: int, keywords: Mapping[str, Any], *, skipped: int = 0
) -> None:
    """Refuse a call that does not fit the parameters of a function, of which the first `skipped` are not spoken of."""
    code: CodeType = function.__code__
    names = code.co_varnames[skipped : code.co_argcount + code.co_kwonlyargcount]
    by_place = names[: code.co_argcount - skipped]
    n_given -= skipped
    if code.co_flags & CO_VARARGS:
        _refuse_named(name, keywords, names, code.co_varnames[skipped + len(names)])
    else:
        _refuse_unknown(name, keywords, names)
        _refuse_too_many(name, n_given, by_place)
    needed = by_place[: len(by_place) - len(function.__defaults__ or ())]
    by_name = [each for each in names[len(by_place) :] if each not in (function.__kwdefaults__ or {})]
    lacking = [repr(each) for each in (*needed[n_given:], *by_name) if each not in keywords]
    if lacking:
        raise ArgumentError(f"{name} needs {' and '.join(lacking)}; help({name}) has an example")
    twice = next((each for each in names[:n_given] if each in keywords), None)
    if twice is not None:
        raise ArgumentError(f"{name} was given {twice!r} twice, by its place and by its name; give it once")


def _refuse_unknown(name: str, keywords: Mapping[str, Any], known: Collection[str]) -> None:
    for each in keywords:
        if each not in known:
            raise ArgumentError(f"{name} has no parameter {each!r}{_meant(each, known)}")


def _refuse_named(name: str, keywords: Mapping[str, Any], known: Collection[str], listed: str) -> None:
    """Refuse an unknown parameter of a function that takes any number of `listed` by place."""
    for each in keywords:
        if each not in known:
            raise ArgumentError(f"{name} has no parameter {each!r}; give {listed} without a name, one after the other")


def _refuse_too_many(name: str, n_given: int, by_place: Collection[str]) -> None:
    if n_given > len(by_place):
        taken = f"takes {', '.join(by_place)} by place" if by_place else "takes nothing by place"
        raise ArgumentError(f"{name} {taken}, and {n_given} were given; name the others, as in name=value")


def _meant(given: str, known: Collection[str]) -> str:
    """The parameter that was meant: by what others call it, by its beginning, by its letters."""
    meant = _MEANT.get(given.lower())
    if meant is None or meant not in known:
        low = given.lower()
        begun = [each for each in known if len(each) >= 3 and (low.startswith(each) or each.startswith(low))]
        meant = max(begun, key=len) if begun and len(given) >= 3 else None
    if meant is None:
        return suggest(given, known) or "; it takes none"
    way = f", {_WAY[meant]}" if meant in _WAY else ""
    return f"; did you mean {meant!r}{way}?"
