"""Samarati, Incognito and best-first search against trying every node of the lattice."""

import math
from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive_lattice import PROMISES, lattices

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.ground.errors import DataError, InfeasibleError, ParameterError, SchemaError
from sfumato.tables.coding.levels import levels_of
from sfumato.tables.lattice import frequency_sets
from sfumato.tables.lattice import lattice as lattice_module
from sfumato.tables.lattice.examiner import Examiner
from sfumato.tables.lattice.full_domain import FullDomainMethod
from sfumato.tables.lattice.lattice import Borders, Lattice, _walked, below, rising
from sfumato.tables.lattice.search_result import Found, minimal

MEASURES = st.sampled_from(["gcp", "entropy", "discernibility", "height"])
SHARES = st.sampled_from([0.0, 0.0, 0.1, 0.25, 0.5])
SOME = settings(max_examples=60)


@dataclass(frozen=True)
class At(FullDomainMethod, register=False):
    """Publishes one node, whatever it costs."""

    node: tuple[int, ...] = ()
    max_suppressed: float = 0.0
    measure: str = "gcp"
    show: str = "levels"
    any_suppression = True

    def _search(self, examiner):
        return Found(self.node, 0.0, ()) if examiner.examine(self.node).holds else None


def published(made, method, promise):
    """A release; the few where every value of a column went with the withheld rows are left out."""
    try:
        return sf.publish(made.table, method, promise, seed=1)
    except DataError as error:
        assume("no value at all" not in str(error))
        raise


def lowest(nodes):
    return {node for node in nodes if not any(other != node and below(other, node) for other in nodes)}


def names(search):
    return {tuple(each.values()) for each in search.minimal}


@SOME
@given(lattices(), st.sampled_from(PROMISES), SHARES, MEASURES)
def test_best_first_costs_what_the_best_of_all_nodes_costs(made, promise, share, measure):
    every = made.search(promise, share, measure)
    method = sf.BestFirst(max_suppressed=share, measure=measure)
    if not every:
        with pytest.raises(InfeasibleError):
            method.search(made.table, promise)
        return
    found = method.search(made.table, promise)
    assert found.cost == pytest.approx(min(every.values()))
    assert every[tuple(found.levels.values())] == pytest.approx(found.cost)
    assert found.complete
    assert found.n_examined <= found.n_nodes == len(made.nodes())
    assert names(found) <= set(every)


@SOME
@given(lattices(), st.sampled_from(PROMISES), SHARES, MEASURES)
def test_samarati_and_incognito_find_the_minimal_nodes(made, promise, share, measure):
    if any(not isinstance(part, sf.KAnonymity) for part in promise.parts):
        share = 0.0
    every = made.search(promise, share, measure)
    samarati = sf.Samarati(max_suppressed=share, measure=measure)
    incognito = sf.Incognito(max_suppressed=share, measure=measure)
    if not every:
        for method in (samarati, incognito):
            with pytest.raises(InfeasibleError):
                method.search(made.table, promise)
        return
    found = samarati.search(made.table, promise)
    height = min(map(sum, every))
    flattest = {node for node in every if sum(node) == height}
    assert names(found) == flattest
    assert found.cost == pytest.approx(min(every[node] for node in flattest))
    assert found.bound <= min(every.values()) + 1e-12
    found = incognito.search(made.table, promise)
    assert names(found) == lowest(every)
    assert found.cost == pytest.approx(min(every.values()))
    assert found.complete


@settings(max_examples=40)
@given(lattices(min_rows=3), st.sampled_from(PROMISES), SHARES, MEASURES, st.integers(1, 6))
def test_a_search_that_is_stopped_says_how_much_better_another_could_be(made, promise, share, measure, most):
    every = made.search(promise, share, measure)
    assume(every)
    found = sf.BestFirst(max_suppressed=share, measure=measure, max_examined=most).search(made.table, promise)
    assert found.bound <= min(every.values()) + 1e-12
    assert every[tuple(found.levels.values())] == pytest.approx(found.cost)
    assert found.complete == (found.bound >= found.cost)


