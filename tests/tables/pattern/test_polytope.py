"""Bodies: ties are one variable, equalities are found and eliminated, nothing that holds is lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from sfumato.ground.errors import InfeasibleError
from sfumato.ground.randomness import Randomness
from sfumato.tables.pattern.poi import PoI
from sfumato.tables.pattern.polytope import bodies
from sfumato.tables.pattern.properties import Localities, Order, Sums
from sfumato.tables.pattern.rows import stack
from sfumato.tables.pattern.substitution import draw
from support.pattern_tables import bodies_of, body_of, checked, dense, hold, ordered, publish, row, table_of


def values_at(body, y, low=0.0, width=1.0):
    """The values of the body's cells at a point, by cell."""
    x = body.variables(np.asarray(y, dtype=np.float64))
    return dict(zip(body.cells.tolist(), (low + width * x[body.members]).tolist(), strict=True))


def inside(body, y):
    return (dense(body.rows, body.n_free) @ y < body.rows.bound).all()


def test_ties_are_one_variable():
    body = body_of([0.2, 0.5, 0.5, 0.9], stack([row({0: 1.0, 1: -1.0}), row({2: 1.0, 3: -1.0})]), ties=[0, 1, 1, 3])
    assert body.n_free == 3
    assert body.cells.tolist() == [0, 1, 2, 3]
    assert body.members[1] == body.members[2]
    found = values_at(body, [0.1, 0.3, 0.4])
    assert found == {0: 0.1, 1: 0.3, 2: 0.3, 3: 0.4}


def test_a_row_among_tied_values_alone_is_gone():
    """x_1 - x_2 <= 0 says nothing once both are one variable."""
    found = bodies_of(
        [0.2, 0.5, 0.5], stack([row({1: 1.0, 2: -1.0}), row({0: 1.0, 1: 2.0, 2: -2.0}, 0.4)]), ties=[0, 1, 1]
    )
    assert len(found) == 2
    assert sorted(len(body.cells) for body in found) == [1, 2]


def test_bodies_that_share_no_row_are_apart():
    rows = stack([row({0: 1.0, 2: -1.0}), row({1: 1.0, 4: -1.0})])
    found = bodies_of([0.1, 0.2, 0.3, 0.4, 0.5], rows)
    assert sorted(sorted(body.cells.tolist()) for body in found) == [[0, 2], [1, 4], [3]]


def test_without_rows_every_value_is_its_own_body():
    assert [body.n_free for body in bodies_of([0.1, 0.2, 0.3], stack([]))] == [1, 1, 1]
    assert bodies_of([], stack([])) == []


def test_a_tie_joins_bodies():
    rows = stack([row({0: 1.0, 1: -1.0}), row({2: 1.0, 3: -1.0})])
    assert len(bodies_of([0.1, 0.3, 0.3, 0.5], rows)) == 2
    assert len(bodies_of([0.1, 0.3, 0.3, 0.5], rows, ties=[0, 1, 1, 3])) == 1


def test_the_start_lies_strictly_inside_and_the_data_lie_in():
    body = body_of([0.0, 0.5, 0.5, 1.0], ordered(4), ties=[0, 1, 1, 3])
    assert inside(body, body.start)
    assert hold(body.rows, body.data)


@pytest.mark.parametrize("values", [range(6), (1, 2, 4, 8, 16), (0, 1, 2, 3, 10, 11, 12), (0, 1, 1000, 1001)])
def test_ties_of_distances_leave_room(values):
    """Erratum A2: the data lie on the border; the bowed data do not."""
    table = table_of({"x": [float(value) for value in values]})
    outcome = publish(table, Localities(), resolution="real")
    check = checked(table, outcome)
    assert check.n_broken == 0
    assert check.smallest_slack > 0
    assert outcome.frame["x"].to_list() != table.frame["x"].to_list()


def test_implied_equalities_are_found():
    """x <= y and y <= x: no room between them, yet both can move."""
    body = body_of([0.4, 0.4, 0.7], stack([row({0: 1.0, 1: -1.0}), row({1: 1.0, 0: -1.0}), row({1: 1.0, 2: -1.0})]))
    assert body.n_free == 2
    assert inside(body, body.start)
    for seed in range(5):
        found = values_at(body, draw(body, "billiard", Randomness(seed)).point)
        assert found[0] == pytest.approx(found[1], abs=1e-12)
        assert found[1] < found[2]


def test_a_circle_of_orders_is_one_value():
    rows = stack([row({0: 1.0, 1: -1.0}), row({1: 1.0, 2: -1.0}), row({2: 1.0, 0: -1.0})])
    body = body_of([0.4, 0.4, 0.4], rows)
    assert body.n_free == 1
    points = [values_at(body, draw(body, "billiard", Randomness(seed)).point) for seed in range(200)]
    assert all(point[0] == pytest.approx(point[1]) == pytest.approx(point[2]) for point in points)
    assert np.mean([point[0] for point in points]) == pytest.approx(0.5, abs=4 * np.sqrt(1 / 12 / 200))


