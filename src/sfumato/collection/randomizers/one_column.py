"""Several columns: every respondent is asked one of them, drawn at random, with the whole epsilon.

To ask d columns with epsilon/d each makes variances about d squared times as large; to ask each person for one of them
makes them d times as large, and the promise is for the whole record either way: which column is asked does not depend
on the answers. What goes together in two columns cannot be learnt in this way.

Draws for one answer: which column, then those of its randomizer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from sfumato.collection.given import given_column, given_frame
from sfumato.collection.randomizers.categories import CategoryRandomizer
from sfumato.collection.randomizers.draws import Draws
from sfumato.collection.randomizers.privacy import Privacy
from sfumato.collection.reconstruction.shares import Population, ShareEstimates, known_population
from sfumato.ground.calls import SaysWhatItTakes
from sfumato.ground.errors import DataError, ParameterError, suggest
from sfumato.ground.randomness import Randomness, Seed
from sfumato.ground.validate import told

__all__ = ["OneColumn"]

_ASKED = "asked"


@dataclass(frozen=True)
class OneColumn(SaysWhatItTakes):
    """Ask each respondent one of several `columns`, each with a randomizer of its own.

    >>> from sfumato import collection
    >>> asked = collection.OneColumn(
    ...     columns={"smokes": collection.Warner(), "pet": collection.KaryResponse(values=["cat", "dog"], epsilon=1.0)}
    ... )
    >>> asked.randomize({"smokes": ["yes", "no"], "pet": ["cat", "dog"]}, seed=1).columns
    ['asked', 'smokes.answer', 'pet.answer']
    """

    columns: Mapping[str, CategoryRandomizer]

    def __post_init__(self) -> None:
        """Check the columns."""
        given: Any = self.columns
        if not isinstance(given, Mapping) or len(given) < 2:
            raise ParameterError(f"columns must map at least two names to randomizers, got {told(given)}")
        for name, randomizer in given.items():
            if not isinstance(name, str) or not isinstance(randomizer, CategoryRandomizer):
                raise ParameterError(f"column {told(name)} needs a randomizer of categories, got {told(randomizer)}")
        object.__setattr__(self, "columns", dict(given))

    def __hash__(self) -> int:
        return hash(tuple(self.columns.items()))

    @property
    def privacy(self) -> Privacy:
        """What a report promises for the whole record: that of the column with the largest gamma."""
        worst = Fraction(1)
        for name, randomizer in self.columns.items():
            gamma = randomizer.privacy.gamma
            if gamma is None:
                return Privacy(gamma=None, why_none=f"column {name!r} promises nothing: {randomizer.privacy.why_none}")
            worst = max(worst, gamma)
        return Privacy(gamma=worst)

    def randomize(self, answers: Any, *, seed: Seed | None = None) -> pl.DataFrame:
        """Draw a column for each row of a table of answers, and its report; the other columns of the row are empty.

        A `seed` is for tests and studies. What is drawn depends on all answers too, so that two waves with one seed are
        tied together only where they are equal.
        """
        shown = {name: given_column(_column(answers, name), name) for name in self.columns}
        sizes = {len(column) for column in shown.values()}
        if len(sizes) > 1:
            raise DataError(f"the columns of answers have {' and '.join(map(str, sorted(sizes)))} rows")
        n, answered = sizes.pop(), {name: each.codes_of(shown[name]) for name, each in self.columns.items()}
        purposes = {name: self.columns[name].purpose_of(codes) for name, codes in answered.items()}
        random = Randomness(seed).spawn(json.dumps(purposes))
        drawn = Draws(random.spawn("which column")).integers(len(self.columns), n)
        made: dict[str, Any] = {_ASKED: pl.Series(list(self.columns)).gather(drawn)}
        for place, (name, randomizer) in enumerate(self.columns.items()):
            rows = np.flatnonzero(drawn == place)
            frame = randomizer.drawn(answered[name][rows], Draws(random.spawn(f"column {name}")))
            at = np.full(n, len(rows))
            at[rows] = np.arange(len(rows))
            places = pl.Series(at, dtype=pl.Int64).replace(len(rows), None)
            made |= {f"{name}.{each}": frame[each].gather(places) for each in frame.columns}
        return pl.DataFrame(made)

    def estimate(self, reports: Any, *, population: Population = "fixed") -> dict[str, ShareEstimates]:
        """The shares of each column among all who answered, whichever column they were asked.

        `population="sampled"` speaks of all whom they were drawn from at random.
        """
        known_population(population)
        frame = given_frame(reports)
        if _ASKED not in frame.columns:
            raise DataError(f"reports of OneColumn have a column {_ASKED!r}, and there is none")
        if frame.schema[_ASKED] not in (pl.String, pl.Categorical, pl.Enum):
            raise DataError(f"column {_ASKED!r} holds texts, the names of columns, and not {frame.schema[_ASKED]}")
        names = set(frame[_ASKED].unique().to_list())
        for name in names - set(self.columns):
            raise DataError(f"a report is about {told(name)}, which was not asked{suggest(str(name), self.columns)}")
        found = {}
        for name, randomizer in self.columns.items():
            mine = frame.filter(pl.col(_ASKED) == name)
            if not mine.height:
                raise DataError(f"nobody was asked {name!r}, so that nothing can be estimated of it")
            own = mine.select(pl.col(f"{name}.{each}").alias(each) for each in self._own(name, frame))
            estimates = randomizer.estimate(own, population=population)
            found[name] = estimates if population == "sampled" else estimates.among(frame.height)
        return found

    def _own(self, name: str, frame: pl.DataFrame) -> list[str]:
        """The columns of the reports about one column, all of which must be there."""
        names = list(self.columns[name].report_limits)
        lacking = next((each for each in names if f"{name}.{each}" not in frame.columns), None)
        if lacking is not None:
            raise DataError(f"reports of OneColumn have a column {f'{name}.{lacking}'!r}, and there is none")
        return names


def _column(answers: Any, name: str) -> Any:
    """A column of a table of answers, or of a mapping of columns."""
    if isinstance(answers, Mapping):
        there: Any = answers
        names = list(answers)
    else:
        there = given_frame(answers)
        names = there.columns
    if name not in names:
        raise DataError(f"the answers have no column {name!r}{suggest(name, names)}")
    return there[name]