@settings(max_examples=40)
@given(lattices(), st.sampled_from(PROMISES), SHARES, st.randoms(use_true_random=False))
def test_every_node_that_holds_is_published_verified_and_measured_at_its_cost(made, promise, share, random):
    every = made.search(promise, share)
    assume(every)
    node = random.choice(sorted(every))
    release = published(made, At(node, share), promise)
    assert release.verdict.holds
    assert sf.verify(release, made.table).holds
    lost = sf.measure(release, made.table)
    assert lost["gcp"] == pytest.approx(every[node])
    gone = made.withheld(node, promise, math.floor(share * len(made.frame) + 1e-9))
    assert len(release.data) == len(made.frame) - len(gone)
    assert release.public["levels"] == made.named(node)
    rows = made.shown(node)[0]
    wanted = Counter(row for i, row in enumerate(rows) if i not in gone)
    cells = Counter(tuple(row) for row in release.data.frame.select(made.quasi).rows())
    assert sorted(cells.values()) == sorted(wanted.values())
    for c, q in enumerate(made.quasi):
        if q in made.paths:
            assert Counter(release.data.frame[q]) == Counter(rows[i][c] for i in range(len(rows)) if i not in gone)


@settings(max_examples=30)
@given(lattices(min_rows=2), st.sampled_from(PROMISES), MEASURES)
def test_releases_of_all_searches_verify(made, promise, measure):
    for method in (sf.BestFirst(0.3, measure), sf.Samarati(measure=measure), sf.Incognito(measure=measure)):
        try:
            release = published(made, method, promise)
        except InfeasibleError:
            continue
        assert release.verdict.holds
        assert sf.verify(release, made.table).holds


def examiner_of(made, promise, **options):
    quasi = encode(made.table, made.table.schema.quasi)
    sensitive = encode(made.table, made.table.schema.sensitive)
    return Examiner(quasi, sensitive, promise, levels_of(quasi), **options)


@settings(max_examples=60)
@given(lattices(), st.sampled_from(PROMISES), st.randoms(use_true_random=False), st.sampled_from([2, 64]))
def test_frequency_sets_that_are_rolled_up_are_those_counted_from_the_rows(made, promise, random, room):
    nodes = made.nodes()
    random.shuffle(nodes)
    examiner = examiner_of(made, promise)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(examiner, "_SETS", room)
        patch.setattr(examiner, "_WORTH", 1.0)
        for node in nodes:
            examiner.prepare(node)
            examiner.examine(node)
    used = sorted({part for each in promise.parts for part in (getattr(each, "columns", ()) or ("s", "x"))})
    if all(isinstance(part, sf.KAnonymity) for part in promise.parts):
        used = []
    for known in examiner._sets:
        rows = made.shown(known.node)[0]
        keys = [(row, *(made.frame[name][i] for name in used)) for i, row in enumerate(rows)]
        counted = {keys[entry]: int(weight) for entry, weight in zip(known.entries, known.weight, strict=True)}
        assert counted == Counter(keys)
        assert len(counted) == len(known.entries)
    for node in nodes:
        of_row, allowed = examiner.classes(node)
        groups = defaultdict(set)
        for i, row in enumerate(made.shown(node)[0]):
            groups[row].add(int(of_row[i]))
        assert all(len(ids) == 1 for ids in groups.values())
        assert len(set(of_row.tolist())) == len(groups) == len(allowed)


