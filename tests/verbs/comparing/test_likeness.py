"""Which tables are like those that intervals were measured on, and which column is named where one is not."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.ground.randomness import Randomness
from sfumato.verbs.comparing.likeness import why_unlike

N = 16_000


def lognormal(sigma, name):
    return np.exp(sigma * Randomness(name).normal(N))


def table(**columns):
    frame = pl.DataFrame({"age": np.arange(N) % 80, "place": np.arange(N) % 997, **columns})
    return sf.Table(frame, sf.Schema(quasi=frame.columns))


@pytest.mark.parametrize("sigma", [0.3, 0.6])
def test_columns_without_far_values_are_alike(sigma):
    assert why_unlike(table(income=lognormal(sigma, "a"))) == ""
    assert why_unlike(table(income=Randomness("b").normal(N), height=Randomness("c").uniform(N))) == ""
    assert why_unlike(hospital(2000)) == ""


@pytest.mark.parametrize("sigma", [1.5, 2, 3])
def test_a_column_with_a_few_far_values_is_named(sigma):
    why = why_unlike(table(height=Randomness("c").uniform(N), income=lognormal(sigma, "a")))
    assert why.startswith("the range of column 'income' rests on a few values far from the others")


def test_one_value_far_out_is_enough_whatever_the_kind():
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=n % 300) for n in range(N)]
    assert why_unlike(table(day=days)) == ""
    assert "column 'day'" in why_unlike(table(day=[*days[1:], dt.date(1900, 1, 1)]))
    assert "column 'n'" in why_unlike(table(n=[*([0] * (N - 1)), 1]))
    assert why_unlike(table(n=[0] * N)) == ""
    assert why_unlike(table(n=[0] * N).rows(slice(0, 0))) == ""


def missing(share):
    return [None if n % 100 < 100 * share else n % 50 for n in range(N)]


def test_many_missing_values_are_told_with_the_column_that_has_most():
    assert why_unlike(table(a=missing(0.1))) == ""  # of three columns, a thirtieth of the cells
    why = why_unlike(table(a=missing(0.3), b=missing(0.1)))
    assert why.startswith("10% of the cells that are shown as ranges or nodes are missing, most of them in column 'a'")
    texts = [None if value is None else f"v{value}" for value in missing(0.5)]
    assert why_unlike(table(c=texts)) == ""  # in a set a missing value is one like the others


def test_two_quasi_identifiers_are_too_few():
    assert why_unlike(table()).startswith("with fewer than 3 quasi-identifiers, here 'age' and 'place', intervals")
