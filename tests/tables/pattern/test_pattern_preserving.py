"""PatternPreserving on hundreds of small tables: every property holds on what is published, and nothing else is kept."""

from __future__ import annotations

import datetime as dt
import json

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.contracts.method import method_from_dict
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.errors import InfeasibleError, ParameterError, SchemaError
from sfumato.privacy.exchangeable import Exchangeable
from sfumato.tables.pattern.blocks import Blocks
from sfumato.tables.pattern.pattern_preserving import PatternPreserving
from sfumato.tables.pattern.poi import PoI
from sfumato.tables.pattern.properties import Between, Localities, Means, Order, Ratios, Sums
from support.pattern_tables import as_numbers, checked, publish, sorted_table, table_of

DAY = dt.date(2024, 2, 27)
TYPES = {"integer": pl.Int64, "number": pl.Float64, "date": pl.Date}


@st.composite
def tables(draw):
    """One to three columns of numbers and dates with ties, constants and missing values; two columns of groups."""
    n = draw(st.sampled_from([1, 2, 3, 3, 4, 5, 7, 9, 12]))
    columns = {
        "g": pl.Series(draw(st.lists(st.sampled_from(["a", "b", None]), min_size=n, max_size=n)), dtype=pl.String)
    }
    for i, kind in enumerate(draw(st.lists(st.sampled_from(["integer", "number", "date"]), min_size=1, max_size=3))):
        widest = draw(st.sampled_from([0, 3, 9, 60, 1000]))
        values = {
            "integer": st.integers(-3, widest),
            "number": st.integers(-3, 10 * widest).map(lambda tenths: tenths / 10),
            "date": st.integers(0, widest).map(lambda days: DAY + dt.timedelta(days=days)),
        }[kind]
        cells = draw(st.lists(values if draw(st.booleans()) else st.one_of(values, values, st.none()),
                              min_size=n, max_size=n))  # fmt: skip
        if all(cell is None for cell in cells):
            cells[0] = draw(values)
        columns[f"c{i}"] = pl.Series(cells, dtype=TYPES[kind])
    bounds = {}
    for name, column in columns.items():
        if name != "g" and draw(st.booleans()):
            room = dt.timedelta(days=20) if column.dtype == pl.Date else 20
            bounds[name] = (column.min() - room, column.max() + room)
    return table_of(columns, bounds=bounds)


@st.composite
def properties(draw, table):
    """Some families, and relations that hold in this table."""
    names = table.schema.quasi
    numbers = as_numbers(table.frame, names)
    kept = draw(st.lists(st.sampled_from([
        Order(), Localities(), Localities(share=0.3), Order(columns=(names[0],)), Localities(columns=(names[-1],)),
        Sums(within=0.1), Sums(by="g", within=0.05), Means(within=0.2), Means(by="g", within=0.5), Between(by="g"),
    ]), min_size=1, max_size=3, unique_by=repr))  # fmt: skip
    known = [(line, r) for line in range(len(names)) for r in range(len(table)) if not np.isnan(numbers[line, r])]
    for _ in range(draw(st.integers(0, 2))):
        (a, i), (b, j) = draw(st.sampled_from(known)), draw(st.sampled_from(known))
        left, right = numbers[a, i], numbers[b, j]
        relation = "<=" if left <= right else ">="
        kept.append(PoI(f"{names[a]}[{i}] {relation} {names[b]}[{j}]"))
    return kept


def back(table, outcome):
    """Published numbers in the order of the original rows, and those of the original."""
    names = table.schema.quasi
    new = np.full((len(names), len(table)), np.nan)
    new[:, outcome.rows] = as_numbers(outcome.frame, names)
    return new, as_numbers(table.frame, names)


