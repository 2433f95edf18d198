"""What all searches of the lattice share: every node is published at its cost, and what they refuse."""

import math
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.ground.errors import DataError, InfeasibleError, ParameterError, SchemaError
from sfumato.tables.lattice.full_domain import columns_all_or_nothing
from support.arx_files import arx_lines, labels_at, n_levels
from support.naive_lattice import PROMISES, lattices
from support.searched_lattices import MEASURES, SHARES, At, one_column


def published(made, method, promise):
    """A release; the few where every value of a column went with the withheld rows are left out."""
    try:
        return sf.publish(made.table, method, promise, seed=1)
    except DataError as error:
        assume("no value at all" not in str(error))
        raise


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


SEARCHES = [sf.BestFirst(), sf.Samarati(), sf.Incognito()]


@pytest.mark.parametrize("method", SEARCHES)
def test_identical_rows_are_left_alone(method):
    found = method.search(one_column([7, 7, 7]), sf.KAnonymity(3))
    assert found.levels == {"c": 0}
    assert found.cost == found.bound == found.n_withheld == 0
    assert found.complete


@pytest.mark.parametrize("method", SEARCHES)
def test_a_single_row(method):
    assert method.search(one_column([7]), sf.KAnonymity(1)).cost == 0
    with pytest.raises(InfeasibleError):
        method.search(one_column([7]), sf.KAnonymity(2))
    with pytest.raises(InfeasibleError):
        sf.publish(one_column([7]), method, sf.KAnonymity(2))


@pytest.mark.parametrize("method", SEARCHES)
def test_no_row_at_all(method):
    empty = one_column(pl.Series([], dtype=pl.Int64))
    with pytest.raises((InfeasibleError, DataError)):
        method.search(empty, sf.KAnonymity(2))


@pytest.mark.parametrize("method", SEARCHES)
def test_search_refuses_what_publish_refuses(method):
    bare = sf.Table(pl.DataFrame({"c": [1, 2]}), sf.Schema(plain=["c"]))
    with pytest.raises(SchemaError, match="no column is declared quasi"):
        method.search(bare, sf.KAnonymity(2))
    with pytest.raises(ParameterError, match="keeps no bound on the loss"):
        method.search(one_column([1, 2]), sf.KAnonymity(2) & sf.AccuracyBound(0.3))


@pytest.mark.parametrize("method", [sf.Samarati(0.5), sf.Incognito(0.5)])
def test_suppression_is_refused_where_what_holds_below_need_not_hold_above(method):
    table = sf.Table(pl.DataFrame({"c": [1, 2], "s": ["a", "b"]}), sf.Schema(quasi=["c"], sensitive=["s"]))
    with pytest.raises(ParameterError, match="use BestFirst"):
        sf.publish(table, method, sf.LDiversity(2))
    assert sf.publish(table, type(method)(), sf.LDiversity(2)).verdict.holds


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


@settings(max_examples=25)
@given(arx_lines("a"), arx_lines("b"), st.data())
def test_classes_at_levels_of_arx_files_are_those_of_the_columns_of_the_files(a, b, data):
    n = data.draw(st.integers(1, 12))
    frame = pl.DataFrame({
        name: data.draw(st.lists(st.sampled_from([line[0] for line in lines]), min_size=n, max_size=n))
        for name, lines in (("p", a), ("q", b))
    })  # fmt: skip
    trees = {"p": sf.Hierarchy.from_paths(a), "q": sf.Hierarchy.from_paths(b)}
    table = sf.Table(frame, sf.Schema(quasi=["p", "q"], hierarchies=trees))
    node = tuple(data.draw(st.integers(0, n_levels(lines) - 1)) for lines in (a, b))
    shown = [labels_at(lines, level) for lines, level in zip((a, b), node, strict=True)]
    wanted = Counter((shown[0][p], shown[1][q]) for p, q in frame.rows())
    release = sf.publish(table, At(node), sf.KAnonymity(min(wanted.values())), seed=1)
    assert Counter(release.data.frame.rows()) == wanted
    assert release.verdict.holds
    assert sf.verify(release, table).holds
    for name, lines in (("p", a), ("q", b)):
        rule = release.public["schema"]["columns"][name].get("hierarchy", {"paths": []})
        told = {label for path in rule["paths"] for label in path}
        assert set(release.data.frame[name]) - {"*", *(line[-1] for line in lines)} <= told
    if not any(line[0] in other[1:] for lines in (a, b) for line in lines for other in lines):
        assert sf.measure(release, table)["gcp"] == pytest.approx(At(node).search(table, sf.KAnonymity(1)).cost)
    with pytest.raises(InfeasibleError):
        sf.publish(table, At(node), sf.KAnonymity(min(wanted.values()) + 1), seed=1)


def test_columns_without_a_hierarchy_are_shown_whole_or_not_at_all():
    ages = sf.Hierarchy.intervals([5, 10], low=20, high=60)
    schema = sf.Schema(quasi=["age", "zip", "sex"], sensitive=["job"], hierarchies={"age": ages})
    assert columns_all_or_nothing(schema) == ["zip", "sex"]