def test_an_equality_implied_by_the_bounds_is_found():
    """x + y >= 2 in the unit box: one point of these two, while z is free."""
    rows = stack([row({0: -1.0, 1: -1.0}, -2.0), row({1: -1.0, 2: -1.0}, -1.2)])
    body = body_of([1.0, 1.0, 0.3], rows)
    assert body.n_free == 1
    found = values_at(body, draw(body, "billiard", Randomness(1)).point)
    assert (found[0], found[1]) == pytest.approx((1.0, 1.0))
    assert 0.2 <= found[2] <= 1.0


def test_elimination_keeps_solutions():
    rows = stack([
        row({0: 1.0, 1: 1.0, 2: 1.0}, 1.2, equal=True), row({1: 2.0, 3: -1.0}, 0.1, equal=True),
        row({0: 1.0, 3: -1.0}, 0.0),
    ])  # fmt: skip
    body = body_of([0.5, 0.3, 0.4, 0.5], rows)
    assert body.n_free == 2
    assert body.variables(body.data) == pytest.approx([0.5, 0.3, 0.4, 0.5])
    for seed in range(20):
        drawn = draw(body, "billiard", Randomness(seed))
        x = body.variables(drawn.point)
        assert hold(rows, x)
        assert x.min() > -1e-9
        assert x.max() < 1 + 1e-9


def test_an_equality_said_twice_counts_once():
    twice = [row({0: 1.0, 1: 1.0}, 1.0, equal=True), row({0: 3.0, 1: 3.0}, 3.0, equal=True)]
    body = body_of([0.4, 0.6], stack(twice))
    assert body.n_free == 1


@st.composite
def polytopes(draw):
    """A point of the unit box, and random rows that hold there, some of them tightly, some as equalities."""
    n = draw(st.integers(2, 6))
    x = np.array(draw(st.lists(st.integers(1, 9), min_size=n, max_size=n))) / 10
    rows = [row(dict.fromkeys(range(n), 1.0), float(n))]
    for _ in range(draw(st.integers(1, 6))):
        weights = draw(
            st.dictionaries(st.integers(0, n - 1), st.sampled_from([-2.0, -1.0, 1.0, 2.0]), min_size=1, max_size=3)
        )
        value = sum(weight * x[i] for i, weight in weights.items())
        equal = draw(st.integers(0, 4)) == 0
        room = 0.0 if equal else draw(st.sampled_from([0.0, 0.0, 0.1, 0.5]))
        rows.append(row(weights, value + room, equal=equal, source=len(rows) - 1))
    return x, stack(rows)


@settings(max_examples=80)
@given(polytopes())
def test_a_body_is_the_polytope(given_polytope):
    """Its dimension is right, its points keep all rows, and it reaches as far as the polytope in every direction."""
    x, rows = given_polytope
    n = len(x)
    matrix = dense(rows, n)
    unequal = ~rows.equal
    program = {
        "A_ub": matrix[unequal], "b_ub": rows.bound[unequal], "bounds": [(0, 1)] * n, "method": "highs",
    }  # fmt: skip
    if rows.equal.any():
        program |= {"A_eq": matrix[rows.equal], "b_eq": rows.bound[rows.equal]}
    reach = np.array([[linprog(sign * axis, **program).fun * sign for axis in np.eye(n)] for sign in (1, -1)])
    if np.ptp(reach, axis=0).max() < 1e-7:
        with pytest.raises(InfeasibleError, match="leave no room"):
            bodies_of(x, rows, names=[str(i) for i in range(10)])
        return
    (body,) = bodies_of(x, rows, names=[str(i) for i in range(10)])
    assert inside(body, body.start)
    assert body.variables(body.data) == pytest.approx(x, abs=1e-8)
    combine = np.eye(n) if body.combine is None else body.combine
    inner = {"A_ub": dense(body.rows, body.n_free), "b_ub": body.rows.bound, "bounds": (None, None), "method": "highs"}
    for c in range(n):
        for side, sign in enumerate((1, -1)):
            solved = linprog(sign * combine[c], **inner)
            assert solved.fun * sign + body.offset[c] == pytest.approx(reach[side, c], abs=1e-6)
    point = body.variables(draw(body, "billiard", Randomness(1), steps=30).point)
    assert hold(rows, point, 1e-8)


