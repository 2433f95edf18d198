"""Mondrian: cut the table like a kd-tree while every piece keeps the promise.

LeFevre, DeWitt & Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006. A region is cut by the column
with the widest normalised range, at the median; where that cut is not allowed, by the next widest; where none
is, the region is a group. Columns with a hierarchy are cut between the children of the lowest node that covers
the region. O(d N log N) for k-anonymity.
"""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.privacy.requirements import criteria_for
from sfumato.tables.coding.columns import flatten
from sfumato.tables.grouping.groups import GroupingMethod, Groups
from sfumato.tables.grouping.job import Job
from sfumato.tables.grouping.mondrian_kernels import partition

__all__ = ["Mondrian"]


@dataclass(frozen=True)
class Mondrian(GroupingMethod):
    """Any promise, by recursive median cuts.

    `strict` keeps records with equal values on the same side of every cut, so that groups do not overlap. Relaxed
    (`strict=False`), a region that no such cut can divide is halved at the median of its widest column all the
    same, ties going to both sides: groups are smaller, and may overlap there.

    `show` says what readers see of a group: `ranges`, `means`, `permutation` (two tables) or `condensed` (drawn anew).

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(100), sf.Mondrian(strict=False), sf.KAnonymity(5), seed=1)
    Release(100 rows, Mondrian, KAnonymity(k=5) holds)
    """

    strict: bool = True
    show: str = "ranges"

    def groups(self, job: Job) -> Groups:
        """Cut the table into regions until no further cut is allowed."""
        criteria, columns = criteria_for(job.promise, job.n_rows, job.sensitive), flatten(job.quasi)
        job.share(0.1)
        order, starts = partition(columns, criteria, self.strict)
        job.share(1.0)
        return Groups(order, starts)
