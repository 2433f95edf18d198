"""What published randomizers of categories do, from the whole numbers that they were published with."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import DataError
from sfumato.ground.validate import is_whole
from sfumato.published.collection.kernel_parts import WHOLE, Kernel, Limits, Said, apart, count, threshold, worst

__all__ = ["CATEGORIES"]

_MOST_VALUES = 1 << 20
_MOST_CELLS = 50_000_000
_MOST_COMPARED = 50_000_000_000
"""How many bits may be compared, of all pairs of values in all cohorts: some seconds."""
_PRIME = 2**31 - 1
"""The prime that hashes are drawn by: of another number they may not be independent."""


def _n_values(said: Said) -> int:
    values = said.get("values")
    plain = isinstance(values, list) and all(isinstance(each, (str, int, float)) for each in values)
    if not plain or not 2 <= len(values) <= _MOST_VALUES or len(set(map(str, values))) < len(values):  # type: ignore[arg-type]
        raise DataError("a published randomizer lists at least two different values, and this one does not")
    return len(values)  # type: ignore[arg-type]


# -- one value or another ----------------------------------------------------------------------------------------------
def _kary_gamma(stays: int, k: int) -> Fraction | None:
    return apart(Fraction(stays), Fraction(WHOLE - stays, k - 1))


def _matrix_gamma(rows: Sequence[Sequence[Fraction | int]]) -> Fraction | None:
    return worst([apart(max(column), min(column)) for column in zip(*rows, strict=True)])


def _unrelated_gamma(said: Said) -> Fraction | None:
    asked, yes = threshold(said, "asked"), threshold(said, "unrelated")
    harmless = [(WHOLE - asked) * yes, (WHOLE - asked) * (WHOLE - yes)]
    mine = asked * WHOLE
    return _matrix_gamma([[mine + harmless[0], harmless[1]], [harmless[0], mine + harmless[1]]])


def _weights(said: Said) -> list[list[int]]:
    sums, k = said.get("sums"), _n_values(said)
    rows = sums if isinstance(sums, list) else []
    for row in rows:
        rising = isinstance(row, list) and len(row) == k and all(is_whole(each) for each in row)
        if not rising or [0, *row] != sorted([0, *row]) or row[-1] != WHOLE:
            rows = []
            break
    if len(rows) != k:
        raise DataError("a published matrix has a row of rising sums up to 2**53 for each value, and this one has not")
    return [[b - a for a, b in zip([0, *row], row, strict=False)] for row in rows]


def _one_value(said: Said) -> Limits:
    return {"answer": (0, _n_values(said) - 1)}


def _two_values(said: Said) -> Limits:
    if _n_values(said) != 2:
        raise DataError("a published randomizer of two values lists more or fewer")
    return {"answer": (0, 1)}


# -- bits --------------------------------------------------------------------------------------------------------------
class _Bit(NamedTuple):
    """By how much a bit that is set, and one that is not, can be likelier than the other way round."""

    of_set: Fraction | None
    of_unset: Fraction | None

    def gamma(self, sets: int, unsets: int) -> Fraction | None:
        """Where one answer sets so many bits that the other does not, and the other way round."""
        if (sets and self.of_set is None) or (unsets and self.of_unset is None):
            return None
        return (self.of_set or Fraction(1)) ** sets * (self.of_unset or Fraction(1)) ** unsets


def _bit(one: Fraction, zero: Fraction) -> _Bit:
    """From the probabilities that a bit is shown as 1 where it is set, and where it is not."""
    pairs = [(one, zero), (1 - one, 1 - zero)]

    def largest(ratios: Sequence[tuple[Fraction, Fraction]]) -> Fraction | None:
        if any(above and not below for above, below in ratios):
            return None
        return max(above / below for above, below in ratios if below)

    return _Bit(largest(pairs), largest([(below, above) for above, below in pairs]))


def _unary_gamma(said: Said) -> Fraction | None:
    mine, other = (Fraction(threshold(said, name), WHOLE) for name in ("mine", "other"))
    return _bit(mine, other).gamma(1, 1)


def _two_stages(said: Said) -> _Bit:
    half, zero, one = (Fraction(threshold(said, name), WHOLE) for name in ("half", "zero", "one"))
    if 2 * half > 1:
        raise DataError("a published permanent response is drawn at random more often than always")
    return _bit((1 - half) * one + half * zero, half * one + (1 - half) * zero)


def _bits_of_values(said: Said) -> Limits:
    return {f"bit_{i + 1}": (0, 1) for i in range(_n_values(said))}


def _filters(said: Said) -> NDArray[np.float64]:
    """Which bits each value sets, by cohort, value and bit."""
    bits, k, sets = count(said, "bits", 1, 1 << 16), _n_values(said), said.get("sets")
    if isinstance(sets, list) and len(sets) * k * k * bits > _MOST_COMPARED:
        raise DataError("the filters of a published randomizer are too many to be compared here")
    if not isinstance(sets, list) or not sets or len(sets) * k * bits > _MOST_CELLS:
        raise DataError("a published filter lists the bits of each value in each cohort, and this one does not")
    filters = np.zeros((len(sets), k, bits))
    for cohort, of_values in enumerate(sets):
        if not isinstance(of_values, list) or len(of_values) != k:
            raise DataError("a published filter lists the bits of each value in each cohort, and this one does not")
        for value, listed in enumerate(of_values):
            if not isinstance(listed, list) or not all(is_whole(each) and 0 <= each < bits for each in listed):
                raise DataError(f"a published filter sets bits from 0 to {bits - 1:,}, and this one sets others")
            filters[cohort, value, listed] = 1
    return filters


def _bloom_gamma(said: Said) -> Fraction | None:
    bit = _two_stages(said)
    pairs: set[tuple[int, int]] = set()
    for filters in _filters(said):
        common = filters @ filters.T  # in floating point, which is exact for numbers as small
        mine = (np.diag(common)[:, None] - common).astype(np.int64)
        width = filters.shape[1] + 1
        pairs |= {divmod(each, width) for each in np.unique(mine * width + mine.T).tolist()}
    return worst([Fraction(1), *(bit.gamma(*pair) for pair in pairs)])


def _bloom_limits(said: Said) -> Limits:
    bits = count(said, "bits", 1, 1 << 16)
    return {"cohort": (0, len(_filters(said)) - 1), **{f"bit_{i + 1}": (0, 1) for i in range(bits)}}


# -- columns, cells, sets ----------------------------------------------------------------------------------------------
def _hadamard_limits(said: Said) -> Limits:
    columns = count(said, "columns", 2, 2 * _MOST_VALUES)
    if columns & (columns - 1) or columns <= _n_values(said):
        raise DataError("a published matrix of signs has a power of two of columns, above the number of values")
    return {"column": (0, columns - 1)}


def _hadamard_gamma(said: Said) -> Fraction | None:
    plus = threshold(said, "plus")
    _hadamard_limits(said)
    return apart(plus, WHOLE - plus)  # each sign is spread over half of the columns, of any row


def _hashing_limits(said: Said) -> Limits:
    prime, cells = count(said, "prime", _PRIME, _PRIME), count(said, "cells", 2, _MOST_VALUES)
    _n_values(said)
    return {**dict.fromkeys(("a", "b", "c"), (0, prime - 1)), "cell": (0, cells - 1)}


def _hashing_gamma(said: Said) -> Fraction | None:
    cells = count(said, "cells", 2, _MOST_VALUES)
    return _kary_gamma(threshold(said, "stays"), cells)


def _subset_gamma(said: Said) -> Fraction | None:
    """A set with the answer in it is one of C(k-1, d-1), one without it one of C(k-1, d)."""
    inside, k = threshold(said, "inside"), _n_values(said)
    d = count(said, "size", 1, k - 1)
    share = Fraction(k - d, d)  # C(k-1, d) / C(k-1, d-1)
    return apart(inside * share, WHOLE - inside)


def _subset_limits(said: Said) -> Limits:
    most = _n_values(said) - 1
    return {f"value_{i + 1}": (0, most) for i in range(count(said, "size", 1, most))}


def _no_set(said: Said, reports: NDArray[np.int64]) -> str | None:
    wrong = (np.diff(reports, axis=1) <= 0).any(axis=1)
    return f"row {int(wrong.argmax()) + 1:,} is no set of values in rising order" if wrong.any() else None


CATEGORIES: dict[str, Kernel] = {
    "kary": Kernel(lambda said: _kary_gamma(threshold(said, "stays"), _n_values(said)), _one_value),
    "warner": Kernel(lambda said: _kary_gamma(threshold(said, "stays"), 2), _two_values),
    "unrelated": Kernel(_unrelated_gamma, _two_values),
    "matrix": Kernel(lambda said: _matrix_gamma(_weights(said)), _one_value),
    "unary": Kernel(_unary_gamma, _bits_of_values),
    "rappor": Kernel(lambda said: _two_stages(said).gamma(1, 1), _bits_of_values),
    "bloom": Kernel(_bloom_gamma, _bloom_limits),
    "hadamard": Kernel(_hadamard_gamma, _hadamard_limits),
    "hashing": Kernel(_hashing_gamma, _hashing_limits),
    "subset": Kernel(_subset_gamma, _subset_limits, _no_set),
}
"""Every kind of draw for categories."""
