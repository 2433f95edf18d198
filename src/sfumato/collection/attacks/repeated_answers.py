"""Repeats: reports of the same answer that are drawn afresh average out.

The mean of m additive reports has 1/sqrt(m) of the noise, and the majority of m randomized ones is nearly certain: with
p = 3/4, of eleven the majority is the answer with 96.6%, and epsilon is m times that of one. What helps is to memoize
(`Memo`); questions that ask for nearly the same, such as age and year of birth, are repeats too.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import betainc

from sfumato.collection.attacks.report_attack import STUDY, ReportAttack, given_numbers
from sfumato.collection.given import given_column, given_frame
from sfumato.contracts.attack import Attacked, mean_success, root_success, share_success
from sfumato.ground.calls import says_what_it_takes
from sfumato.ground.errors import DataError
from sfumato.ground.validate import any_whole, finite, one_of

__all__ = ["RepeatedAnswers", "majority_right"]

_MOST_EXACT = 1_000
Way: TypeAlias = Literal["majority", "mean"]


@says_what_it_takes
def majority_right(truth: float, answers: int) -> Fraction:
    """How likely the majority of so many `answers` is right, each of them true with probability `truth`.

    Half of the ties count. It is exact for up to 1,000 answers; for more it is as exact as a float.

    >>> from sfumato import collection
    >>> collection.majority_right(0.75, 5)
    Fraction(459, 512)
    """
    p = Fraction(repr(finite("truth", truth, asked="a probability from 0 to 1", low=0.0, high=1.0)))
    m = any_whole("answers", answers, least=1)
    if m > _MOST_EXACT:
        most = m // 2
        right, less = (float(betainc(j, m - j + 1, float(p))) for j in (most + 1, most))
        return Fraction(right if m % 2 else (right + less) / 2.0)
    chances = [comb(m, j) * p**j * (1 - p) ** (m - j) for j in range(m + 1)]
    tie = chances[m // 2] / 2 if m % 2 == 0 else Fraction(0)
    return sum(chances[m // 2 + 1 :], tie)


@dataclass(frozen=True)
class RepeatedAnswers(ReportAttack):
    """Sees several reports of everybody, drawn afresh, and takes them together `by` their `"majority"` or `"mean"`.

    >>> from sfumato import collection
    >>> asked, true = collection.Warner(truth=0.75), ["yes", "no"] * 500
    >>> reports = {f"wave_{i}": asked.randomize(true, seed=i)["answer"] for i in range(11)}
    >>> found = collection.RepeatedAnswers(by="majority").run(reports, true)
    >>> found["right_once"].value < 0.8 < 0.95 < found["right"].value
    True
    """

    by: Way = "majority"

    def __post_init__(self) -> None:
        """Check the way."""
        one_of("by", self.by, get_args(Way))

    def run(self, reports: Any, original: Any) -> Attacked:
        """Take together the `reports` of each row, a column for each time, and compare with the `original` answers."""
        return self._by_mean(reports, original) if self.by == "mean" else self._by_majority(reports, original)

    def _by_mean(self, reports: Any, original: Any) -> Attacked:
        shown, true = given_numbers(reports, "reports"), given_numbers(original, "original answers")
        _check_rows(len(shown), len(true))
        usual = float(true.std())
        found = {
            "error_once": root_success((shown[:, 0] - true[:, 0]) ** 2, usual, "error of the first report"),
            "error": root_success((shown.mean(axis=1) - true[:, 0]) ** 2, usual, "error of the mean of the reports"),
        }
        return Attacked(self, found, (STUDY, f"everybody gave {shown.shape[1]} reports"))

    def _by_majority(self, reports: Any, original: Any) -> Attacked:
        try:
            frame = pl.DataFrame(reports) if isinstance(reports, (dict, np.ndarray)) else given_frame(reports)
            true = given_column(original, "original answers").cast(pl.String)
            texts = frame.select(pl.all().cast(pl.String))
        except (pl.exceptions.PolarsError, TypeError, ValueError):
            raise DataError(
                "reports are columns of texts or numbers, as many in each, and original answers one such column"
            ) from None
        _check_rows(frame.height, len(true))
        known = pl.concat([true.unique(), *(column.unique() for column in texts.iter_columns())]).unique().sort()
        codes = np.column_stack([_codes(column, known) for column in texts.iter_columns()])
        answer = _codes(true, known)
        counts = np.stack([(codes == i).sum(axis=1) for i in range(len(known))], axis=1)
        most = counts == counts.max(axis=1, keepdims=True)
        right = most[np.arange(len(answer)), answer] / most.sum(axis=1)
        commonest = float(np.bincount(answer).max() / len(answer))
        found = {
            "right_once": share_success(codes[:, 0] == answer, commonest, "first reports that are the answer"),
            "right": mean_success(
                right, commonest, "answers that are the majority of their reports; ties count in part"
            ),
        }
        return Attacked(self, found, (STUDY, f"everybody gave {codes.shape[1]} reports"))


def _codes(column: pl.Series, known: pl.Series) -> NDArray[np.int64]:
    if column.null_count():
        row = int(column.is_null().arg_max() or 0)
        raise DataError(f"row {row + 1} has a missing report or answer; leave it out")
    return np.asarray(known.search_sorted(column), dtype=np.int64)


def _check_rows(reported: int, answered: int) -> None:
    if reported != answered or not reported:
        raise DataError(f"there are {reported:,} rows of reports and {answered:,} answers; give as many of both")