@pytest.mark.parametrize(
    ("texts", "pins"),
    [
        (["x[0] = 1", "x[1] <= 1000"], ["x[0] = 1"]),
        (["x[0] + x[1] = 7", "x[0] - x[1] = -5"], ["x[0] + x[1] = 7", "x[0] - x[1] = -5"]),
        (["x[0] <= 1", "x[0] >= 1"], ["x[0] <= 1", "x[0] >= 1"]),
    ],
)
def test_a_single_point_is_refused_with_what_pins_it(texts, pins):
    table = table_of({"x": [1, 6, 3]}, bounds={"x": (0, 10)})
    with pytest.raises(InfeasibleError, match="only the original values keep them all") as error:
        publish(table, [PoI(text) for text in texts])
    for text in texts:
        assert (repr(text) in str(error.value)) == (text in pins)


def test_sums_that_pin_every_value_are_refused_by_name():
    table = table_of({"x": [1, 6, 3], "g": ["a", "b", "c"]})
    with pytest.raises(InfeasibleError, match=r"sum\(x\[g = 'a'\]\) within 0%"):
        publish(table, Sums(by="g", within=0))


def test_only_five_names_are_told():
    rows = stack(
        [row({i: 1.0, (i + 1) % 8: -1.0}, source=i) for i in range(8)] + [row({0: 1.0}, 0.5, equal=True, source=8)]
    )
    with pytest.raises(InfeasibleError, match="a, b, c, d, e and 4 more leave no room"):
        bodies_of([0.5] * 8, rows, names="abcdefghi")


def test_columns_that_share_a_row_are_one_body():
    low, high = np.array([0.0, 0.0, 100.0, 100.0]), np.array([10.0, 10.0, 300.0, 300.0])
    rows = stack([row({0: 20.0, 2: -1.0}, 0.0), row({1: 1.0, 3: -1.0}, 0.0)])
    found = bodies(np.array([5.0, 2.0, 150.0, 200.0]), low, high, rows, np.arange(4), ["p", "q"])
    assert sorted(sorted(body.cells.tolist()) for body in found) == [[0, 2], [1, 3]]
    for body in found:
        cells = body.cells[np.argsort(body.members)]
        for seed in range(30):
            x = body.variables(draw(body, "billiard", Randomness(seed)).point)
            values = low[cells] + (high - low)[cells] * x
            assert (values >= low[cells]).all()
            assert (values <= high[cells]).all()
            if 0 in cells:
                assert 20 * values[0] <= values[1] + 1e-9


def test_a_cross_column_body_has_the_uniform_law_of_its_own_units():
    """y >= 20 x over x in [0, 10], y in [100, 300]: the law does not depend on the units of the columns."""
    rows = row({0: 20.0, 1: -1.0})
    (body,) = bodies(np.array([5.0, 150.0]), np.array([0.0, 100.0]), np.array([10.0, 300.0]), rows, np.arange(2), ["p"])
    points = np.array([draw(body, "billiard", Randomness(seed)).point for seed in range(250)])
    below = points[:, 0] <= 0.5  # 20 x <= 100: free of the row; 1/2 of an area of 7/8
    assert below.mean() == pytest.approx(4 / 7, abs=4 * np.sqrt(12 / 49 / 250))


def hundred_integers(seed=1):
    return (18 + Randomness(seed).integers(48, size=100)).tolist()


def test_vector_a16_a_hundred_integers_with_ties():
    values = hundred_integers()
    table = table_of({"x": values})
    for resolution in ("real", "column"):
        outcome = publish(table, Localities(), resolution=resolution)
        check = checked(table, outcome)
        assert check.n > 500
        assert check.n_broken == 0
        if resolution == "real":
            assert check.smallest_slack > 0
        new = dict(zip(outcome.rows.tolist(), outcome.frame["x"].to_list(), strict=True))
        assert [new[r] for r in range(100)] != values
        assert min(new.values()) >= min(values)
        assert max(new.values()) <= max(values)
        of_value = {}
        for r, value in enumerate(values):
            of_value.setdefault(value, set()).add(new[r])
        assert all(len(shared) == 1 for shared in of_value.values())
        assert outcome.public["walk"]["mixed"]


def test_vector_a17_is_flagged_by_the_check():
    """(10, 0, 1) keeps the linear row of a locality and breaks the locality: its order rows are published too."""
    table = table_of({"x": [0.0, 1.0, 3.0]}, bounds={"x": (0, 10)})
    outcome = publish(table, Localities(share=1.0), resolution="real")
    assert checked(table, outcome).n_broken == 0
    fooled = np.empty(3)
    fooled[np.argsort(outcome.rows)] = [10.0, 0.0, 1.0]
    broken = outcome.frame.with_columns(x=fooled)
    check = checked(table, type(outcome)(frame=broken, rows=outcome.rows, files=outcome.files))
    assert check.n_broken == 1
    assert check.first_broken == repr(Localities(share=1.0))


def test_partitions_are_drawn_apart():
    table = table_of({"x": [1, 2, 3, 4, 5, 6, 7, 8]})
    assert publish(table, Order(), partition=4).public["walk"]["bodies"] == 2
    assert publish(table, Order()).public["walk"]["bodies"] == 1
