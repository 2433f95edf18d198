"""RankSwapping: every value changes places with one that is near it in rank.

Moore, "Controlled data-swapping techniques for masking public use microdata sets", U.S. Bureau of the Census, 1996. The
records are sorted by a column. From the lowest on, each that has not been swapped yet is swapped with another such,
picked at random among the next p percent. Columns are swapped one by one, independently. It promises nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.contracts.method import Method, Outcome
from sfumato.data.encoding import encode_series
from sfumato.data.table import Table
from sfumato.ground.errors import DataError, SchemaError
from sfumato.ground.kernels import kernel
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import finite
from sfumato.privacy.promise import Promise
from sfumato.tables.perturbing.shared import columns_to_change, complete_part, named_columns, outcome_of, random_order

__all__ = ["RankSwapping"]

_KINDS = ("integer", "number", "date", "ordinal")


@dataclass(frozen=True)
class RankSwapping(Method):
    """Swap the values of each quasi-identifier (numbers, dates and ordinals) within `p` percent of the ranks.

    Every column holds exactly the values it held, so that what is counted of one column alone stays true. `columns`
    are those to swap, all quasi-identifiers by default; others are published as recorded. Missing values stay.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> numbers = sf.Table(hospital(40).frame.select("age", "cost"), sf.Schema(quasi=["age", "cost"]))
    >>> sf.publish(numbers, sf.RankSwapping(10), seed=1)
    Release(40 rows, RankSwapping, None holds)
    """

    example = "p = 10"
    compared = ("p = 2", "p = 5", "p = 10", "p = 20")

    p: float
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Check the parameters."""
        finite("p", self.p, asked="a percentage above 0 and at most 100", above=0.0, high=100.0)
        object.__setattr__(self, "columns", named_columns(self.columns))

    def run(self, table: Table, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Sort, swap, put back; the published rows come in random order."""
        names = columns_to_change(table, self.columns, _KINDS, "RankSwapping", what="numbers, dates and ordinals")
        other = next((name for name in table.schema.quasi if name not in names and self.columns is None), None)
        if other is not None:
            raise SchemaError(
                f"column {other!r} has no order, so that its values have no rank; give it one, or name the columns to "
                f"swap, and {other!r} is published as recorded"
            )
        part, kept = complete_part(table)
        progress.step("swapping values")
        changed = {}
        for i, name in enumerate(names):
            progress.share(i / len(names))
            series, stream = part.frame[name], random.spawn(name)
            codes = encode_series(series, table.schema.column(name)).codes
            known = np.flatnonzero(codes >= 0)
            window = int(len(known) * self.p // 100)
            if len(known) > 1 and window < 1:
                raise DataError(
                    f"p={self.p:g} percent of the {len(known):,} values of {name!r} is less than one rank; raise p"
                )
            mixed = known[stream.permutation(len(known))]  # equal values in random order
            ordered = mixed[np.argsort(codes[mixed], kind="stable")]
            source = np.arange(len(series))
            source[ordered] = ordered[swap_ranks(stream.words(len(known)), window)]
            changed[name] = series.gather(source)
        progress.step("arranging rows")
        public = {"swapping": {"p": self.p, "columns": names}}
        return outcome_of(table, kept, changed, public, random_order(len(part), random))


@kernel
def swap_ranks(words: NDArray[np.uint64], window: int) -> NDArray[np.int64]:
    """For each rank, the rank whose value it gets; partners are uniform among the free ones of the next `window`.

    The free ranks are counted in a Fenwick tree, so that a swap costs O(log n) whatever the window.
    """
    n = words.shape[0]
    tree = np.zeros(n + 1, dtype=np.int64)
    for i in range(1, n + 1):
        tree[i] = i & -i
    top = 1
    while 2 * top <= n:
        top *= 2
    source = np.arange(n)
    free = np.ones(n, dtype=np.bool_)
    for i in range(n):
        if not free[i]:
            continue
        _take(tree, i)
        free[i] = False
        ahead = _free_below(tree, min(i + window + 1, n)) - _free_below(tree, i + 1)
        if ahead == 0:
            continue
        wanted = _free_below(tree, i + 1) + np.int64(words[i] % np.uint64(ahead))
        j, step = 0, top
        while step:
            if j + step <= n and tree[j + step] <= wanted:
                j += step
                wanted -= tree[j]
            step //= 2
        _take(tree, j)
        free[j] = False
        source[i], source[j] = j, i
    return source


@kernel
def _take(tree: NDArray[np.int64], i: int) -> None:
    """Take rank i out of the Fenwick tree of free ranks."""
    i += 1
    while i < tree.shape[0]:
        tree[i] -= 1
        i += i & -i


@kernel
def _free_below(tree: NDArray[np.int64], i: int) -> int:
    """How many of the ranks before i are free."""
    total = 0
    while i > 0:
        total += tree[i]
        i -= i & -i
    return total
