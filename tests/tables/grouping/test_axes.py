"""The columns of a table as axes: places, lengths, cells."""

import itertools
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.tables.coding.columns import TREE
from sfumato.tables.grouping.axes import average_steps, axis_cells, axis_places, order_by_codes, tree_places
from support.ordered_tables import all_quasi, columns_of
from support.tables_strategies import EUROPE, tables


def near_power(x):
    return min((2.0**-i for i in range(80)), key=lambda power: abs(math.log2(power / x)))


def plain_places(children, loss, *, missing, node=0, begin=0.0, length=1.0):
    """Every node's stretch of the axis, as where it begins and how long it is, by recursion."""
    found = {node: (begin, length)}
    n = len(children[node]) + missing
    slot = length / 2 ** math.ceil(math.log2(max(n, 1)))
    for number, child in enumerate(children[node], start=int(missing)):
        own = min(slot, near_power(loss[child] ** 2)) if loss[child] else 0.0
        found |= plain_places(
            children, loss, missing=False, node=child, begin=begin + number * slot, length=own
        )  # fmt: skip
    return found


@st.composite
def trees(draw):
    """A tree as its children, and the share of the leaves below each node."""
    children, parent = [[]], [-1]

    def grow(node, depth):
        for _ in range(draw(st.integers(0 if node else 1, 4 if depth else 0))):
            child = len(children)
            children.append([])
            parent.append(node)
            children[node].append(child)
            grow(child, depth - 1)

    grow(0, 3)
    leaves = [0] * len(children)
    for node in reversed(range(len(children))):
        leaves[node] = sum(leaves[child] for child in children[node]) or 1
    loss = [share / leaves[0] if children[node] else 0.0 for node, share in enumerate(leaves)]
    return children, parent, loss


@settings(max_examples=60)
@given(trees(), st.booleans())
def test_the_places_of_a_tree_equal_plain_ones(tree, missing):
    children, parent, loss = tree
    found = tree_places(np.array(parent, dtype=np.int32), np.array(loss), missing)
    plain = plain_places(children, loss, missing=missing)
    assert found.tolist() == [plain[node][0] for node in range(len(children))]
    leaves = [node for node in range(len(children)) if not children[node]]
    assert all(a < b for a, b in itertools.pairwise(found[leaves]))
    assert found[leaves[0]] > 0 if missing else found[leaves[0]] == 0


@settings(max_examples=60)
@given(trees(), st.booleans())
def test_a_branch_has_a_part_of_the_axis_to_itself(tree, missing):
    """The part is a half of a half and so on, no other leaf lies in it, and it is no longer than the loss squared is."""
    children, parent, loss = tree
    found = tree_places(np.array(parent, dtype=np.int32), np.array(loss), missing)
    last = {}
    for node in reversed(range(len(children))):
        last[node] = max((last[child] for child in children[node]), default=node)
    leaves = [node for node in range(len(children)) if not children[node]]
    for node, (begin, length) in plain_places(children, loss, missing=missing).items():
        if children[node]:
            inside = [leaf for leaf in leaves if begin <= found[leaf] < begin + length]
            assert inside == [leaf for leaf in leaves if node <= leaf <= last[node]]
            assert begin % length == 0
            assert node == 0 or length <= math.sqrt(2) * loss[node] ** 2


def test_places_and_lengths_by_hand():
    frame = pl.DataFrame({"x": [0, 1, 4, 8, None], "sex": list("fmfmf"), "land": ["Italy", "US", "Chile", "US", None]})
    columns = columns_of(all_quasi(frame, hierarchies={"land": EUROPE}))
    places, lengths = axis_places(columns)
    assert places[0] == pytest.approx(np.array([0, 4, 5, 8, 12]) / 12)  # a missing value first, half of all away
    assert places[1].tolist() == [0, 1]
    # missing, Europe and America in four slots; Europe (3 of 6 leaves) has a quarter, four slots; South a ninth
    assert places[2].tolist() == [0, 1 / 4, 5 / 16, 6 / 16, 1 / 2, 1 / 2 + 1 / 8, 1 / 2 + 1 / 8 + 1 / 16]
    assert lengths == pytest.approx([math.sqrt(1.5 / 4), 1, 1])
    assert average_steps(columns) * 3 == pytest.approx([1.5 / 4, 1, np.mean([0.5, 0.5, 0.5, 1, 0.5, 1 / 3])])


