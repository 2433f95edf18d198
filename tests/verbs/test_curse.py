"""The curse of dimensionality on one's own data: figures, columns in order, refusals."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.ground.errors import DataError, ParameterError, SchemaError
from support.independent_columns import independent_columns


def naive_below(frame, columns, k):
    sizes = frame.group_by(columns).len()["len"]
    return sizes.filter(sizes < k).sum() / frame.height


@given(st.integers(0, 1_000))
@settings(max_examples=10, deadline=None)
def test_shares_are_those_of_counting(seed):
    table = independent_columns(60, 4, 4, seed)
    found = sf.curse(table, (2, 5))
    for n in range(1, 5):
        chosen = list(found.columns[:n])
        assert found.alone[n - 1] == pytest.approx(naive_below(table.frame, chosen, 2))
        for k in (2, 5):
            assert found.below[k][n - 1] == pytest.approx(naive_below(table.frame, chosen, k))
        rest = [name for name in found.columns if name not in chosen[:-1]]
        costs = {c: sum(naive_below(table.frame, [*chosen[:-1], c], k) for k in (2, 5)) for c in rest}
        assert costs[chosen[-1]] == pytest.approx(min(costs.values()))


def test_the_loss_is_that_of_publishing():
    table = independent_columns(200)
    found = sf.curse(table, (5,))
    for n in (2, 5):
        chosen = table.with_schema(sf.Schema(quasi=list(found.columns[:n])))
        release = sf.publish(chosen, sf.Hilbert(fast=True), sf.KAnonymity(5))
        assert found.loss[5][n - 1] == pytest.approx(sf.measure(release)["gcp"])
    mondrian = sf.curse(table, (5,), method=sf.Mondrian())
    ordered = table.with_schema(sf.Schema(quasi=list(mondrian.columns)))
    release = sf.publish(ordered, sf.Mondrian(), sf.KAnonymity(5))
    assert mondrian.loss[5][-1] == pytest.approx(sf.measure(release)["gcp"])
    assert mondrian.method == "Mondrian"


def test_more_columns_and_more_privacy_lose_more():
    found = sf.curse(independent_columns(600, 8), (2, 10, 50))
    for k in found.ks:
        assert (np.diff(found.below[k]) >= 0).all()
        assert found.loss[k][-1] > found.loss[k][2]
    assert (np.array(found.loss[50]) >= np.array(found.loss[2])).all()
    assert [found.stands(k) for k in found.ks] == sorted((found.stands(k) for k in found.ks), reverse=True)


def test_sentences_say_which_column_is_too_much():
    found = sf.curse(independent_columns(600, 8), (2, 50), max_loss=0.3)
    fit = found.stands(50)
    assert 0 < fit < 8
    assert found.loss[50][fit - 1] <= 0.3 < found.loss[50][fit]
    assert f"k = 50: {fit} column" in found.said()[1]
    assert f"{fit + 1} will not: with {found.columns[fit]!r}" in found.said()[1]
    assert "All 8 columns together lose" in sf.curse(independent_columns(600, 8), (2,), max_loss=1.0).said()[0]
    frame = pl.DataFrame({"id": np.arange(50)})
    alone = sf.curse(sf.Table(frame, sf.Schema(quasi=["id"])), (25,), max_loss=0.1)
    assert alone.stands(25) == 0
    assert "not even one column will do" in alone.said()[0]
    with pytest.raises(ParameterError, match="k=7 was not tried"):
        found.stands(7)


def test_a_column_of_names_comes_last():
    table = independent_columns(100, 2)
    frame = table.frame.with_columns(id=pl.int_range(100)).select("id", "c0", "c1")
    found = sf.curse(sf.Table(frame, sf.Schema(quasi=frame.columns)), (2,))
    assert found.columns[-1] == "id"
    assert found.alone[-1] == 1.0


def test_large_tables_are_sampled_and_it_says_so():
    table = independent_columns(900, 3)
    found = sf.curse(table, (2,), sample=100, max_columns=2)
    assert (found.n_rows, found.n_sampled, len(found.columns), len(found.left_out)) == (900, 100, 2, 1)
    assert "100 of 900 records" in found.notes()[0]
    assert "1 more quasi-identifiers were not tried" in found.notes()[1]
    assert found == sf.curse(table, (2,), sample=100, max_columns=2)
    assert found != sf.curse(table, (2,), sample=100, max_columns=2, seed=5)


def test_records_that_would_be_withheld_have_no_part():
    table = independent_columns(100, 2)
    frame = table.frame.with_columns(pl.when(pl.int_range(100) >= 30).then("c0").alias("c0"))
    found = sf.curse(sf.Table(frame, sf.Schema(quasi=["c0", "c1"], missing="withhold")), (2,))
    assert found.n_rows == 70


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: sf.curse(independent_columns().frame), ParameterError, "takes a Table"),
        (lambda: sf.curse(sf.Table(independent_columns().frame)), SchemaError, "no column is declared quasi"),
        (lambda: sf.curse(independent_columns(), (1,)), ParameterError, "whole numbers >= 2"),
        (lambda: sf.curse(independent_columns(), ()), ParameterError, "whole numbers >= 2"),
        (lambda: sf.curse(independent_columns(), max_loss=0), ParameterError, "max_loss must be"),
        (lambda: sf.curse(independent_columns(), sample=0), ParameterError, "sample must be"),
        (lambda: sf.curse(independent_columns(), method=sf.AdditiveNoise(scale=1)), ParameterError, "must form groups"),
        (lambda: sf.curse(independent_columns(20)), DataError, "k=50 needs at least 50 records"),
    ],
)
def test_what_makes_no_sense_is_refused(make, error, said):
    with pytest.raises(error, match=said):
        make()
