"""The reflected lexicographic order against a plain one."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.tables.grouping.snake import snake_order


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
