"""The orders of a table: reflected lexicographic, iDistance, Hilbert, and the best of several."""

import itertools
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from cut_lines import problem_of
from sfumato.data.encoding import encode
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.tables.coding.columns import flatten
from sfumato.tables.grouping import line_methods, ordered
from sfumato.tables.grouping.cutting.problem import Cut, Problem
from sfumato.tables.grouping.cutting.solve_direct import cut_line
from sfumato.tables.grouping.hilbert import hilbert_line
from sfumato.tables.grouping.idistance import _means, _points, idistance_line
from sfumato.tables.grouping.job import Job
from sfumato.tables.grouping.ordered import search
from sfumato.tables.grouping.snake import snake_order
from tables_strategies import EUROPE, tables

ALL_ORDERS = ("snake", "lexicographic", "hilbert", "idistance")


# The reflected lexicographic order


def plain_snake(codes, priority, *, reflect):
    """Runs of equal prefixes, split column by column; every second run, counted over all of them, is turned round."""
    runs = [list(range(codes.shape[1]))]
    for column in priority:
        finer = []
        for number, run in enumerate(runs):
            values = sorted({codes[column, row] for row in run}, reverse=reflect and number % 2 == 1)
            finer += [[row for row in run if codes[column, row] == value] for value in values]
        runs = finer
    return list(itertools.chain(*runs))


@st.composite
def code_tables(draw):
    d, n = draw(st.integers(1, 4)), draw(st.integers(0, 30))
    n_codes = [draw(st.integers(1, 5)) for _ in range(d)]
    codes = [draw(st.lists(st.integers(-1, width - 1), min_size=n, max_size=n)) for width in n_codes]
    priority = draw(st.permutations(range(d)).flatmap(lambda p: st.integers(1, d).map(lambda size: p[:size])))
    return np.array(codes, dtype=np.int32).reshape(d, n), np.array(n_codes), np.array(priority)


@settings(max_examples=200)
@given(code_tables(), st.booleans())
def test_the_snake_equals_a_plain_one(given_table, reflect):
    codes, n_codes, priority = given_table
    order = snake_order(codes, n_codes, priority, reflect)
    assert order.tolist() == plain_snake(codes, priority, reflect=reflect)


@settings(max_examples=100)
@given(code_tables())
def test_without_reflection_it_is_a_stable_sort(given_table):
    codes, n_codes, priority = given_table
    expected = sorted(range(codes.shape[1]), key=lambda row: tuple(codes[priority, row]))
    assert snake_order(codes, n_codes, priority, False).tolist() == expected


def test_on_a_full_grid_neighbours_differ_by_one_step():
    grid = np.array(list(itertools.product(range(3), range(4), range(2), range(3))), dtype=np.int32)
    order = snake_order(np.ascontiguousarray(grid.T), np.array([3, 4, 2, 3]), np.array([2, 0, 3, 1]), True)
    assert (np.abs(np.diff(grid[order], axis=0)).sum(axis=1) == 1).all()


def test_more_rows_than_codes_and_more_codes_than_rows():
    codes = np.array([[900, 3, 900, -1], [0, 0, 1, 0]], dtype=np.int32)
    for n_codes in ([901, 2], [5000, 2]):
        assert snake_order(codes, np.array(n_codes), np.array([0, 1]), True).tolist() == [3, 1, 0, 2]
    assert snake_order(codes, np.array([901, 2]), np.array([1, 0]), True).tolist() == [3, 1, 0, 2]
    many = np.zeros((1, 3000), dtype=np.int32)
    assert snake_order(many, np.array([1]), np.array([0]), True).tolist() == list(range(3000))


# iDistance


def all_quasi(frame, **declared):
    return sf.Table(frame, sf.Schema(quasi=frame.columns, **declared))


def columns_of(table):
    return flatten(encode(table, table.schema.quasi))


def scattered(n=300, d=2):
    random = Randomness("scattered")
    return all_quasi(pl.DataFrame({f"x{c}": random.uniform(n) for c in range(d)}))


