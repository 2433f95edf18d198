"""The floor is below the optimum of small tables and below what methods lose; a sample is told as one."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.datasets import hospital
from sfumato.errors import InfeasibleError, ParameterError, SchemaError
from support.naive import ncp
from support.naive_partitions import set_partitions
from support.tables_strategies import tables


def optimum(table, promise, *, suppressed=False):
    """The least loss of all partitions into classes that keep the promise, of all rows or of all but `suppressed`."""
    quasi = encode(table, table.schema.quasi)

    def allowed(rows):
        own = encode(table.rows(np.array(rows)), table.schema.sensitive)
        return len(rows) >= promise.min_size() and promise.limit(len(rows), own) is None

    n = len(table)
    shown = (
        itertools.chain(*(itertools.combinations(range(n), size) for size in range(n + 1)))
        if suppressed
        else [range(n)]
    )
    return min(
        (n - len(kept) + sum(len(rows) * ncp(quasi, rows) for rows in groups)) / n
        for kept in shown
        for groups in set_partitions(list(kept), allowed)
    )  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(tables(min_rows=4, max_rows=7), st.sampled_from([sf.KAnonymity(2), sf.KAnonymity(3), sf.LDiversity(2)]))
def test_it_is_below_the_optimum(table, promise):
    assume(promise.limit(len(table), encode(table, table.schema.sensitive)) is None)
    found = sf.floor(table, promise)
    assert found.confidence == 1
    assert found.loss <= optimum(table, promise) + 1e-9


@settings(max_examples=25, deadline=None)
@given(tables(min_rows=3, max_rows=6), st.sampled_from([sf.KAnonymity(2), sf.LDiversity(2), sf.LDiversity(3)]))
def test_it_is_below_the_optimum_of_releases_that_suppress_rows(table, promise):
    """Also where no release of all rows keeps the promise, as one sensitive value has too many of them."""
    assert sf.floor(table, promise).loss <= optimum(table, promise, suppressed=True) + 1e-9


def test_suppression_keeps_what_no_release_of_all_rows_can():
    frame = pl.DataFrame({"age": [n % 50 for n in range(100)], "d": ["flu"] * 60 + ["gout"] * 20 + ["cold"] * 20})
    table, promise = sf.Table(frame, sf.Schema(quasi=["age"], sensitive=["d"])), sf.LDiversity(2)
    with pytest.raises(InfeasibleError):
        sf.publish(table, sf.Mondrian(), promise)
    release = sf.publish(table, sf.BestFirst(max_suppressed=0.5), promise, seed=1)
    assert sf.floor(table, promise).loss <= sf.measure(release, table, n_queries=0)["gcp"]


@pytest.mark.parametrize(
    "method", [sf.Ordered(), sf.Mondrian(), sf.LocalRecoding(), sf.Hilbert(), sf.BestFirst(), sf.CellSuppression()]
)
def test_it_is_below_what_methods_lose(method):
    table = hospital(300)
    loss = sf.measure(sf.publish(table, method, sf.KAnonymity(5)), table)["gcp"]
    found = sf.floor(table, sf.KAnonymity(5))
    assert 0 < found.loss < loss
    assert found.above(loss) == pytest.approx(loss / found.loss - 1)


def test_records_that_many_share_cost_nothing():
    table = sf.Table(pl.DataFrame({"x": [1] * 5 + [2] * 5}), sf.Schema(quasi=["x"]))
    assert float(sf.floor(table, sf.KAnonymity(5))) == 0
    assert sf.floor(table, sf.KAnonymity(5)).above(0.0) == 0
    assert sf.floor(table, sf.KAnonymity(5)).above(0.1) == float("inf")
    assert float(sf.floor(table, sf.KAnonymity(6))) == pytest.approx(1, abs=1e-9)


def test_a_loss_below_the_floor_is_not_told_as_one_that_reaches_it():
    found = sf.floor(hospital(150), sf.KAnonymity(5))
    assert found.above(found.loss / 2) == pytest.approx(-0.5)
    assert found.above(found.loss) == found.above(found.loss - 1e-12) == 0
    assert found.above(2 * found.loss) == pytest.approx(1)


def test_rows_that_must_be_left_out_count_whole():
    table = sf.Table(pl.DataFrame({"x": [1, 1, None, 1]}), sf.Schema(quasi=["x"], missing="withhold"))
    assert float(sf.floor(table, sf.KAnonymity(3))) == 0.25
    assert sf.measure(sf.publish(table, sf.Mondrian(), sf.KAnonymity(3)), table)["gcp"] == 0.25


def test_a_sample_is_told_and_repeats_with_its_seed():
    table = hospital(3000)
    whole, part = sf.floor(table, sf.KAnonymity(5)), sf.floor(table, sf.KAnonymity(5), sample=800, seed=1)
    assert (whole.confidence, part.confidence) == (1, 0.95)
    assert (part.n_looked_at, part.n_rows) == (800, 3000)
    assert 0.8 * whole.loss < part.loss < 1.05 * whole.loss
    assert part == sf.floor(table, sf.KAnonymity(5), sample=800, seed=1)
    assert "95% confidence, k=5, 800 of 3,000 records" in repr(part)
    assert "proven" in repr(whole)


def test_larger_classes_cost_no_less():
    table = hospital(150)
    losses = [sf.floor(table, sf.KAnonymity(k)).loss for k in (2, 5, 10, 20)]
    assert losses == sorted(losses)
    assert np.diff(losses).min() > 0


def test_bad_input_is_told():
    table = hospital(50)
    with pytest.raises(InfeasibleError, match="k=60"):
        sf.floor(table, sf.KAnonymity(60))
    with pytest.raises(InfeasibleError, match="cannot be met"):
        sf.floor(table.head(2), sf.LDiversity(3))
    with pytest.raises(ParameterError, match="promise must be"):
        sf.floor(table, 5)
    with pytest.raises(ParameterError, match="no floor is known under"):
        sf.floor(table, sf.MInvariance(2))
    with pytest.raises(ParameterError, match="takes a Table"):
        sf.floor(table.frame, sf.KAnonymity(5))
    with pytest.raises(ParameterError, match="sample"):
        sf.floor(table, sf.KAnonymity(5), sample=0)
    with pytest.raises(SchemaError, match="declared quasi"):
        sf.floor(sf.Table(pl.DataFrame({"a": [1]}), sf.Schema(plain=["a"])), sf.KAnonymity(1))
