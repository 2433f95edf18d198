"""Cell suppression: values as they were recorded, and a star where one would give somebody away.

Local recoding over a lattice in which every column has two levels, the value and `*`: classes that need the fewest
stars are taken first, and a record shows a value where all of its group have the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from sfumato.data.encoding import Coded
from sfumato.data.tree import Tree
from sfumato.data.values import SUPPRESSED
from sfumato.tables.grouping.groups import GroupingMethod, Groups
from sfumato.tables.grouping.job import Job
from sfumato.tables.lattice.local_recoding import recode

__all__ = ["CellSuppression"]


@dataclass(frozen=True)
class CellSuppression(GroupingMethod):
    """Any promise, by suppressing as few cells as it can (the weights of columns say which are dearer).

    Nothing is generalised: hierarchies are not used. To suppress whole records instead, see `max_suppressed` of
    `BestFirst`.

    `show` says what readers see: single `cells` suppressed, or `ranges`, `means`, `permutation`, `condensed` of groups.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(100), sf.CellSuppression(), sf.KAnonymity(5), seed=1)
    Release(100 rows, CellSuppression, KAnonymity(k=5) holds)
    """

    own_showings: ClassVar[tuple[str, ...]] = ("cells",)
    show: str = "cells"

    def groups(self, job: Job) -> Groups:
        """Local recoding over levels at which a value is either shown or suppressed."""
        return recode(replace(job, quasi=[_value_or_star(column) for column in job.quasi]), polish=True)


def _value_or_star(column: Coded) -> Coded:
    """The column under a hierarchy of two levels: its values, missing ones among them, and a star."""
    n = column.n_codes + column.has_missing
    tree = Tree.from_paths([(str(code), SUPPRESSED) for code in range(max(n, 1))])
    codes = np.where(column.codes < 0, n - 1, column.codes).astype(np.int32)
    return replace(column, shape="tree", codes=codes, values=column.values.clear(n), tree=tree)