@settings(max_examples=60)
@given(tables(max_rows=30, sensitive=False), st.integers(1, 40), st.sampled_from([0.05, 0.5, 1.0]), st.integers(0, 3))
def test_the_line_of_idistance_is_an_order_that_rises(table, n_centres, sample, seed):
    columns = columns_of(table)
    line = idistance_line(columns, n_centres, sample, Randomness(seed))
    assert sorted(line.rows.tolist()) == list(range(len(table)))
    assert (np.diff(line.along) >= 0).all()
    again = idistance_line(columns, n_centres, sample, Randomness(seed))
    assert again.rows.tolist() == line.rows.tolist()
    assert again.along.tolist() == line.along.tolist()


def test_other_seeds_give_other_lines():
    columns = columns_of(scattered())
    lines = {tuple(idistance_line(columns, 8, 0.1, Randomness(seed)).rows) for seed in range(5)}
    assert len(lines) > 1


@pytest.mark.parametrize(("n_centres", "sample"), [(1, 1.0), (7, 0.1), (20, 0.5), (64, 0.01)])
def test_records_of_one_centre_lie_together_by_their_distance(n_centres, sample):
    columns = columns_of(scattered())
    line = idistance_line(columns, n_centres, sample, Randomness(3))
    points = _points(columns)
    chosen = Randomness(3).spawn("sample").permutation(300)[: max(round(sample * 300), n_centres)]
    centres = _means(points[chosen], n_centres)
    distance = np.linalg.norm(points[line.rows][:, None] - centres[None], axis=2)
    nearest = distance.argmin(axis=1)
    visits = [centre for centre, _ in itertools.groupby(nearest)]
    assert len(visits) == len(set(visits)) > n_centres // 2
    for centre in visits:
        assert (np.diff(distance[nearest == centre].min(axis=1)) >= -1e-12).all()


def test_centres_are_the_means_of_what_is_nearest_to_them():
    """Two clusters far apart: the centres end where the clusters lie, wherever they began."""
    random = Randomness("clusters")
    points = np.concatenate([random.uniform(80).reshape(40, 2), random.uniform(80).reshape(40, 2) + 9.0])
    centres = _means(points[random.permutation(80)], 2)
    expected = np.array([points[:40].mean(axis=0), points[40:].mean(axis=0)])
    assert np.sort(centres, axis=0) == pytest.approx(expected)


def test_more_centres_than_distinct_points():
    """Every distinct point is a centre: equal records lie together, at no distance from it."""
    frame = pl.DataFrame({"x": [3, 1, 3, 2, 1, 3, 1, 2], "c": list("abaaabab")})
    table = all_quasi(frame)
    line = idistance_line(columns_of(table), 512, 0.1, Randomness(1))
    rows = [frame.row(row) for row in line.rows.tolist()]
    runs = [key for key, _ in itertools.groupby(rows)]
    assert len(runs) == len(set(runs)) == frame.n_unique()
    assert len(np.unique(line.along)) == frame.n_unique()


@pytest.mark.parametrize(
    ("given_parameters", "message"),
    [
        ({"centres": 0}, "centres must be a whole number >= 1, got 0"),
        ({"centres": True}, "centres must be a whole number >= 1, got True"),
        ({"centres": 2.0}, r"centres must be a whole number >= 1, got 2\.0"),
        ({"sample": 0}, "sample must be above 0 and at most 1, got 0"),
        ({"sample": 1.5}, r"sample must be above 0 and at most 1, got 1\.5"),
        ({"sample": float("nan")}, "sample must be above 0 and at most 1, got nan"),
        ({"sample": True}, "sample must be above 0 and at most 1, got True"),
        ({"polish": "yes"}, "polish must be true or false, got 'yes'"),
        ({"fast": 1}, "fast must be true or false, got 1"),
        ({"solve": "best"}, "solve must be one of heuristic, optimal, dual, got 'best'"),
    ],
)
def test_parameters_of_idistance(given_parameters, message):
    with pytest.raises(ParameterError, match=message):
        sf.IDistance(**given_parameters)


