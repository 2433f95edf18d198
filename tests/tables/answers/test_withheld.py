"""Bounds over withheld records: every choice among them and every value that they may have, on small cases."""

import datetime as dt
import itertools
import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.contracts.question import read_question
from sfumato.published.tables.table import table_shape
from sfumato.tables.answers.bounds_from_ranges import extremes
from sfumato.tables.answers.withheld import Ends, Withheld, none_published, withheld_of
from support.asked import EXACT_AGGREGATES


def every_choice(aggregate, numbers, sure, ends):
    """The extremes by trying: who of those in doubt is chosen, and which end each withheld one has, or is not chosen."""
    found = []
    doubtful = [value for value, certain in zip(numbers, sure, strict=True) if not certain]
    certain = [value for value, certain in zip(numbers, sure, strict=True) if certain]
    for chosen in itertools.product((False, True), repeat=len(doubtful)):
        for others in itertools.product((None, ends.low, ends.high), repeat=ends.n):
            values = certain + [v for v, c in zip(doubtful, chosen, strict=True) if c]
            values += [value for value in others if value is not None]
            if values:
                found.append(EXACT_AGGREGATES[aggregate](values))
    return min(found), max(found)


@pytest.mark.parametrize("aggregate", list(EXACT_AGGREGATES))
def test_bounds_are_attained(aggregate):
    rng = np.random.default_rng(len(aggregate))
    for _ in range(60):
        numbers = rng.integers(-5, 6, int(rng.integers(1, 5)))
        sure = rng.random(len(numbers)) < 0.5
        ends = Ends(
            int(rng.integers(0, 4)), int(rng.integers(-9, numbers.min() + 1)), int(rng.integers(numbers.max(), 9))
        )
        least, most = every_choice(aggregate, numbers.tolist(), sure.tolist(), ends)
        low, high = extremes(aggregate, numbers, sure, ends)
        assert (low, high) == (pytest.approx(float(least)), pytest.approx(float(most)))
        assert low <= Fraction(least) or low == float(least)
        assert high >= Fraction(most) or high == float(most)


@pytest.mark.parametrize("aggregate", list(EXACT_AGGREGATES))
def test_a_side_without_an_end_is_as_with_a_far_one(aggregate):
    """The limit of ends that move away: infinite, or what it is however far they are."""
    rng = np.random.default_rng(7)
    for dtype in (np.int64, np.float64):
        for _ in range(40):
            numbers = rng.integers(-5, 6, int(rng.integers(1, 6))).astype(dtype)
            sure = rng.random(len(numbers)) < 0.5
            n = int(rng.integers(1, 4))
            low, high = extremes(aggregate, numbers, sure, Ends(n))
            far = extremes(aggregate, numbers, sure, Ends(n, -(10**9), 10**9))
            assert low == (-math.inf if far[0] < -(10**6) else far[0])
            assert high == (math.inf if far[1] > 10**6 else far[1])


def test_means_and_sums_of_published_bounds():
    ends = Ends(2, 0, 10)
    assert ends.sums(5, 7, 1) == (5, 27)
    assert ends.sums(5, 7, 0) == (0, 27)
    assert ends.sums(None, None, 0) == (0, 20)
    assert Ends(2, 3, 10).sums(None, None, 0) == (3, 20)
    assert Ends(2, -3, -1).sums(None, None, 0) == (-6, -1)
    assert ends.means(12, 12, 3) == (2.4, 6.4)
    assert ends.means(None, None, 0) == (0, 10)
    assert Ends(2).means(12, 12, 3) == (-math.inf, math.inf)
    assert ends.extreme("MIN", 4, 6, 1) == (0, 6)
    assert ends.extreme("MIN", 4, 6, 0) == (0, 10)
    assert ends.extreme("MAX", 4, 6, 1) == (4, 10)
    assert Ends(0).extreme("MAX", 4, 6, 1) == (4, 6)


def test_ends_are_those_that_are_declared():
    withheld = Withheld(
        1, {"n": (0.5, 9.5), "d": (dt.date(2020, 1, 1), dt.datetime(2021, 1, 1, 12)), "big": (0, 2**63)}
    )
    assert withheld.ends("n", pl.Int64()) == Ends(1, 1, 9)
    assert withheld.ends("n", pl.Float64()) == Ends(1, 0.5, 9.5)
    assert withheld.ends("big", pl.Int64()) == Ends(1, 0, math.inf)
    assert withheld.ends("x", pl.Int64()) == Ends(1, -math.inf, math.inf)
    assert withheld.ends("d", pl.Date()) == Ends(1, dt.date(2020, 1, 1), dt.date(2021, 1, 1))
    assert withheld.ends("d", pl.Datetime("us")) == Ends(1, dt.datetime(2020, 1, 1), dt.datetime(2021, 1, 1, 12))
    assert withheld.ends("x", pl.Date()) == Ends(1, dt.date.min, dt.date.max)
    assert withheld.ends("x", pl.Datetime("us")) == Ends(1, dt.datetime.min, dt.datetime.max)
    assert withheld.ends("x", pl.Time()) == Ends(1, dt.time.min, dt.time.max)


def test_bounds_of_times_in_a_zone_are_left_out():
    """The clock of a zone goes back once a year, so that a later moment may show an earlier time."""
    seen = [dt.datetime(2024, 1, day, tzinfo=dt.UTC) for day in (1, 2, 3, 4)]
    frame = pl.DataFrame({"age": [20, 21, None, 20], "seen": seen})
    frame = frame.with_columns(pl.col("seen").dt.convert_time_zone("Europe/Berlin"))
    low, high = (dt.datetime(year, 1, 1, tzinfo=dt.UTC) for year in (2020, 2030))
    schema = sf.Schema(quasi=["age"], sensitive=["seen"], bounds={"seen": (low, high)}, missing={"age": "withhold"})
    release = sf.publish(sf.Table(frame, schema), sf.Mondrian(), sf.KAnonymity(2), seed=1)
    withheld = withheld_of(table_shape(release))
    assert (withheld.n, "seen" in withheld.declared) == (1, False)
    answer = sf.ask(release, "SELECT MAX(seen) FROM release")
    assert answer.to_dict()["high"] is None
    assert str(answer).startswith(
        "MAX(seen): 2024-01-04 01:00:00 of what is published (at least 2024-01-04 01:00:00 for"
    )


def test_none_published():
    question = read_question("SELECT SUM(x) FROM release", ["x"])
    assert none_published(question, Ends(0), 0.0).low is None
    answer = none_published(question, Ends(3, 0.0, 2.0), 2.0**-40)
    assert (answer.value, answer.low, answer.n_low, answer.n_high) == (None, -6 * 2.0**-40, 0, 3)
    assert answer.high > 6
