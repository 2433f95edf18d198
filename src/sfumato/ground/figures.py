"""Measures: what a release costs and what it leaves at risk, as figures with a name, a meaning and an audience.

A figure is declared once, in the file that computes it: `GCP = declare(name="gcp", ..., audience="public")`. The
declaration says who may see it, without a default, and makes the figure of a value: `GCP.of(0.4)`. What a release
publishes is `Measures.public`: the figures, splits by column and notes that say they are public, and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, get_args

from sfumato.ground.brief import fit_screen
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.cards import card, folded, grid, lines, small
from sfumato.ground.errors import DataError, UnknownNameError, suggest

__all__ = [
    "About",
    "Audience",
    "Family",
    "Figure",
    "FigureGroup",
    "Measures",
    "Note",
    "Unit",
    "catalogue",
    "declare",
    "figures_of",
    "format_value",
]

FigureGroup: TypeAlias = Literal["utility", "risk"]
Unit: TypeAlias = Literal["share", "count", "number"]
"""How a value reads: a share of a whole (shown in per cent), a count of things, or a bare number."""
Audience: TypeAlias = Literal["public", "owner"]
"""Who may see a figure or a note. What can be worked out from the published data alone is public. What compares them
with the records themselves is the owner's: whoever lists the assignments that a release allows could keep those that
give the same figure, and be left with one."""


# -- the catalogue -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class About:
    """What a figure is called, what it means and who may see it; made by `declare`."""

    name: str
    label: str
    group: FigureGroup
    meaning: str
    """One line for somebody who never saw the figure before."""
    unit: Unit
    smaller_is_better: bool | None
    """None where neither end is better, as for a number of classes."""
    audience: Audience
    stands_for: str = ""
    """The idea that it measures, where releases of other kinds have other figures for the same."""
    read: bool = field(default=False, compare=False, repr=False)
    """Whether this was read from a file, whose figures need not be declared here."""

    def of(self, value: float, *, audience: Audience | None = None) -> Figure:
        """The figure of a value. A public one may be kept for the owner by `audience`, never the other way round."""
        return Figure(about=self, value=value, audience=self.audience if audience is None else audience)

    def with_wording(self, *, label: str | None = None, meaning: str | None = None) -> About:
        """Return the same figure under another label or meaning, for releases where it means something more exact."""
        return replace(
            self,
            label=self.label if label is None else label,
            meaning=self.meaning if meaning is None else meaning,
        )


@dataclass(frozen=True, slots=True)
class Family:
    """Figures that differ by a field of their name, such as a threshold: `Family(declare(name="above_{t}", ...))`."""

    pattern: About
    """Declared with the fields in braces, in its name, label and meaning."""

    def member(self, **fields: object) -> About:
        """Return the figure with these fields filled in: `ABOVE.member(t="0.2")` is called `above_0.2`."""
        name, label, meaning = (
            text.format(**fields) for text in (self.pattern.name, self.pattern.label, self.pattern.meaning)
        )
        return _enter(replace(self.pattern, name=name, label=label, meaning=meaning))


_CATALOGUE: dict[str, About] = {}


def declare(
    *,
    name: str,
    label: str,
    group: FigureGroup,
    meaning: str,
    audience: Audience,
    unit: Unit = "number",
    smaller_is_better: bool | None = True,
    stands_for: str = "",
) -> About:
    """Enter a figure into the catalogue. The same name cannot be declared again with other contents."""
    about = About(
        name=name, label=label, group=group, meaning=meaning, unit=unit, smaller_is_better=smaller_is_better,
        audience=audience, stands_for=stands_for,
    )  # fmt: skip
    return _enter(about)


def catalogue() -> Mapping[str, About]:
    """Every figure declared so far, by name; a family stands under its pattern, and beside it the members in use."""
    return MappingProxyType(_CATALOGUE)


def _enter(about: About) -> About:
    if about.audience not in get_args(Audience):
        raise ValueError(f"the audience of {about.name!r} must be 'public' or 'owner', got {about.audience!r}")
    if not about.label or not about.meaning:
        raise ValueError(f"the figure {about.name!r} needs a label and a meaning")
    known = _CATALOGUE.setdefault(about.name, about)
    if known != about:
        raise ValueError(f"the figure {about.name!r} is declared already, with other contents; use `with_wording`")
    return known


# -- figures and notes ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """One measured number, what it says and who may see it; made by `About.of`."""

    about: About
    value: float
    audience: Audience

    def __post_init__(self) -> None:
        """A figure that is not known is left out, never NaN: certificates are JSON."""
        declared = self.about if self.about.read else _CATALOGUE.get(self.about.name)
        if declared is None:
            raise ValueError(f"no figure {self.about.name!r} is declared; ground.figures.declare says what it is")
        if self.audience not in get_args(Audience):
            raise ValueError(f"the audience of {self.name!r} must be 'public' or 'owner', got {self.audience!r}")
        if self.audience == "public" and "owner" in (declared.audience, self.about.audience):
            raise ValueError(f"the figure {self.name!r} is the owner's and cannot be made public")
        if not math.isfinite(self.value):
            raise ValueError(f"the figure {self.name!r} must be finite, got {self.value}")
        object.__setattr__(self, "value", float(self.value))

    @property
    def name(self) -> str:
        """What the figure is called in code and in files."""
        return self.about.name

    @property
    def label(self) -> str:
        """What it is called on a page."""
        return self.about.label

    @property
    def group(self) -> FigureGroup:
        """Whether it speaks of utility or of risk."""
        return self.about.group

    @property
    def meaning(self) -> str:
        """One line for somebody who never saw it before."""
        return self.about.meaning

    @property
    def unit(self) -> Unit:
        """How the value reads."""
        return self.about.unit

    @property
    def smaller_is_better(self) -> bool | None:
        """None where neither end is better."""
        return self.about.smaller_is_better

    @property
    def shown(self) -> str:
        """The value as people read it."""
        return format_value(self.value, self.unit)

    def with_value(self, value: float) -> Figure:
        """The same figure with another value."""
        return replace(self, value=value)


@dataclass(frozen=True, slots=True)
class Note:
    """What a reader of the figures must know, and who may read it: a note on an owner's figure is the owner's."""

    text: str
    audience: Audience

    def __post_init__(self) -> None:
        """Refuse an audience other than `public` and `owner`."""
        if self.audience not in get_args(Audience):
            raise ValueError(f"the audience of a note must be 'public' or 'owner', got {self.audience!r}")


def figures_of(values: Mapping[About, float | None], *, audience: Audience | None = None) -> list[Figure]:
    """Make the figures of all values that are not None."""
    return [about.of(value, audience=audience) for about, value in values.items() if value is not None]


def format_value(value: float, unit: Unit) -> str:
    """Return a value as people read it: with separators, percent or a few digits, by its unit."""
    if unit == "count":
        return f"{value:,.0f}"
    if unit == "share":
        percent = 100 * value
        return f"{percent:.2f}%" if percent == 0 or abs(percent) >= 0.01 else f"{percent:.1e}%"
    return f"{value:,.0f}" if abs(value) >= 1e5 else f"{value:.4g}"


class Measures(SaysWhatMethodsTake, Mapping[str, float]):
    """Figures by name, in a fixed order: `measures["gcp"]` is a number, `measures.figure("gcp")` says what it means.

    `by_column` splits some of them by column, `notes` say what a reader of the figures must know. `public` is the part
    that may be published. Two sets of measures join with `|`. It is made of `figures`.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> sf.measure(release, n_queries=0).figure("gcp").label
    'Global certainty penalty'
    """

    __slots__ = ("_by_column", "_figures", "_notes")

    def __init__(
        self,
        figures: Iterable[Figure] = (),
        *,
        by_column: Mapping[str, Mapping[str, float]] | None = None,
        notes: Iterable[Note] = (),
    ) -> None:
        self._figures = {figure.name: figure for figure in figures}
        self._by_column = MappingProxyType(
            {
                name: MappingProxyType({column: float(value) for column, value in values.items()})
                for name, values in (by_column or {}).items()
            }
        )
        self._notes = tuple(dict.fromkeys(notes))
        if not all(isinstance(note, Note) for note in self._notes):
            raise TypeError("a note says who may read it: give Note(text, audience), not a text")

    def __getitem__(self, name: str) -> float:
        return self.figure(name).value

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def __or__(self, other: Measures) -> Measures:
        return Measures(
            (self._figures | other._figures).values(),
            by_column={
                **{name: split for name, split in self._by_column.items() if name not in other._figures},
                **other._by_column,
            },
            notes=(*self._notes, *other._notes),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_measures, (
            self.figures,
            {name: dict(split) for name, split in self._by_column.items()},
            self._notes,
        )

    def figure(self, name: str) -> Figure:
        """The figure of that name, with its meaning."""
        try:
            return self._figures[name]
        except KeyError:
            raise UnknownNameError(f"no figure is called {name!r}{suggest(str(name), self._figures)}") from None

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
        return tuple(dict.fromkeys(note.text for note in self._notes))

    @property
    def public(self) -> Measures:
        """What everybody may see: the figures, their splits by column and the notes that say they are public."""
        chosen = [figure for figure in self.figures if figure.audience == "public"]
        return self._part(chosen, (note for note in self._notes if note.audience == "public"))

    def group(self, group: FigureGroup) -> Measures:
        """The figures of one group; notes stay."""
        return self._part([figure for figure in self.figures if figure.group == group], self._notes)

    def without(self, *names: str) -> Measures:
        """The same without the figures of these names and their splits by column; notes stay."""
        return self._part([figure for figure in self.figures if figure.name not in names], self._notes)

    def _part(self, figures: Sequence[Figure], notes: Iterable[Note]) -> Measures:
        names = {figure.name for figure in figures}
        columns = {name: split for name, split in self._by_column.items() if name in names}
        return Measures(figures, by_column=columns, notes=notes)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the values by name, what each means, the split by column and the notes."""
        return {
            "values": {f.name: int(f.value) if f.unit == "count" else f.value for f in self.figures},
            "by_column": {name: dict(values) for name, values in self._by_column.items()},
            "notes": list(self.notes),
            "about": {
                f.name: {
                    "label": f.label, "group": f.group, "meaning": f.meaning, "unit": f.unit,
                    "smaller_is_better": f.smaller_is_better,
                }
                for f in self.figures
            },
        }  # fmt: skip

    @classmethod
    def from_dict(cls, given: Mapping[str, Any], *, audience: Audience = "owner") -> Measures:
        """Read what `to_dict` wrote, which does not say who may see it: the owner alone, unless `audience` does."""
        try:
            about = given.get("about", {})
            figures = [
                _about_from_dict(name, about.get(name, {}), audience).of(float(value))
                for name, value in given["values"].items()
            ]
            notes = [Note(str(note), audience) for note in given.get("notes", ())]
            return cls(figures, by_column=given.get("by_column", {}), notes=notes)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise DataError(f"these are no measures: {error}; was the file edited by hand?") from None

    def __str__(self) -> str:
        return "\n".join(self._lines()) if self._figures or self._notes else "Measures()"

    def __repr__(self) -> str:
        return fit_screen(str(self))

    def _lines(self) -> Iterator[str]:
        width = max((len(name) for name in self._figures), default=0)
        room = max((len(figure.shown) for figure in self.figures), default=0)
        for group in get_args(FigureGroup):
            chosen = [figure for figure in self.figures if figure.group == group]
            if chosen:
                yield group
            for figure in chosen:
                yield f"  {figure.name:<{width}}  {figure.shown:>{room}}  {figure.label}"
                split = self._split(figure)
                if split:
                    yield f"  {'':<{width}}  {'':>{room}}    {split}"
        for note in self.notes:
            yield f"  note: {note}"

    def _repr_html_(self) -> str:
        parts = []
        for group in get_args(FigureGroup):
            rows = [
                (figure.label, figure.shown, lines([small(figure.meaning), *filter(None, [self._split(figure)])]))
                for figure in self.figures if figure.group == group
            ]  # fmt: skip
            if rows:
                parts.append(folded(f"{group}: {len(rows)} figures", grid((), rows, numbers=(1,)), open=True))
        return card("Measures", *parts, lines(self.notes))

    def _split(self, figure: Figure) -> str:
        split: Mapping[str, float] = self._by_column.get(figure.name, {})
        return ", ".join(f"{column} {format_value(value, figure.unit)}" for column, value in split.items())


def _restore_measures(
    figures: Sequence[Figure], by_column: Mapping[str, Mapping[str, float]], notes: Sequence[Note]
) -> Measures:
    """Make measures out of what a pickle holds; every figure and note keeps its audience."""
    return Measures(figures, by_column=by_column, notes=notes)


def _about_from_dict(name: str, about: Mapping[str, Any], audience: Audience) -> About:
    group, unit = about.get("group", "utility"), about.get("unit", "number")
    if group not in get_args(FigureGroup) or unit not in get_args(Unit):
        raise ValueError(f"{name!r} has the group {group!r} and the unit {unit!r}")
    return About(
        name=str(name), label=str(about.get("label", name)), group=group, meaning=str(about.get("meaning", "")),
        unit=unit, smaller_is_better=about.get("smaller_is_better"), audience=audience, read=True,
    )  # fmt: skip
