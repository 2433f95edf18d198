"""What to make of a figure: good, or look again, and whose threshold says so.

Only some figures have a threshold. Where the literature or custom has one, it is named; where it is ours, it is called
our rule of thumb, and `docs/explanation/report.md` says why it is where it is. Where there is none, that is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sfumato.ground.figures import Figure

__all__ = ["Judged", "judge", "split_jargon"]

_OURS = "our rule of thumb"


@dataclass(frozen=True)
class Judged:
    """A figure with a line on what to make of it."""

    figure: Figure
    word: str
    """`good`, `look again`, or empty where no threshold is in use."""
    line: str

    @property
    def state(self) -> str:
        """The colour of the word."""
        return {"good": "yes", "look again": "no"}.get(self.word, "")


@dataclass(frozen=True)
class _Rule:
    bound: float
    """The most, or for figures that should be large the least, that is good."""
    otherwise: str
    """What to try where it is not."""
    of_rows: bool = False
    """Whether a count is held against the number of rows."""


_COARSER = "a smaller k, fewer quasi-identifiers or another method may lose less"
_RULES = {
    "gcp": _Rule(0.25, _COARSER),
    "ncp": _Rule(0.25, _COARSER),
    "distortion": _Rule(0.25, "a method that changes less may do"),
    "suppressed_rows": _Rule(0.05, "few rows may be holding the others back", of_rows=True),
    "withheld_rows": _Rule(0.05, "who is left out may differ from who is not", of_rows=True),
    "error_rate": _Rule(0.25, "ask which items are needed, and publish those alone"),
    "pair_error": _Rule(0.25, "counts of pairs are off by much, so do not build on them"),
    "itemset_error": _Rule(0.25, "counts of frequent itemsets are off by much, so do not build on them"),
    "itemsets_kept": _Rule(0.75, "other itemsets seem frequent than are"),
    "query_error_present": _Rule(0.1, "counts are off by much, so do not build on them"),
    "query_error_absent": _Rule(0.1, "counts are off by much, so do not build on them"),
    "item_loss": _Rule(0.25, "a smaller k or m, or another hierarchy of items, may lose less"),
    "items_withheld": _Rule(0.05, "items that are asked for may be gone"),
}
_BEST = {
    "c_avg": "1 is the best that can be; published methods often reach 1 to 2 (LeFevre, DeWitt & Ramakrishnan 2006)."
}
_JARGON = frozenset((
    "ncp", "il1", "il_inf", "volume", "discernibility", "n_classes", "average_class_size", "c_avg", "classification",
    "suppressed_cells", "non_uniform_entropy", "distortion_relative", "threshold",
))  # fmt: skip
"""Figures that people compare methods by, and that say little to others."""


def judge(figure: Figure, n_rows: int) -> Judged:
    """What to make of a figure of a release that has so many rows, withheld ones included."""
    rule = _RULES.get(figure.name) or (_QUERY if figure.name.startswith("query_error") else None)
    if rule is None:
        return Judged(figure, "", _without_threshold(figure))
    value = figure.value / max(n_rows, 1) if rule.of_rows else figure.value
    larger = figure.smaller_is_better is False
    good = value >= rule.bound if larger else value <= rule.bound
    side = ("from" if larger else "up to") if good else ("below" if larger else "above")
    bound = f"{side} {rule.bound:.0%}{' of the rows' if rule.of_rows else ''}, {_OURS}"
    return Judged(figure, "good" if good else "look again", f"{bound}." if good else f"{bound}: {rule.otherwise}.")


_QUERY = _Rule(0.1, "answers are off by much, so ask coarser questions")


def _without_threshold(figure: Figure) -> str:
    if figure.name in _BEST:
        return _BEST[figure.name]
    if figure.smaller_is_better is None:
        return "Neither more nor less is better."
    return (
        f"No threshold is in use; {'less' if figure.smaller_is_better else 'more'} is better, to compare releases by."
    )


def split_jargon(figures: Iterable[Figure], n_rows: int) -> tuple[Sequence[Judged], Sequence[Judged]]:
    """The figures that say something to everybody, and those to compare methods by, each judged."""
    judged = [judge(figure, n_rows) for figure in figures]
    plain = [each for each in judged if each.figure.name not in _JARGON]
    return plain, [each for each in judged if each.figure.name in _JARGON]