# Hilbert


def test_the_hilbert_line_of_a_mixed_table_is_what_it_always_was():
    lands = ["Italy", "France", "Spain", "US", "Brazil", "Chile"]
    frame = pl.DataFrame({
        "age": [(i * 17) % 41 if i % 9 else None for i in range(24)],
        "land": [lands[(i * 5) % 6] for i in range(24)],
        "job": ["abcd"[(i * i) % 4] for i in range(24)],
        "grade": [["low", "mid", "high"][(i * 7) % 3] for i in range(24)],
    })  # fmt: skip
    orders = {"grade": ["low", "mid", "high"]}
    table = all_quasi(frame, hierarchies={"land": EUROPE}, orders=orders, weights={"age": 2.0})
    line = hilbert_line(columns_of(table))
    expected = [0, 18, 6, 12, 4, 16, 10, 22, 5, 17, 23, 11, 21, 3, 15, 9, 1, 13, 7, 19, 8, 20, 2, 14]
    assert line.rows.tolist() == expected
    assert line.along[[0, 2, 3, 4, 6, 8, 12, 23]].tolist() == [
        0.0, 15837.0, 506914.0, 782315.0, 816035.0, 2313434.0, 4341157.0, 7282904.0,
    ]  # fmt: skip


# The best of several


def grouped(table, method, promise, seed=1):
    """The groups that a method forms, and the GCP of them."""
    quasi, sensitive = encode(table, table.schema.quasi), encode(table, table.schema.sensitive)
    groups = method.groups(Job(quasi, sensitive, promise, Randomness(seed)))
    loss = problem_of(table, promise).total(Cut(groups.order, groups.starts))
    return groups, loss


@settings(max_examples=25)
@given(tables(min_rows=4, max_rows=30), st.sampled_from(["k", "l", "t"]), st.integers(0, 2))
def test_the_best_of_all_is_the_best_of_each(table, kind, seed):
    promise = {"k": sf.KAnonymity(3), "l": sf.LDiversity(2, columns=("disease",)), "t": sf.TCloseness(0.3)}[kind]
    if promise.limit(len(table), encode(table, table.schema.sensitive)) is not None:
        return
    groups, loss = grouped(table, sf.Ordered(best_of=ALL_ORDERS, trials=6, polish=False), promise, seed)
    alone = {
        name: grouped(table, sf.Ordered(best_of=(name,), trials=6, polish=False), promise, seed) for name in ALL_ORDERS
    }
    assert loss == pytest.approx(min(other for _, other in alone.values()), abs=1e-12)
    winner = groups.disclosed["order"].split(":")[0]
    assert loss == pytest.approx(alone[winner][1], abs=1e-12)
    assert groups.disclosed == alone[winner][0].disclosed
    assert grouped(table, sf.Hilbert(), promise)[1] == pytest.approx(alone["hilbert"][1], abs=1e-12)
    polished = grouped(table, sf.Ordered(best_of=ALL_ORDERS, trials=6), promise, seed)[1]
    assert polished <= loss + 1e-12


def test_a_snake_wins_where_categories_are_many_and_says_its_columns_only(tmp_path):
    """Values that look like nothing else in the files: none of them may be told."""
    random = Randomness("categories")
    frame = pl.DataFrame({f"q{c}": [f"zz{value}" for value in random.integers(4, size=300)] for c in range(5)})
    table = all_quasi(frame)
    release = sf.publish(table, sf.Ordered(trials=10), sf.KAnonymity(4), seed=1)
    told = release.public["order"]
    name, _, columns = told.partition(": ")
    assert name == "snake"
    assert sorted(columns.split(", ")) == frame.columns
    assert "zz" not in told
    release.save(tmp_path / "out")
    assert sf.load_release(tmp_path / "out").public["order"] == told
    told = sf.publish(table, sf.Ordered(best_of="hilbert"), sf.KAnonymity(4)).public["order"]
    assert told == "hilbert"


