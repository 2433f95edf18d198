"""What two tables lose and risk, against counting record by record."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.datasets import hospital
from sfumato.ground.errors import SchemaError
from sfumato.published.tables.two_tables import read_two_tables
from sfumato.tables.measures.queries import Workload, draw_queries
from support.permuted_tables import L3, PERMUTED


@pytest.fixture(scope="module")
def table():
    return hospital(300)


@pytest.fixture(scope="module")
def release(table):
    return sf.publish(table, PERMUTED, L3, seed=5)


def test_counts_are_estimated_from_rows_and_shares(table, release):
    """The error of the workload, computed again record by record."""
    quasi, secret = encode(table, table.schema.quasi), encode(table, ["diagnosis"])
    queries = draw_queries(table, quasi, secret, Workload(n_queries=40))
    known = {coded.name: coded for coded in (*quasi, *secret)}
    rows = release.owner.rows
    listed = Counter()
    for group, value, count in release.files["sensitive"].rows():
        listed[group, value] = count
    groups = release.data.frame["group"].to_list()
    sizes = Counter(groups)
    errors = []
    for query in queries:
        *conditions, last = query
        meets = np.ones(len(table), dtype=bool)
        for condition in conditions:
            meets &= condition.holds(known[condition.column].codes)
        (value,) = secret[0].values.filter(pl.Series(last.wanted)).to_list()
        estimate = sum(listed[g, value] / sizes[g] for g, here in zip(groups, meets[rows], strict=True) if here)
        true = int((meets & last.holds(secret[0].codes)).sum())
        errors.append(abs(estimate - true) / max(true, 0.001 * len(table)))
    found = sf.measure(release, table, n_queries=40)
    assert found["query_error_mean"] == pytest.approx(np.mean(errors))
    assert found["query_error_median"] == pytest.approx(np.median(errors))


def test_counts_over_quasi_identifiers_alone_are_exact(table, release):
    from sfumato.tables.measures.queries import query_error

    permuted = read_two_tables(release.data.frame, release.files, release.public)
    found = query_error(release.data.frame, release.forms, table, Workload(sensitive=False), permuted=permuted)
    assert found["query_error_mean"] == 0.0


def test_risks_are_those_of_the_rows_as_they_are():
    frame = pl.DataFrame({"x": [1, 1, 2, 3], "s": ["a", "b", "a", "b"]})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    release = sf.publish(table, PERMUTED, sf.LDiversity(2), seed=1)
    found = sf.measure(release)
    assert found["prosecutor_max"] == 1.0
    assert found["prosecutor_average"] == 0.75
    assert found["prosecutor_above_0.2"] == 1.0
    assert found["attribute_max"] == 0.5
    assert found["attribute_average"] == 0.5
    assert "c_avg" not in found
    assert any("published as recorded" in note for note in found.notes)
    people = sf.Table(pl.DataFrame({"x": [1] * 8 + [2] * 4 + [3] * 2}), sf.Schema(quasi=["x"]))
    found = sf.measure(release, population=people)
    assert found["journalist_max"] == 0.5
    assert found["marketer"] == pytest.approx((2 / 8 + 1 / 4 + 1 / 2) / 4)
    with pytest.raises(SchemaError, match="label names the column 'z', which is not published"):
        sf.measure(release, label="z")


def test_a_star_is_a_value_like_any_other():
    frame = pl.DataFrame({"x": ["*", "a", "b", "*"], "s": ["a", "b", "a", "b"]})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    release = sf.publish(table, PERMUTED, sf.LDiversity(2), seed=1)
    assert sf.verify(release, table).decisions == ("2 groups: quasi-identifiers are published as recorded, sensitive values by group",)  # fmt: skip
    assert sf.measure(release)["prosecutor_average"] == 0.75
