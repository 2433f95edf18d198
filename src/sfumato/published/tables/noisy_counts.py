"""The shape of counts with noise: cells in place of records, and the check of what they spend.

Epsilon is recomputed from the published scales, and cells from the published keys. With the original, counts that lie
further from the true ones than chance would take them, or that have no noise, are found; nothing that is found or
broken tells a number of the original. Knows nothing of how noise was drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.schema import Column, Schema
from sfumato.data.table import Table
from sfumato.data.values import SUPPRESSED
from sfumato.ground.discrete_laplace import half_width, upper_tail
from sfumato.ground.errors import DataError, ParameterError
from sfumato.privacy.differential_privacy import DifferentialPrivacy
from sfumato.privacy.promise import Finding, Promise
from sfumato.privacy.verdict import Verdict
from sfumato.privacy.words import counted
from sfumato.published.files import read_columns, read_texts, refuse_blank_texts, restore_types
from sfumato.published.shape import Check, Shape
from sfumato.published.tables.counted_cells import ELSE, NUMBERS, CountedCells, Marginal, read_cells

__all__ = ["NoisyCountsShape"]

_CHANCE = 1e-9
"""How unlikely something must be before it is no chance any more."""


_MOST_COUNT = 2**62
"""Up to here differences of counts are told without overflow."""


class NoisyCountsShape(Shape):
    """Counts of records by their values, each with noise: no row stands for a record."""

    name = "noisy counts"
    original_type = Table
    data_type = Table
    called = "noisy counts"
    unit = "records"
    drawn_from = "counts of"
    holds_records = False

    @property
    def frame(self) -> pl.DataFrame:
        """The published cells."""
        frame: pl.DataFrame = self.release.data.frame
        return frame

    @cached_property
    def schema(self) -> Schema:
        """The columns that are counted by, as the original has them; listed values are known by their text."""
        cells = self.cells
        return Schema.of(
            [Column(name=name, kind="category" if name in cells.values else None) for name in cells.columns]
        )

    @cached_property
    def cells(self) -> CountedCells:
        """Which cells there are and how noise was drawn, as the release tells."""
        if isinstance(self._read, str):
            raise DataError(f"{self._read}; ask its owner for a new copy")
        return self._read

    @cached_property
    def _read(self) -> CountedCells | str:
        return read_cells(self.public["noisy_counts"])

    def marginal_rows(self, marginal: Marginal) -> pl.DataFrame:
        """The published cells of one marginal."""
        return self.frame.filter(self._is_of(marginal))

    def _is_of(self, marginal: Marginal) -> pl.Expr:
        """Whether a row is a cell of this marginal: it shows keys of its columns and of no others."""
        return pl.all_horizontal(
            pl.lit(True), *((pl.col(name) != SUPPRESSED) == (name in marginal.by) for name in self.cells.columns)
        )

    # -- files ---------------------------------------------------------------------------------------------------------

    @classmethod
    def data_of(cls, frame: pl.DataFrame, public: Mapping[str, Any], source: str = "polars") -> Table:
        """Return the cells as a table of the library that the original came in."""
        columns = [Column(name=name, kind=None if name in NUMBERS else "category") for name in frame.columns]
        return Table(frame, Schema.of(columns), source=source)  # type: ignore[arg-type]

    @classmethod
    def read(cls, path: Path, public: Mapping[str, Any]) -> Table:
        """Read the cells from their file: keys are text and numbers are whole, in every format."""
        if path.suffix != ".csv":
            return cls.data_of(read_columns(path), public)
        texts = read_texts(path, public)
        return cls.data_of(restore_types(texts, dict.fromkeys(set(NUMBERS) & set(texts.columns), "integer")), public)

    def frame_to_write(self, format: str) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return the cells, and what readers are told."""
        if format == "csv":
            refuse_blank_texts(self.frame)
        return self.frame, dict(self.public)

    # -- checks --------------------------------------------------------------------------------------------------------

    def refuse_other_data(self, original: Any) -> None:
        """Refuse an original that is no table."""
        if original is not None and not isinstance(original, Table):
            raise ParameterError(
                f"noisy counts are of a table, and the original is {type(original).__name__}; give the table"
            )

    def refuse_other_original(self, original: Any) -> None:
        """Refuse: who looks for records finds none here."""
        raise ParameterError(
            "noisy counts hold no records, so that nobody is looked for among them; see sfumato verify"
        )

    def verify(self, check: Check) -> Verdict:
        """Recompute what is spent, and compare the cells with those that there must be."""
        for part in check.parts:
            if not isinstance(part, DifferentialPrivacy):
                raise ParameterError(f"noisy counts promise DifferentialPrivacy, not {part!r}; leave the promise out")
        flaws = [self._read] if isinstance(self._read, str) else self._flaws()
        broken = [*self.damage, *self.unnamed_tables(), *flaws]
        if flaws:
            found = "the cells are not those that the release tells of, so that the promise cannot be decided"
            return Verdict(found=(found,), broken=tuple(broken), checked_on=self._checked_on(check.original))
        if check.original is not None:
            broken += self._untruths(check.original)
        broken += self._other_neighbours()
        findings = [self._spent(part) for part in check.parts]
        broken += [f"{each.promise}: {each.found}" for each in findings if not each.declared]
        declared = [each.promise for each in findings if each.declared] or (
            ["noise of the published scale was added to every count"] if not check.parts else []
        )
        return Verdict(
            found=(*(each.found for each in findings), self._counted()), broken=tuple(broken), declared=tuple(declared),
            reached={each.promise: each.value for each in findings}, checked_on=self._checked_on(check.original),
        )  # fmt: skip

    def _spent(self, part: Promise) -> Finding:
        assert isinstance(part, DifferentialPrivacy)
        return part.check_spent(*self.cells.spent(part.neighbours))

    def _other_neighbours(self) -> list[str]:
        """Where noise is told to be for other neighbours than those of the release's promise, and spends more for them.

        A reader would take the promise to be about the neighbours that are told.
        """
        promise, neighbours = self.release.promise, self.cells.neighbours
        parts = [
            each for each in (promise.parts if promise is not None else ()) if isinstance(each, DifferentialPrivacy)
        ]
        others = [(each, each.check_spent(*self.cells.spent(neighbours))) for each in parts]
        return [
            f"{part!r} is about a record {part.neighbours}, and the noise is told to be for one {neighbours}: "
            f"{finding.found}"
            for part, finding in others if part.neighbours != neighbours and not finding.declared
        ]  # fmt: skip

    def _counted(self) -> str:
        marginals = counted(len(self.cells.marginals), "marginal")
        return f"{counted(self.frame.height, 'cell')} in {marginals}, each as the published keys say"

    def _checked_on(self, original: Table | None) -> str:
        n = counted(self.frame.height, "published cell")
        return f"{n} alone" if original is None else f"{n}, against the original"

    def _flaws(self) -> list[str]:
        """What is wrong with the cells by what the release tells of them, a clause each."""
        cells, frame = self.cells, self.frame
        if frame.columns != [*cells.columns, *NUMBERS]:
            return [f"the columns are not {', '.join([*cells.columns, *NUMBERS])}"]
        numbers = frame.select(NUMBERS)
        if any(dtype != pl.Int64 for dtype in numbers.dtypes) or any(each.null_count() for each in numbers):
            return ["some count is no whole number of 64 bits"]
        if not all(each.is_between(-_MOST_COUNT, _MOST_COUNT).all() for each in numbers):
            return ["some count is larger than any count can be"]
        if any(frame[name].dtype != pl.String or frame[name].null_count() for name in cells.columns):
            return ["some cell shows no key"]
        parts = [self.marginal_rows(each) for each in cells.marginals]
        in_order = pl.concat(parts) if parts else frame.clear()
        wrong = [
            clause for each, part in zip(cells.marginals, parts, strict=True) for clause in self._misfits(each, part)
        ]
        if not wrong and not in_order.equals(frame):
            wrong = ["cells are not in the order of their marginals and keys, or belong to none"]
        return wrong

    def _misfits(self, marginal: Marginal, part: pl.DataFrame) -> list[str]:
        """What is wrong with the cells of one marginal, a clause each."""
        named = f"of the counts by {', '.join(map(repr, marginal.by))}" if marginal.by else "of the count of all"
        keys = part.select(self.cells.columns)
        if marginal.by and keys.is_duplicated().any():
            return [f"{named}, some cell is there twice"]
        if marginal.threshold is None:
            if not keys.equals(self.cells.labels(marginal)) or (not marginal.by and part.height != 1):
                return [f"{named}, cells are missing, out of order, or none of the published keys"]
        elif bool((part["count"] < marginal.threshold).any()):
            return [f"{named}, some count is below the threshold"]
        elif not keys.sort(self.cells.columns).equals(keys) or self._strangers(marginal, keys):
            return [f"{named}, cells are out of order, or none of the published keys"]
        margin = marginal.margin
        off = (part["count"] - part["low"] != margin) | (part["high"] - part["count"] != margin)
        return [f"{named}, some interval is not that of the published scale"] if bool(off.any()) else []

    def _strangers(self, marginal: Marginal, keys: pl.DataFrame) -> bool:
        """Whether a cell shows a value of a column with public keys that is none of them, or is half of the rest."""
        rest = [keys[name] == ELSE for name in marginal.by]
        mixed = any(not each.equals(rest[0], check_names=False) for each in rest)
        return mixed or any(
            not bool((keys[name].is_in(list(known)) | rest[0]).all())
            for name in marginal.by if (known := self.cells.keys(name)) is not None
        )  # fmt: skip

    def _untruths(self, original: Table) -> list[str]:
        """What the original contradicts, a clause each."""
        lacking = next((name for name in self.cells.columns if name not in original.columns), None)
        if lacking is not None:
            return [f"counts are by column {lacking!r}, which the original lacks"]
        shown = next((n for n in self.cells.columns if n in original.schema.identifier), None)
        if shown is not None:
            return [f"counts are by column {shown!r}, which is an identifier"]
        try:
            noise = self.noise(original)
        except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError):
            return ["the original cannot be counted by the published keys"]
        return [clause for each, drawn in noise for clause in _unlikely(each, drawn, len(original))]

    def noise(self, original: Table) -> list[tuple[Marginal, NDArray[np.int64]]]:
        """For each marginal, by how much its published counts differ from the true ones. For the owner alone."""
        found = []
        for marginal in self.cells.marginals:
            part, true = self.marginal_rows(marginal), self.cells.true_counts(marginal, original.frame)
            by = list(marginal.by)
            both = part.join(true, on=by, how="left", maintain_order="left") if by else part.with_columns(true["true"])
            found.append((marginal, (both["count"] - both["true"].fill_null(0)).to_numpy().astype(np.int64)))
        return found


def _unlikely(marginal: Marginal, drawn: NDArray[np.int64], n_records: int) -> list[str]:
    """Say so where noise of this scale would hardly ever be as large as this, or be missing as often.

    Keys that were found in the data were chosen by their noise, among no more keys than there are records.
    """
    from scipy.stats import binom

    n = len(drawn)
    if not n:
        return []
    n_keys = n if marginal.threshold is None else max(n_records, n)
    if np.abs(drawn).max() > half_width(marginal.scale, 1, 1.0 - _CHANCE / n_keys):
        return ["some count lies further from the true one than noise of the published scale takes it"]
    if marginal.threshold is not None:
        return []
    still = 1.0 - 2.0 * upper_tail(marginal.scale, 1)
    if float(binom.sf(int((drawn == 0).sum()) - 1, n, still)) < _CHANCE:
        return ["more counts are the true ones than noise of the published scale would leave"]
    return []
