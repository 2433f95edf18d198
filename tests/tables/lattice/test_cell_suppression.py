"""Cell suppression: values as recorded or a star, every promise kept, and not many more stars than the fewest."""

from collections import Counter
from functools import lru_cache

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.ground.errors import ParameterError
from sfumato.tables.coding.levels import level_labels
from support.naive_lattice import PROMISES, lattices
from support.tables_strategies import tables


def stars(release, quasi):
    return sum(int((release.data.frame[q] == "*").sum()) for q in quasi)


def fewest(rows, k, weights):
    """The least weight of stars over all partitions into groups of at least k: a group shows what all of it have."""
    n = len(rows)

    @lru_cache(None)
    def best(open_rows):
        if not open_rows:
            return 0.0
        first, rest = open_rows[0], open_rows[1:]
        found = np.inf
        for mask in range(1 << len(rest)):
            group = (first, *(row for b, row in enumerate(rest) if mask >> b & 1))
            if k <= len(group) < 2 * k:  # larger ones can be divided without more stars
                hidden = sum(w for c, w in enumerate(weights) if len({rows[row][c] for row in group}) > 1)
                left = tuple(row for row in rest if row not in group)
                if len(left) == 0 or len(left) >= k:
                    found = min(found, hidden * len(group) + best(left))
        return found

    return best(tuple(range(n)))


@settings(max_examples=50)
@given(tables(min_rows=2, max_rows=16), st.sampled_from([sf.KAnonymity(2), sf.KAnonymity(3), sf.LDiversity(2)]))
def test_cells_are_the_value_or_a_star(table, promise):
    assume(promise.limit(len(table), encode(table, table.schema.sensitive)) is None)
    release = sf.publish(table, sf.CellSuppression(), promise, seed=1)
    assert release.verdict.holds
    assert sf.verify(release, table).holds
    for coded in encode(table, table.schema.quasi):
        own = dict(enumerate(level_labels(coded, 0))) | {-1: None}
        shown = release.data.frame[coded.name].to_list()
        for cell, code in zip(shown, coded.codes[release.owner.rows], strict=True):
            assert cell in ("*", own[int(code)])


@settings(max_examples=40)
@given(lattices(min_rows=2, max_rows=14), st.sampled_from(PROMISES))
def test_every_promise_is_kept(made, promise):
    assume(promise.limit(len(made.table), encode(made.table, made.table.schema.sensitive)) is None)
    assert sf.publish(made.table, sf.CellSuppression(), promise, seed=1).verdict.holds


@settings(max_examples=60)
@given(st.lists(st.sampled_from("abcd"), min_size=2, max_size=9), st.integers(2, 3))
def test_with_one_column_a_star_stands_where_one_must(values, k):
    assume(len(values) >= k)
    table = sf.Table(pl.DataFrame({"c": values}), sf.Schema(quasi=["c"]))
    release = sf.publish(table, sf.CellSuppression(), sf.KAnonymity(k), seed=1)
    found, least = stars(release, ["c"]), fewest([(value,) for value in values], k, [1])
    assert least <= found <= least + 2 * k
    assert (found == 0) == (least == 0)


@settings(max_examples=60)
@given(st.lists(st.tuples(*[st.sampled_from("ab")] * 3), min_size=4, max_size=9), st.integers(2, 3))
def test_on_tiny_tables_stars_are_near_the_fewest(rows, k):
    frame = pl.DataFrame({f"c{c}": [row[c] for row in rows] for c in range(3)})
    table = sf.Table(frame, sf.Schema(quasi=frame.columns))
    release = sf.publish(table, sf.CellSuppression(), sf.KAnonymity(k), seed=1)
    found, least = stars(release, frame.columns), fewest(rows, k, [1, 1, 1])
    assert found >= least
    assert found <= 2 * least + 3


def test_a_heavier_column_keeps_more_of_its_values():
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({c: rng.choice(list("abc"), 120) for c in ("p", "q", "r")})

    def hidden(**weights):
        table = sf.Table(frame, sf.Schema(quasi=["p", "q", "r"], weights=weights))
        release = sf.publish(table, sf.CellSuppression(), sf.KAnonymity(6), seed=1)
        return {c: stars(release, [c]) for c in frame.columns}

    assert hidden(p=20)["p"] < hidden()["p"] or hidden()["p"] == 0
    assert hidden(p=20)["p"] < hidden(p=0.05)["p"]


def test_hierarchies_and_ranges_are_not_used_and_missing_values_are_values():
    paths = [("x1", "x", "*"), ("x2", "x", "*"), ("y1", "y", "*")]
    frame = pl.DataFrame({"t": ["x1", "x2", "x1", "x2", "y1", "y1"], "n": [1, 1, 1, 1, None, None]})
    table = sf.Table(frame, sf.Schema(quasi=["t", "n"], hierarchies={"t": sf.Hierarchy.from_paths(paths)}))
    release = sf.publish(table, sf.CellSuppression(), sf.KAnonymity(2), seed=1)
    assert Counter(release.data.frame.rows()) == {("x1", "1"): 2, ("x2", "1"): 2, ("y1", None): 2}
    release = sf.publish(table, sf.CellSuppression(), sf.KAnonymity(3), seed=1)
    assert set(release.data.frame["t"]) <= {"x1", "x2", "y1", "*"}
    assert set(release.data.frame["n"]) <= {"1", None, "*"}
    assert Counter(release.data.frame.rows()).most_common()[-1][1] >= 3


def test_a_missing_value_is_no_other():
    table = sf.Table(pl.DataFrame({"c": ["a", "a", None, None]}), sf.Schema(quasi=["c"]))
    assert stars(sf.publish(table, sf.CellSuppression(), sf.KAnonymity(2), seed=1), ["c"]) == 0


def test_parameters_are_checked():
    with pytest.raises(ParameterError, match="show must be one of"):
        sf.CellSuppression(show="levels")