def wide(n_columns, n_rows=300):
    """So many columns that a class's key does not fit into 64 bits."""
    rng = np.random.default_rng(4)
    rows = rng.integers(0, 200, (n_rows // 3, n_columns))
    return sf.Table(
        pl.DataFrame({f"c{c}": np.tile(rows[:, c], 3) for c in range(n_columns)}),
        sf.Schema(quasi=[f"c{c}" for c in range(n_columns)]),
    )


def test_keys_beyond_64_bits_are_hashed():
    table = wide(12)
    quasi = encode(table, table.schema.quasi)
    levels = levels_of(quasi)
    assert np.prod([float(column.n_codes) for column in quasi]) > 2.0**64
    examiner = Examiner(quasi, [], sf.KAnonymity(3), levels)
    assert examiner.examine((0,) * 12).holds
    of_row, _ = examiner.classes((0,) * 12)
    assert of_row[:100].tolist() == of_row[100:200].tolist()
    assert len(set(of_row.tolist())) == table.frame.unique().height
    node = (0,) * 11 + (1,)
    assert len(set(examiner.classes(node)[0].tolist())) == table.frame.drop("c11").unique().height
    assert sf.BestFirst().search(table, sf.KAnonymity(3)).cost == 0


def test_hashes_that_collide_are_told_apart():
    """Keys of different classes practically never agree; entries that share one must still be compared."""
    table = wide(12, 60)
    quasi = encode(table, table.schema.quasi)
    levels = levels_of(quasi)
    codes = np.ascontiguousarray(np.stack([column.codes for column in quasi], axis=1))
    node = np.zeros(12, dtype=np.int64)
    assert frequency_sets._same(levels, node, codes[0], codes[20])
    assert not frequency_sets._same(levels, node, codes[0], codes[1])
    assert frequency_sets._same(levels, node + 1, codes[0], codes[1])


# -- the lattice itself ------------------------------------------------------------------------------------


TOPS = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)


@given(TOPS)
def test_the_lattice_is_every_combination_of_levels(tops):
    lattice = Lattice(tops)
    nodes = list(lattice)
    assert len(nodes) == len(set(nodes)) == len(lattice)
    assert lattice.height == max(map(sum, nodes))
    by_height = [node for height in range(lattice.height + 1) for node in lattice.at_height(height)]
    assert sorted(by_height) == sorted(nodes)
    assert [sum(node) for node in by_height] == sorted(map(sum, nodes))
    for node in nodes:
        above = {other for other in nodes if below(node, other) and sum(other) == sum(node) + 1}
        assert set(lattice.successors(node)) == above


@given(TOPS, st.integers(0, 1000))
def test_nodes_come_in_rising_order_each_once_sorted_or_walked(tops, seed):
    lattice = Lattice(tops)
    rng = np.random.default_rng(seed)
    costs = [np.cumsum(rng.integers(0, 3, top + 1) / 8) for top in tops]  # eighths add up exactly
    wanted = sorted(sum(cost[level] for cost, level in zip(costs, node, strict=True)) for node in lattice)
    for walk in (list(rising(lattice, costs)), list(_walked(lattice, costs))):
        assert [total for total, _ in walk] == wanted
        assert sorted(node for _, node in walk) == sorted(lattice)
        for total, node in walk:
            assert total == sum(cost[level] for cost, level in zip(costs, node, strict=True))
        place = {node: i for i, (_, node) in enumerate(walk)}
        for node in lattice:
            assert all(place[node] < place[above] for above in lattice.successors(node))


def test_a_large_lattice_is_walked(monkeypatch):
    monkeypatch.setattr(lattice_module, "_LISTED", 10)
    costs = [np.arange(4.0)] * 3
    walk = list(rising(Lattice((3, 3, 3)), costs))
    assert len({node for _, node in walk}) == 64
    assert [total for total, _ in walk] == sorted(float(sum(node)) for node in Lattice((3, 3, 3)))


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), max_size=6), st.tuples(*[st.integers(0, 3)] * 3))
def test_borders(nodes, node):
    borders = Borders(3)
    for each in nodes:
        borders.add(each)
    assert borders.covers_from_above(node) == any(below(node, each) for each in nodes)
    assert borders.covers_from_below(node) == any(below(each, node) for each in nodes)
    assert set(minimal(nodes)) == lowest(set(nodes))


# -- corners -----------------------------------------------------------------------------------------------


def one(values, **roles):
    return sf.Table(pl.DataFrame({"c": values}), sf.Schema(quasi=["c"], **roles))


SEARCHES = [sf.BestFirst(), sf.Samarati(), sf.Incognito()]


@pytest.mark.parametrize("method", SEARCHES)
def test_identical_rows_are_left_alone(method):
    found = method.search(one([7, 7, 7]), sf.KAnonymity(3))
    assert found.levels == {"c": 0}
    assert found.cost == found.bound == found.n_withheld == 0
    assert found.complete


@pytest.mark.parametrize("method", SEARCHES)
def test_a_single_row(method):
    assert method.search(one([7]), sf.KAnonymity(1)).cost == 0
    with pytest.raises(InfeasibleError):
        method.search(one([7]), sf.KAnonymity(2))
    with pytest.raises(InfeasibleError):
        sf.publish(one([7]), method, sf.KAnonymity(2))


