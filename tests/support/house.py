"""Something small of every kind of data, and a run of every method on it that is found by trying.

Nothing here names a method, a promise or an attack: whatever is registered is tried, on all data that it takes and
under all promises, until something is published.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
import polars as pl

import sfumato as sf
from sfumato.contracts.attack import Attack, attack_from_dict, known_attacks
from sfumato.contracts.method import Method, known_methods, method_from_dict
from sfumato.ground.errors import SfumatoError
from sfumato.privacy.promise import Promise, known_promises
from sfumato.published.shape import known_shapes
from sfumato.release.fingerprint import content_digest

WITHOUT_LIBRARY = {
    name: kind.needs_library
    for name, kind in sorted(known_methods().items())
    if kind.needs_library and find_spec(kind.needs_library) is None
}
"""Methods that cannot run here, and the library of an extra that they lack."""
METHODS = sorted(set(known_methods()) - set(WITHOUT_LIBRARY))
SHAPES = {
    shape.__name__: shape for shape in known_shapes() if shape.__name__.removesuffix("Shape") not in WITHOUT_LIBRARY
}
"""Shapes that some method publishes here; one that a method alone publishes is called after it."""
PROMISES = sorted(known_promises())
ATTACKS = sorted(known_attacks())
FORMATS = ("parquet", "csv", "arrow")
SEED = 17
WHAT_IS_MISSING = (2, 0.5, 1.0)
"""For parameters of a promise beyond the first: the first of these that makes one."""


class Odd:
    """What no parameter can be."""

    def __repr__(self) -> str:
        return "something odd"


BAD = (Odd(), float("nan"), float("inf"), "no such thing", -1, 10**30, [], {"a": 1}, True)
"""Values that few parameters take, and none may choke on."""


@cache
def mixed() -> sf.Table:
    """Names, numbers, categories with a hierarchy, and a sensitive column."""
    rng = np.random.default_rng(5)
    n = 90
    towns = [f"{a}{b}" for a in "123" for b in "123"]
    frame = pl.DataFrame(
        {
            "id": [f"p{i:03}" for i in range(n)],
            "age": rng.integers(20, 80, n),
            "town": rng.choice(towns, n),
            "sex": rng.choice(["f", "m"], n),
            "illness": [("flu", "cold", "angina", "asthma", "gout", "ulcer")[i % 6] for i in range(n)],
        }
    )
    schema = sf.Schema(
        identifier=["id"], quasi=["age", "town", "sex"], sensitive=["illness"],
        hierarchies={"town": sf.Hierarchy.prefixes(2)},
    )  # fmt: skip
    return sf.Table(frame, schema)


@cache
def numeric() -> sf.Table:
    """Numbers alone: whole ones and others."""
    rng = np.random.default_rng(6)
    n = 40
    frame = pl.DataFrame(
        {
            "age": rng.permutation(np.arange(20, 20 + n)),
            "cost": np.round(np.sort(rng.uniform(10, 900, n)), 2),
            "days": rng.integers(1, 30, n),
        }
    )
    return sf.Table(frame, sf.Schema(quasi=["age", "cost"], sensitive=["days"]))


@cache
def labelled() -> sf.Baskets:
    """Items, and a label of each record."""
    return sf.Baskets.from_lists(_sets(), labels=[f"L{i % 6}" for i in range(60)])


@cache
def plain_baskets() -> sf.Baskets:
    """Items alone."""
    return sf.Baskets.from_lists(_sets())


def _sets() -> list[list[str]]:
    rng = np.random.default_rng(7)
    return [[f"i{x}" for x in np.unique(rng.integers(0, 8, rng.integers(1, 5)))] for _ in range(60)]


@cache
def friends() -> sf.Graph:
    """People and who knows whom."""
    rng = np.random.default_rng(8)
    u, v = np.triu_indices(40, 1)
    some = rng.random(len(u)) < 0.15
    return sf.Graph.from_edges(u[some], v[some], 40)


DATA = (mixed, numeric, plain_baskets, labelled, friends)


@cache
def population() -> sf.Table:
    """People of whom those of `mixed` are some."""
    frame = mixed().frame.drop("id", "illness")
    return sf.Table(pl.concat([frame, frame, frame]), sf.Schema(quasi=["age", "town", "sex"]))


def example(kind: type[Method] | type[Attack]) -> dict[str, Any]:
    """What a recipe gives for a small run."""
    return {"name": kind.__name__, **tomllib.loads(kind.example)}


def method_named(name: str) -> Method:
    return method_from_dict(example(known_methods()[name]))


def attack_named(name: str) -> Attack:
    """With earlier releases, where it cannot do without."""
    kind = known_attacks()[name]
    if any(f.name == "previous" for f in fields(kind)):  # type: ignore[arg-type]
        return kind(**{**tomllib.loads(kind.example), "previous": (followed()[0],)})  # type: ignore[call-arg]
    return attack_from_dict(example(kind))


@cache
def followed() -> tuple[sf.Release, sf.Release, sf.Table]:
    """A release of a table, another one after it, and the table, by the first method that goes on from releases."""
    for name in METHODS:
        release, data = published(name)
        try:
            return release, sf.publish(data, method_named(name), release.promise, previous=[release], seed=SEED), data
        except SfumatoError:
            continue
    raise AssertionError("no method goes on from earlier releases")


def promise_named(name: str) -> Promise:
    """With the example of its first parameter, and something for others that it cannot do without."""
    kind = known_promises()[name]
    required = [f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING]  # type: ignore[arg-type]
    first = tomllib.loads(f"value = {kind.example}")["value"]
    given = {"population": population()} if any(f.name == "population" for f in fields(kind)) else {}  # type: ignore[arg-type]
    for other in WHAT_IS_MISSING if len(required) > 1 else (None,):
        try:
            return kind(**{required[0]: first}, **dict.fromkeys(required[1:], other), **given)
        except SfumatoError:
            continue
    raise AssertionError(f"no {name} can be made from its example {kind.example}")


def seed_of(name: str) -> int | None:
    """The seed of a run; None where no seed repeats the method."""
    return SEED if known_methods()[name].repeatable else None


def data_for(kind: type[Method]) -> list[Any]:
    """The data of the house that a method takes."""
    return [data for each in DATA if isinstance(data := each(), kind.takes)]


@cache
def published(name: str) -> tuple[sf.Release, Any]:
    """A release by a method and what it was made from: the first data and promise under which it publishes."""
    kind, refusals = known_methods()[name], []
    promises = [None, *(["KAnonymity", "LDiversity"]), *PROMISES]
    for each in promises:
        promise = promise_named(each) if each is not None else None
        for data in data_for(kind):
            try:
                return sf.publish(data, method_named(name), promise, seed=seed_of(name)), data
            except SfumatoError as error:
                refusals.append(f"{each}: {error}")
    raise AssertionError(f"{name} publishes nothing of the house:\n" + "\n".join(refusals))


def all_published(name: str) -> Iterator[tuple[sf.Release, Any]]:
    """Every release that a method makes of the data of the house, under whatever promise."""
    for data in data_for(known_methods()[name]):
        for promise in (None, *map(promise_named, PROMISES)):
            try:
                yield sf.publish(data, method_named(name), promise, seed=seed_of(name)), data
            except SfumatoError:
                continue


def digest(data: Any) -> str:
    """Of everything in some data, to see whether they were touched."""
    parts = [content_digest(data.frame)]
    for inside in ("indptr", "indices"):
        array = getattr(data, inside, None)
        if array is not None:
            parts.append(array.tobytes().hex())
    return "".join(parts)


def is_one_sentence(message: str) -> bool:
    """Something to be shown to a person: a line, with no trace of the machine in it."""
    return bool(message) and "\n" not in message and len(message) < 400 and " object at 0x" not in message


def said_of(make: Callable[[], Any], about: str) -> str | None:
    """None where it went well; otherwise what was said, which must be a sentence for people."""
    try:
        make()
    except SfumatoError as error:
        said = str(error)
    else:
        return None
    assert is_one_sentence(said), f"{about}: {said}"
    return said


def refuses_bad_parameters(thing: Any) -> None:
    """Of every parameter: nothing raises anything but a sentence, and what no parameter can be is refused."""
    good = {field.name: getattr(thing, field.name) for field in fields(thing) if field.init}
    for parameter in good:
        for bad in BAD:
            said = said_of(lambda p=parameter, b=bad: type(thing)(**{**good, p: b}), f"{parameter}={bad!r}")  # type: ignore[misc]
            assert said is not None or not isinstance(bad, Odd), f"{type(thing).__name__} takes any {parameter}"


__all__ = [
    "ATTACKS", "BAD", "FORMATS", "METHODS", "PROMISES", "SEED", "SHAPES", "WITHOUT_LIBRARY", "all_published", "attack_named", "data_for", "digest", "example", "followed",
    "is_one_sentence", "method_named", "population", "promise_named", "published", "refuses_bad_parameters", "said_of",
    "seed_of",
]  # fmt: skip
