"""What a release of reports may tell of its survey, and whether it fits together.

Every key is listed here, at every level: what nobody reads may be anything, the answers among it. The randomizer that
people read of must be the one whose numbers were shipped, as far as that can be seen without drawing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from sfumato.ground.validate import is_number, is_whole, told
from sfumato.privacy.amplification import is_within, log_of
from sfumato.published.collection.kernel_parts import WHOLE

__all__ = ["told_flaws"]

_SURVEY = frozenset(("title", "explanation", "ask", "questions"))
_QUESTION = frozenset(("name", "text", "randomizer", "shipped"))
_GRID = ("low", "high", "steps")
_RANDOMIZERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "KaryResponse": ("kary", ("values", "epsilon")),
    "Warner": ("warner", ("values", "truth")),
    "UnrelatedQuestion": ("unrelated", ("values", "asked", "unrelated")),
    "MatrixResponse": ("matrix", ("values", "matrix")),
    "SymmetricUnaryEncoding": ("unary", ("values", "epsilon")),
    "OptimalUnaryEncoding": ("unary", ("values", "epsilon")),
    "Rappor": ("rappor", ("values", "f", "p", "q")),
    "BloomRappor": ("bloom", ("values", "bits", "hashes", "cohorts", "f", "p", "q")),
    "HadamardResponse": ("hadamard", ("values", "epsilon")),
    "LocalHashing": ("hashing", ("values", "epsilon", "cells")),
    "SubsetSelection": ("subset", ("values", "epsilon", "size")),
    "Duchi": ("duchi", (*_GRID, "epsilon")),
    "Piecewise": ("piecewise", (*_GRID, "epsilon")),
    "Hybrid": ("hybrid", (*_GRID, "epsilon")),
    "LaplaceNoise": ("laplace", (*_GRID, "epsilon")),
    "Staircase": ("staircase", (*_GRID, "epsilon")),
    "UniformNoise": ("uniform", (*_GRID, "margin")),
    "NormalNoise": ("normal", (*_GRID, "sd")),
    "SelectASize": ("select-a-size", ("items", "keep", "rho", "itemset_size", "padded")),
    "CutAndPaste": ("cut-and-paste", ("items", "sizes", "cutoff", "rho", "itemset_size", "padded")),
}
"""Of each randomizer, the kind of its draws and its parameters."""
_SHIPPED: dict[str, tuple[str, ...]] = {
    "kary": ("values", "stays"), "warner": ("values", "stays"), "unrelated": ("values", "asked", "unrelated"),
    "matrix": ("values", "sums"), "unary": ("values", "mine", "other"), "rappor": ("values", "half", "zero", "one"),
    "bloom": ("values", "half", "zero", "one", "bits", "sets"), "hadamard": ("values", "plus", "columns"),
    "hashing": ("values", "stays", "cells", "prime"), "subset": ("values", "inside", "size"),
    "duchi": (*_GRID, "first", "rise"), "piecewise": (*_GRID, "cells", "moves", "inside"),
    "hybrid": ("coin", "piecewise", "duchi"), "laplace": (*_GRID, "digits", "again", "most", "up", "reach"),
    "staircase": (*_GRID, "digits", "again", "most", "part", "n_high", "reach"), "uniform": (*_GRID, "reach"),
    "normal": (*_GRID, "reach", "sums"), "select-a-size": ("items", "sums", "rho", "padded"),
    "cut-and-paste": ("items", "sizes", "cutoff", "rho", "padded"),
}  # fmt: skip
"""What is shipped of each kind of draw."""
_STAGES = {"f": ("half", Fraction(1, 2)), "p": ("zero", Fraction(1)), "q": ("one", Fraction(1))}
_PROBABILITIES: dict[str, dict[str, tuple[str, Fraction]]] = {
    "warner": {"truth": ("stays", Fraction(1))},
    "unrelated": {"asked": ("asked", Fraction(1)), "unrelated": ("unrelated", Fraction(1))},
    "rappor": _STAGES,
    "bloom": _STAGES,
    "select-a-size": {"rho": ("rho", Fraction(1))},
    "cut-and-paste": {"rho": ("rho", Fraction(1))},
}
"""The parameters that are drawn with as they are: the threshold, and the part of the parameter that it is."""
_SPENDS_ALL = frozenset(("kary", "unary", "hadamard", "hashing", "subset"))
"""Draws that spend the epsilon of their randomizer but for what is rounded; those on a grid may spend less."""
_ROUNDED = 1e-8
"""By how much probabilities that were told may differ from those that are drawn with."""
_MOST_ITEMSET = 10
"""The largest itemsets that a randomizer of sets is made to learn."""
_UNSPENT = 1e-3
"""The part of an epsilon that rounding may leave unspent."""


def told_flaws(survey: Mapping[str, Any], gammas: Sequence[Fraction | None]) -> list[str]:
    """What a survey tells that nobody reads, or that does not fit what was shipped, a clause each.

    The questions are known to be mappings with a name, a text, a randomizer and what was shipped, of a known kind.
    """
    wrong = _unread("the survey", survey, _SURVEY)
    for name in ("title", "explanation"):
        if not isinstance(survey.get(name), str):
            wrong.append(f"the {name} of the survey is no text")
    for each, gamma in zip(survey["questions"], gammas, strict=True):
        about = f"question {each['name']!r}"
        flaws = _unread(about, each, _QUESTION) + _shipped_unread(about, each["shipped"])
        wrong += flaws or [f"{about}: {clause}" for clause in _misfits(each["randomizer"], each["shipped"], gamma)]
    return wrong


def _unread(about: str, given: Mapping[str, Any], known: frozenset[str]) -> list[str]:
    stray = [key for key in given if key not in known]
    return [f"the release tells something that is not read: {told(stray[0])} of {about}"] if stray else []


def _shipped_unread(about: str, shipped: Mapping[str, Any]) -> list[str]:
    wrong = _unread(f"the numbers of {about}", shipped, frozenset(("kind", *_SHIPPED[shipped["kind"]])))
    for part in ("piecewise", "duchi") if shipped["kind"] == "hybrid" else ():
        known = frozenset(("kind", *_SHIPPED[part]))
        wrong += _unread(f"the numbers of {about}", shipped[part], known)
    return wrong


def _misfits(randomizer: Mapping[str, Any], shipped: Mapping[str, Any], gamma: Fraction | None) -> list[str]:
    """Where the randomizer that is told is not the one that was shipped, a clause each."""
    name, kind = randomizer.get("name"), shipped["kind"]
    drawn, parameters = _RANDOMIZERS.get(name, ("", ())) if isinstance(name, str) else ("", ())
    if drawn != kind:
        return [f"{told(name)} is told, and draws of the kind {kind!r} were shipped"]
    if set(randomizer) != {"name", *parameters}:
        return [f"the parameters of {name} are {', '.join(parameters)}, and others are told"]
    apart = [each for each in parameters if not _fits(each, randomizer[each], kind, shipped)]
    wrong = [f"{each} = {told(randomizer[each])} is told of {name}, and other numbers were shipped" for each in apart]
    if not apart and "epsilon" in parameters and not _spends(randomizer["epsilon"], kind, gamma):
        wrong = [f"epsilon = {told(randomizer['epsilon'])} is told of {name}, and other numbers were shipped"]
    return wrong


def _fits(parameter: str, value: Any, kind: str, shipped: Mapping[str, Any]) -> bool:
    """Whether a parameter is a plain value, and the one that was shipped where it was."""
    if parameter in _PROBABILITIES.get(kind, {}):
        threshold, part = _PROBABILITIES[kind][parameter]
        return is_number(value) and abs(value * float(part) - shipped[threshold] / WHOLE) < _ROUNDED
    if parameter in ("values", "items", "sizes"):
        return isinstance(value, list | tuple) and _alike(value, shipped[parameter])
    if parameter in ("matrix", "keep"):
        sums = shipped["sums"]
        return _is_matrix(value, list(sums.values()) if isinstance(sums, Mapping) else sums)
    if parameter == "padded":
        return value is shipped["padded"]
    if parameter == "itemset_size":
        return is_whole(value) and 1 <= value <= _MOST_ITEMSET
    if parameter in ("cells", "size"):
        return value is None or (is_whole(value) and value == shipped[parameter])
    if parameter == "cohorts":
        return is_whole(value) and value == len(shipped["sets"])
    if parameter == "hashes":
        return is_whole(value) and all(len(set(bits)) <= value for cohort in shipped["sets"] for bits in cohort)
    if parameter in _GRID and kind == "hybrid":
        return all(_fits(parameter, value, part, shipped[part]) and shipped[part].get("kind") == part
                   for part in ("piecewise", "duchi"))  # fmt: skip
    return is_number(value) and (parameter not in shipped or _alike([value], [shipped[parameter]]))


def _alike(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether two lists of texts and numbers are the same; a flag is no number."""
    return len(one) == len(other) and all(
        a == b and isinstance(a, str | int | float) and isinstance(a, bool) == isinstance(b, bool)
        for a, b in zip(one, other, strict=True)
    )


def _is_matrix(given: Any, sums: Sequence[Sequence[int]]) -> bool:
    """Whether these are the probabilities whose rising sums were shipped."""
    if not isinstance(given, list | tuple) or len(given) != len(sums):
        return False
    for row, rising in zip(given, sums, strict=True):
        if not isinstance(row, list | tuple) or len(row) != len(rising) or not all(map(is_number, row)):
            return False
        drawn = [b - a for a, b in zip([0, *rising], rising, strict=False)]
        if any(abs(value - weight / WHOLE) > _ROUNDED for value, weight in zip(row, drawn, strict=True)):
            return False
    return True


def _spends(epsilon: Any, kind: str, gamma: Fraction | None) -> bool:
    """Whether draws with this gamma are those of a randomizer with this epsilon, as far as rounding lets one see."""
    if not is_number(epsilon) or not 0 < epsilon <= 100 or gamma is None or not is_within(gamma, epsilon):
        return False
    return kind not in _SPENDS_ALL or log_of(gamma) > epsilon * (1 - _UNSPENT)