@settings(max_examples=40)
@given(tables(max_rows=20, sensitive=False))
def test_axes_of_trees_are_halved_where_space_is(table):
    columns = columns_of(table)
    places, lengths = axis_places(columns)
    assert lengths.max() in (0, pytest.approx(1))
    for place, length, shape in zip(places, lengths, columns.shape, strict=True):
        assert (np.diff(place) > 0).all()
        assert place[0] == 0
        assert place[-1] <= 1
        assert shape != TREE or math.frexp(length)[0] == 0.5


@pytest.mark.parametrize(("n", "bits"), [(2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4), (256, 8), (257, 9)])
def test_values_that_lie_evenly_have_a_cell_each_and_no_bit_more(n, bits):
    axes, found, apart = axis_cells(columns_of(all_quasi(pl.DataFrame({"x": range(10, 10 + 7 * n, 7)}))))
    assert (found, apart) == (bits, True)
    assert len(np.unique(axes)) == n


@pytest.mark.parametrize(("values", "bits", "apart"), [
    ([0, 1, 100], 7, True), ([0, 99, 100], 7, True), ([0, 1, 2**20], 21, True), ([0, 1, 10**12], 31, False),
])  # fmt: skip
def test_the_smallest_gap_says_how_many_bits_there_are(values, bits, apart):
    axes, found, told_apart = axis_cells(columns_of(all_quasi(pl.DataFrame({"x": values}))))
    assert (found, told_apart) == (bits, apart)
    assert (len(np.unique(axes)) == len(values)) is apart


@pytest.mark.parametrize(("d", "bits"), [(2, 21), (3, 21), (4, 21), (6, 21), (7, 18), (20, 6), (128, 1), (140, 1)])
def test_a_key_has_128_bits_where_64_do_not_tell_values_apart(d, bits):
    frame = pl.DataFrame({f"x{c}": [0, 1, 2**20] for c in range(d)})
    _, found, apart = axis_cells(columns_of(all_quasi(frame)))
    assert (found, apart) == (bits, bits == 21)


@settings(max_examples=60)
@given(tables(max_rows=20, sensitive=False))
def test_cells_are_told_apart_where_they_are_said_to_be(table):
    """A missing value counts as one: it has a place of its own."""
    columns = columns_of(table)
    axes, bits, apart = axis_cells(columns)
    assert axes.max(initial=0) < 2**bits
    assert apart
    for codes, cells in zip(columns.codes, axes, strict=True):
        assert len({*zip(codes, cells, strict=True)}) == len({*codes.tolist()}) == len({*cells.tolist()})


def test_an_axis_too_short_for_its_bits_tells_nothing_apart():
    """A weight so small that a column falls into one cell: it is the ties that tell its values apart."""
    frame = pl.DataFrame({"x": [5, 1, 3, 1], "y": [1, 0, 1, 0]})
    table = sf.Table(frame, sf.Schema(quasi=["x", "y"], weights={"x": 1e-30}))
    axes, bits, apart = axis_cells(columns_of(table))
    assert (bits, apart) == (31, False)
    assert not axes[0].any()


@settings(max_examples=40)
@given(tables(max_rows=20, sensitive=False))
def test_the_order_by_codes_is_lexicographic(table):
    columns = columns_of(table)
    codes = columns.codes.T.tolist()
    assert order_by_codes(columns).tolist() == sorted(range(len(codes)), key=lambda row: codes[row])
