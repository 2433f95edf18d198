"""Published numbers beside the true ones, for attacks that estimate values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.numbers import as_numbers
from sfumato.data.table import Table
from sfumato.ground.errors import DataError, ParameterError, suggest
from sfumato.published.tables.table import table_shape
from sfumato.tables.attacks.row_matching import is_near
from sfumato.tables.attacks.targets import published_records

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = ["Numbers", "changed_numbers"]

_ORDERED = ("integer", "number", "date")


@dataclass(frozen=True, eq=False)
class Numbers:
    """Records by columns: what was published, and what is true, both in the published order."""

    names: tuple[str, ...]
    shown: NDArray[np.float64]
    true: NDArray[np.float64]

    @property
    def spans(self) -> NDArray[np.float64]:
        """The range of each column in the original."""
        return np.asarray(np.ptp(self.true, axis=0), dtype=np.float64)


def changed_numbers(release: Release, original: Table, columns: Sequence[str] | None, attack: str) -> Numbers:
    """The quasi-identifiers that show changed numbers, or some of these; records that lack one are left out."""
    frame = release.data.frame
    able = [
        name
        for name, form in table_shape(release).seen_forms.items()
        if is_near(form)
        and original.schema.column(name).kind in _ORDERED
        and frame[name].dtype != pl.String
    ]  # fmt: skip
    for name in columns or ():
        if name not in able:
            raise ParameterError(f"column {name!r} shows no changed numbers{suggest(name, able)}")
    rows, records = published_records(release, original)
    names = [name for name in (columns or able) if np.nanstd(as_numbers(frame[name])) > 0]
    if not names:
        raise ParameterError(
            f"{attack} estimates numbers that were changed, and this release has none; use LinkageAttack or "
            f"HomogeneityAttack for cells that cover values"
        )
    shown = np.array([as_numbers(frame[name])[rows] for name in names]).T
    true = np.array([as_numbers(original.frame[name])[records] for name in names]).T
    complete = ~np.isnan(shown + true).any(axis=1)
    if complete.sum() < 3:
        raise DataError("fewer than 3 published records have all their numbers, which is too few to estimate from")
    return Numbers(tuple(names), shown[complete], true[complete])
