"""TopDown: divide the records around two that are far apart, again and again, then mend what came out too small.

Xu, Wang, Pei, Wang, Shi & Fu, "Utility-based anonymization using local recoding", KDD 2006, in the form in which
Ghinita, Karras, Kalnis & Mamoulis (TODS 34(2), 2009, section 2.2) compare with it.

1. A cluster of at least 2k records is divided. Seeds: from a random record to the furthest from it, to the furthest
   from that, three times in all, where far is what two records lose together. Every other record, in random order, goes
   to the side whose loss it makes grow least; a side's size has no part in it, as in the original (of equal growths
   the smaller side gets it).
2. A cluster of fewer than k records joins another, or borrows the records nearest to it from one that has k left,
   whichever adds least to the total loss, weighted by sizes.

Two bounds are ours. Where eight divisions running cut off less than a sixteenth, the cluster is halved between its
seeds, so that step 1 costs O(d N log N) and not O(d N^2). Clusters of equal records are cut into pieces at once. Step 2
compares every small cluster with every other: O(d S N) for S small clusters.
"""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.ground.errors import ParameterError
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.tables.coding.boxes import records, word_offsets
from sfumato.tables.coding.columns import flatten
from sfumato.tables.grouping.groups import GroupingMethod, Groups
from sfumato.tables.grouping.job import Job
from sfumato.tables.grouping.topdown_kernels import divide, enlarge

__all__ = ["TopDown"]


@dataclass(frozen=True)
class TopDown(GroupingMethod):
    """k-anonymity by divisive clustering: the method to compare `Hilbert` and `Mondrian` with.

    Groups can overlap and have k records or more, mostly fewer than 2k. They depend on the seed. O(d N^2) at worst;
    30,000 records take seconds.

    `show` says what readers see of a group: `ranges`, `means`, `permutation` (two tables) or `condensed` (drawn anew).

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(100), sf.TopDown(), sf.KAnonymity(5), seed=1)
    Release(100 rows, TopDown, KAnonymity(k=5) holds)
    """

    show: str = "ranges"

    def groups(self, job: Job) -> Groups:
        """Divide clusters, then enlarge those of fewer than k records."""
        other = next((part for part in job.promise.parts if not isinstance(part, KAnonymity)), None)
        if other is not None:
            raise ParameterError(f"TopDown keeps k-anonymity only, not {other!r}; use Hilbert or Mondrian")
        columns, k = flatten(job.quasi), job.promise.min_size()
        data, words = records(columns), word_offsets(columns)
        n = len(data)
        job.share(0.05)
        order, starts = divide(columns, words, data, job.random.permutation(n), job.random.words(n), k)
        job.share(0.5)
        order, starts = enlarge(columns, words, data, order, starts, k)
        job.share(1.0)
        return Groups(order, starts)