def ranges(table):
    """Where the values of each column may lie."""
    numbers = as_numbers(table.frame, table.schema.quasi)
    low, high = np.nanmin(numbers, axis=1), np.nanmax(numbers, axis=1)
    for line, name in enumerate(table.schema.quasi):
        column = table.schema.column(name)
        for end, given_end in ((low, column.low), (high, column.high)):
            if given_end is not None:
                end[line] = (given_end - dt.date(1970, 1, 1)).days if isinstance(given_end, dt.date) else given_end
    return low, high


@settings(max_examples=300)
@given(st.data())
def test_whatever_is_asked_for_holds_in_what_is_published(data):
    table = data.draw(tables())
    kept = data.draw(properties(table))
    partition = data.draw(st.sampled_from([None, None, 3, "g"]))
    bounds = data.draw(st.sampled_from(["schema", "schema", "partition"]))
    resolution = data.draw(st.sampled_from(["column", "column", "real"]))
    before = table.frame.clone()
    parameters = {"partition": partition, "bounds": bounds, "resolution": resolution}
    try:
        outcome = publish(table, kept, **parameters)
    except InfeasibleError:  # one point alone
        assume(False)
    check = checked(table, outcome)
    assert check.n_broken == 0, check.first_broken
    assert sorted(outcome.rows.tolist()) == list(range(len(table)))
    assert table.frame.equals(before)
    new, old = back(table, outcome)
    assert (np.isnan(new) == np.isnan(old)).all()
    low, high = ranges(table)
    known = ~np.isnan(new)
    slack = 1e-9 * np.maximum(np.abs(low), np.abs(high))[:, None]
    assert ((new >= low[:, None] - slack) | ~known).all()
    assert ((new <= high[:, None] + slack) | ~known).all()
    for line, name in enumerate(table.schema.quasi):
        reached = outcome.public["resolution"][name]
        dtype = table.frame[name].dtype
        if reached == 1.0 or dtype == pl.Float64:
            assert outcome.frame[name].dtype == dtype
        if reached > 0:
            values = new[line][known[line]]
            assert values == pytest.approx(np.rint(values / reached) * reached, abs=1e-9 * max(1.0, reached))
    assert outcome.frame["g"].to_list() == table.frame["g"].gather(outcome.rows).to_list()


@settings(max_examples=60)
@given(tables(), st.sampled_from([Order(), Localities(), Localities(share=0.5)]), st.sampled_from([None, "g"]))
def test_equal_values_stay_equal_and_the_order_stays(table, property, partition):
    outcome = publish(table, property, partition=partition)
    new, old = back(table, outcome)
    groups = table.frame["g"].to_list() if partition else [""] * len(table)
    for line in range(len(new)):
        for i in range(len(table)):
            for j in range(len(table)):
                if groups[i] == groups[j] and old[line, i] == old[line, j]:
                    assert new[line, i] == new[line, j]
                if groups[i] == groups[j] and old[line, i] < old[line, j] and property != Localities(share=0.5):
                    assert new[line, i] <= new[line, j]


