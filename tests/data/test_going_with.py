"""Columns that go with a sensitive one, against guessing row by row."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.going_with import best_guess, in_bins
from sfumato.data.inspecting import inspect_table
from sfumato.data.persons import codes_of


def guessed_by_hand(rows):
    """For each row, take it away and guess the most frequent value of those that are like it; a tie of two is a toss."""
    right = 0.0
    for i, (known, secret) in enumerate(rows):
        others = Counter(s for j, (k, s) in enumerate(rows) if k == known and j != i)
        most = max(others.values(), default=0)
        best = [value for value, n in others.items() if n == most]
        right += (secret in best) / 2 if len(best) > 1 else secret in best
    return right / len(rows)


@settings(deadline=None, max_examples=80)
@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 2)), min_size=1, max_size=14))
def test_a_guess_is_from_the_other_rows(rows):
    known, secret = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    assert best_guess(known, secret) == pytest.approx(guessed_by_hand(rows))


def test_a_column_of_which_every_row_has_its_own_value_tells_nothing():
    assert best_guess(np.arange(100), np.arange(100) % 2) == 0.0


def test_numbers_are_cut_at_their_quantiles():
    numbers = pl.Series([None, *range(1, 101)])
    bins = in_bins(numbers, codes_of(numbers), 20)
    assert bins[0] == 0
    assert Counter(bins[1:].tolist()) == Counter(dict.fromkeys(range(1, 21), 5))
    few = pl.Series([1, 2, 2, 3])
    assert in_bins(few, codes_of(few), 20).tolist() == [1, 2, 2, 3]
    text = pl.Series([f"v{i}" for i in range(50)])
    assert len(set(in_bins(text, codes_of(text), 20).tolist())) == 50


def together(n=600, *, linked=True):
    rng = np.random.default_rng(4)
    ward = rng.integers(0, 4, n)
    ill = np.where(rng.random(n) < (0.6 if linked else 0.0), ward, rng.integers(0, 4, n))
    return pl.DataFrame(
        {"id": range(n), "age": rng.integers(20, 90, n), "ward": [f"w{w}" for w in ward], "ill": [f"i{v}" for v in ill]}
    )


SCHEMA = sf.Schema(identifier=["id"], quasi=["age"], plain=["ward"], sensitive=["ill"])


def test_inspect_warns_of_a_column_that_goes_with_a_sensitive_one():
    found = inspect_table(sf.Table(together(), SCHEMA))
    assert [(each.column, each.sensitive) for each in found.goes_with] == [("ward", "ill")]
    assert found.goes_with[0].right > 0.6 > 0.4 > found.goes_with[0].base
    said = found.questions[0]
    assert said.startswith("ward goes with ill: the best guess from it is right for")
    assert "published as it is" in said
    assert f"# {said}" in found.to_toml().splitlines()
    assert found.to_dict()["goes_with"][0]["column"] == "ward"
    assert inspect_table(sf.Table(together(linked=False), SCHEMA)).goes_with == ()


def test_what_to_do_depends_on_the_role():
    quasi = sf.Schema(identifier=["id"], quasi=["age", "ward"], sensitive=["ill"])
    assert "Ask for l-diversity" in inspect_table(sf.Table(together(), quasi)).questions[0]
    both = sf.Schema(identifier=["id"], quasi=["age"], sensitive=["ill", "ward"])
    assert "guesses the other" in inspect_table(sf.Table(together(), both)).questions[0]


def test_few_mistakes_that_are_halved_are_told_too():
    """Where nearly everybody is healthy a rise is small, and tells of the few."""
    ill = ["yes"] * 4 + ["no"] * 96
    frame = pl.DataFrame({"drug": ["x"] * 4 + ["y"] * 96, "ill": ill})
    found = inspect_table(sf.Table(frame, sf.Schema(plain=["drug"], sensitive=["ill"])))
    assert [each.column for each in found.goes_with] == ["drug"]
