"""IDistance: order the records by cluster and by their distance from the cluster's centre, then cut the order.

Zhang, Ooi, Tan & Jagadish's iDistance (as used by Ghinita, Karras, Kalnis & Mamoulis, TODS 34(2), 2009, section 6):
centres are found by k-means on a sample and ordered along the Hilbert curve; every record goes to its nearest centre,
and its place on the line is the centre's place plus its distance from the centre.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.ground import validate
from sfumato.ground.curve import hilbert_keys, radix_order
from sfumato.ground.progress import Share, portion, tell_nobody
from sfumato.ground.randomness import Randomness
from sfumato.tables.coding.columns import Columns
from sfumato.tables.grouping.axes import axis_places, order_by_codes
from sfumato.tables.grouping.cutting.solve_direct import Solve
from sfumato.tables.grouping.line_methods import Line, OrderingMethod

__all__ = ["IDistance", "idistance_line"]

_ROUNDS = 10
_BITS = 16


@dataclass(frozen=True)
class IDistance(OrderingMethod):
    """Any promise, by the order of iDistance and a cut of it.

    `centres` are found by k-means on a share `sample` of the records (all of them where that would leave fewer than
    there are centres). `fast`, `polish`, `solve` and `dealt` are those of `Hilbert`.

    `show` says what readers see of a group: `ranges`, `means`, `permutation` (two tables) or `condensed` (drawn anew).

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(100), sf.IDistance(), sf.KAnonymity(5), seed=1)
    Release(100 rows, IDistance, KAnonymity(k=5) holds)
    """

    example = "centres = 4"

    centres: int = 512
    sample: float = 0.1
    fast: bool = False
    show: str = "ranges"
    polish: bool | int = False
    solve: Solve = "heuristic"
    dealt: bool | None = None

    def __post_init__(self) -> None:
        """Check the centres and the sample."""
        super().__post_init__()
        validate.whole("centres", self.centres, least=1)
        validate.share("sample", self.sample)

    def line(self, columns: Columns, random: Randomness, share: Share = tell_nobody) -> Line:
        """Cluster a sample, assign, sort. O(N log centres) in few columns, O(N centres d) in many."""
        return idistance_line(columns, self.centres, self.sample, random, share)


def idistance_line(
    columns: Columns, n_centres: int, sample: float, random: Randomness, share: Share = tell_nobody
) -> Line:  # fmt: skip
    """The records ordered by their nearest centre, and then by their distance from it; ties go by the codes.

    The sample is drawn from the records in the order of their codes, so that the order of the file makes no difference.
    """
    from scipy.spatial import cKDTree

    points = _points(columns)
    n = len(points)
    if not n:
        return Line(np.empty(0, dtype=np.int64), np.empty(0))
    by_codes = order_by_codes(columns)
    chosen = by_codes[random.spawn("sample").permutation(n)[: max(round(sample * n), min(n_centres, n))]]
    centres = _k_means_centres(points[chosen], n_centres, portion(share, 0.0, 0.5))
    cells = np.rint(centres / (points.max() or 1.0) * (2**_BITS - 1)).astype(np.uint32)
    centres = centres[radix_order(hilbert_keys(np.ascontiguousarray(cells.T), _BITS))]
    share(0.5)
    distance, nearest = cKDTree(centres).query(points)
    along = nearest * (2.0 * float(distance.max(initial=0.0)) + 1.0) + distance
    order = by_codes[np.argsort(along[by_codes], kind="stable")]
    return Line(order, along[order])


def _points(columns: Columns) -> NDArray[np.float64]:
    """The records in space: values lie on their axes as those of the Hilbert curve do."""
    places, lengths = axis_places(columns)
    points = np.empty((columns.codes.shape[1], len(places)))
    for c, (place, length) in enumerate(zip(places, lengths, strict=True)):
        points[:, c] = (place * length)[columns.codes[c] + int(columns.has_missing[c])]
    return points


def _k_means_centres(points: NDArray[np.float64], n_centres: int, share: Share = tell_nobody) -> NDArray[np.float64]:
    """The centres of k-means (Lloyd's rounds), from the first distinct points on; the points are in random order."""
    from scipy.spatial import cKDTree

    _, first = np.unique(points, axis=0, return_index=True)
    centres = points[np.sort(first)[:n_centres]]
    for turn in range(_ROUNDS):
        share(turn / _ROUNDS)
        _, nearest = cKDTree(centres).query(points)
        sizes = np.bincount(nearest, minlength=len(centres))
        sums = np.stack([np.bincount(nearest, weights=x, minlength=len(centres)) for x in points.T], axis=1)
        moved = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], centres)
        if np.array_equal(moved, centres):
            break
        centres = moved
    return centres