@settings(max_examples=40)
@given(tables(), st.sampled_from([2, 3, "g"]))
def test_each_partition_keeps_to_its_own_range(table, partition):
    outcome = publish(table, Order(), partition=partition, bounds="partition")
    new, old = back(table, outcome)
    n = len(table)
    keys = (
        table.frame["g"].to_list()
        if partition == "g"
        else [min(r // partition, max(1, n // partition) - 1) for r in range(n)]
    )
    for key in set(keys):
        rows = [r for r in range(n) if keys[r] == key]
        for line in range(len(new)):
            known = [r for r in rows if not np.isnan(old[line, r])]
            if known and old[line, known].min() < old[line, known].max():
                assert new[line, known].min() >= old[line, known].min() - 1e-9
                assert new[line, known].max() <= old[line, known].max() + 1e-9


@settings(max_examples=40)
@given(tables(), st.sampled_from([Order(), Localities(), Localities(share=0.5), Between(by="g")]))
def test_the_same_seed_gives_the_same_result(table, property):
    first, again = publish(table, property, seed=7), publish(table, property, seed=7)
    assert again.frame.equals(first.frame)
    assert again.rows.tolist() == first.rows.tolist()
    assert again.files["properties"].equals(first.files["properties"])
    assert again.public == first.public


FULL = {
    "age": [23, 35, 35, 41, 58, 62, 70, 18],
    "cost": [1.5, 2.5, 9.0, 4.5, 0.5, 7.0, 3.0, 8.5],
    "g": list("aabbaabb"),
}


def test_another_seed_gives_another_result():
    table = table_of(FULL)
    first, second = publish(table, Localities(), seed=1), publish(table, Localities(), seed=2)
    assert sorted(first.frame["age"].to_list()) != sorted(second.frame["age"].to_list())
    assert sorted(first.frame["cost"].to_list()) != sorted(second.frame["cost"].to_list())
    assert first.rows.tolist() != second.rows.tolist()


def test_values_change():
    table = table_of(FULL)
    for keep in (Order(), Localities(), Sums(), Between(by="g"), Ratios("cost", "age"), Blocks(4)):
        outcome = publish(table, keep, resolution="real")
        new, old = back(table, outcome)
        assert (np.abs(new - old) > 1e-6).mean() > 0.6


@pytest.mark.parametrize("walk", ["billiard", "hit-and-run", "coordinate", "one-sided"])
@pytest.mark.parametrize("steps", [None, 40])
def test_every_walk_keeps_every_property(walk, steps):
    table = table_of(FULL)
    keep = [Localities(share=0.5), Sums(by="g", within=0.1), PoI("cost[0] <= age[0]")]
    outcome = publish(table, keep, walk=walk, steps=steps)
    assert checked(table, outcome).n_broken == 0
    assert outcome.public["walk"]["name"] == walk
    if steps and walk != "one-sided":
        assert outcome.public["walk"]["steps"] <= steps * outcome.public["walk"]["bodies"]
    json.dumps(outcome.public)


def test_identifiers_are_left_out_and_other_columns_go_with_their_rows():
    table = Table(
        pl.DataFrame({"name": list("uvwxyz"), "x": [1, 2, 3, 5, 8, 13], "s": list("abcdef"), "p": [6, 5, 4, 3, 2, 1]}),
        Schema(identifier=["name"], quasi=["x"], sensitive=["s"], plain=["p"]),
    )
    outcome = publish(table, Order())
    assert outcome.frame.columns == ["x", "s", "p"]
    assert outcome.frame["s"].to_list() == table.frame["s"].gather(outcome.rows).to_list()
    assert outcome.frame["p"].to_list() == table.frame["p"].gather(outcome.rows).to_list()


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([3, 1, 4, 1, 5, 9], pl.Int8),
        ([3, 1, 4, 1, 5, 9], pl.UInt16),
        ([30, 10, 40, 10, 50, 90], pl.Int64),
        ([0.5, 2.25, 3.75, 9.0], pl.Float64),
        ([DAY, DAY + dt.timedelta(days=40), DAY + dt.timedelta(days=90)], pl.Date),
        ([dt.datetime(2024, 1, 1, 12), dt.datetime(2024, 3, 1), dt.datetime(2024, 2, 1, 5, 30)], pl.Datetime("us")),
        ([dt.datetime(2024, 1, 1, 12), dt.datetime(2024, 3, 1), dt.datetime(2024, 2, 1, 5, 30)], pl.Datetime("ms")),
    ],
)
def test_types_and_resolutions_are_kept(values, dtype):
    table = table_of({"x": pl.Series(values, dtype=dtype)})
    outcome = publish(table, Order())
    assert outcome.frame["x"].dtype == dtype
    assert outcome.frame["x"].null_count() == 0
    assert checked(table, outcome).n_broken == 0
    if dtype == pl.Float64:
        assert all(round(value * 100) == pytest.approx(value * 100) for value in outcome.frame["x"])
        assert outcome.public["resolution"] == {"x": 0.01}