@settings(max_examples=150)
@given(st.lists(st.integers(0, 20), min_size=6, max_size=6), st.permutations(range(3)))
def test_the_search_of_three_columns_misses_the_reversed_sequence_at_most(costs, start):
    """Every other sequence is an exchange or a move away from the one it ends with."""
    table = dict(zip(itertools.permutations(range(3)), costs, strict=True))
    found = search(tuple(start), table.__getitem__, 6)
    assert table[found] == min(cost for sequence, cost in table.items() if sequence != found[::-1])
    assert table[found] <= table[tuple(start)]


@settings(max_examples=100)
@given(st.permutations(range(4)), st.integers(1, 30), st.integers(0, 10**6))
def test_the_search_keeps_to_its_trials(start, trials, seed):
    asked = []
    costs = dict(zip(itertools.permutations(range(4)), Randomness(seed).uniform(24), strict=True))

    def cost(sequence):
        asked.append(sequence)
        return costs[sequence]

    found = search(tuple(start), cost, trials)
    assert len(asked) == len(set(asked)) <= trials
    assert asked[0] == tuple(start)
    assert costs[found] == min(costs[sequence] for sequence in asked)
    if trials == 30:  # enough: nothing one exchange or one move away is better
        moved = [
            (*rest[:j], column, *rest[j:])
            for i, column in enumerate(found)
            for rest in [(*found[:i], *found[i + 1 :])]
            for j in range(4)
        ]
        assert costs[found] == min(costs[tuple(sequence)] for sequence in moved)


def test_the_sequence_found_is_the_best_of_a_table():
    frame = pl.DataFrame({
        "a": [(i * 7) % 5 for i in range(120)], "b": [f"{(i * 11 + i // 3) % 7}" for i in range(120)],
        "c": [(i * i) % 12 for i in range(120)],
    })  # fmt: skip
    table, promise = all_quasi(frame), sf.KAnonymity(4)
    columns = columns_of(table)
    totals = {}
    for sequence in itertools.permutations(range(3)):
        order = snake_order(columns.codes, columns.n_codes, np.array(sequence), True)
        problem = Problem(columns, order, np.arange(120.0), [], promise)
        totals[", ".join("abc"[c] for c in sequence)] = problem.total(cut_line(problem))
    groups, loss = grouped(table, sf.Ordered(best_of=("snake",), trials=6, polish=False), promise)
    assert loss == pytest.approx(min(totals.values()))
    assert groups.disclosed["order"] == f"snake: {min(totals, key=totals.get)}"


