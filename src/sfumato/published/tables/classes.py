"""The shape of classes: rows whose quasi-identifiers show the same ranges, sets, nodes or means."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.published.equivalence import Cells, PublishedClasses
from sfumato.published.evidence import Evidence
from sfumato.published.shape import Check
from sfumato.published.tables.class_loss import class_losses, shown_losses
from sfumato.published.tables.population_fit import fitting_of_classes
from sfumato.published.tables.table import TableShape, bounds_loss
from sfumato.published.tables.truth import untruths

__all__ = ["ClassesShape"]


class ClassesShape(TableShape):
    """Rows that show what all records of their class have in common; sensitive values as recorded."""

    name = "classes"
    drawn_anew = True
    """Whether values that are no record's own must differ from those they stand for."""

    def untruths(self, check: Check) -> list[str]:
        """Rows that do not cover the record behind them, and an original of another size, a clause each."""
        table: Table = check.original
        return [
            *self._other_size(table), *untruths(self.frame, self.forms, table, self.rows, drawn_anew=self.drawn_anew)
        ]  # fmt: skip

    def _other_size(self, original: Table) -> list[str]:
        """Say so where the original has another number of records than the release was made from."""
        n = self.frame.height + self.n_withheld
        if len(original) == n:
            return []
        return [f"the original has {len(original):,} records, and the release was made from {n:,}; give the same table"]

    def classes(self, check: Check, *, sound: bool) -> PublishedClasses:
        """Return the classes by the quasi-identifiers asked for, with the evidence on them."""
        quasi = list(check.quasi) if check.quasi is not None else self.schema.quasi
        sensitive = list(check.sensitive) if check.sensitive is not None else self.schema.sensitive
        cells = check.cells or Cells(suppressed_rows="class")  # no rows are suppressed: a class that shows `*` is one
        shown = PublishedClasses(self.frame, quasi, sensitive, self.schema.columns, cells, self.files)
        shown.evidence = self.evidence(check, shown, sound=sound)
        return shown

    def evidence(self, check: Check, shown: PublishedClasses, *, sound: bool) -> Evidence:
        """Find out what the promises asked for need: who of a population fits each class, and what each class loses."""
        described = check.original if check.original is not None else self._kept_original()
        fitting, unfit = fitting_of_classes(
            check.parts, self.frame, self.forms, shown, described if described is not None else self.schema,
            self.n_withheld,
        )  # fmt: skip
        bounded = sound and bounds_loss(check) and not self.drawn_columns  # a value that is nobody's covers none
        losses = self._losses(check, shown) if bounded else None
        return Evidence(losses=losses, fitting=fitting, unfit=unfit)

    def _losses(self, check: Check, shown: PublishedClasses) -> NDArray[np.float64] | None:
        """The loss of every class.

        Losses are worked out on classes by all quasi-identifiers. Where fewer are asked for, a class has the largest
        loss among those inside it.
        """
        whole = shown
        if shown.quasi != self.schema.quasi:
            whole = PublishedClasses(self.frame, self.schema.quasi, cells=shown.cells)
        if check.original is not None:
            losses: NDArray[np.float64] | None = class_losses(self.frame, self.forms, check.original, self.rows)
        else:
            losses = shown_losses(self.frame, self.forms, self.schema, whole)
        if losses is None or shown is whole:
            return losses
        joined = np.zeros(shown.n_classes)
        np.maximum.at(joined, shown.of_row, losses[whole.of_row])
        return joined

    def _kept_original(self) -> Table | None:
        """The original that the owner's part still holds, or None; it says what the columns are."""
        owner = self.release.owner
        return owner.original if owner is not None else None  # type: ignore[return-value]

    def checked_on(self, original: Table | None) -> str:
        """Say whether the rows were read alone, beside the original, or each against its record."""
        n = f"{self.frame.height:,} published rows"
        if original is None:
            return f"{n} alone"
        if self.rows is None:
            return f"{n} and the original, without the owner's row map"
        return f"{n}, each against its own record of the original"