# -- dates -------------------------------------------------------------------------------------------------


def random_days(seed, n, widest):
    return [DAY + dt.timedelta(days=int(d)) for d in np.random.default_rng(seed).integers(0, widest, n)]


@pytest.mark.parametrize("seed", range(12))
def test_localities_of_dates_hold_where_days_are_too_coarse(seed):
    """Thirty dates rarely have a drawn shape on whole days; what is published must keep it all the same."""
    table = table_of({"x": random_days(seed, 30, 400)})
    outcome = publish(table, Localities(), seed=seed)
    assert checked(table, outcome).n_broken == 0


@pytest.mark.parametrize("seed", range(6))
def test_real_dates_keep_their_properties(seed):
    table = table_of({"x": random_days(seed, 12, 40)})
    outcome = publish(table, Localities(), resolution="real", seed=seed)
    assert checked(table, outcome).n_broken == 0


def test_moments_take_bounds():
    moments = [dt.datetime(2024, 1, 1, 12), dt.datetime(2024, 3, 1), dt.datetime(2024, 2, 1, 5, 30)]
    ends = (dt.date(2023, 1, 1), dt.date(2025, 1, 1))
    for table, bounds in (
        (table_of({"x": moments}), {"x": ends}),
        (table_of({"x": moments}, bounds={"x": ends}), "schema"),
    ):
        outcome = publish(table, Order(), bounds=bounds)
        assert all(ends[0] <= moment.date() <= ends[1] for moment in outcome.frame["x"])
        assert checked(table, outcome).n_broken == 0


def test_bounds_of_dates_may_be_text():
    """As a recipe or a schema file writes them."""
    table = table_of({"x": random_days(1, 5, 40)})
    outcome = publish(table, Order(), bounds={"x": ("2023-01-01", "2025-01-01")})
    assert checked(table, outcome).n_broken == 0
    assert outcome.frame["x"].min() >= dt.date(2023, 1, 1)


# -- resolution, shift, scale ------------------------------------------------------------------------------


def integers_of(seed, n=12, widest=40):
    return np.random.default_rng(seed).integers(0, widest, n).tolist()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("step", [2.5, 1.5, 5, 0.25])
def test_a_resolution_by_column_is_kept_with_the_properties(step, seed):
    table = table_of({"x": integers_of(seed)}, bounds={"x": (-100, 200)})
    outcome = publish(table, Localities(), resolution={"x": step}, seed=seed)
    assert checked(table, outcome).n_broken == 0
    reached = outcome.public["resolution"]["x"]
    values = outcome.frame["x"].cast(pl.Float64).to_numpy()
    assert reached <= step
    if reached:
        assert values == pytest.approx(np.rint(values / reached) * reached, abs=1e-6)


@pytest.mark.parametrize("seed", range(10))
def test_whole_numbers_stay_whole_where_rounding_can_be_mended(seed):
    table = table_of({"x": integers_of(seed, n=24, widest=100)})
    for keep in ([Order()], [Sums(within=0)], [Order(), Sums(within=0.001)], [Localities(share=0.1), Means(within=0)]):
        outcome = publish(table, keep, seed=seed)
        assert outcome.public["resolution"] == {"x": 1.0}
        assert outcome.frame["x"].dtype == pl.Int64
        assert checked(table, outcome).n_broken == 0


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("shift", "scale"), [(0.0, 0.3), (0.5, 1.0), (-7.0, 1.0), (3.25, 2.0)])
def test_shifted_and_scaled_values_keep_their_properties(shift, scale, seed):
    table = table_of({"x": integers_of(seed), "y": [float(v) for v in integers_of(seed + 50)]})
    keep = [Localities(), Sums(within=0.02), PoI("x[0] - 100 <= y[1]")]
    plain = publish(table, keep, seed=seed)
    moved = publish(table, keep, seed=seed, shift={"x": shift}, scale={"x": scale})
    assert checked(table, moved).n_broken == 0
    expected = plain.frame["x"].cast(pl.Float64).to_numpy() * scale + shift
    assert moved.frame["x"].cast(pl.Float64).to_numpy() == pytest.approx(expected)
    assert moved.frame["y"].to_list() == plain.frame["y"].to_list()