@pytest.mark.parametrize("method", SEARCHES)
def test_no_row_at_all(method):
    empty = one(pl.Series([], dtype=pl.Int64))
    with pytest.raises((InfeasibleError, DataError)):
        method.search(empty, sf.KAnonymity(2))


@pytest.mark.parametrize("method", SEARCHES)
def test_search_refuses_what_publish_refuses(method):
    bare = sf.Table(pl.DataFrame({"c": [1, 2]}), sf.Schema(plain=["c"]))
    with pytest.raises(SchemaError, match="no column is declared quasi"):
        method.search(bare, sf.KAnonymity(2))
    with pytest.raises(ParameterError, match="keeps no bound on the loss"):
        method.search(one([1, 2]), sf.KAnonymity(2) & sf.AccuracyBound(0.3))


def test_not_every_row_may_be_withheld():
    assert sf.BestFirst(0.9).search(one([1, 2, 3, 4]), sf.KAnonymity(2)).levels == {"c": 1}
    found = sf.BestFirst(0.5).search(one([1, 1, 2, 3]), sf.KAnonymity(2))
    assert (found.levels, found.n_withheld, found.cost) == ({"c": 0}, 2, 0.5)


def test_the_share_of_withheld_rows_is_rounded_down():
    assert sf.BestFirst(0.3).search(one([1] * 7 + [2, 3, 4]), sf.KAnonymity(2)).n_withheld == 3
    assert sf.BestFirst(0.29).search(one([1] * 7 + [2, 3, 4]), sf.KAnonymity(2)).n_withheld == 0


@pytest.mark.parametrize("method", [sf.Samarati(0.5), sf.Incognito(0.5)])
def test_suppression_is_refused_where_what_holds_below_need_not_hold_above(method):
    table = sf.Table(pl.DataFrame({"c": [1, 2], "s": ["a", "b"]}), sf.Schema(quasi=["c"], sensitive=["s"]))
    with pytest.raises(ParameterError, match="use BestFirst"):
        sf.publish(table, method, sf.LDiversity(2))
    assert sf.publish(table, type(method)(), sf.LDiversity(2)).verdict.holds


def test_what_the_whole_table_cannot_keep_a_part_of_it_may():
    frame = pl.DataFrame({"c": [1, 1, 2, 2, 3], "s": ["p", "q", "p", "q", "p"]})
    table = sf.Table(frame, sf.Schema(quasi=["c"], sensitive=["s"]))
    with pytest.raises(InfeasibleError):
        sf.publish(table, sf.BestFirst(), sf.LDiversity(2))
    release = sf.publish(table, sf.BestFirst(0.2), sf.LDiversity(2), seed=1)
    assert release.verdict.holds
    assert release.public["withheld_rows"] == 1


@pytest.mark.parametrize("promise", [
    sf.TCloseness(0.19, distance="variational"), sf.TCloseness(0.19), sf.BetaLikeness(0.4, enhanced=False),
])  # fmt: skip
def test_withheld_rows_no_longer_count_for_closeness(promise):
    """Both large classes are close to the whole table, and not to what is left of it without the third."""
    frame = pl.DataFrame({
        "c": ["u"] * 10 + ["v"] * 20 + ["w"] * 5,
        "s": ["a"] * 6 + ["b"] * 4 + ["a"] * 6 + ["b"] * 14 + ["a"] * 5,
    })  # fmt: skip
    table = sf.Table(frame, sf.Schema(quasi=["c"], sensitive=["s"]))
    found = sf.BestFirst(0.2).search(table, promise)
    assert (found.levels, found.n_withheld) == ({"c": 1}, 0)
    assert sf.publish(table, sf.BestFirst(0.2), promise, seed=1).verdict.holds


def test_a_value_that_is_withheld_altogether():
    """It has no share any more that another could be compared with."""
    frame = pl.DataFrame({"c": [0, 0, 0, 0, 1], "s": ["p", "p", "p", "p", "q"]})
    table = sf.Table(frame, sf.Schema(quasi=["c"], sensitive=["s"]))
    for promise in (sf.TCloseness(0.3, distance="kl"), sf.TCloseness(0.2), sf.BetaLikeness(1, enhanced=False)):
        found = sf.BestFirst(0.2).search(table, promise)
        assert (found.levels, found.n_withheld) == ({"c": 0}, 1)
        assert sf.publish(table, sf.BestFirst(0.2), promise, seed=1).verdict.holds


