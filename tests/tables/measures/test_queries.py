from __future__ import annotations

import time
from statistics import mean, median

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

from sfumato.data.encoding import encode
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.tables.grouping.mondrian import Mondrian
from sfumato.tables.measures.queries import Workload, draw_queries, query_error
from support.measured_tables import LEAVES, ORDERED, distinct, domain, make_table, number, published, read, releases

FEW = settings(max_examples=25, deadline=None)


def wanted_values(condition, coded):
    return [value for value, wanted in zip(coded.values.to_list(), condition.wanted, strict=True) if wanted]


def naive_share(shown, name, wanted, table):
    """The share of a cell's records that have a wanted value, spread evenly over what it covers."""
    inside, missing = read(shown, name)
    if inside == []:
        return 0.0
    if name in ORDERED:
        everything = inside is None
        low, high = domain(table, name) if everything else inside
        first, last = number(wanted[0], name), number(wanted[-1], name)
        part = 1.0 if everything or not missing else 0.5
        if low == high:
            return part * (first <= low <= last)
        if name == "income":
            return part * max(0.0, min(high, last) - max(low, first)) / (high - low)
        steps = range(int(low), int(high) + 1)
        return part * sum(first <= step <= last for step in steps) / len(steps)
    if inside is None:
        inside, missing = sorted(distinct(table, name) - {None}), False
    hits = len(set(inside) & set(wanted))
    if name == "country":
        return hits / len(inside) * (0.5 if missing else 1.0)
    return hits / (len(inside) + missing)


@FEW
@given(releases())
def test_errors_agree_with_a_loop_over_rows(release):
    table, outcome, _ = release
    frame, quasi = outcome.frame, table.schema.quasi
    workload = Workload(n_queries=12, n_columns=2, random=Randomness(5))
    found = query_error(frame, outcome.public["forms"], table, workload)
    coded = {column.name: column for column in encode(table, [*quasi, "disease"])}
    workload = Workload(n_queries=12, n_columns=2, random=Randomness(5))
    queries = draw_queries(table, [coded[q] for q in quasi], [coded["disease"]], workload)
    errors = []
    for query in queries:
        asked = {condition.column: wanted_values(condition, coded[condition.column]) for condition in query}
        assert len(asked) == min(2, len(quasi)) + 1
        true = sum(all(row[name] in values for name, values in asked.items()) for row in table.frame.rows(named=True))
        estimate = 0.0
        for row in frame.rows(named=True):
            share = float(row["disease"] in asked["disease"])
            for name in set(asked) - {"disease"}:
                share *= naive_share(row[name], name, asked[name], table)
            estimate += share
        errors.append(abs(estimate - true) / max(true, 0.001 * len(table)))
    assert found["query_error_median"] == pytest.approx(median(errors))
    assert found["query_error_mean"] == pytest.approx(mean(errors))


@FEW
@given(releases(show=("ranges",)))
def test_nothing_generalised_no_error(release):
    table, _, _ = release
    assert query_error(table.frame, {}, table, Workload(n_queries=10))["query_error_mean"] == 0.0
    exact = published(table, Mondrian(), 1)
    distinct_rows = table.frame.select(table.schema.quasi).is_unique().all()
    found = query_error(exact.frame, exact.public["forms"], table, Workload(n_queries=10))
    assert found["query_error_mean"] == pytest.approx(0.0) or not distinct_rows


def test_a_workload_repeats_and_does_not_depend_on_the_release():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"a": rng.integers(0, 50, 400), "b": rng.normal(size=400), "s": rng.choice(["x", "y"], 400)})
    table = Table(frame, Schema(quasi=["a", "b"], sensitive=["s"]))
    outcome = published(table, Mondrian(), 5)
    forms = outcome.public["forms"]
    found = query_error(outcome.frame, forms, table, Workload(n_queries=30))
    assert found == query_error(outcome.frame, forms, table, Workload(n_queries=30))
    assert found == query_error(outcome.frame, dict(reversed(forms.items())), table, Workload(n_queries=30))
    assert found != query_error(outcome.frame, forms, table, Workload(n_queries=30, random=Randomness(9)))
    coarse = published(table, Mondrian(), 100)
    assert (
        query_error(coarse.frame, forms, table, Workload(n_queries=30))["query_error_mean"] > found["query_error_mean"]
    )


