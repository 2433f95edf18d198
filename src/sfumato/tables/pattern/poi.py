"""PoI: one linear statement about values, as a text or as coefficients."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import finite
from sfumato.tables.pattern.language import Linear, Pick, parse_property
from sfumato.tables.pattern.properties import ExtractedProperties, Property, rows_within
from sfumato.tables.pattern.rows import Rows, stack
from sfumato.tables.pattern.table_view import TableView

__all__ = ["PoI"]


@dataclass(frozen=True, repr=False)
class PoI(Property):
    """One linear relation: a text such as `"age[3] - age[1] <= age[7] - age[3]"`, or coefficients.

    `coefficients` gives, for each column, one number per row of the table; the relation is then
    `sum coefficient * value <= bound` (or `==`).

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> numbers = sf.Table(hospital(40).frame.select("age", "cost"), sf.Schema(quasi=["age", "cost"]))
    >>> sf.publish(numbers, sf.PatternPreserving(sf.PoI("age[0] <= age[1] + 100"), steps=50), seed=1)
    Release(40 rows, PatternPreserving, None holds)
    """

    text: str | None = None
    coefficients: Mapping[str, Sequence[float]] | None = None
    bound: float = 0.0
    relation: str = "<="

    def __post_init__(self) -> None:
        """Parse the text, so that a mistake is found at once."""
        if (self.text is None) == (self.coefficients is None):
            raise ParameterError("PoI takes either a text, as in PoI('age[3] <= age[1]'), or coefficients")
        if self.text is not None:
            if not isinstance(self.text, str):
                raise ParameterError(f"the text of a PoI must be text, got {self.text!r}")
            parse_property(self.text)
        elif not isinstance(self.coefficients, Mapping) or not self.coefficients:
            raise ParameterError(f"coefficients must be given by column, got {self.coefficients!r}")
        finite("bound", self.bound, asked="a finite number")
        if self.relation not in ("<=", ">=", "=="):
            raise ParameterError(f"relation must be <=, >= or ==, got {self.relation!r}")

    def public_parameters(self) -> dict[str, Any]:
        """The text without row numbers; of coefficients only the columns that they are for."""
        if self.text is not None:
            return {"name": "PoI", "text": _without_rows(self.text)}
        return {"name": "PoI", "columns": list(self.coefficients or ()), "relation": self.relation}

    def extract(self, setting: TableView) -> ExtractedProperties:
        """One row, or two for a margin or a chain."""
        if self.text is None:
            return self._from_coefficients(setting)
        parts = []
        for statement in parse_property(self.text):
            cells, coefficient = self._entries(statement.left, setting)
            constant = statement.left.constant
            if statement.relation == "within":
                value = float(coefficient @ setting.numbers.ravel()[cells])
                margin = statement.margin * abs(value + constant) if statement.relative else statement.margin
                stream = setting.random.spawn(f"within {self.text}")
                parts.append(rows_within(cells, coefficient, value, margin, stream))
            else:
                sign = -1.0 if statement.relation == ">=" else 1.0
                equal = statement.relation == "=="
                parts.append(Rows.of(cells[None], sign * coefficient[None], -sign * constant, equal=equal))
        return ExtractedProperties(stack(parts), (repr(self.text),), disclosed=(_without_rows(self.text),))

    def _from_coefficients(self, view: TableView) -> ExtractedProperties:
        assert self.coefficients is not None
        cells: list[NDArray[np.int64]] = []
        numbers: list[NDArray[np.float64]] = []
        for column, given in self.coefficients.items():
            line = view.place(column)
            numbers.append(_finite(given, column))
            if numbers[-1].shape != (view.n_rows,):
                raise ParameterError(
                    f"the coefficients of column {column!r} are {numbers[-1].size}, the table has {view.n_rows} rows"
                )
            used = np.flatnonzero(numbers[-1])
            numbers[-1] = numbers[-1][used]
            cells.append(self._cells_with_values(view, line, used))
        sign = -1.0 if self.relation == ">=" else 1.0
        row = Rows.of(
            np.concatenate(cells)[None], sign * np.concatenate(numbers)[None], sign * self.bound,
            equal=self.relation == "==",
        )  # fmt: skip
        return ExtractedProperties(row, (f"coefficients of {', '.join(self.coefficients)} {self.relation} a bound",))

    def _entries(self, linear: Linear, view: TableView) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The cells of a weighted sum, and their coefficients."""
        cells, coefficients = [], []
        for pick, weight in linear.terms:
            line = view.place(pick.column)
            rows = self._rows(pick, view, line)
            cells.append(self._cells_with_values(view, line, rows))
            coefficients.append(np.full(len(rows), weight / len(rows) if pick.mean else weight))
        return np.concatenate(cells), np.concatenate(coefficients)

    def _rows(self, pick: Pick, view: TableView, line: int) -> NDArray[np.int64]:
        """The rows that a term of the text picks."""
        if pick.row is not None:
            if pick.row >= view.n_rows:
                raise ParameterError(
                    f"property {self.text!r}: there is no row {pick.row}, the last is {view.n_rows - 1}"
                )
            return np.array([pick.row])
        rows = view.rows_where(pick.condition)
        rows = np.asarray(rows[~np.isnan(view.numbers[line, rows])])
        if not len(rows):
            raise ParameterError(f"property {self.text!r}: none of these rows has a value of {pick.column!r}")
        return rows

    def _cells_with_values(self, view: TableView, line: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The cells of a column in these rows; refused where one of them has no value."""
        missing = rows[np.isnan(view.numbers[line, rows])]
        if len(missing):
            raise ParameterError(
                f"property {self.text or 'with coefficients'!r}: column {view.columns[line]!r} has no value in row "
                f"{missing[0]}"
            )
        return view.cells(line, rows)


def _without_rows(text: str) -> str:
    """The text with every row number left out, which only the owner may know."""
    return re.sub(r"\[\s*\d+\s*\]", "[...]", text)


def _finite(given: Any, column: str) -> NDArray[np.float64]:
    try:
        numbers = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"the coefficients of column {column!r} must be numbers") from None
    if not np.isfinite(numbers).all():
        raise ParameterError(f"the coefficients of column {column!r} must be finite numbers")
    return numbers
