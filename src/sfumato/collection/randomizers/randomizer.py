"""The contract of randomizers: they run where the answer is known, and say publicly what they do.

A randomizer is a frozen dataclass of public parameters. `randomize` turns answers into reports; all that leaves the
respondent is a report. `shipped` is what somebody else needs to draw the same: whole numbers, made here once.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.collection.randomizers.draws import Draws
from sfumato.collection.randomizers.privacy import Privacy
from sfumato.contracts.method import make_by_name
from sfumato.ground.calls import SaysWhatItTakes
from sfumato.ground.errors import DataError
from sfumato.ground.randomness import Randomness, Seed
from sfumato.ground.surface import load_folder
from sfumato.ground.validate import told

__all__ = ["Kept", "Randomizer", "known_randomizers", "randomizer_from_dict"]

_MOST_AT_ONCE = 1 << 22
"""How many random numbers are held in memory at a time."""


class Kept(NamedTuple):
    """Draws that a respondent keeps, and finds again when asked again (`Memo`)."""

    answer: Draws
    """The same whenever the answer is."""
    respondent: Draws
    """The same whatever the answer is."""


class Randomizer(SaysWhatItTakes, ABC):
    """A way of answering at random, so that no report tells much and many reports together do."""

    says: ClassVar[str]
    """What it does, as people who are asked would be told: one sentence."""
    _registry: ClassVar[dict[str, type[Randomizer]]] = {}

    def __init_subclass__(cls, *, register: bool = True) -> None:
        super().__init_subclass__()
        if register:
            Randomizer._registry[cls.__name__] = cls

    # -- what it promises ----------------------------------------------------------------------------------------------
    @property
    @abstractmethod
    def privacy(self) -> Privacy:
        """What one report promises to whoever answers, from the probabilities that are drawn with."""

    @property
    @abstractmethod
    def shipped(self) -> dict[str, Any]:
        """All that is needed to randomize elsewhere: the kind of draw, whole numbers over 2**53, and labels."""

    def in_words(self) -> str:
        """What it promises, for people who are asked."""
        privacy = self.privacy
        if privacy.gamma is None:
            return f"{type(self).says} It promises nothing by itself: {privacy.why_none}."
        ever = privacy.for_ever
        again = (
            f" Where the first stage is kept, as the form and Memo keep it, all reports of the same answer, however "
            f"many, together: {float(ever):.3g} times."
            if ever
            else ""
        )
        return (
            f"{type(self).says} Whatever is reported, no answer becomes more than {float(privacy.gamma):.3g} times as "
            f"likely, beside another, as it was before.{again}"
        )

    # -- at the respondent ---------------------------------------------------------------------------------------------
    def randomize(self, answers: Any, *, seed: Seed | None = None) -> pl.DataFrame:
        """Turn answers into reports, a row each; without a `seed` nobody can repeat it, and so it should be.

        Whoever knows the seed reads the answers out of the reports: a seed is for tests and studies. One seed used for
        two columns that differ does not tie them together: what is drawn depends on the answers and the randomizer too.
        Two equal columns with one seed get equal reports, so that it shows that they are equal; leave the seed out.
        """
        codes = self.codes_of(answers)
        random = Randomness(seed) if seed is None else Randomness(seed).spawn(self.purpose_of(codes))
        return self.drawn(codes, Draws(random))

    def purpose_of(self, codes: NDArray[np.int64]) -> str:
        """A text that is the same for two runs only if the answers and the randomizer are."""
        digest = hashlib.sha256(np.ascontiguousarray(codes).tobytes()).hexdigest()
        return json.dumps([self.to_dict(), digest], default=str)

    def drawn(self, codes: NDArray[np.int64], draws: Draws) -> pl.DataFrame:
        """The table of reports for answers as whole numbers, drawn a part at a time."""
        rows = max(_MOST_AT_ONCE // max(self.width, 1), 1)
        starts = range(0, max(len(codes), 1), rows)
        return pl.concat([self.report_frame(self.draw(codes[at : at + rows], draws)) for at in starts])

    @property
    @abstractmethod
    def width(self) -> int:
        """About how many random numbers an answer takes."""

    @abstractmethod
    def codes_of(self, answers: Any) -> NDArray[np.int64]:
        """Answers as whole numbers; what cannot be an answer is refused."""

    @abstractmethod
    def draw(self, codes: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
        """Draw a report for each answer: a row of whole numbers in the order of `report_limits`."""

    def draw_memoized(self, codes: NDArray[np.int64], kept: Kept, fresh: Draws) -> NDArray[np.int64]:
        """Draw a report for one answer from what the respondent keeps; all of it, unless some is to be drawn afresh."""
        return self.draw(codes, kept.answer)

    # -- reports -------------------------------------------------------------------------------------------------------
    @property
    @abstractmethod
    def report_limits(self) -> Mapping[str, tuple[int, int]]:
        """The columns of a report, with the least and the largest whole number of each."""

    def report_frame(self, reports: NDArray[np.int64]) -> pl.DataFrame:
        """Reports as a table, to be saved or sent."""
        return pl.DataFrame(
            {name: _smallest(reports[:, i], self.report_limits[name]) for i, name in enumerate(self.report_limits)}
        )

    def reports_of(self, frame: Any) -> NDArray[np.int64]:
        """Reports as rows of whole numbers, read from a table; one that cannot have been drawn is refused."""
        from sfumato.collection.given import given_frame

        limits, shown = self.report_limits, given_frame(frame)
        lacking = [name for name in limits if name not in shown.columns]
        if lacking:
            raise DataError(
                f"reports of {type(self).__name__} have columns {', '.join(limits)}, and {lacking[0]!r} is not there"
            )
        reports = np.empty((shown.height, len(limits)), dtype=np.int64)
        for i, (name, (least, most)) in enumerate(limits.items()):
            reports[:, i] = _whole_numbers(shown[name], name, least, most)
        self.check_reports(reports)
        return reports

    def check_reports(self, reports: NDArray[np.int64]) -> None:
        """Refuse reports whose numbers are within their limits and yet cannot be drawn together."""

    def read_report(self, given: Any) -> NDArray[np.int64]:
        """One report as it arrives, a list of whole numbers; refused where it cannot have been drawn."""
        limits = list(self.report_limits.items())
        if not isinstance(given, Sequence) or isinstance(given, (str, bytes, bytearray)) or len(given) != len(limits):
            raise DataError(f"a report of {type(self).__name__} is a list of {len(limits)} whole numbers")
        for value, (name, (least, most)) in zip(given, limits, strict=True):
            if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
                raise DataError(f"{name} of a report is a whole number from {least} to {most}, got {told(value)}")
        report = np.array([given], dtype=np.int64)
        self.check_reports(report)
        return report

    # -- as plain data -------------------------------------------------------------------------------------------------
    def to_dict(self) -> dict[str, Any]:
        """The name and the parameters, all of them public."""
        return {"name": type(self).__name__, **{f.name: _plain(getattr(self, f.name)) for f in fields(self)}}  # type: ignore[arg-type]


def known_randomizers() -> dict[str, type[Randomizer]]:
    """Every randomizer, by name."""
    load_folder("collection.randomizers")
    return dict(Randomizer._registry)


def randomizer_from_dict(given: Mapping[str, Any]) -> Randomizer:
    """Read what `to_dict` wrote, or what a survey says."""
    made: Randomizer = make_by_name("randomizer", known_randomizers(), given)
    return made


def _plain(value: Any) -> Any:
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def _smallest(column: NDArray[np.int64], limits: tuple[int, int]) -> NDArray[Any]:
    """The column in as few bytes as its limits allow."""
    kinds: tuple[type[np.integer[Any]], ...] = (np.uint8, np.int16, np.int32)
    for kind in kinds:
        if np.iinfo(kind).min <= limits[0] and limits[1] <= np.iinfo(kind).max:
            return column.astype(kind)
    return column


def _whole_numbers(column: pl.Series, name: str, least: int, most: int) -> NDArray[np.int64]:
    """A column of reports as whole numbers between limits."""
    if not (column.dtype.is_numeric() or column.dtype in (pl.String, pl.Boolean, pl.Null)):
        if len(column):
            raise DataError(
                f"column {name!r} of the reports holds whole numbers from {least} to {most}, and is of another "
                f"kind, {column.dtype}; give whole numbers"
            )
        return np.empty(0, dtype=np.int64)
    if column.dtype == pl.Int128:
        narrow = column.cast(pl.Int64, strict=False)
        column = column if narrow.null_count() > column.null_count() else narrow
    if column.dtype.is_integer() and len(column) and not column.null_count():
        ends: Any = column.min(), column.max()
        if least <= ends[0] and ends[1] <= most:
            return column.to_numpy().astype(np.int64)
    numbers = column.cast(pl.Int64, strict=False)
    wrong = numbers.is_null() | (numbers < least) | (numbers > most)
    if column.dtype.is_float():
        wrong |= numbers.cast(pl.Float64) != column
    if wrong.fill_null(value=True).any():
        row = int(wrong.fill_null(value=True).arg_max() or 0)
        raise DataError(
            f"column {name!r} of the reports holds whole numbers from {least} to {most}, and row {row + 1} has "
            f"{told(column[row])}; such a report cannot have been drawn"
        )
    return numbers.to_numpy().astype(np.int64)