def test_shift_and_scale_are_not_told():
    method = PatternPreserving(Order(), shift={"x": 17.25}, scale={"x": 3.5})
    assert "17.25" not in json.dumps(method.to_dict())
    assert "3.5" not in json.dumps(method.to_dict())


def test_whole_numbers_beyond_a_small_type_are_not_lost():
    table = table_of({"x": pl.Series([1, 5, 5, 9, 12], dtype=pl.Int8)})
    outcome = publish(table, Order(), bounds={"x": (-1000, 1000)})
    assert outcome.frame["x"].null_count() == 0
    assert checked(table, outcome).n_broken == 0


# -- columns together --------------------------------------------------------------------------------------


@pytest.mark.parametrize("within", [0.0, 1e-6, 0.01, 0.2])
@pytest.mark.parametrize("seed", range(3))
def test_ratios_hold_across_columns(within, seed):
    table = table_of(
        {
            "a": [1 + v for v in integers_of(seed)],
            "b": [1 + v for v in integers_of(seed + 9)],
            "g": list("aabbccaabbcc"),
        }
    )
    for by in (None, "g"):
        outcome = publish(table, Ratios("a", "b", by=by, within=within), seed=seed)
        assert checked(table, outcome).n_broken == 0


def test_equalities_across_columns_hold():
    table = table_of({"a": [1, 5, 5, 9, 12], "b": [3, 7, 8, 1, 2], "c": [0.1, 0.2, 0.7, 0.4, 0.5]})
    keep = [PoI("a[0] + 2 * c[1] = 1.4"), PoI("3 * a[1] - 7 * b[2] + c[0] = -40.9"), PoI("sum(a) - sum(b) within 0")]
    outcome = publish(table, keep)
    assert checked(table, outcome).n_broken == 0


def test_several_families_at_once():
    table = table_of(FULL)
    keep = [
        Localities(columns=("age",)),
        Means(by="g", within=0.05),
        Between(by="g"),
        Ratios("cost", "age", within=0.1),
    ]
    check = checked(table, publish(table, keep))
    assert check.n_broken == 0
    assert check.n > 20


# -- blocks ------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(st.integers(2, 4), st.sampled_from([0.0, 0.1]), st.data())
def test_blocks_keep_range_and_mean(k, within, data):
    n = data.draw(st.integers(k, 14))
    values = data.draw(st.lists(st.integers(0, 30), min_size=n, max_size=n))
    table = table_of({"x": values, "y": [v * 0.5 for v in reversed(values)]})
    outcome = publish(table, Blocks(k, within=within), promise=Exchangeable(k))
    assert checked(table, outcome).n_broken == 0
    block = outcome.files["blocks"]["block"].to_numpy()
    assert np.bincount(block).min() >= k
    old = as_numbers(table.frame, ["x", "y"])[:, outcome.rows]
    new = as_numbers(outcome.frame, ["x", "y"])
    for b in np.unique(block):
        for line in range(2):
            before, after = old[line, block == b], new[line, block == b]
            assert after.min() >= before.min() - 1e-9
            assert after.max() <= before.max() + 1e-9
            assert abs(after.mean() - before.mean()) <= within * np.ptp(before) + 1e-9 * (1 + abs(before.mean()))


def test_blocks_beside_other_properties_hold_too():
    table = table_of({"x": [1, 5, 5, 9, 12, 20, 21, 3]})
    assert checked(table, publish(table, [Blocks(2), Order()])).n_broken == 0


