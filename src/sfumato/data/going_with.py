"""Columns that go with a sensitive one: how often a value of theirs tells the sensitive value.

The best guess from a column is the sensitive value that most of the *other* rows with the same value have, so that a
column in which every row has its own value tells nothing here. Numbers with many values are cut at their quantiles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from sfumato.data.persons import Codes

__all__ = ["GoesWith", "best_guess", "goes_with", "in_bins"]

_MOST_BINS = 20
_MOST_SENSITIVE_BINS = 10
_NOTICEABLE = 0.1
_AT_LEAST = 0.02
_MOST_PAIRS = 400


@dataclass(frozen=True, kw_only=True)
class GoesWith:
    """A column whose value tells a sensitive value more often than guessing blindly does."""

    column: str
    sensitive: str
    base: float
    """How often the most frequent sensitive value is right."""
    right: float
    """How often the best guess from the column is right."""


def best_guess(known: Codes, secret: Codes) -> float:
    """How often the best guess of `secret` is right for who knows `known` of a row, and everything of the others."""
    if not len(known):
        return 0.0
    width = int(secret.max(initial=0)) + 1
    counts = pl.DataFrame({"key": known * width + secret}).group_by("key").len(name="n")
    keys, n = counts["key"].to_numpy(), counts["n"].to_numpy().astype(np.int64)
    order = np.lexsort((-n, keys // width))
    group, n = (keys // width)[order], n[order]
    first = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
    top = n[first]
    second = np.zeros(len(first), dtype=np.int64)
    has_second = np.append(first[1:], len(n)) - first > 1
    second[has_second] = n[first[has_second] + 1]
    right = np.where(top - 1 > second, top, np.where(top - 1 == second, top / 2, 0.0))
    right = np.where(top == 1, 0.0, right)  # nobody else to learn from
    return float(right.sum()) / len(known)


def in_bins(series: pl.Series, codes: Codes, most: int) -> Codes:
    """The codes of a column, numbers and dates with more than `most` values cut at quantiles; 0 is a missing value."""
    n_values = int(codes.max(initial=0))
    if n_values <= most or not (series.dtype.is_numeric() or series.dtype.is_temporal()):
        return codes
    counts = np.bincount(codes, minlength=n_values + 1)[1:]
    up_to = np.cumsum(counts) / counts.sum()
    bins = 1 + np.minimum((up_to * most - 1e-9).astype(np.int64), most - 1)
    return np.concatenate([[0], bins]).astype(np.int64)[codes]


def goes_with(frame: pl.DataFrame, codes: dict[str, Codes], others: list[str], sensitive: list[str]) -> list[GoesWith]:
    """The columns among `others` that go with a sensitive column, the surest first; at most 400 pairs are looked at."""
    found = []
    n_pairs = 0
    cut = {name: in_bins(frame[name], codes[name], _MOST_BINS) for name in others}
    for secret in sensitive:
        values = in_bins(frame[secret], codes[secret], _MOST_SENSITIVE_BINS)
        base = float(np.bincount(values).max(initial=0)) / max(len(values), 1)
        for name in others:
            if name == secret or n_pairs >= _MOST_PAIRS:
                continue
            n_pairs += 1
            right = best_guess(cut[name], values)
            if _is_noticeable(base, right):
                found.append(GoesWith(column=name, sensitive=secret, base=base, right=right))
    return sorted(found, key=lambda each: (-each.right, each.column, each.sensitive))


def _is_noticeable(base: float, right: float) -> bool:
    """A tenth of all rows more, or half of the mistakes fewer."""
    rise = right - base
    return rise >= _NOTICEABLE or (rise >= _AT_LEAST and 1 - right <= (1 - base) / 2)
