"""The result of showing: published columns, how each is to be read, and what goes beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.encoding import Coded
from sfumato.data.table import Table
from sfumato.ground.randomness import Randomness

if TYPE_CHECKING:
    from sfumato.tables.grouping.groups import Groups

__all__ = ["Showing", "ShownColumns", "label_column"]


@dataclass(frozen=True, eq=False)
class ShownColumns:
    """Published columns, row by row, and the form (`range`, `set`, `node`, `value`) of each quasi-identifier."""

    columns: list[pl.Series]
    """The quasi-identifiers, and any column that the original lacks."""
    forms: dict[str, str]
    withheld: tuple[str, ...] = ()
    """Columns of the original that no published row shows: they go into one of the files."""
    files: dict[str, pl.DataFrame] = field(default_factory=dict)
    """Tables to publish beside the rows, by name."""
    public: dict[str, Any] = field(default_factory=dict)
    """What else the release says to its readers."""
    carried: NDArray[np.int64] | None = None
    """Where rows stand for no single record: the record whose sensitive and plain columns each row shows."""
    kept: dict[str, pl.DataFrame] = field(default_factory=dict)
    """Tables that stay with the owner, for a later check of the release, by name."""


Showing: TypeAlias = Callable[
    [Table, Sequence[Coded], "Groups", NDArray[np.int64], Randomness], ShownColumns
]  # fmt: skip
"""A function of the table, its coded quasi-identifiers, the groups, the row behind each published row, randomness."""


def label_column(
    name: str, labels: list[str | None], label_of_group: NDArray[np.int64], group: NDArray[np.int64]
) -> pl.Series:
    """The column that shows, for each row, the label of its group.

    `labels` are the different labels, `label_of_group` says which each group has, `group` is the group of each row.
    """
    return pl.Series(name, labels, dtype=pl.String).gather(label_of_group[group]).alias(name)
