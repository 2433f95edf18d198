"""Tamperings with the certificate: one statement after another is left out, of a wrong type, or wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from support.tampering import Tampering, both, told

ODD: tuple[Any, ...] = (None, 7, -1, 1.5, "x", [], {}, True)
"""What few statements can be."""


def certificate_edits() -> Iterator[Tampering]:
    """All edits of certificates."""
    for base, keys, values in CAUGHT:
        for value in values:
            yield Tampering(base, f"{'.'.join(keys)} is {_shown(value)}", told(*keys, value=value))
    for base, keys, value, why in STANDS:
        yield Tampering(base, f"{'.'.join(keys)} is {_shown(value)}", told(*keys, value=value), "stands", why)
    plain = "plain columns are published as they are; that they are plain is what the schema says"
    yield Tampering("classes.parquet", "bounds are told as plain columns", _bounds_as_columns(), "stands", plain)
    nothing = "where nothing is promised, nothing is decided"
    yield Tampering("classes.parquet", "promise is None", told("promise", value=None), "open", nothing)
    yield Tampering(
        "Apriori.parquet",
        "another promise",
        told("promise", value=_k(2)),
        "open",
        "who hides among whom needs the original",
    )


def _shown(value: Any) -> str:
    return "left out" if value is ... else repr(value)[:60]


def _k(k: Any) -> dict[str, Any]:
    return {"name": "KAnonymity", "k": k}


CAUGHT: list[tuple[str, tuple[str, ...], tuple[Any, ...]]] = [
    # what every certificate says
    ("classes.parquet", ("rows",), (None, -1, 1.5, "90", [], {}, True, 0, 89, 91, 10**30)),
    ("classes.parquet", ("files",), (*ODD, ...)),
    ("classes.parquet", ("files", "data.parquet"), (*ODD, ...)),
    ("classes.parquet", ("files", "data.parquet", "sha256"), (*ODD, "0" * 64, "", ...)),
    ("classes.parquet", ("files", "data.parquet", "bytes"), (*ODD, 0, 10**30, ...)),
    ("classes.parquet", ("method",), (None, 7, "x", [], True)),
    ("classes.parquet", ("format",), (*ODD, "sfumato release 3", ...)),
    ("classes.parquet", ("public",), (*ODD, ...)),
    ("classes.parquet", ("measures",), (7, "x", [], True)),
    # promises
    ("classes.parquet", ("promise",), (*ODD[1:], _k(90), _k(2), _k("5"), _k(5.5), _k(0), _k(-5), _k(None), _k(True), _k([]), _k(10**30), _k(6) | {"l": 3},
        {"name": "KAnonymity"}, {"name": "None"}, {"k": 5}, {"name": ["KAnonymity"], "k": 5}, {"name": "All", "promises": []},
        {"name": "All", "promises": [_k(5), _k(91)]}, {"name": "All", "promises": 7}, {"name": "LDiversity", "l": 6},
        {"name": "LDiversity", "l": 2, "columns": ["age"]}, {"name": "LDiversity", "l": 2, "columns": ["x"]},
        {"name": "LDiversity", "l": 2, "columns": []}, {"name": "LDiversity", "l": 2, "kind": "x"},
        {"name": "TCloseness", "t": 0.01}, {"name": "TCloseness", "t": 0.5, "ground": {"values": ["a"], "distances": [[0]]}},
        {"name": "MatchRank", "k": 2}, {"name": "AccuracyBound", "max_ncp": 0.0001}, {"name": "AccuracyBound", "max_ncp": 1.0},
        {"name": "DegreeAnonymity", "k": 2}, {"name": "KMAnonymity", "k": 2, "m": 2}, {"name": "MInvariance", "m": 2},
        {"name": "ExpectedAnonymity", "k": 2}, {"name": "LDiversity", "l": 1}, {"name": "Exchangeable", "k": 2}, {"name": "TCloseness", "t": 1.0}, {"name": "PPrivate", "target": "uniform", "within": 0.9}, {"name": "KMap", "k": 2},
        {"name": "DeltaPresence", "low": 0, "high": 1}, {"name": "BetaLikeness", "beta": 0.001}, {"name": "DeltaDisclosure", "delta": 0.001})),
    # the verdict and the figures
    ("classes.parquet", ("verdict",), ODD),
    ("classes.parquet", ("verdict", "reached"), (7, "x", [], True, {"KAnonymity(k=5)": 50}, {"KAnonymity(k=5)": "x"}, {"KAnonymity(k=5)": None})),
    ("classes.parquet", ("verdict", "found"), (7, True, [7], ["smallest class 50 in 14 classes"], None)),
    ("classes.parquet", ("verdict", "broken"), (7, True)),
    ("classes.parquet", ("verdict", "word"), (7, [], "broken", "not decided", "x")),
    ("classes.parquet", ("measures", "values", "n_classes"), (None, "x", [], 3, -1, 0)),
    ("classes.parquet", ("measures", "values", "discernibility"), (1, 10**9)),
    ("classes.parquet", ("measures", "values", "prosecutor_max"), (0.01, 0, 2)),
    # how columns are shown
    ("classes.parquet", ("public", "forms"), (*ODD[:-2], True, {"age": "range"}, {"illness": "set", "age": "range", "town": "node", "sex": "set"})),
    ("classes.parquet", ("public", "forms", "age"), (*ODD, "set", "node", "value", "substitute", ...)),
    ("classes.parquet", ("public", "forms", "x"), ("range", "set", "substitute")),
    ("classes.parquet", ("public", "schema"), (*ODD, ...)),
    ("classes.parquet", ("public", "schema", "columns"), ODD),
    ("classes.parquet", ("public", "schema", "columns", "age"), (*ODD, ...)),
    ("classes.parquet", ("public", "schema", "columns", "age", "role"), (None, 7, "x", [], "identifier", "sensitive", "plain", ...)),
    ("classes.parquet", ("public", "schema", "columns", "age", "kind"), (7, "x", [], "number", "date", "category", "ordinal")),
    ("classes.parquet", ("public", "schema", "columns", "age", "low"), ("x", [], {})),
    ("classes.parquet", ("public", "schema", "columns", "age", "weight"), ("x", 0, -1, None, [])),
    ("classes.parquet", ("public", "schema", "columns", "age", "order"), (7, "x", [], ["a", "a"])),
    ("classes.parquet", ("public", "schema", "columns", "town", "hierarchy"), (7, "x", [], {}, {"type": "x"}, {"type": "csv", "path": "/etc/passwd"},
        {"type": "prefixes"}, {"type": "prefixes", "length": -1}, {"type": "paths", "paths": 7})),
    ("classes.parquet", ("public", "schema", "columns", "illness", "role"), ("quasi", "identifier", "plain", ...)),
    ("classes.parquet", ("public", "schema", "columns", "x"), ({"role": "quasi"}, {"role": "sensitive"}, {"role": "plain"})),
    ("classes.parquet", ("public", "bounds"), (7, "x", [], True, None, {}, {"age": []}, {"age": ["age_low"]}, {"age": ["age_low", "sex"]}, {"age": 7},
        {"age": ["age_low", "age_high"], "sex": ["sex", "sex"]}, {"x": ["age_low", "age_high"]}, {"age": ["age_low", "age_low"]}, ...)),
    ("classes.csv", ("public", "bounds"), (7, "x", [], True, None, {}, {"age": []}, {"age": ["age_low"]}, {"age": ["age_low", "sex"]}, {"age": 7},
        {"age": ["age_low", "age_high"], "sex": ["sex", "sex"]}, {"x": ["age_low", "age_high"]}, {"age": ["age_low", "age_low"]}, ...)),
    ("classes.parquet", ("public", "withheld_rows"), (None, -1, 1.5, "x", [], {}, True, 5)),
    ("classes.parquet", ("public", "suppressed_rows"), (None, -1, 1.5, "x", [], {}, True, 3)),
    ("classes.parquet", ("public", "files"), (7, "x", True, None, {}, ["x.parquet"], [7], ["data.parquet", "data.parquet"], ["../x.parquet"])),
    ("classes.csv", ("public", "types"), (7, "x", [], True, None, {"x": "text"}, {"age": "integer"}, {"age": "number"}, {"age": "date"}, {"age": "time"},
        {"age": "time ns Mars/Base"}, {"age": 7}, {"age": []}, {"sex": "integer"})),
    ("classes.csv", ("public", "escaped"), (None, 7, "x", [], {})),
    ("classes.parquet", ("public", "identifiers_repeat"), (None, 7, "x", [], {})),
    ("classes.parquet", ("public", "schema", "rows_are_persons"), (7, "x", [], {})),
    # other keys make it another kind of release
    *(("classes.parquet", ("public", key), (None, 7, [], {}, {"columns": {}}, "x")) for key in
      ("graph", "baskets", "target", "condensed", "republication", "permutation", "swapping", "pram", "coding", "rotation", "uncertain", "noise")),
    # other kinds of releases
    *(("two tables.parquet", ("public", "permutation", key), (None, 7, "x", [], "illness", "age", ...)) for key in ("group", "count", "table")),
    ("two tables.parquet", ("public", "permutation"), (*ODD, ...)),
    *(("subdomains.parquet", ("public", "target", key), (None, 7, "x", [], ...)) for key in
      ("column", "group", "count", "table", "domain", "targets", "groups", "target")),
    *(("sequence.parquet", ("public", "republication", key), (None, 7.5, "x", [], ...)) for key in ("column", "group", "count", "table", "release")),
    *(("Apriori.parquet", ("public", "baskets"), (value,)) for value in (*ODD, {"items": []}, {"items": 7}, {"items": ["i3", "i3"]}, {"items": ["i3"]})),
    ("Apriori.parquet", ("promise",), ({"name": "KMAnonymity", "k": 50, "m": 2}, {"name": "KMAnonymity", "k": 5, "m": 0}, {"name": "KMAnonymity", "k": 5},
        {"name": "TCloseness", "t": 0.5})),
    ("KDegree.parquet", ("public", "graph"), ODD),
    ("KDegree.parquet", ("public", "graph", "vertices"), (None, -1, 1.5, "40", [], 3, 4 * 10**8, 41, ...)),
    ("KDegree.parquet", ("promise",), ({"name": "DegreeAnonymity", "k": 30}, {"name": "DegreeAnonymity", "k": "3"}, {"name": "KAnonymity", "k": 2})),
    *(("PRAM.parquet", ("public", "pram", "columns", "sex", key), (None, 7, "x", [], {}, ...)) for key in ("categories", "matrix")),
    ("EdgePerturbation.parquet", ("public", "graph", "mu"), (None, "x", -1, 0.9, 0.4, [])),
    ("EdgePerturbation.parquet", ("public", "graph", "epsilon"), (None, "x", -1, 0.4, [], ...)),
    ("AdditiveNoise.parquet", ("public", "noise"), (*ODD, {"distribution": "x", "scale": 1})),
]  # fmt: skip
"""Of each: the release, the place, and the values that must not pass there."""

_RECOMPUTED = "the verdict is worked out anew, and so printed"
_NOT_SEEN = "which method made a release is not to be seen in it, and no promise rests on it"
_WEAKER = "a weaker promise is kept as well"
_WORDS = "words that are not printed; the figures are compared"

STANDS: list[tuple[str, tuple[str, ...], Any, str]] = [
    ("classes.parquet", ("method", "name"), "Incognito", _NOT_SEEN),
    ("classes.parquet", ("method", "strict"), "x", _NOT_SEEN),
    ("classes.parquet", ("sfumato",), "99.0", _NOT_SEEN),
    ("classes.parquet", ("sfumato",), ..., _NOT_SEEN),
    ("classes.parquet", ("verdict", "checked_on"), "everything", _RECOMPUTED),
    ("classes.parquet", ("verdict", "decisions"), [], _RECOMPUTED),
    ("classes.parquet", ("verdict", "found"), ["everybody is safe"], _RECOMPUTED),
    ("classes.parquet", ("measures", "values", "ncp"), 0.0001, "it cannot be worked out without the original, and is named as not covered"),
    ("classes.parquet", ("public", "levels"), {"age": 1}, "levels are told for people, and no check rests on them"),
    ("classes.parquet", ("public", "files"), [], "no table lies beside the data"),
    ("classes.parquet", ("extra",), {"hello": 1}, "what nobody reads changes nothing"),
    ("classes.parquet", ("format",), "sfumato release 1", "the promise is checked as ever; figures of the first version are not compared"),
    ("Apriori.parquet", ("promise",), {"name": "KMAnonymity", "k": 2, "m": 1}, _WEAKER),
    ("sequence.parquet", ("public", "republication", "release"), 1, "only the releases before it tell that it is not the first"),
    ("KDegree.parquet", ("promise",), {"name": "DegreeAnonymity", "k": 2}, _WEAKER),
    ("two tables.parquet", ("promise",), {"name": "LDiversity", "l": 2}, _WEAKER),
]  # fmt: skip
"""Of each: the release, the place, the value, and why it may stand there."""


def _bounds_as_columns() -> Any:
    plain = {"role": "plain", "kind": "integer"}
    return both(
        told("public", "schema", "columns", "age_low", value=plain), told("public", "schema", "columns", "age_high", value=plain),
        told("public", "bounds", value={}),
    )  # fmt: skip


__all__ = ["certificate_edits"]
