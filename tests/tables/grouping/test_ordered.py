"""The best of several orders, and the search for a sequence of columns."""

import itertools
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.tables.grouping import line_methods, ordered
from sfumato.tables.grouping.cutting.problem import Cut, Problem
from sfumato.tables.grouping.cutting.solve_direct import cut_line
from sfumato.tables.grouping.job import Job
from sfumato.tables.grouping.ordered import search_sequence
from sfumato.tables.grouping.snake import snake_order
from support.cut_lines import problem_of
from support.ordered_tables import ALL_ORDERS, all_quasi, columns_of
from support.tables_strategies import tables


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
    found = search_sequence(tuple(start), table.__getitem__, 6)
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

    found = search_sequence(tuple(start), cost, trials)
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


@pytest.mark.parametrize("name", ALL_ORDERS)
def test_the_order_of_the_file_makes_no_difference(monkeypatch, name):
    """Neither to ties nor to the sample on which sequences are sought."""
    monkeypatch.setattr(ordered, "_SEARCHED", 60)
    monkeypatch.setattr(ordered, "_LEAST_SEARCHED", 60)
    random, found = Randomness("file"), []
    columns = {"a": 9, "b": 5, "c": 6, "d": 4, "e": 7}
    frame = pl.DataFrame({x: [2.0 ** (3 * v) for v in random.integers(n, size=300)] for x, n in columns.items()})
    for rows in (range(300), random.permutation(300), random.permutation(300)):
        table = all_quasi(frame[list(rows)])
        groups, _ = grouped(table, sf.Ordered(best_of=(name,), trials=5), sf.KAnonymity(4))
        cells = columns_of(table).codes.T[groups.order].tolist()
        found.append((groups.disclosed, sorted(sorted(cells[a:b]) for a, b in itertools.pairwise(groups.starts))))
    assert found[0] == found[1] == found[2]


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
        ({"polish": 0}, "polish must be true, false or a number of steps, 1 or more, got 0"),
        ({"show": "rangs"}, "show must be one of"),
    ],
)
def test_parameters_of_ordered(given_parameters, message):
    with pytest.raises(ParameterError, match=message):
        sf.Ordered(**given_parameters)


def test_an_order_may_be_named_alone_or_in_a_list():
    assert sf.Ordered(best_of="snake") == sf.Ordered(best_of=["snake"]) == sf.Ordered(best_of=("snake",))
