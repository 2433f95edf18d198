"""Keys along the Hilbert curve, and the order by them."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.ground.curve import hilbert_keys, radix_order
from support.naive import hilbert_curve


@pytest.mark.parametrize(("d", "bits"), [(1, 4), (2, 1), (2, 3), (3, 2), (4, 2), (5, 1)])
def test_hilbert_keys_visit_every_cell_by_single_steps(d, bits):
    cells = np.array(list(itertools.product(range(2**bits), repeat=d)), dtype=np.uint32)
    keys = hilbert_keys(np.ascontiguousarray(cells.T), bits)
    order = radix_order(keys)
    assert sorted(keys[0].tolist()) == list(range(len(cells)))
    steps = np.abs(np.diff(cells[order].astype(int), axis=0)).sum(axis=1)
    assert (steps == 1).all()
    assert not cells[order[0]].any()


def test_hilbert_keys_are_self_similar():
    """The first quarter of a finer curve is a coarser curve, turned."""
    coarse, fine = hilbert_curve(2, 1), hilbert_curve(2, 2)
    assert {tuple(c >> 1 for c in cell) for cell in fine[:4]} == {coarse[0]}
    cells = np.array(fine, dtype=np.uint32).T
    keys = hilbert_keys(np.ascontiguousarray(cells), 2)[0]
    blocks = [{tuple(c >> 1 for c in fine[i]) for i in np.argsort(keys)[a : a + 4]} for a in range(0, 16, 4)]
    assert all(len(block) == 1 for block in blocks)


@pytest.mark.parametrize(("d", "bits"), [(7, 12), (130, 1), (3, 30)])
def test_long_keys_take_more_words(d, bits):
    axes = np.array([[(i * 37 + a * 11) % 2**bits for i in range(50)] for a in range(d)], dtype=np.uint32)
    keys = hilbert_keys(axes, bits)
    assert keys.shape == (-(-d * bits // 64), 50)
    order = radix_order(keys)
    numbers = [sum(int(keys[w, i]) << 64 * (len(keys) - 1 - w) for w in range(len(keys))) for i in range(50)]
    assert order.tolist() == sorted(range(50), key=lambda i: numbers[i])


@given(st.lists(st.integers(0, 2**64 - 1), max_size=40), st.integers(0, 3))
def test_radix_order_is_a_stable_sort(values, repeat):
    values = values * (repeat + 1)
    order = radix_order(np.array([values], dtype=np.uint64).reshape(1, -1))
    assert order.tolist() == sorted(range(len(values)), key=lambda i: values[i])
