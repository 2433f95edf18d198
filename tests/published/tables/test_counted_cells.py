"""What counts spend, by brute force over what may come out; and which cells there must be."""

import itertools
import math
from fractions import Fraction

import polars as pl
import pytest

from sfumato.published.tables.counted_cells import ELSE, CountedCells, Marginal, bin_labels, read_cells

GOOD = {
    "neighbours": "added or removed",
    "marginals": [{"by": ["sex"], "scale": 1.0}, {"by": ["age", "town"], "scale": 2.0, "threshold": 7}],
    "values": {"sex": ["f", "m"]}, "bins": {"age": [0, 18, 65]},
}  # fmt: skip


def draw(z, scale):
    """P(z) of the discrete Laplace law."""
    b = math.exp(-1 / scale)
    return (1 - b) / (1 + b) * b ** abs(z)


def of_counts(true, scale, far=40):
    """The law of noisy counts of cells that are always shown: by outcome."""
    ways = [[(c + z, draw(z, scale)) for z in range(-far, far + 1)] for c in true]
    return {tuple(o for o, _ in each): math.prod(p for _, p in each) for each in itertools.product(*ways)}


def of_keys(true, scale, threshold, far=60):
    """The law of noisy counts of the keys that there are, where they reach the threshold: by outcome."""
    ways = []
    for key, c in true.items():
        shown = [((key, c + z), draw(z, scale)) for z in range(threshold - c, far + 1)]
        ways.append([*shown, (None, 1 - sum(p for _, p in shown))])
    found = {}
    for each in itertools.product(*ways):
        outcome = tuple(o for o, _ in each if o is not None)
        found[outcome] = found.get(outcome, 0) + math.prod(p for _, p in each)
    return found


def excess(p, q, epsilon):
    """The least delta for which p <= e^epsilon q + delta on every set of outcomes."""
    return sum(max(0.0, p[o] - math.exp(epsilon) * q.get(o, 0.0)) for o in p)


@pytest.mark.parametrize(("neighbours", "one", "other"), [
    ("added or removed", (3, 0), (4, 0)), ("changed", (3, 1), (2, 2)),
])  # fmt: skip
@pytest.mark.parametrize("scale", [0.7, 2.0])
def test_epsilon_is_the_largest_ratio_of_probabilities(neighbours, one, other, scale):
    p, q = of_counts(one, scale), of_counts(other, scale)
    largest = max(abs(math.log(p[o] / q[o])) for o in p.keys() & q.keys())
    spent, delta = CountedCells(neighbours, (Marginal(("sex",), scale),)).spent(neighbours)
    assert float(spent) == pytest.approx(largest)
    assert delta == 0


PAIRS = [  # data that differ in one record: by key, how many have it
    ("added or removed", {"a": 1}, {}), ("added or removed", {"a": 2}, {"a": 1}), ("added or removed", {"a": 5}, {"a": 4}),
    ("changed", {"a": 1}, {"b": 1}), ("changed", {"a": 1, "b": 2}, {"b": 3}), ("changed", {"a": 3}, {"a": 2, "b": 1}),
    ("changed", {"a": 4, "b": 1}, {"a": 3, "b": 2}),
]  # fmt: skip


@pytest.mark.parametrize(("neighbours", "one", "other"), PAIRS, ids=str)
@pytest.mark.parametrize(("scale", "threshold"), [(1.0, 5), (2.0, 3), (0.6, 1)])
def test_keys_that_were_found_spend_what_is_said(neighbours, one, other, scale, threshold):
    cells = CountedCells(neighbours, (Marginal(("town",), scale, threshold),))
    epsilon, delta = cells.spent(neighbours)
    p, q = of_keys(one, scale, threshold), of_keys(other, scale, threshold)
    assert excess(p, q, float(epsilon)) <= delta + 1e-12
    assert excess(q, p, float(epsilon)) <= delta + 1e-12


def test_delta_is_reached_by_a_key_that_one_record_has():
    """And what the library says, which leaves out the draw that reaches the threshold exactly, is too little."""
    marginal = Marginal(("town",), 1.0, 5)
    p, q = of_keys({"a": 1}, 1.0, 5), of_keys({}, 1.0, 5)
    assert excess(p, q, 1.0) == pytest.approx(marginal.delta)
    assert marginal.delta == pytest.approx(0.01338980)
    assert marginal.delta > 2.7 * 0.00492583


def test_what_marginals_spend_adds_up():
    cells = read_cells(GOOD)
    assert cells.spent("added or removed")[0] == Fraction(3, 2)
    assert cells.spent("changed")[0] == 3


def test_cells_are_all_combinations_and_the_rest():
    cells = CountedCells(
        "changed", (Marginal(("sex", "age"), 1.0), Marginal((), 1.0)), {"sex": ("f", "m")}, {"age": (0, 18, 65)}
    )
    assert cells.labels(cells.marginals[0]).rows() == [
        ("f", "[0, 18)"), ("f", "[18, 65]"), ("m", "[0, 18)"), ("m", "[18, 65]"), (ELSE, ELSE)
    ]  # fmt: skip
    assert cells.labels(cells.marginals[1]).rows() == [("*", "*")]
    assert bin_labels((1, 2.5)) == ("[1, 2.5]",)


def test_records_are_counted_where_they_belong():
    cells = CountedCells("changed", (Marginal(("sex", "age"), 1.0),), {"sex": ("f", "m")}, {"age": (0, 18, 65)})
    frame = pl.DataFrame({"sex": ["f", "f", "m", "x", None, "f", "f"], "age": [0, 18, 65, 1, 1, 66, None]})
    found = {(a, b): n for a, b, n in cells.true_counts(cells.marginals[0], frame).rows()}
    assert found == {("f", "[0, 18)"): 1, ("f", "[18, 65]"): 1, ("m", "[18, 65]"): 1, (ELSE, ELSE): 4}


@pytest.mark.parametrize(("key", "value", "said"), [
    ("neighbours", "none", "which data its noise makes alike"), ("marginals", [], "by which columns"),
    ("marginals", [{"by": ["sex"], "scale": 0}], "by which columns"), ("marginals", [{"by": "sex", "scale": 1}], "by which columns"),
    ("marginals", [{"by": ["sex"], "scale": "1"}], "by which columns"),
    ("marginals", [{"by": ["sex"], "scale": 1}, {"by": ["sex"], "scale": 1}], "twice"),
    ("marginals", [{"by": ["sex", "age"], "scale": 1}, {"by": ["town"], "scale": 1}], "no threshold"),
    ("marginals", [{"by": ["sex", "age"], "scale": 1}, {"by": ["town"], "scale": 1, "threshold": 0}], "by which columns"),
    ("values", {"sex": ["f", "f"]}, "each once"), ("values", {"sex": ["*"]}, "each once"), ("values", 7, "each once"),
    ("values", {"sex": ["f"], "zip": ["1"]}, "does not count by"), ("values", {"sex": ["f"], "age": ["1"]}, "in two ways"),
    ("bins", {"age": [1, 1]}, "edges"), ("bins", {"age": [0]}, "edges"), ("bins", [], "edges"),
])  # fmt: skip
def test_what_cannot_be_read_is_said(key, value, said):
    assert said in read_cells({**GOOD, key: value})


@pytest.mark.parametrize("given", [None, 7, [], "x", {}])
def test_nothing_is_read_from_anything(given):
    assert isinstance(read_cells(given), str)
