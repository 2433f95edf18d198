"""Sorting a few whole numbers in a kernel, against numpy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.ground.sorting import sort_in_place


@given(st.lists(st.integers(-5, 40), max_size=120), st.integers(0, 5))
def test_the_first_are_sorted_and_the_rest_stays(values, n_rest):
    array = np.array([*values, *range(n_rest, 0, -1)], dtype=np.int32)
    sort_in_place(array, len(values))
    assert array.tolist() == [*sorted(values), *range(n_rest, 0, -1)]


def test_many_are_sorted_too():
    array = np.random.default_rng(1).integers(0, 10**6, 20_000).astype(np.int32)
    expected = np.sort(array)
    sort_in_place(array, len(array))
    assert (array == expected).all()
