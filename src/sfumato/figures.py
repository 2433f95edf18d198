"""Measures: what a release costs and what it leaves at risk, as figures with a name and a meaning."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, get_args

from sfumato.errors import DataError, suggest

__all__ = ["Figure", "FigureGroup", "Measures", "Unit"]

FigureGroup: TypeAlias = Literal["utility", "risk"]
Unit: TypeAlias = Literal["share", "count", "number"]
"""How a value reads: a share of a whole (shown in per cent), a count of things, or a bare number."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """One measured number and what it says."""

    name: str
    value: float
    label: str
    group: FigureGroup
    meaning: str
    """One line for somebody who never saw the figure before."""
    unit: Unit = "number"
    smaller_is_better: bool | None = True
    """None where neither end is better, as for a number of classes."""

    def __post_init__(self) -> None:
        """A figure that is not known is left out, never NaN: certificates are JSON."""
        if not math.isfinite(self.value):
            raise ValueError(f"the figure {self.name!r} must be finite, got {self.value}")
        object.__setattr__(self, "value", float(self.value))

    @property
    def shown(self) -> str:
        """The value as people read it."""
        return _shown(self.value, self.unit)

    def with_value(self, value: float) -> Figure:
        """The same figure with another value."""
        return replace(self, value=value)


def _shown(value: float, unit: Unit) -> str:
    if unit == "count":
        return f"{value:,.0f}"
    if unit == "share":
        percent = 100 * value
        return f"{percent:.2f}%" if percent == 0 or abs(percent) >= 0.01 else f"{percent:.1e}%"
    return f"{value:,.0f}" if abs(value) >= 1e5 else f"{value:.4g}"


class Measures(Mapping[str, float]):
    """Figures by name, in a fixed order: `measures["gcp"]` is a number, `measures.figure("gcp")` says what it means.

    `by_column` splits some of them by column, `notes` say what a reader of the figures must know. Two sets of
    measures join with `|`.
    """

    __slots__ = ("_by_column", "_figures", "_notes")

    def __init__(
        self,
        figures: Iterable[Figure] = (),
        *,
        by_column: Mapping[str, Mapping[str, float]] | None = None,
        notes: Iterable[str] = (),
    ) -> None:
        self._figures = {figure.name: figure for figure in figures}
        self._by_column = MappingProxyType(
            {
                name: MappingProxyType({column: float(value) for column, value in values.items()})
                for name, values in (by_column or {}).items()
            }
        )
        self._notes = tuple(dict.fromkeys(notes))

    def __getitem__(self, name: str) -> float:
        return self.figure(name).value

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def __or__(self, other: Measures) -> Measures:
        return Measures(
            (self._figures | other._figures).values(),
            by_column={**self._by_column, **other._by_column},
            notes=(*self._notes, *other._notes),
        )

    def without(self, *names: str) -> Measures:
        """The same without the figures of these names, their split by column, and the notes on them."""

        def about(note: str) -> str:
            return note.split(":", 1)[0].split(" ", 1)[0]

        return Measures(
            (figure for figure in self.figures if figure.name not in names),
            by_column={name: split for name, split in self._by_column.items() if name not in names},
            notes=(note for note in self._notes if not any(name.startswith(about(note)) for name in names)),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Measures.from_dict, (self.to_dict(),)

    def figure(self, name: str) -> Figure:
        """The figure of that name, with its meaning."""
        try:
            return self._figures[name]
        except KeyError:
            raise KeyError(f"no figure is called {name!r}{suggest(str(name), self._figures)}") from None

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All figures, in order."""
        return tuple(self._figures.values())

    @property
    def by_column(self) -> Mapping[str, Mapping[str, float]]:
        """Figures that were split by column: `by_column["ncp"]["age"]`."""
        return self._by_column

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the figures must know."""
        return self._notes

    def group(self, group: FigureGroup) -> Measures:
        """The figures of one group; notes stay."""
        chosen = [figure for figure in self.figures if figure.group == group]
        names = {figure.name for figure in chosen}
        columns = {name: values for name, values in self._by_column.items() if name in names}
        return Measures(chosen, by_column=columns, notes=self._notes)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the values by name, what each means, the split by column and the notes."""
        return {
            "values": {f.name: int(f.value) if f.unit == "count" else f.value for f in self.figures},
            "by_column": {name: dict(values) for name, values in self._by_column.items()},
            "notes": list(self._notes),
            "about": {
                f.name: {
                    "label": f.label, "group": f.group, "meaning": f.meaning, "unit": f.unit,
                    "smaller_is_better": f.smaller_is_better,
                }
                for f in self.figures
            },
        }  # fmt: skip

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Measures:
        """Read what `to_dict` wrote."""
        try:
            about = given.get("about", {})
            figures = [_figure(name, value, about.get(name, {})) for name, value in given["values"].items()]
            return cls(figures, by_column=given.get("by_column", {}), notes=given.get("notes", ()))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise DataError(f"these are no measures: {error}; was the file edited by hand?") from None

    def __repr__(self) -> str:
        return "\n".join(self._lines()) if self._figures or self._notes else "Measures()"

    def _lines(self) -> Iterator[str]:
        width = max((len(name) for name in self._figures), default=0)
        room = max((len(figure.shown) for figure in self.figures), default=0)
        for group in get_args(FigureGroup):
            chosen = [figure for figure in self.figures if figure.group == group]
            if chosen:
                yield group
            for figure in chosen:
                yield f"  {figure.name:<{width}}  {figure.shown:>{room}}  {figure.label}"
                split: Mapping[str, float] = self._by_column.get(figure.name, {})
                if split:
                    shown = ", ".join(f"{column} {_shown(value, figure.unit)}" for column, value in split.items())
                    yield f"  {'':<{width}}  {'':>{room}}    {shown}"
        for note in self._notes:
            yield f"  note: {note}"

    def _repr_html_(self) -> str:
        rows = []
        for group in get_args(FigureGroup):
            chosen = [figure for figure in self.figures if figure.group == group]
            if chosen:
                rows.append(f'<tr><th colspan="3" style="text-align:left">{group}</th></tr>')
            rows.extend(self._html_row(figure) for figure in chosen)
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self._notes)
        return f"<table><tbody>{''.join(rows)}</tbody></table>" + (f"<ul>{notes}</ul>" if notes else "")

    def _html_row(self, figure: Figure) -> str:
        split = ", ".join(
            f"{html.escape(column)} {_shown(value, figure.unit)}"
            for column, value in self._by_column.get(figure.name, {}).items()
        )
        left = 'style="text-align:left"'
        return (
            f'<tr><td {left} title="{html.escape(figure.name)}">{html.escape(figure.label)}</td>'
            f'<td style="text-align:right">{figure.shown}</td>'
            f"<td {left}>{html.escape(figure.meaning)}{f'<br><small>{split}</small>' if split else ''}</td></tr>"
        )


def _figure(name: str, value: Any, about: Mapping[str, Any]) -> Figure:
    group, unit = about.get("group", "utility"), about.get("unit", "number")
    if group not in get_args(FigureGroup) or unit not in get_args(Unit):
        raise ValueError(f"{name!r} has the group {group!r} and the unit {unit!r}")
    return Figure(
        name=str(name), value=float(value), label=str(about.get("label", name)), group=group,
        meaning=str(about.get("meaning", "")), unit=unit, smaller_is_better=about.get("smaller_is_better"),
    )  # fmt: skip