@pytest.mark.parametrize(("root", "cost"), [("anything", 0.0), ("*", 1.0)])
def test_a_column_of_one_value_costs_what_is_measured(root, cost):
    one_leaf = sf.Hierarchy.from_paths([("a", root)])
    table = sf.Table(pl.DataFrame({"c": ["a", "a"]}), sf.Schema(quasi=["c"], hierarchies={"c": one_leaf}))
    method = At((1,))
    assert method.search(table, sf.KAnonymity(2)).cost == cost
    assert sf.measure(sf.publish(table, method, sf.KAnonymity(2), seed=1), table)["gcp"] == cost


def test_the_ranks_of_numbers_are_those_that_are_published():
    """Distances between numbers go by their ranks, so that a withheld number brings the others farther apart."""
    frame = pl.DataFrame({"c": ["u"] * 4 + ["v"] * 4 + ["w"], "x": [0, 0, 0, 1, 0, 1, 1, 1, 9]})
    table = sf.Table(frame, sf.Schema(quasi=["c"], sensitive=["x"]))
    assert sf.BestFirst(0.2).search(table, sf.TCloseness(0.22)).levels == {"c": 1}
    found = sf.BestFirst(0.2).search(table, sf.TCloseness(0.25))
    assert (found.levels, found.n_withheld) == ({"c": 0}, 1)
    assert sf.publish(table, sf.BestFirst(0.2), sf.TCloseness(0.25), seed=1).verdict.holds


@pytest.mark.parametrize(("make", "message"), [
    (lambda: sf.BestFirst(max_suppressed=1), "max_suppressed must be a share"),
    (lambda: sf.Samarati(max_suppressed=-0.1), "max_suppressed must be a share"),
    (lambda: sf.Incognito(max_suppressed=True), "max_suppressed must be a share"),
    (lambda: sf.BestFirst(measure="gpc"), "measure must be one of gcp, .* did you mean"),
    (lambda: sf.BestFirst(max_examined=0), "max_examined must be a whole number"),
    (lambda: sf.BestFirst(max_examined=True), "max_examined must be a whole number"),
    (lambda: sf.Samarati(show="cells"), "show must be one of"),
    (lambda: sf.Mondrian(show="levels"), "show must be one of"),
])  # fmt: skip
def test_parameters_are_checked(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def test_classes_of_a_node_can_be_shown_in_other_ways():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"age": rng.integers(20, 60, 200), "sex": rng.choice(["f", "m"], 200)})
    ages = sf.Hierarchy.intervals([5, 10], low=20, high=60)
    table = sf.Table(frame, sf.Schema(quasi=["age", "sex"], hierarchies={"age": ages}))
    for show in ("ranges", "means"):
        release = sf.publish(table, sf.BestFirst(show=show), sf.KAnonymity(4), seed=1)
        assert release.verdict.holds


def test_all_pairs_of_levels_of_two_columns():
    """One worked example, by hand: ages by decade, two sexes."""
    paths = [(str(age), f"{age // 10}0s", "*") for age in (21, 22, 31, 32)]
    frame = pl.DataFrame({"age": ["21", "22", "31", "32"] * 2, "sex": ["f", "f", "m", "m", "f", "m", "m", "m"]})
    table = sf.Table(frame, sf.Schema(quasi=["age", "sex"], hierarchies={"age": sf.Hierarchy.from_paths(paths)}))
    found = sf.Incognito().search(table, sf.KAnonymity(2))
    assert found.minimal == ({"age": 0, "sex": 1}, {"age": 2, "sex": 0})
    assert found.cost == 0.5
    assert sf.Samarati().search(table, sf.KAnonymity(2)).levels == {"age": 0, "sex": 1}
    assert sf.BestFirst(0.125).search(table, sf.KAnonymity(2)).levels == {"age": 1, "sex": 0}
    assert sf.BestFirst(0.125).search(table, sf.KAnonymity(2)).cost == pytest.approx((7 * 0.25 + 1) / 8)