@pytest.mark.parametrize("promise", [sf.KAnonymity(20), sf.LDiversity(3), sf.KAnonymity(20) & sf.TCloseness(0.4)])
def test_sequences_are_sought_on_a_sample_of_large_tables(monkeypatch, promise):
    sizes = []

    def seen(problem, **options):
        sizes.append(problem.n)
        return cut_line(problem, **options)

    for module in (ordered, line_methods):  # the search, and the cut of the line that won
        monkeypatch.setattr(module, "cut_line", seen)
    monkeypatch.setattr(ordered, "_SEARCHED", 150)
    monkeypatch.setattr(ordered, "_LEAST_SEARCHED", 100)
    frame = pl.DataFrame({
        "a": [(i * 7) % 50 for i in range(400)], "b": [f"{(i * 11) % 7}" for i in range(400)],
        "s": ["uvwxyz"[(i * i + i // 7) % 6] for i in range(400)],
    })  # fmt: skip
    table = sf.Table(frame, sf.Schema(quasi=["a", "b"], sensitive=["s"]))
    assert sf.publish(table, sf.Ordered(trials=4), promise, seed=1).verdict.holds
    assert sizes[-1] == 400
    assert set(sizes[:-2]) == {150}


EDGES = {
    "one row": ([7], ["a"], ["u"]),
    "two rows": ([7, 9], ["a", "b"], ["u", "v"]),
    "all equal": ([7] * 6, ["a"] * 6, ["u", "v"] * 3),
    "one value in a column": ([7] * 6, list("abcabc"), ["u", "v"] * 3),
    "all missing but one": ([None] * 5 + [7], [None] * 5 + ["b"], ["u", "v"] * 3),
    "one column rises": (list(range(6)), ["a"] * 6, list("uvwuvw")),
}


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize(
    "method",
    [sf.Hilbert(), sf.Hilbert(fast=True), sf.Hilbert(polish=True), sf.IDistance(), sf.IDistance(centres=2, sample=1.0),
     *(sf.Ordered(best_of=name) for name in ALL_ORDERS), sf.Ordered(best_of=ALL_ORDERS)],
    ids=lambda m: f"{type(m).__name__}-{getattr(m, 'best_of', '')}-{getattr(m, 'fast', '')}-{getattr(m, 'polish', '')}",
)  # fmt: skip
def test_every_order_of_the_smallest_tables(method, edge):
    x, c, s = EDGES[edge]
    frame = pl.DataFrame({"x": x, "c": c, "s": s}, schema={"x": pl.Int64, "c": pl.String, "s": pl.String})
    table = sf.Table(frame, sf.Schema(quasi=["x", "c"], sensitive=["s"]))
    n = len(x)
    for promise in (sf.KAnonymity(1), sf.KAnonymity(n), sf.TCloseness(0.0), sf.LDiversity(2 if n > 1 else 1)):
        release = sf.publish(table, method, promise, seed=1)
        assert release.verdict.holds
        assert len(release.data) == n
    assert sf.publish(table, method, sf.KAnonymity(1), seed=1).data.frame.drop_nulls("c").height == sum(
        value is not None for value in c
    )


@pytest.mark.parametrize("method", [sf.Hilbert(), sf.IDistance(), sf.Ordered()], ids=lambda m: type(m).__name__)
def test_an_empty_table_is_published_empty(method):
    """As by Mondrian: no class is far from anything."""
    frame = pl.DataFrame({"x": [], "c": [], "s": []}, schema={"x": pl.Int64, "c": pl.String, "s": pl.String})
    table = sf.Table(frame, sf.Schema(quasi=["x", "c"], sensitive=["s"]))
    assert len(sf.publish(table, sf.Mondrian(), sf.TCloseness(0.2), seed=1).data) == 0
    assert len(sf.publish(table, method, sf.TCloseness(0.2), seed=1).data) == 0


def test_a_loaded_release_says_the_same_of_its_method(tmp_path):
    frame = pl.DataFrame({"x": [i % 7 for i in range(30)], "y": [i % 4 for i in range(30)]})
    release = sf.publish(all_quasi(frame), sf.Ordered(), sf.KAnonymity(3), seed=1)
    release.save(tmp_path / "out", report=False)
    assert sf.load_release(tmp_path / "out").method == release.method


@pytest.mark.parametrize(
    ("given_parameters", "message"),
    [
        ({"best_of": ()}, "best_of must name some of snake, lexicographic, hilbert, idistance"),
        ({"best_of": None}, "best_of must name some of"),
        ({"best_of": ("snake", "snail")}, re.escape("got ('snake', 'snail')")),
        ({"best_of": "snail"}, re.escape("got ('snail',)")),
        ({"trials": 0}, "trials must be a whole number >= 1, got 0"),
        ({"trials": True}, "trials must be a whole number >= 1, got True"),
        ({"trials": 2.5}, r"trials must be a whole number >= 1, got 2\.5"),
        ({"polish": 1}, "polish must be true or false, got 1"),
        ({"show": "rangs"}, "show must be one of"),
    ],
)
def test_parameters_of_ordered(given_parameters, message):
    with pytest.raises(ParameterError, match=message):
        sf.Ordered(**given_parameters)


def test_an_order_may_be_named_alone_or_in_a_list():
    assert sf.Ordered(best_of="snake") == sf.Ordered(best_of=["snake"]) == sf.Ordered(best_of=("snake",))