# -- parameters --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"keep": []}, "keep takes properties"),
        ({"keep": "Order"}, "keep takes properties"),
        ({"keep": [Order(), 3]}, "keep takes properties"),
        ({"partition": 0}, "partition must be a number of rows"),
        ({"partition": True}, "partition must be a number of rows"),
        ({"bounds": "data"}, "bounds must be one of schema, partition"),
        ({"walk": "bilard"}, "walk must be one of"),
        ({"steps": 0}, "steps must be 1 or more"),
        ({"resolution": "integer"}, "resolution must be column, real or given by column"),
        ({"scale": {"x": 0}}, "scale must be given by column, as numbers above 0"),
        ({"scale": {"x": -1}}, "scale must be given by column, as numbers above 0"),
    ],
)
def test_wrong_parameters_are_told_at_once(parameters, message):
    with pytest.raises(ParameterError, match=r".") as error:
        PatternPreserving(**({"keep": Order()} | parameters))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"partition": "h"}, "no column is called 'h'"),
        ({"bounds": {"y": (0, 1)}}, "column 'y' is not substituted"),
        ({"bounds": {"x": (2, 9)}}, "the bounds of column 'x' leave out values of the data"),
        ({"shift": {"g": 1}}, "column 'g' is not substituted"),
        ({"resolution": {"z": 1}}, "column 'z' is not substituted"),
    ],
)
def test_parameters_that_do_not_fit_the_table_are_told(parameters, message):
    with pytest.raises(ParameterError, match=r".") as error:
        publish(table_of({"x": [1, 2, 3], "g": ["a", "b", "a"]}), Order(), **parameters)
    assert message in str(error.value)


def test_other_kinds_of_columns_are_refused():
    with pytest.raises(SchemaError, match="no column is declared quasi"):
        publish(table_of({"x": [1, 2]}, quasi=[]), Order())
    with pytest.raises(SchemaError, match="column 'g' is a category"):
        publish(table_of({"x": [1, 2], "g": ["a", "b"]}, quasi=["x", "g"]), Order())


@pytest.mark.parametrize(
    "method",
    [
        PatternPreserving(Localities(share=0.05)),
        PatternPreserving([Order(columns=("x",)), PoI("x[0] <= 3"), Blocks(3)], partition=5, bounds="partition"),
        PatternPreserving(Sums(by="g"), bounds={"x": [0, 9]}, walk="hit-and-run", steps=7, resolution={"x": 0.5}),
    ],
)
def test_methods_survive_as_plain_data(method):
    again = method_from_dict(json.loads(json.dumps(method.to_dict())))
    assert again == method


def test_the_leftover_rows_join_the_last_partition():
    table = table_of({"x": list(range(11))})
    assert publish(table, Order(), partition=3).public["walk"]["bodies"] == 3
    assert publish(table, Order(), partition=50).public["walk"]["bodies"] == 1


def test_blocks_are_numbered_as_they_occur():
    release = sf.publish(sorted_table(), sf.PatternPreserving(sf.Blocks(5)), sf.Exchangeable(5), seed=3)
    blocks = release.files["blocks"]["block"].to_list()
    assert list(dict.fromkeys(blocks)) == list(range(max(blocks) + 1))
    assert "blocks" not in sf.publish(sorted_table(), sf.PatternPreserving(sf.Blocks(5)), seed=3).files


def test_moved_columns_tell_no_bounds():
    table = sorted_table(40).with_schema(sf.Schema(quasi=["age", "cost"], bounds={"age": (0, 105)}))
    release = sf.publish(table, sf.PatternPreserving(sf.Localities(0.1), scale={"age": 2.5}), seed=1)
    assert release.schema.column("age").high is None
    assert release.public["resolution"]["age"] % 2.5 == pytest.approx(0.0, abs=1e-9)
    assert release.verdict
