"""The answer to a question: an estimate, bounds, and how many records it speaks of."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import polars as pl

from sfumato.data.column_names import padded_name
from sfumato.data.values import text
from sfumato.ground.brief import fit_screen
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.cards import card, facts, grid, lines, small
from sfumato.ground.errors import ParameterError, UnknownNameError, suggest

__all__ = ["Answer", "Answers", "Dialect"]

Dialect: TypeAlias = Literal["duckdb", "postgres"]


@dataclass(frozen=True)
class Answer(SaysWhatMethodsTake):
    """An aggregate of published data: `value` is the estimate, and the truth lies from `low` to `high`.

    The truth is that of the original, withheld records among them; the estimate is of the published ones. A side that
    nothing bounds is infinite: of a date it is the first or the last that there is. Where nothing need be selected
    (`n_low` is 0) the truth may also be none at all, as SQL's NULL. Where cells are nodes and the release does not list
    the values under them there is no estimate: `value` and `spread` are None.

    The records selected are between `n_low` and `n_high`.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> sf.ask(release, "SELECT COUNT(*) FROM release")
    COUNT(*): 100 (exact; 100 records)
    """

    label: str
    """What was asked, such as `AVG(salary)`."""
    value: Any
    low: Any
    high: Any
    certain: bool
    """Whether the bounds cannot be wrong."""
    spread: float | None
    """The standard deviation of the estimate, in days where the value is a date."""
    n_low: int
    """How many records are selected: from `n_low` to `n_high`, withheld ones among them."""
    n_high: int
    sql: str | None = field(default=None, repr=False)
    """The plain SQL behind the bounds, over the tables of `Release.sql()`, in DuckDB's dialect."""
    withheld: int = 0
    """How many records of the original are not published, and within the bounds."""
    notes: tuple[str, ...] = ()
    """What a reader should know of the question, such as a value that no published row shows."""

    @property
    def stderr(self) -> float | None:
        """The standard error of an estimate: its `spread`, as statisticians call it."""
        return self.spread

    def sql_for(self, dialect: Dialect) -> str:
        """The same statement for another database."""
        if dialect not in ("duckdb", "postgres"):
            raise ParameterError(f"dialect must be duckdb or postgres, got {dialect!r}")
        if self.sql is None:
            raise ParameterError("no single statement of SQL gives this answer; use ask")
        from sfumato.contracts.dialects import translate

        return translate(self.sql, dialect)

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain values; a side without a bound is None."""
        return {
            "asked": self.label, "value": _plain(self.value), "low": _plain(_finite(self.low)),
            "high": _plain(_finite(self.high)), "certain": self.certain, "spread": self.spread, "n_low": self.n_low,
            "n_high": self.n_high, "withheld": self.withheld, **({"notes": list(self.notes)} if self.notes else {}),
        }  # fmt: skip

    def __str__(self) -> str:
        return "\n".join([self._said(), *(f"  note: {note}" for note in self.notes)])

    def _said(self) -> str:
        """The answer in a line."""
        n = f"{self.n_low:,}" if self.n_low == self.n_high else f"{self.n_low:,} to {self.n_high:,}"
        records = f"{n} record{'s' if self.n_high != 1 else ''}"
        records += f", {self.withheld:,} withheld" if self.withheld else ""
        if self.value is None and self.low is None:
            return f"{self.label}: none ({records})"
        value = self._said_of_value()
        value += " of what is published" if self.withheld and self.low != self.high and not self._is_unknown else ""
        return f"{self.label}: {value} ({self._said_of_bounds()}; {records})"

    @property
    def _is_unknown(self) -> bool:
        """Whether published records may be selected, and how many cannot be estimated."""
        return self.value is None and self.low is not None and self.n_high > self.withheld

    def _said_of_value(self) -> str:
        """The estimate in words: none where no published record is selected."""
        if self._is_unknown:
            return "no estimate, as the values that cells stand for are not listed"
        return _format_value(self.value) if self.value is not None else "none"

    def _said_of_bounds(self) -> str:
        """The bounds in words, and how far the estimate may be off."""
        perhaps_none = self.n_low == 0 and not self.label.startswith("COUNT")
        none = ", or none at all" if perhaps_none else ""
        if self.low == self.high and self.certain:
            return f"{'that' if perhaps_none else 'exact'}{none}"
        word = " for certain" if self.certain else ""
        low, high = (_format_value(each) if each is not None else None for each in map(_finite, (self.low, self.high)))
        if low is not None and high is not None:
            said = f"between {low} and {high}{word}"
        elif low is None and high is None:
            said = "without bounds"
        else:
            said = f"at least {low}{word}" if low is not None else f"at most {high}{word}"
        if self.spread is not None and (self.spread or not self.withheld):
            said += f"; spread {_format_value(self.spread)}"
        return f"{said}{none}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        value = self._said_of_value()
        n = f"{self.n_low:,}" if self.n_low == self.n_high else f"{self.n_low:,} to {self.n_high:,}"
        bounds = self._said_of_bounds() if self.low is not None or self.value is not None else ""
        told = {"estimate": value, "the truth": bounds, "records selected": n, "withheld": self.withheld or ""}
        return card(self.label, facts(told), small(lines(self.notes)) if self.notes else "")


class Answers(SaysWhatMethodsTake):
    """The answers of a GROUP BY, one for each combination of the columns grouped by; `[key]` finds one.

    `by` are the columns grouped by, `rows` the keys and answers, and `withheld` counts records that are not published.
    `notes` say what a reader should know of the question.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> len(sf.ask(release, "SELECT COUNT(*) FROM release GROUP BY smoker"))
    2
    """

    def __init__(
        self,
        by: Sequence[str],
        rows: Sequence[tuple[tuple[Any, ...], Answer]],
        withheld: int = 0,
        notes: tuple[str, ...] = (),
    ) -> None:
        self.by = tuple(by)
        self.withheld = withheld
        """How many records are not published: they may have any key, also one that is not among these."""
        self.notes = notes
        """What a reader should know of the question, such as a value that no published row shows."""
        self._rows = list(rows)
        self._of = dict(self._rows)

    def __getitem__(self, key: Any) -> Answer:
        """The answer for a key: a tuple of values, or the value where one column is grouped by."""
        wanted = key if isinstance(key, tuple) else (key,)
        if wanted not in self._of:
            raise UnknownNameError(f"nothing is grouped under {key!r}{suggest(str(key), map(_key_told, self._of))}")
        return self._of[wanted]

    def __iter__(self) -> Iterator[tuple[tuple[Any, ...], Answer]]:
        """Keys and answers, in the order of the keys."""
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def to_polars(self) -> pl.DataFrame:
        """One row for each key."""
        keys = [pl.Series(name, [key[i] for key, _ in self._rows]) for i, name in enumerate(self.by)]
        fields = ("value", "low", "high", "spread", "n_low", "n_high")
        taken = {
            name: pl.Series(
                padded_name(name, self.by), [getattr(answer, name) for _, answer in self._rows], strict=False
            )
            for name in fields
        }
        return pl.DataFrame([*keys, *taken.values()])

    def to_dict(self) -> list[dict[str, Any]]:
        """Every key and its answer as plain values."""
        return [
            {"key": dict(zip(self.by, map(_plain, key), strict=True)), **answer.to_dict()} for key, answer in self._rows
        ]

    def __repr__(self) -> str:
        shown = [f"{', '.join(map(_format_value, key))}: {answer}" for key, answer in self._rows[:20]]
        more = [f"... and {len(self) - 20:,} more"] if len(self) > 20 else []
        head = f"by {', '.join(self.by)}: {len(self):,} answers"
        if self.withheld:
            some = f"{self.withheld:,} withheld record{'s' if self.withheld != 1 else ''}"
            head += f"; {some} may have any key, also one that is not shown"
        return fit_screen("\n".join([head, *(f"  note: {note}" for note in self.notes), *shown, *more]))

    def _repr_html_(self) -> str:
        rows = [
            (*map(_format_value, key), answer._said_of_value(), answer._said_of_bounds())
            for key, answer in self._rows[:20]
        ]  # fmt: skip
        more = small(f"and {len(self) - 20:,} more") if len(self) > 20 else ""
        kept = small(f"{self.withheld:,} withheld records may have any key") if self.withheld else ""
        heads = (*self.by, "estimate", "the truth")
        noted = small(lines(self.notes)) if self.notes else ""
        return card(f"{len(self):,} answers", grid(heads, rows, numbers=(len(self.by),)), more, kept, noted)


_LIMITS = (dt.datetime.min, dt.datetime.max, dt.time.min, dt.time.max)
"""Times that stand for no bound, as the first and the last day do."""


def _finite(bound: Any) -> Any:
    """A bound, or None where it bounds nothing."""
    if isinstance(bound, float):
        return bound if math.isfinite(bound) else None
    if isinstance(bound, dt.datetime | dt.time):
        return None if bound in _LIMITS else bound
    return None if bound in (dt.date.min, dt.date.max) else bound


def _key_told(key: tuple[Any, ...]) -> str:
    return str(key[0] if len(key) == 1 else key)


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, dt.date) else value


def _format_value(value: Any) -> str:
    if isinstance(value, float):
        value = float(f"{value:.6g}")
        value = int(value) if value.is_integer() and abs(value) < 1e15 else value
    return f"{value:,}" if isinstance(value, (int, float)) and not isinstance(value, bool) else text(value)
