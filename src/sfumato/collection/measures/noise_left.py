"""The noise that is left in published reports of numbers, after what anybody who reads them can take off.

Whoever knows how much numbers vary, and which go together, errs by less than the noise that was added: the covariance
of the answers is that of the reports less that of the noise, and the best linear filter of all columns leaves
tr(Sx - Sx (Sx + Sy)^-1 Sx) (Huang, Du & Chen, SIGMOD 2005). All of it follows from the release, so that it is public.
Intervals are those of a jackknife over groups of respondents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.collector.released import survey_of
from sfumato.collection.randomizers.additive import NoiseRandomizer
from sfumato.collection.reconstruction.shares import Z95
from sfumato.contracts.measurer import MeasureOptions, register_further_measures
from sfumato.ground.errors import DataError
from sfumato.ground.figures import Measures, declare
from sfumato.ground.noise_filters import left_by_filter
from sfumato.ground.randomness import Randomness
from sfumato.published.collection.reports import ReportsShape

__all__ = ["NoiseLeft", "noise_left"]

_GROUPS = 20
_LEAST = 5 * _GROUPS
"""How many respondents there are at least, so that a group has some."""

_LEFT = declare(
    name="noise_left", label="Noise that is left", group="risk", unit="share", audience="public",
    meaning="the share of the added noise that is left in the column where least is, after the best linear filter that "
    "anybody can work out from the reports",
    smaller_is_better=False,
)  # fmt: skip


@dataclass(frozen=True)
class NoiseLeft:
    """One question: standard deviations, in the unit of its answers."""

    question: str
    added: float
    guessed: float
    """How far off whoever answers everything with the mean is: what no filter need exceed."""
    alone: float
    """What is left by the reports to this question alone."""
    left: float
    """What is left by the reports to all of them."""
    low: float
    high: float
    """An interval of 95% for `left`."""


def noise_left(shape: ReportsShape) -> tuple[NoiseLeft, ...]:
    """What noise is left in each question to which noise was added; nothing where too few answered.

    Where each respondent answered one question, no two reports of a respondent go together, and each is filtered alone.
    """
    asked = [
        (question, told)
        for question, told in zip(survey_of(shape).questions, shape.questions, strict=True)
        if isinstance(question.randomizer, NoiseRandomizer)
    ]
    if not asked:
        return ()
    columns = [question.randomizer.values_of(shape.reports_to(told)) for question, told in asked]  # type: ignore[attr-defined]
    noise = np.array([question.randomizer.moments.second for question, _ in asked])  # type: ignore[attr-defined]
    names = [question.name for question, _ in asked]
    if not shape.asks_one:
        return _filtered(names, np.column_stack(columns), noise)
    parts = [_filtered(names[i : i + 1], columns[i][:, None], noise[i : i + 1]) for i in range(len(names))]
    return tuple(each for part in parts for each in part)


def _filtered(names: Sequence[str], shown: NDArray[np.float64], noise: NDArray[np.float64]) -> tuple[NoiseLeft, ...]:
    """What filters leave in columns that the same respondents answered."""
    n = len(shown)
    if n < _LEAST:
        return ()
    left, alone, spread = _by_column(shown, noise)
    group = Randomness(0).permutation(n) % _GROUPS  # rows are in rising order, so that neighbours are alike
    without = np.array([_by_column(shown[group != i], noise)[0] for i in range(_GROUPS)])
    error = np.sqrt((_GROUPS - 1) / _GROUPS * np.square(without - without.mean(axis=0)).sum(axis=0))
    added = np.sqrt(noise)
    return tuple(
        NoiseLeft(
            name, float(added[i]), float(spread[i]), float(alone[i]), float(left[i]),
            max(float(left[i] - Z95 * error[i]), 0.0), min(float(left[i] + Z95 * error[i]), float(added[i])),
        )
        for i, name in enumerate(names)
    )  # fmt: skip


def _by_column(
    shown: NDArray[np.float64], noise: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """What the best linear filter leaves, what it leaves by each column alone, and the spread of the answers."""
    signal = np.atleast_2d(np.cov(shown, rowvar=False)) - np.diag(noise)
    own = np.maximum(np.diag(signal), 0.0)
    left = np.maximum(np.diag(left_by_filter(signal, np.diag(noise), "bayes")), 0.0)
    alone = own * noise / (own + noise)
    return np.sqrt(np.minimum(left, alone)), np.sqrt(alone), np.sqrt(own)


@register_further_measures(ReportsShape)
def _(shape: ReportsShape, original: Any, asked: MeasureOptions) -> Measures:
    try:
        found = noise_left(shape)
    except DataError:  # the release does not tell its survey; what is wrong with it, the verdict says
        return Measures()
    if not found:
        return Measures()
    split = {each.question: each.left / each.added for each in found}
    return Measures([_LEFT.of(min(split.values()))], by_column={_LEFT.name: split})
