"""A first look at one column: its figures, and what it might be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from sfumato.data.code_columns import recognise_code
from sfumato.data.date_formats import parse_dates, recognise_dates
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.hierarchy_rules import Intervals
from sfumato.data.persons import Codes, codes_of, is_nested
from sfumato.data.recognising import Recognised, recognise_name, words
from sfumato.data.schema import Column, Kind, Role
from sfumato.data.suggesting import suggest_hierarchy, suggest_role
from sfumato.data.suspected_codes import Suspected, find_suspected
from sfumato.data.table import Table, kind_of
from sfumato.ground.errors import SchemaError

__all__ = ["ColumnLook", "look_as_dict", "look_at", "n_unique_rows"]

_MOST_LABELS = 60
_MANY_DAYS = 10
_DATE_WORDS = {"date", "datum", "dob", "day", "tag", "fecha", "data", "jour", "birthday", "born"}


@dataclass(frozen=True, kw_only=True)
class ColumnLook:
    """One column: figures, and the role suggested for it."""

    name: str
    kind: Kind
    distinct: int
    """Different values; a missing one is not counted, nor one that may stand for none."""
    missing: int
    unique_share: float
    """Share of rows that nobody else shares this column's value with."""
    role: Role
    reason: str
    hipaa: str | None = None
    """The letter in Safe Harbor's list of eighteen identifiers, where the column seems to be on it."""
    hierarchy: Hierarchy | None = None
    declared: bool = False
    """Whether the role was declared by the owner rather than suggested."""
    short: str = ""
    """The reason in a few words; empty where nothing speaks for the role."""
    suspected: Suspected | None = None
    """Values that may stand for none; the figures are those of the other cells."""
    date_format: str | None = None
    """How dates are written, where they are known to be dates."""
    readings: tuple[str, ...] = ()
    """How dates may be written, where there are several ways: the column stays text."""
    code: str | None = None
    """Why whole numbers seem to be codes; they are categories then."""
    labels: Mapping[str, str] | None = None
    """What values mean, where the data say so."""

    @property
    def column(self) -> Column:
        """The column as it is suggested: nothing in it depends on what the owner has yet to answer."""
        waits = self.suspected is not None and self.suspected.read_as is not None
        fixed = self.hierarchy is not None and not isinstance(self.hierarchy, Intervals) and not waits
        return Column(
            name=self.name, role=self.role, kind=None if waits else self.kind, labels=self.labels,
            date_format=self.date_format if not waits and self.kind == "date" else None,
            hierarchy=self.hierarchy if fixed else None,
        )  # fmt: skip


def look_as_dict(look: ColumnLook) -> dict[str, Any]:
    """The look as plain data."""
    found = look.suspected
    return {
        "name": look.name, "kind": look.kind, "distinct": look.distinct, "missing": look.missing,
        "unique_share": look.unique_share, "role": look.role, "declared": look.declared,
        "reason": look.reason, "hipaa": look.hipaa,
        "hierarchy": look.hierarchy.kind if look.hierarchy is not None else None,
        "date_format": look.date_format, "readings": list(look.readings), "code": look.code,
        "suspected": None if found is None else {
            "missing_values": list(found.values), "rows": found.n_rows, "why": found.why,
        },
    }  # fmt: skip


def n_unique_rows(keys: Codes, size: int) -> int:
    """How many keys below `size` occur once."""
    if size <= max(4 * len(keys), 1 << 20):
        return int((np.bincount(keys) == 1).sum())
    ordered = np.sort(keys)
    fresh = np.concatenate([[True], ordered[1:] != ordered[:-1], [True]])
    return int((fresh[1:] & fresh[:-1]).sum())


def look_at(table: Table, name: str, written: str | None) -> tuple[ColumnLook, pl.Series, Codes]:
    """The column, its values without those that may stand for none, and the numbers of these."""
    given = table.frame[name]
    declared = table.schema.columns.get(name)
    known = recognise_name(name)
    if declared is not None:
        codes = codes_of(given)
        look = ColumnLook(
            **_figures(given, codes), name=name, kind=declared.kind or kind_of(given), role=declared.role,
            reason="declared in the schema",
            short="declared", hipaa=known.hipaa if known is not None else None, hierarchy=declared.hierarchy,
            declared=True, labels=declared.labels,
        )  # fmt: skip
        return look, given, codes
    labels = table.labels.get(name)
    suspected, series = find_suspected(given, labels) if not is_nested(given) else (None, given)
    forms = _date_forms(given if suspected is None else _texts_left(given, suspected), name)
    if len(forms) == 1 and not series.dtype.is_temporal():
        series = parse_dates(series.cast(pl.String), forms[0])
    codes = codes_of(series)
    suggested = suggest_role(series, known, distinct=int(codes.max(initial=0)), named=name)
    if suggested.role == "identifier":
        suspected, series, forms = None, given, ()
        codes = codes_of(given)
    code = None
    if suggested.role != "identifier" and (suspected is None or suspected.read_as is None):
        code = recognise_code(series, name, known, labels)
    kind: Kind = "category" if code is not None or len(forms) > 1 else kind_of(series)
    hierarchy = None
    if suggested.role == "quasi" and code is None and len(forms) < 2:
        hierarchy = _hierarchy(given, series, known, suspected)
    if suspected is not None and suspected.read_as is not None:
        kind = "category"
    look = ColumnLook(
        **_figures(series, codes, given), name=name, kind=kind, role=suggested.role, reason=suggested.reason,
        short=suggested.short, hipaa=suggested.hipaa, hierarchy=hierarchy, suspected=suspected, code=code,
        date_format=forms[0] if len(forms) == 1 else written if kind == "date" else None,
        readings=forms if len(forms) > 1 else (),
        labels=labels if labels and suggested.role != "identifier" and len(labels) <= _MOST_LABELS else None,
    )  # fmt: skip
    return look, series, codes


def _figures(series: pl.Series, codes: Codes, given: pl.Series | None = None) -> dict[str, Any]:
    n_unique = n_unique_rows(codes, int(codes.max(initial=0)) + 1)
    missing = (given if given is not None else series).null_count()
    return {
        "distinct": int(codes.max(initial=0)), "missing": missing, "unique_share": n_unique / max(len(series), 1),
    }  # fmt: skip


def _texts_left(given: pl.Series, suspected: Suspected) -> pl.Series:
    """The texts of a column that do not seem to stand for no value."""
    if given.dtype != pl.String:
        return given
    marks = [str(value) for value in suspected.values]
    return given.filter(~given.str.strip_chars().is_in(marks).fill_null(value=False))


def _date_forms(texts: pl.Series, name: str) -> tuple[str, ...]:
    """The ways in which a column of texts, or of whole numbers such as 20241231, may be written dates."""
    if texts.dtype == pl.String:
        return recognise_dates(texts).possible
    if texts.dtype.is_integer() and (_DATE_WORDS & set(words(name)) or texts.n_unique() >= _MANY_DAYS):
        possible = recognise_dates(texts).possible
        return possible if possible == ("yyyymmdd",) else ()
    return ()


def _hierarchy(
    given: pl.Series, series: pl.Series, known: Recognised | None, suspected: Suspected | None
) -> Hierarchy | None:
    """The hierarchy of a quasi-identifier: one that has a place for every value there is, or intervals to choose."""
    hierarchy = suggest_hierarchy(series, known, series.drop_nulls().n_unique())
    if hierarchy is None or isinstance(hierarchy, Intervals) or suspected is None or suspected.read_as is not None:
        return hierarchy
    try:
        hierarchy.tree(given.drop_nulls().unique().to_list())
    except SchemaError:
        return None
    return hierarchy
