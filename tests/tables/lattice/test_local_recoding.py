"""Local recoding: every promise is kept, the cover is that of a naive one, and the polish only ever helps."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from naive_lattice import PROMISES, Lattices, lattices

import sfumato as sf
from naive import ncp
from sfumato.data.encoding import encode
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.privacy.criteria import all_hold
from sfumato.privacy.requirements import criteria_for
from sfumato.tables.coding.columns import flatten
from sfumato.tables.coding.levels import levels_of
from sfumato.tables.grouping.job import Job
from sfumato.tables.lattice import cover as covering
from sfumato.tables.lattice import polish as polishing
from sfumato.tables.lattice.cover import cover
from sfumato.tables.lattice.divide_groups import divided, reunited
from sfumato.tables.lattice.polish import placed, polished
from tables_strategies import tables

KEPT = [
    sf.KAnonymity(2), sf.KAnonymity(4), sf.LDiversity(2), sf.LDiversity(1.5), sf.LDiversity(2, kind="distinct"),
    sf.LDiversity(1.7, kind="entropy"), sf.LDiversity(2, kind="recursive", c=3), sf.TCloseness(0.3),
    sf.TCloseness(0.3, distance="variational"), sf.TCloseness(0.4, distance="kl"), sf.BetaLikeness(1),
    sf.BetaLikeness(0.7, enhanced=False), sf.KAnonymity(3) & sf.LDiversity(2, columns=("disease",)),
    sf.KAnonymity(2) & sf.TCloseness(0.25) & sf.LDiversity(2, kind="distinct"),
]  # fmt: skip


def prepared(table, promise):
    quasi, sensitive = encode(table, table.schema.quasi), encode(table, table.schema.sensitive)
    criteria = criteria_for(promise, len(table), sensitive)
    codes = np.ascontiguousarray(np.stack([column.codes for column in quasi], axis=1))
    return quasi, flatten(quasi), criteria, codes


def members(group):
    return [np.flatnonzero(group == g) for g in np.unique(group)]


def total(quasi, group):
    return sum(len(rows) * ncp(quasi, rows.tolist()) for rows in members(group))


def holds(criteria, group):
    order = np.argsort(group, kind="stable")
    sizes = np.bincount(group)
    return all_hold(criteria, order, np.concatenate([[0], np.cumsum(sizes[sizes > 0])]))


def grouped(groups, n):
    group = np.full(n, -1)
    group[groups.order] = np.repeat(np.arange(groups.n_groups), groups.sizes)
    return group


@settings(max_examples=60)
@given(tables(min_rows=2, max_rows=24), st.sampled_from(KEPT), st.booleans())
def test_every_release_verifies(table, promise, polish):
    try:
        release = sf.publish(table, sf.LocalRecoding(polish=polish), promise, seed=1)
    except InfeasibleError:
        assert promise.limit(len(table), encode(table, table.schema.sensitive)) is not None
        return
    assert release.verdict.holds
    assert sf.verify(release, table).holds
    assert len(release.data) == len(table)


@settings(max_examples=40)
@given(lattices(min_rows=2, max_rows=16), st.sampled_from(PROMISES), st.booleans())
def test_tables_with_hierarchies_of_unequal_depth_verify(made, promise, polish):
    assume(promise.limit(len(made.table), encode(made.table, made.table.schema.sensitive)) is None)
    assert sf.publish(made.table, sf.LocalRecoding(polish=polish), promise, seed=1).verdict.holds


@settings(max_examples=60)
@given(tables(min_rows=2, max_rows=24), st.sampled_from(KEPT))
def test_groups_are_a_partition_and_the_polish_never_raises_the_loss(table, promise):
    quasi, columns, criteria, _ = prepared(table, promise)
    sensitive = encode(table, table.schema.sensitive)
    assume(promise.limit(len(table), sensitive) is None)
    rough = sf.LocalRecoding(polish=False).groups(Job(quasi, sensitive, promise, Randomness(0)))
    fine = sf.LocalRecoding().groups(Job(quasi, sensitive, promise, Randomness(0)))
    for groups in (rough, fine):
        assert sorted(groups.order.tolist()) == list(range(len(table)))
        assert groups.sizes.min() > 0
        assert all_hold(criteria, groups.order, groups.starts)
    before, after = grouped(rough, len(table)), grouped(fine, len(table))
    assert total(quasi, after) <= total(quasi, before) + 1e-9
    again = polished(columns, criteria, after)
    assert total(quasi, again) <= total(quasi, after) + 1e-9


@settings(max_examples=60)
@given(tables(min_rows=4, max_rows=24), st.sampled_from(KEPT), st.integers(1, 5), st.integers(0, 1000))
def test_any_groups_that_hold_are_polished_to_such(table, promise, n_groups, seed):
    quasi, columns, criteria, _ = prepared(table, promise)
    group = np.random.default_rng(seed).integers(0, n_groups, len(table))
    assume(holds(criteria, group))
    better = polished(columns, criteria, group)
    assert holds(criteria, better)
    assert total(quasi, better) <= total(quasi, group) + 1e-9


@settings(max_examples=60)
@given(tables(min_rows=4, max_rows=24), st.sampled_from(KEPT), st.integers(0, 3), st.integers(0, 1000))
def test_whoever_has_no_group_is_placed(table, promise, n_groups, seed):
    _, columns, criteria, _ = prepared(table, promise)
    assume(promise.limit(len(table), encode(table, table.schema.sensitive)) is None)
    group = np.random.default_rng(seed).integers(-1, max(n_groups, 1), len(table))
    if n_groups == 0:
        group[:] = -1
    inside = group[group >= 0]
    group[group >= 0] = np.unique(inside, return_inverse=True)[1]
    for g in np.unique(group[group >= 0]):
        rows = np.flatnonzero(group == g)
        assume(all_hold(criteria, rows, np.array([0, len(rows)])))
    found = placed(columns, criteria, group)
    assert found.min() >= 0
    assert holds(criteria, found)


def test_who_fits_into_no_group_takes_others_along():
    """Two groups with both values, and more of one value: no group can take a single one of them."""
    frame = pl.DataFrame({"a": [1, 1, 5, 5, 9, 9, 9, 9], "s": ["p", "q", "p", "q", "p", "p", "p", "q"]})
    table = sf.Table(frame, sf.Schema(quasi=["a"], sensitive=["s"]))
    promise = sf.TCloseness(0.13)
    _, columns, criteria, _ = prepared(table, promise)
    group = np.array([0, 0, 1, 1, -1, -1, -1, -1])
    found = placed(columns, criteria, group)
    assert holds(criteria, found)
    assert len(np.unique(found)) < 4


@pytest.mark.parametrize("promise", [
    sf.KAnonymity(3), sf.LDiversity(1.9), sf.LDiversity(1.9, kind="entropy"), sf.TCloseness(0.25), sf.BetaLikeness(1),
])  # fmt: skip
def test_one_odd_record_does_not_widen_a_large_group(promise):
    values = ["a"] * 200 + ["b"] * 100 + ["c"]
    frame = pl.DataFrame({"v": values, "s": ["p", "q"] * 150 + ["p"]})
    table = sf.Table(frame, sf.Schema(quasi=["v"], sensitive=["s"]))
    for method in (sf.LocalRecoding(), sf.LocalRecoding(polish=False), sf.CellSuppression()):
        release = sf.publish(table, method, promise, seed=1)
        shown = release.data.frame["v"]
        assert int(shown.is_in(["a", "b"]).sum()) >= 250
        assert release.data.frame.group_by("v").len().height == 3


@settings(max_examples=60)
@given(tables(min_rows=4, max_rows=24), st.sampled_from(KEPT), st.integers(1, 4), st.integers(0, 1000))
def test_groups_are_divided_into_parts_that_hold(table, promise, n_groups, seed):
    _, columns, criteria, _ = prepared(table, promise)
    group = np.random.default_rng(seed).integers(0, n_groups, len(table))
    group = np.unique(group, return_inverse=True)[1]
    assume(holds(criteria, group))
    group[0] = -1
    assume(
        len(np.unique(group[1:])) == group.max() + 1 and holds(criteria._replace(codes=criteria.codes[1:]), group[1:])
    )
    parts, of_group = divided(columns.codes, criteria, group)
    assert parts[0] == -1
    assert of_group[parts[1:]].tolist() == group[1:].tolist()
    assert partition(reunited(parts, of_group, np.where(parts < 0, len(of_group), parts)).tolist()) == {
        (0,), *partition(group.tolist())
    }  # fmt: skip


@settings(max_examples=40)
@given(tables(min_rows=2, max_rows=20), st.sampled_from(KEPT), st.integers(0, 4))
def test_a_search_that_runs_out_of_visits_still_keeps_the_promise(table, promise, visits):
    sensitive = encode(table, table.schema.sensitive)
    assume(promise.limit(len(table), sensitive) is None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(covering, "_VISITS", visits)
        assert sf.publish(table, sf.LocalRecoding(), promise, seed=1).verdict.holds


@settings(max_examples=30)
@given(tables(min_rows=2, max_rows=20), st.sampled_from(KEPT), st.integers(1, 60))
def test_a_polish_that_runs_out_of_its_budget_still_keeps_the_promise(table, promise, budget):
    quasi, columns, criteria, codes = prepared(table, promise)
    assume(promise.limit(len(table), encode(table, table.schema.sensitive)) is None)
    group = placed(columns, criteria, cover(levels_of(quasi, halved=True), codes, criteria))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(polishing, "_BUDGET", budget)
        better = polished(columns, criteria, group)
    assert holds(criteria, better)
    assert total(quasi, better) <= total(quasi, group) + 1e-9


# -- the cover ---------------------------------------------------------------------------------------------


def naive_cover(made, k):
    """Visit the nodes in rising loss; take classes of k whose own loss is reached; come back for the others."""
    n = len(made.frame)
    losses = {node: made.shown(node)[1] for node in made.nodes()}
    coming = sorted((sum(loss) / n, sum(node), node) for node, loss in losses.items())
    coming = [(cost, node) for cost, _, node in coming]
    later, group, n_groups = [], [-1] * n, 0
    while coming or later:
        later.sort()
        again = later and (not coming or later[0][0] <= coming[0][0])
        limit, node = later.pop(0) if again else coming.pop(0)
        classes = {}
        for i, row in enumerate(made.shown(node)[0]):
            if group[i] < 0:
                classes.setdefault(row, []).append(i)
        left = math.inf
        for rows in classes.values():
            if len(rows) < k:
                continue
            if losses[node][rows[0]] <= limit + 1e-12:
                for i in rows:
                    group[i] = n_groups
                n_groups += 1
            else:
                left = min(left, losses[node][rows[0]])
        if min(group) >= 0:
            break
        if left < math.inf:
            later.append((max(left, limit * 1.03), node))
    return group


def partition(group):
    return {tuple(np.flatnonzero(np.asarray(group) == g)) for g in set(group) if g >= 0}


@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much])
@given(lattices(min_rows=4, max_rows=14, trees=True), st.integers(1, 4))
def test_the_cover_is_that_of_a_naive_one(made, k):
    quasi, _, criteria, codes = prepared(made.table, sf.KAnonymity(k))
    levels = levels_of(quasi, halved=True)
    costs = [round(sum(made.shown(node)[1]), 9) for node in made.nodes()]
    assume(len(set(costs)) == len(costs))  # of nodes that cost the same either may come first
    assert partition(cover(levels, codes, criteria).tolist()) == partition(naive_cover(made, k))


@pytest.mark.parametrize("seed", range(8))
def test_the_cover_of_larger_tables_is_that_of_a_naive_one(seed):
    rng = np.random.default_rng(seed)
    paths = {
        name: [
            (f"{name}{i}", f"{name}-{i // 4}", name, "*") if i < 8 else (f"{name}{i}", name * 2, "*") for i in range(11)
        ]
        for name in "ab"
    }
    columns = {name: [f"{name}{int(v)}" for v in 11 * rng.beta(1, 2, 60)] for name in "ab"}
    frame = pl.DataFrame(columns | {"s": ["p"] * 60, "x": [1] * 60})
    made = Lattices(frame, paths, {"a": 1.0, "b": 1.37})
    quasi, _, criteria, codes = prepared(made.table, sf.KAnonymity(3))
    levels = levels_of(quasi, halved=True)
    assert partition(cover(levels, codes, criteria).tolist()) == partition(naive_cover(made, 3))


def test_a_worked_example():
    """Cheap classes first: towns where they can be told, then countries; the odd one out joins whom it costs least."""
    paths = [(f"{country}{i}", country, "*") for country in "ABC" for i in range(4)]
    towns = ["A0", "A0", "A1", "A2", "B0", "B0", "B0", "C1"]
    schema = sf.Schema(quasi=["town"], hierarchies={"town": sf.Hierarchy.from_paths(paths)})
    table = sf.Table(pl.DataFrame({"town": towns}), schema)
    quasi, _, criteria, codes = prepared(table, sf.KAnonymity(2))
    group = cover(levels_of(quasi, halved=True), codes, criteria)
    assert partition(group) == {(0, 1), (2, 3), (4, 5, 6)}
    assert group[7] == -1
    release = sf.publish(table, sf.LocalRecoding(), sf.KAnonymity(2), seed=1)
    assert (
        sorted(release.data.frame["town"]) == ["*"] * 2 + ["A", "A"] + ["A0"] * 2 + ["B0"] * 2
        or sorted(release.data.frame["town"]) == ["*"] * 3 + ["A0"] * 2 + ["B0"] * 3
    )


def test_a_single_class_and_a_single_row():
    one = sf.Table(pl.DataFrame({"c": [4]}), sf.Schema(quasi=["c"]))
    assert len(sf.publish(one, sf.LocalRecoding(), sf.KAnonymity(1)).data) == 1
    with pytest.raises(InfeasibleError):
        sf.publish(one, sf.LocalRecoding(), sf.KAnonymity(2))
    alike = sf.Table(pl.DataFrame({"c": [4] * 5}), sf.Schema(quasi=["c"]))
    release = sf.publish(alike, sf.LocalRecoding(), sf.KAnonymity(5))
    assert sf.measure(release, alike)["gcp"] == 0


def test_it_loses_less_than_mondrian_under_hierarchies():
    rng = np.random.default_rng(5)
    paths = [(f"{i:02d}", f"{i // 3}-", f"{i // 9}--", "*") for i in range(27)]
    tree = sf.Hierarchy.from_paths(paths)
    frame = pl.DataFrame({c: [f"{v:02d}" for v in rng.integers(0, 27, 400)] for c in "abc"})
    table = sf.Table(frame, sf.Schema(quasi=list("abc"), hierarchies=dict.fromkeys("abc", tree)))
    lost = {
        method: sf.measure(sf.publish(table, method, sf.KAnonymity(4), seed=1), table)["gcp"]
        for method in (sf.LocalRecoding(), sf.Mondrian())
    }
    assert lost[sf.LocalRecoding()] < lost[sf.Mondrian()]


def test_parameters_are_checked():
    with pytest.raises(ParameterError, match="polish must be true or false"):
        sf.LocalRecoding(polish=1)
    with pytest.raises(ParameterError, match="show must be one of"):
        sf.LocalRecoding(show="levels")
