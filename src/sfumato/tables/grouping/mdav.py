"""MDAV: classes of k records around those that lie farthest out, one after the other.

Domingo-Ferrer & Torra, "Ordinal, continuous and heterogeneous k-anonymity through microaggregation", Data Mining and
Knowledge Discovery 11(2), 2005 (Maximum Distance to Average Vector). While 3k records or more are left: the record
farthest from their centre and the k - 1 nearest to it are a class, and the record farthest from that one, with the
k - 1 nearest to it, is another. Of 2k to 3k - 1 one more class is taken, and the rest, k to 2k - 1, is the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.encoding import Coded
from sfumato.ground.errors import ParameterError
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.tables.coding.boxes import records
from sfumato.tables.coding.columns import flatten
from sfumato.tables.grouping.groups import GroupingMethod, Groups
from sfumato.tables.grouping.job import Job
from sfumato.tables.grouping.mdav_kernels import classes_by_scan
from sfumato.tables.grouping.mdav_tree import classes_by_tree

__all__ = ["MDAV"]

_MOST_IN_A_TREE = 8
"""The tree is used for at most this many coordinates, and for no fewer records than `_FEW`; else all are scanned."""
_FEW = 2_000


@dataclass(frozen=True)
class MDAV(GroupingMethod):
    """k-anonymity by microaggregation: classes of k to 2k - 1 records, shown by their means.

    Numbers and dates are standardised, ordinals go by their rank, and categories are the same or not (under a
    hierarchy: as far apart as the lowest node that covers both loses); a missing value is a value of its own. Columns
    count by the square root of their weights. Nothing depends on the seed but the order of the published rows.

    `show` says what readers see of a group: `ranges`, `means`, `permutation` (two tables) or `condensed` (drawn anew).

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(100), sf.MDAV(), sf.KAnonymity(5), seed=1)
    Release(100 rows, MDAV, KAnonymity(k=5) holds)
    """

    show: str = "means"

    def groups(self, job: Job) -> Groups:
        """Form classes from the outside inwards, by a k-d tree where all columns are ordered and few."""
        other = next((part for part in job.promise.parts if not isinstance(part, KAnonymity)), None)
        if other is not None:
            raise ParameterError(f"MDAV keeps k-anonymity only, not {other!r}; use Hilbert or Mondrian")
        points, which = standard_coordinates(job.quasi)
        k = job.promise.min_size()
        job.share(0.05)
        if not len(which) and len(points) >= _FEW and points.shape[1] <= _MOST_IN_A_TREE:
            order, starts = classes_by_tree(points, k)
        else:
            columns = flatten(job.quasi)
            weights = np.array([job.quasi[c].weight for c in which])
            order, starts = classes_by_scan(points, records(columns), columns, which, weights, k)
        job.share(1.0)
        return Groups(order, starts)


def standard_coordinates(quasi: Sequence[Coded]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Ordered columns as coordinates of mean 0 and deviation 1, records in rows, and which columns are not ordered.

    A column with missing values has a second coordinate, 1 where one is missing; its first is then the mean.
    """
    lines, which = [], []
    n = len(quasi[0].codes) if quasi else 0
    for c, column in enumerate(quasi):
        if column.shape != "range":
            which.append(c)
            continue
        known = column.codes >= 0
        positions = column.position[column.codes[known]]
        spread = float(positions.std()) if positions.size else 0.0
        line = np.zeros(n)
        if spread > 0.0:
            line[known] = (positions - positions.mean()) / spread
        lines.append(line * np.sqrt(column.weight))
        if not known.all():
            lines.append(np.where(known, 0.0, np.sqrt(column.weight)))
    points = np.array(lines).reshape(len(lines), n).T
    return np.ascontiguousarray(points), np.array(which, dtype=np.int64)
