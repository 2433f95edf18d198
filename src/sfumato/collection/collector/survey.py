"""A survey: questions, each with the randomizer that answers pass before they leave whoever gives them.

Whoever answers every question spends the epsilon of all of them together; whoever is asked one question at random, by a
draw that has nothing to do with the answers, that of one. `survey_file.py` reads a survey from a file.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.collection.collector.sets_in_tables import sets_of_texts, without_lists
from sfumato.collection.given import given_frame
from sfumato.collection.randomizers.draws import Draws
from sfumato.collection.randomizers.itemsets import ItemsetRandomizer
from sfumato.collection.randomizers.numbers import NumberRandomizer
from sfumato.collection.randomizers.privacy import Privacy, log_of
from sfumato.collection.randomizers.randomizer import Randomizer, randomizer_from_dict
from sfumato.collection.reconstruction.basket_estimates import BasketEstimates
from sfumato.contracts.answer import Answer
from sfumato.ground.calls import SaysWhatItTakes
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.randomness import Randomness, Seed
from sfumato.ground.validate import one_of, told

__all__ = ["Question", "Survey", "check_epsilon", "estimate_rows", "survey_from_dict"]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,59}")
Ask = Literal["all", "one"]
MOST_EPSILON = 100
"""The largest epsilon of `LocalDP`."""


@dataclass(frozen=True)
class Question(SaysWhatItTakes):
    """A question of a survey: its `name` in tables, its `text` for people, and the `randomizer` of its answers.

    >>> from sfumato import collection
    >>> collection.Question("smokes", "Do you smoke?", collection.Warner(truth=0.75)).answers
    ('yes', 'no')
    """

    name: str
    text: str
    randomizer: Randomizer

    def __post_init__(self) -> None:
        """Check the name and the text."""
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise ParameterError(
                f"the name of a question is a letter and then up to 59 letters, digits, - or _, got {told(self.name)}"
            )
        if not isinstance(self.text, str) or not self.text.strip():
            raise ParameterError(f"question {self.name!r} needs a text that people are asked, got {told(self.text)}")
        if not isinstance(self.randomizer, Randomizer):
            raise ParameterError(f"question {self.name!r} needs a randomizer, got {told(self.randomizer)}")

    @property
    def answers(self) -> tuple[Any, ...]:
        """What can be answered; nothing is listed where any number can be, or a set of `items`."""
        return tuple(getattr(self.randomizer, "values", ()))

    @property
    def items(self) -> tuple[str, ...]:
        """The items of which a set is answered; none where one value or a number is."""
        return self.randomizer.items if isinstance(self.randomizer, ItemsetRandomizer) else ()

    @property
    def sizes_in_words(self) -> str:
        """How many items may be ticked, for people who are asked."""
        asked = self.randomizer
        if not isinstance(asked, ItemsetRandomizer):
            return ""
        if asked.padded:
            return f"Tick up to {asked.sizes[0]}, and none if you have none."
        *others, last = asked.sizes
        return f"Tick {', '.join(map(str, others))} or {last}." if others else f"Tick exactly {last}."

    @property
    def grid(self) -> dict[str, Any] | None:
        """The bounds of a number and the steps between them; None where the answers are listed."""
        asked = self.randomizer
        if not isinstance(asked, NumberRandomizer):
            return None
        return {"low": asked.low, "high": asked.high, "steps": asked.steps}

    @cached_property
    def id(self) -> str:
        """What the browser keeps its draws under: another text or another randomizer has draws of its own."""
        said = json.dumps([self.name, self.text, _as_written(self.randomizer.to_dict())], default=str)
        return hashlib.sha256(said.encode()).hexdigest()[:32]

    def columns(self) -> dict[str, str]:
        """The columns of its reports in tables of the survey, by their names in tables of the randomizer.

        Sets are bits there, a column for each item, as not every format holds lists.
        """
        return {column: f"{self.name}.{column}" for column in self.randomizer.report_limits}


def _as_written(value: Any) -> Any:
    """Parameters as plain data in which 1 and 1.0 are the same, as they are to a randomizer."""
    if isinstance(value, Mapping):
        return {name: _as_written(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_as_written(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@dataclass(frozen=True)
class Survey(SaysWhatItTakes):
    """Questions with a `title` and an `explanation`; each respondent is asked all of them, or `ask="one"` at random.

    >>> from sfumato import collection
    >>> smokes = collection.Question("smokes", "Do you smoke?", collection.Warner(truth=0.75))
    >>> drinks = collection.Question("drinks", "Do you drink?", collection.Warner(truth=0.75))
    >>> collection.Survey("Health", [smokes, drinks]).privacy
    Privacy(epsilon 2.19722, gamma 9)
    >>> collection.Survey("Health", [smokes, drinks], ask="one").privacy
    Privacy(epsilon 1.09861, gamma 3)

    `questions` are given in the order in which they are asked.
    """

    title: str
    questions: tuple[Question, ...]
    explanation: str = ""
    ask: Ask = "all"

    def __post_init__(self) -> None:
        """Check that there are questions, each with a name of its own."""
        object.__setattr__(self, "questions", tuple(self.questions))
        if not isinstance(self.title, str) or not self.title.strip():
            raise ParameterError(f"a survey needs a title, got {told(self.title)}")
        one_of("ask", self.ask, ("all", "one"))
        if not self.questions or not all(isinstance(each, Question) for each in self.questions):
            raise ParameterError("a survey needs questions, a list of at least one Question")
        names = [each.name.lower() for each in self.questions]
        twice = next((each.name for i, each in enumerate(self.questions) if each.name.lower() in names[:i]), None)
        if twice is not None:
            raise ParameterError(f"two questions are called {twice!r}; give each a name of its own")

    # -- what it promises ----------------------------------------------------------------------------------------------
    @property
    def privacy(self) -> Privacy:
        """What all that one respondent reports in one submission promises.

        All questions together spend the sum of their epsilons, and who is asked one of them the largest. `for_ever`
        bounds all submissions of answers that do not change, where every randomizer has such a bound.
        """
        parts = [each.randomizer.privacy for each in self.questions]
        without = next((each for each in parts if each.gamma is None), None)
        if without is not None:
            return Privacy(gamma=None, why_none=without.why_none)
        gamma = self._together(each.gamma for each in parts)
        return Privacy(gamma=gamma, for_ever=self._together(each.for_ever for each in parts))

    def _together(self, gammas: Iterable[Fraction | None]) -> Fraction | None:
        """The gamma of all questions that one respondent is asked; None where one of them has none."""
        known = list(gammas)
        bounded = [each for each in known if each is not None]
        if len(bounded) < len(known):
            return None
        return max(bounded) if self.ask == "one" else math.prod(bounded, start=Fraction(1))

    def in_words(self) -> str:
        """What the survey promises to whoever answers it, in a sentence."""
        privacy, one, several = self.privacy, self.ask == "one", len(self.questions) > 1
        if privacy.gamma is None:
            return f"The survey promises nothing as a whole: {privacy.why_none}."
        whole = "the one question that you are asked" if one and several else "this survey"
        added = ", which adds up over its questions" if several and not one else ""
        return (
            f"All that one submission reports to {whole} makes nothing about your answers more than "
            f"{_times(privacy.gamma)} times as likely, beside anything else, as it was before (epsilon "
            f"{privacy.epsilon:.3g}{added}). {self._again_in_words(privacy.gamma)} If you change an answer later, that "
            f"adds to it.{self._sizes_in_words()}"
        )

    def _sizes_in_words(self) -> str:
        """What is told beside all that is promised: how many items somebody has, where that is not hidden."""
        tells = any(getattr(each.randomizer, "tells_size", False) for each in self.questions)
        return " How many items you tick is told besides, where the question says so." if tells else ""

    def _again_in_words(self, gamma: Fraction) -> str:
        """What the same answers tell when they are sent again by a browser that keeps what it drew."""
        parts = [each.randomizer.privacy for each in self.questions]
        again = self._together(each.gamma if each.for_ever is None else each.for_ever for each in parts)
        same = "The same answers sent again from this browser, as long as it keeps what chance gave,"
        if again is None or again == gamma:
            return f"{same} tell nothing more."
        return f"{same} tell more, but however often they are sent, never more than {_times(again)} times in all."

    # -- at the respondent ---------------------------------------------------------------------------------------------
    def randomize(self, answers: Any, *, seed: Seed | None = None) -> pl.DataFrame:
        """Turn a table of answers, a column for each question, into reports; without a `seed` nobody can repeat it.

        Where one question is asked of each respondent, it is drawn here, and the others have no report. What is drawn
        depends on the seed and on all answers, so that two waves with one seed are tied together only where they are
        equal.
        """
        given = given_frame(answers)
        lacking = [each.name for each in self.questions if each.name not in given.columns]
        if lacking:
            raise DataError(f"the answers have no column {lacking[0]!r}; a survey takes a column for each question")
        codes = {each.name: _codes(each, given) for each in self.questions}
        purposes = {each.name: each.randomizer.purpose_of(codes[each.name]) for each in self.questions}
        random = Randomness(seed).spawn(json.dumps(purposes))
        asked = Draws(random).integers(len(self.questions), given.height) if self.ask == "one" else None
        parts = []
        for i, question in enumerate(self.questions):
            rows = np.arange(given.height) if asked is None else np.flatnonzero(asked == i)
            drawn = question.randomizer.drawn(codes[question.name][rows], Draws(random.spawn(question.name)))
            parts.append((question, rows, without_lists(question.randomizer, drawn)))
        return _table(given.height, parts)

    def question(self, name: str) -> Question:
        """The question of this name."""
        found = next((each for each in self.questions if each.name == name), None)
        if found is None:
            raise ParameterError(
                f"no question is called {told(name)}; there are {', '.join(each.name for each in self.questions)}"
            )
        return found

    # -- reports -------------------------------------------------------------------------------------------------------
    def read_submission(self, given: Any) -> dict[str, list[int]]:
        """The reports of one respondent as they arrive, by question; refused where they cannot have been drawn."""
        if not isinstance(given, Mapping):
            raise DataError("reports are an object with a report for each question")
        names = {each.name: each for each in self.questions}
        unknown = [name for name in given if name not in names]
        if unknown:
            raise DataError(f"no question is called {told(unknown[0])}")
        if self.ask == "one" and len(given) != 1:
            raise DataError(f"each respondent answers one question, and there are reports to {len(given)}")
        lacking = [name for name in names if name not in given]
        if self.ask == "all" and lacking:
            raise DataError(f"question {lacking[0]!r} has no report, and every question is asked")
        return {name: names[name].randomizer.read_report(report)[0].tolist() for name, report in given.items()}

    def report_frame(self, submissions: Sequence[Mapping[str, Sequence[int]]]) -> pl.DataFrame:
        """Reports as they were read, as a table: a row for each respondent, columns for each question."""
        parts = []
        for question in self.questions:
            rows = [i for i, each in enumerate(submissions) if question.name in each]
            width = len(question.randomizer.report_limits)
            reports = np.array([submissions[i][question.name] for i in rows], dtype=np.int64).reshape(-1, width)
            shown = without_lists(question.randomizer, question.randomizer.report_frame(reports))
            parts.append((question, np.array(rows, dtype=np.int64), shown))
        return _table(len(submissions), parts)

    def reports_to(self, question: Question | str, reports: pl.DataFrame) -> pl.DataFrame:
        """The reports to one question, given by itself or by its name, in a table of the randomizer."""
        question = self.question(question) if isinstance(question, str) else question
        named = {new: old for old, new in question.columns().items()}
        lacking = [name for name in named if name not in reports.columns]
        if lacking:
            raise DataError(f"the reports have no column {lacking[0]!r}, which question {question.name!r} has")
        return reports.select(pl.col(name).alias(old) for name, old in named.items()).filter(
            ~pl.all_horizontal(pl.all().is_null())
        )

    def whole_numbers(self, reports: Any) -> pl.DataFrame:
        """A table of reports with places of values in place of the values; refused where one cannot have been drawn."""
        given, table = given_frame(reports), {}
        for question in self.questions:
            names = list(question.columns().values())
            mine = self.reports_to(question, given)  # which refuses a table that lacks some
            rows = np.flatnonzero(~given.select(pl.all_horizontal(pl.col(names).is_null())).to_series().to_numpy())
            numbers = question.randomizer.reports_of(mine)
            for i, name in enumerate(names):
                column: list[int | None] = [None] * given.height
                for row, number in zip(rows.tolist(), numbers[:, i].tolist(), strict=True):
                    column[row] = number
                table[name] = pl.Series(column, dtype=pl.Int64)
        return pl.DataFrame(table)

    def estimate(self, reports: Any, *, population: Literal["fixed", "sampled"] = "fixed") -> dict[str, Any]:
        """What was answered to each question, by its name, from a table of `reports`: unbiased, with intervals.

        `population="fixed"` speaks of those who answered; `"sampled"` of all whom they were drawn from at random.
        """
        given = given_frame(reports)
        found = {}
        for question in self.questions:
            try:
                found[question.name] = question.randomizer.estimate(  # type: ignore[attr-defined]
                    self.reports_to(question, given), population=population
                )
            except DataError as error:
                raise DataError(f"question {question.name!r}: {error}") from None
        return found

    # -- as plain data -------------------------------------------------------------------------------------------------
    @cached_property
    def id(self) -> str:
        """What tells this survey from others: another randomizer makes it another survey."""
        return hashlib.sha256(json.dumps([self.ask, *(each.id for each in self.questions)]).encode()).hexdigest()[:32]

    def shipped(self) -> dict[str, Any]:
        """All that a browser needs to randomize."""
        return {
            "id": self.id, "ask": self.ask,
            "questions": [
                {
                    "id": each.id, "name": each.name, "grid": each.grid,
                    "answers": each.grid["steps"] + 1 if each.grid else len(each.answers), "items": len(each.items),
                    "shipped": each.randomizer.shipped,
                }
                for each in self.questions
            ],
        }  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """The survey as plain data, all of it public."""
        questions = [
            {
                "name": each.name, "text": each.text, "randomizer": each.randomizer.to_dict(),
                "shipped": each.randomizer.shipped,
            }
            for each in self.questions
        ]  # fmt: skip
        return {"title": self.title, "explanation": self.explanation, "ask": self.ask, "questions": questions}


def estimate_rows(found: Any) -> list[dict[str, Any]]:
    """An estimate as rows of plain data: a row for each value or each item, or one for the mean of numbers."""
    if isinstance(found, BasketEstimates):
        supports = {item: found.support([item]) for item in found.items}
        return [{**_row_of(item, each), "shown": min(max(each.value, 0.0), 1.0)} for item, each in supports.items()]
    if not isinstance(found, Answer):
        rows: list[dict[str, Any]] = found.to_dict()
        return rows
    return [_row_of(found.label, found)]


def _row_of(value: str, found: Answer) -> dict[str, Any]:
    return {"value": value, "share": found.value, "stderr": found.spread, "low": found.low, "high": found.high}


def check_epsilon(survey: Survey) -> None:
    """See that all that one submission tells is no more than a release can promise."""
    epsilon = survey.privacy.epsilon
    if survey.privacy.gamma is not None and epsilon > MOST_EPSILON:
        raise ParameterError(
            f"the questions that one respondent is asked have an epsilon of {epsilon:,.6g} together, and "
            f"{MOST_EPSILON} is the most that can be promised; lower theirs, leave some out, or ask one of them"
        )


def survey_from_dict(given: Mapping[str, Any]) -> Survey:
    """Read what `Survey.to_dict` wrote."""
    asked = [
        Question(each["name"], each["text"], randomizer_from_dict(each["randomizer"])) for each in given["questions"]
    ]
    return Survey(given["title"], tuple(asked), given["explanation"], given["ask"])


def _times(gamma: Fraction) -> str:
    """A factor for people; as a power of e where it is beyond the numbers of a computer."""
    return f"{float(gamma):.3g}" if gamma < 10**300 else f"e^{log_of(gamma):.4g}"


def _codes(question: Question, given: pl.DataFrame) -> NDArray[np.int64]:
    """The answers to a question as whole numbers; what is refused is told with the name of the column."""
    column = given[question.name]
    try:
        return question.randomizer.codes_of(sets_of_texts(column, question.items) if question.items else column)
    except DataError as error:
        raise DataError(f"column {question.name!r}: {error}") from None


def _table(n: int, parts: Iterable[tuple[Question, Any, pl.DataFrame]]) -> pl.DataFrame:
    """The reports of each question at their rows, side by side; nothing where a question was not asked."""
    table = pl.DataFrame({"": np.arange(n, dtype=np.int64)})
    for question, rows, reports in parts:
        shown = reports.rename(question.columns())
        placed = shown.with_columns(pl.Series("", rows, dtype=pl.Int64))
        table = table.join(placed, on="", how="left", maintain_order="left")
    return table.drop("")