@pytest.mark.parametrize("selectivity", [0.01, 0.1, 0.5])
def test_selectivity_is_about_what_was_asked_for(selectivity):
    rng = np.random.default_rng(2)
    n = 4000
    frame = pl.DataFrame({
        "a": rng.integers(0, 1000, n), "b": rng.exponential(size=n), "c": rng.choice(LEAVES, n),
        "d": [f"{x:04}" for x in rng.integers(0, 1000, n)],
    })  # fmt: skip
    table = Table(frame, Schema(quasi=["a", "b", "d"], hierarchies={"d": Hierarchy.prefixes(4)}))
    coded = {column.name: column for column in encode(table, ["a", "b", "d"])}
    queries = draw_queries(table, list(coded.values()), workload=Workload(n_columns=2, selectivity=selectivity))
    shares = [
        np.mean([all(p) for p in zip(*(c.holds(coded[c.column].codes) for c in query), strict=True)])
        for query in queries[:40]
    ]
    assert np.mean(shares) == pytest.approx(selectivity, rel=0.15)


def test_a_run_of_whole_numbers_and_of_lengths():
    table = Table(pl.DataFrame({"n": [0, 9], "x": [0.0, 9.0]}), Schema(quasi=["n", "x"]))
    shown = pl.DataFrame({"n": ["[0, 9]"] * 2, "x": ["[0, 9]"] * 2})
    wide = Workload(selectivity=0.3)
    whole = query_error(shown.drop("x"), {"n": "range"}, table.with_schema(Schema(quasi=["n"])), wide)
    length = query_error(shown.drop("n"), {"x": "range"}, table.with_schema(Schema(quasi=["x"])), wide)
    # each query asks for 0, for 9 or for both: of ten whole numbers one, of a length nothing or all
    assert whole["query_error_median"] == pytest.approx(abs(2 / 10 - 1))
    assert length["query_error_median"] == pytest.approx(1.0)


def test_a_mean_under_a_hierarchy_stands_for_the_nearest_value():
    hierarchy = Hierarchy.intervals([10], low=0, high=40)
    frame = pl.DataFrame({"a": [0, 4, 30], "s": ["u"] * 3})
    table = Table(frame, Schema(quasi=["a"], sensitive=["s"], hierarchies={"a": hierarchy}))
    shown = pl.DataFrame({"a": [0.4, 3.9, 30.0], "s": ["u"] * 3})
    assert query_error(shown, {"a": "value"}, table)["query_error_mean"] == 0.0


def test_what_cannot_be_asked():
    table = make_table({"age": [20, 21], "disease": ["flu", "ok"]}, ["age"])
    assert len(query_error(table.frame, {}, table, Workload(n_queries=0))) == 0
    for wrong in ({"n_queries": -1}, {"n_columns": 0}, {"selectivity": 0.0}, {"selectivity": 1.5}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            Workload(**wrong)
    bare = query_error(table.frame, {}, table, Workload(n_queries=3, sensitive=False))
    assert not any("sensitive" in note for note in bare.notes)


@pytest.mark.slow
def test_two_hundred_queries_on_half_a_million_rows():
    rng = np.random.default_rng(3)
    n = 500_000
    group = np.arange(n) // 12
    low = rng.integers(0, 80, group.max() + 1)
    frame = pl.DataFrame({"a": low[group] + rng.integers(0, 9, n), "b": group % 97, "s": rng.choice(list("uvw"), n)})
    table = Table(frame, Schema(quasi=["a", "b"], sensitive=["s"]))
    shown = pl.DataFrame({"a": [f"[{x}, {x + 8}]" for x in low[group]], "b": group % 97, "s": frame["s"]})
    start = time.perf_counter()
    assert query_error(shown, {"a": "range", "b": "range"}, table)["query_error_median"] < 0.2
    assert time.perf_counter() - start < 10
