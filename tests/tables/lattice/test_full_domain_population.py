"""k-map and delta-presence through the searches of the lattice, against trying every node."""

import itertools
from collections import Counter

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.ground.errors import InfeasibleError, ParameterError, SchemaError

PATHS = {
    "town": [("Bonn", "Rhine", "any"), ("Cologne", "Rhine", "any"), ("Jena", "East", "any"), ("Ulm", "any")],
    "job": [("cook", "*"), ("smith", "*"), ("nurse", "*")],
}
TOPS = (2, 1, 1)


def shown(row, node):
    town, job, age = row
    path = next(path for path in PATHS["town"] if path[0] == town)[::-1]
    return (
        path[min(len(path) - 1, 2 - node[0])], job if node[1] == 0 else "*", str(age) if node[2] == 0 else "*",
    )  # fmt: skip


def schema():
    return sf.Schema(
        quasi=["town", "job", "age"],
        hierarchies={name: sf.Hierarchy.from_paths(paths) for name, paths in PATHS.items()},
    )


def table_of(rows):
    return sf.Table(pl.DataFrame(rows, schema=["town", "job", "age"], orient="row"), schema())


def holds(rows, people, node, promise):
    here, there = Counter(shown(row, node) for row in rows), Counter(shown(row, node) for row in people)
    if isinstance(promise, sf.KMap):
        return all(there[cells] >= promise.k for cells in here)
    if isinstance(promise, sf.KAnonymity):
        return min(here.values()) >= promise.k
    return all(promise.low - 1e-12 <= here[cells] / there[cells] <= promise.high + 1e-12 for cells in there)


PEOPLE = st.tuples(
    st.sampled_from(["Bonn", "Cologne", "Jena", "Ulm"]),
    st.sampled_from(["cook", "smith", "nurse"]),
    st.integers(20, 22),
)


@settings(max_examples=30)
@given(
    st.lists(PEOPLE, min_size=4, max_size=24), st.integers(2, 10),
    st.sampled_from([sf.KMap(2), sf.KMap(4), sf.DeltaPresence(0.0, 0.7), sf.DeltaPresence(0.2, 0.8), None]),
)  # fmt: skip
def test_searches_find_what_trying_every_node_finds(people, n, promise):
    assume(n < len(people))
    rows, population = people[:n], table_of(people)
    parts = [sf.KMap(3), sf.KAnonymity(2)] if promise is None else [promise]
    whole = [part.with_population(population) if hasattr(part, "with_population") else part for part in parts]
    asked = whole[0] if len(whole) == 1 else whole[0] & whole[1]
    nodes = itertools.product(*(range(top + 1) for top in TOPS))
    every = {node for node in nodes if all(holds(rows, people, node, part) for part in parts)}
    table = table_of(rows)
    for method in (sf.BestFirst(), sf.Samarati(), sf.Incognito()):
        if not every:
            with pytest.raises(InfeasibleError):
                method.search(table, asked)
            continue
        found = method.search(table, asked)
        node = tuple(found.levels.values())
        assert node in every
        if not isinstance(method, sf.BestFirst):
            least = min(map(sum, every))
            lowest = {a for a in every if not any(a != b and all(map(int.__le__, b, a)) for b in every)}
            wanted = {a for a in every if sum(a) == least} if isinstance(method, sf.Samarati) else lowest
            assert {tuple(each.values()) for each in found.minimal} == wanted
    if every:
        assert sf.publish(table, sf.BestFirst(), asked, seed=1).verdict.holds
    best = sf.BestFirst().search(table, asked).cost if every else 0.0
    assert not every or best == pytest.approx(sf.Incognito().search(table, asked).cost)


FEW = [("Bonn", "cook", 20), ("Cologne", "smith", 21)]
MANY = [*FEW, ("Bonn", "cook", 20), ("Cologne", "smith", 21), ("Ulm", "nurse", 22)]


def test_rows_cannot_be_withheld():
    with pytest.raises(ParameterError, match="rows cannot be suppressed under KMap"):
        sf.BestFirst(0.5).search(table_of(FEW), sf.KMap(2, population=table_of(MANY)))


@pytest.mark.parametrize("method", [sf.LocalRecoding(), sf.CellSuppression(), sf.Mondrian()])
def test_other_methods_refuse(method):
    with pytest.raises(ParameterError, match="use BestFirst, Samarati or Incognito"):
        sf.publish(table_of(FEW), method, sf.KMap(2, population=table_of(MANY)))
    both = sf.KAnonymity(2) & sf.KMap(2, population=table_of(MANY))
    assert sf.publish(table_of(FEW), method, both, seed=1).verdict.holds


def test_a_population_without_the_columns_is_refused():
    lacking = sf.Table(pl.DataFrame({"town": ["Bonn", "Ulm"]}))
    with pytest.raises(SchemaError, match="lacks the column"):
        sf.publish(table_of(FEW), sf.BestFirst(), sf.KMap(2, population=lacking))


def test_a_population_whose_values_are_of_another_kind_is_refused():
    other = sf.Table(pl.DataFrame({"town": ["Bonn", "Ulm"], "job": ["cook", "cook"], "age": ["young", "old"]}))
    with pytest.raises(SchemaError, match="age"):
        sf.publish(table_of(FEW), sf.BestFirst(), sf.KMap(2, population=other))


def test_without_the_population_it_is_asked_for():
    with pytest.raises(ParameterError, match="needs the population"):
        sf.BestFirst().search(table_of(FEW), sf.KMap(2))


def test_records_of_nobody_in_the_population():
    """A class that nobody fits tells nothing of anybody, and may yet spoil the one that it joins above."""
    people = [*[("Bonn", "cook", 20)] * 10, ("Ulm", "nurse", 21), ("Ulm", "nurse", 21)]
    rows = [("Bonn", "cook", 20), *[("Cologne", "cook", 20)] * 5]
    promise = sf.DeltaPresence(0.0, 0.5, population=table_of(people))
    found = sf.BestFirst().search(table_of(rows), promise)
    assert found.cost == 0
    assert sf.publish(table_of(rows), sf.BestFirst(), promise, seed=1).verdict.holds
    for method in (sf.Samarati(), sf.Incognito()):
        with pytest.raises(ParameterError, match="records of nobody in the population"):
            method.search(table_of(rows), promise)
        assert method.search(table_of(rows), sf.KMap(2, population=table_of(people))).complete is not None


@pytest.mark.parametrize("show", ["ranges", "means"])
def test_other_ways_of_showing_are_refused(show):
    with pytest.raises(ParameterError, match="leave show at 'levels'"):
        sf.publish(table_of(FEW), sf.BestFirst(show=show), sf.KMap(4, population=table_of(MANY)), seed=1)
