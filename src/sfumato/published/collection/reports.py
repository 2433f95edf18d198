"""The shape of published reports: answers that were randomized before anybody saw them, with their randomizers.

A release of reports says which questions were asked, and how each answer was randomized: the whole numbers that the
draws were compared with. From these alone it follows what one respondent's reports can tell at the most, and which
reports are possible. That the draws were made so cannot be seen from what they gave: the promise is declared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.errors import DataError, ParameterError
from sfumato.privacy.amplification import is_within, log_of
from sfumato.privacy.local_dp import LocalDP
from sfumato.privacy.verdict import Verdict
from sfumato.published.collection.kernel_parts import Kernel
from sfumato.published.collection.kernels import kernel_of, whole_numbers
from sfumato.published.collection.told_survey import told_flaws
from sfumato.published.files import read_columns, read_texts, restore_types
from sfumato.published.shape import Check, Shape, shape_of

if TYPE_CHECKING:
    from sfumato.published.shape import Bare
    from sfumato.release.release import Release

__all__ = ["Asked", "ReportsShape", "reports_shape"]

_SHOWN = 700.0
"""The epsilon from which on gamma is too large to be shown as a number."""


def reports_shape(release: Release | Bare) -> ReportsShape:
    """Return the shape of a release of reports; refuse a release of anything else."""
    shape = shape_of(release)
    if not isinstance(shape, ReportsShape):
        raise ParameterError(f"the release is of {shape.called}, and not of reports; give a release of reports")
    return shape


@dataclass(frozen=True)
class Asked:
    """A question as the release tells it."""

    name: str
    text: str
    randomizer: Mapping[str, Any]
    """The name and the parameters of the randomizer."""
    shipped: Mapping[str, Any]
    """What was drawn with: whole numbers over 2**53."""

    @property
    def kernel(self) -> Kernel:
        """What is known of such draws."""
        return kernel_of(self.shipped)

    @cached_property
    def columns(self) -> dict[str, tuple[int, int]]:
        """The columns of its reports in the data, with their limits."""
        return {f"{self.name}.{column}": limits for column, limits in self.kernel.limits(self.shipped).items()}


def _asked(given: Any) -> Asked:
    parts = (given.get("name"), given.get("text"), given.get("randomizer"), given.get("shipped")) if given else ()
    if not parts or not isinstance(parts[0], str) or not parts[0].isprintable() or not isinstance(parts[1], str):
        raise DataError("a release of reports tells the name and the text of every question, and this one does not")
    if not isinstance(parts[2], Mapping) or not isinstance(parts[3], Mapping):
        raise DataError("a release of reports tells the randomizer of every question, and this one does not")
    return Asked(*parts)


class ReportsShape(Shape):
    """Answers that were randomized where they were given, a row for each respondent."""

    name = "reports"
    original_type = Table
    data_type = Table
    called = "reports"
    unit = "respondents"

    @property
    def frame(self) -> pl.DataFrame:
        """The published reports."""
        frame: pl.DataFrame = self.release.data.frame
        return frame

    @cached_property
    def questions(self) -> tuple[Asked, ...]:
        """The questions that were asked."""
        told = self.public["collection"]
        listed = told.get("questions") if isinstance(told, Mapping) else None
        if not isinstance(listed, list) or not listed or not all(isinstance(each, Mapping) for each in listed):
            raise DataError("a release of reports lists the questions that were asked, and this one does not")
        asked = tuple(map(_asked, listed))
        if len({each.name for each in asked}) < len(asked):
            raise DataError("a release of reports has a name of its own for every question, and this one has not")
        return asked

    @property
    def told(self) -> Mapping[str, Any]:
        """What the release tells of the survey: title, explanation, and how many questions each respondent had."""
        told = self.public["collection"]
        return told if isinstance(told, Mapping) else {}

    @property
    def asks_one(self) -> bool:
        """Whether each respondent answered one question, drawn at random."""
        ask = self.told.get("ask")
        if ask not in ("all", "one"):
            raise DataError(
                "a release of reports tells whether every question was asked of each, and this one does not"
            )
        return bool(ask == "one")

    @cached_property
    def gammas(self) -> list[Fraction | None]:
        """By how much the reports to each question can change odds."""
        return [each.kernel.gamma(each.shipped) for each in self.questions]

    @cached_property
    def gamma(self) -> Fraction | None:
        """By how much all that one respondent reports can change odds, from the published whole numbers."""
        gammas = self.gammas
        found = [each for each in gammas if each is not None]
        if len(found) < len(gammas):
            return None
        if self.asks_one:
            return max(found)
        product = Fraction(1)
        for each in found:
            product *= each
        return product

    # -- files ---------------------------------------------------------------------------------------------------------
    @classmethod
    def data_of(cls, frame: pl.DataFrame, public: Mapping[str, Any], source: str = "polars") -> Table:
        """Return the reports as a table in which no column has a role."""
        return Table(frame, Schema(rest="plain"))

    @classmethod
    def read(cls, path: Path, public: Mapping[str, Any]) -> Table:
        """Read the reports from their file: whole numbers, in every format."""
        if path.suffix != ".csv":
            return cls.data_of(read_columns(path), public)
        texts = read_texts(path, public)
        return cls.data_of(restore_types(texts, dict.fromkeys(texts.columns, "integer")), public)

    def frame_to_write(self, format: str) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return the reports, and what readers are told."""
        return self.frame, dict(self.public)

    # -- checks --------------------------------------------------------------------------------------------------------
    def verify(self, check: Check) -> Verdict:
        """Recompute what the randomizers promise, and see that every report can have been drawn."""
        if check.original is not None:
            raise ParameterError("the original of reports is nowhere: answers were randomized where they were given")
        for part in check.parts:
            if not isinstance(part, LocalDP):
                raise ParameterError(f"reports promise LocalDP, not {part!r}")
        gamma, broken = self.gamma, [*self.damage, *self.unnamed_tables(), *self._impossible_reports()]
        found = [self._gamma_in_words(gamma)]
        declared: list[str] = []
        reached: dict[str, float] = {}
        for part in check.parts:
            assert isinstance(part, LocalDP)
            if gamma is None or not is_within(gamma, part.epsilon):
                broken.append(f"{part!r}: the published randomizers allow {self._epsilon_in_words(gamma)}")
            else:
                declared.append(repr(part))
                reached[repr(part)] = log_of(gamma)
        if gamma is None and not check.parts:
            broken.append(
                "the published randomizers allow reports that give an answer away, so that nothing is promised"
            )
        elif not check.parts:
            declared.append("answers were randomized by the published randomizers")
        broken += told_flaws(self.told, self.gammas)
        return Verdict(
            found=tuple(found), broken=tuple(broken), declared=tuple(declared), reached=reached,
            checked_on=f"{self.frame.height:,} published reports and the published randomizers",
            not_covered=(
                "what is reported again, to this survey or to one like it: epsilons add up",
                "answers that somebody held before they were randomized",
                *self._told_sizes(),
            ),
        )  # fmt: skip

    def _told_sizes(self) -> list[str]:
        """What reports of sets tell as it is: gamma is that among sets of one size."""
        return [
            f"how many items a respondent has, which reports to {each.name!r} tell as it is"
            for each in self.questions
            if f"{each.name}.size" in each.columns
        ]

    def _gamma_in_words(self, gamma: Fraction | None) -> str:
        n = len(self.questions)
        of = "one question of each respondent" if self.asks_one else f"{n:,} question{'' if n == 1 else 's'}"
        return f"{of}, whose randomizers allow {self._epsilon_in_words(gamma)}"

    @staticmethod
    def _epsilon_in_words(gamma: Fraction | None) -> str:
        if gamma is None:
            return "reports that give an answer away"
        epsilon = log_of(gamma)
        return f"gamma {float(gamma):.6g}, epsilon {epsilon:.6g}" if epsilon < _SHOWN else f"epsilon {epsilon:.6g}"

    def _impossible_reports(self) -> list[str]:
        """What cannot have been drawn by the published randomizers, a clause each."""
        wanted = [column for each in self.questions for column in each.columns]
        if self.frame.columns != wanted:
            return [f"the columns are not those of the questions, {', '.join(wanted[:5])} and so on"]
        wrong, answered = [], np.zeros(self.frame.height, dtype=np.int64)
        for each in self.questions:
            given = self.frame.select(list(each.columns))
            is_there = ~given.select(pl.all_horizontal(pl.all().is_null())).to_series()
            answered += is_there.to_numpy()
            flaw = _flaw(each, given.filter(is_there))
            if flaw is not None:
                wrong.append(f"reports to {each.name!r} that cannot have been drawn: {flaw}")
        each_has = 1 if self.asks_one else len(self.questions)
        if (answered != each_has).any():
            row = int((answered != each_has).argmax()) + 1
            wrong.append(f"row {row:,} has reports to {answered[row - 1]:,} questions, and each was asked {each_has:,}")
        if not wrong and not self.frame.sort(self.frame.columns).equals(self.frame):
            wrong.append("the rows are not in rising order, so that their order may tell when reports came")
        return wrong

    def reports_to(self, asked: Asked) -> pl.DataFrame:
        """The reports to one question, without its name before the columns."""
        given = self.frame.select(pl.col(name).alias(name.removeprefix(f"{asked.name}.")) for name in asked.columns)
        return given.filter(~pl.all_horizontal(pl.all().is_null()))


def _flaw(asked: Asked, given: pl.DataFrame) -> str | None:
    """What is wrong with the reports to a question, in a clause."""
    numbers: list[NDArray[np.int64]] = []
    for name, (least, most) in asked.columns.items():
        column = whole_numbers(given[name], least, most)
        if column is None:
            return f"column {name!r} holds whole numbers from {least:,} to {most:,}, and others are there"
        numbers.append(column)
    return asked.kernel.flaw(asked.shipped, np.stack(numbers, axis=1))
