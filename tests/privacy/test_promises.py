import itertools
import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from naive import earth_movers, is_k_anonymous, reached_l
from sfumato.data.encoding import encode
from sfumato.ground.errors import ParameterError
from sfumato.privacy.criteria import holds
from sfumato.privacy.promise import promise_from_dict
from sfumato.privacy.requirements import criteria_for
from sfumato.published.equivalence import PublishedClasses
from tables_strategies import EUROPE


def classes_of(groups, *, column=None, name="s"):
    """A published table with one class per list of sensitive values."""
    rows = [(g, value) for g, values in enumerate(groups) for value in values]
    frame = pl.DataFrame(rows, schema=["g", name], orient="row")
    return PublishedClasses(frame, ["g"], [name], {name: column} if column is not None else {})


def kernel_says(promise, groups, column=None):
    """The check that algorithms use, on the same classes."""
    rows = [value for values in groups for value in values]
    column = column or sf.Column(name="s", role="sensitive")
    frame = pl.DataFrame({"s": rows, "q": [0] * len(rows)})
    table = sf.Table(frame, sf.Schema.of([column, sf.Column(name="q", role="quasi")]))
    sensitive = encode(table, ["s"])
    criteria = criteria_for(promise, len(rows), sensitive)
    scratch = np.zeros(len(criteria.parent))
    verdicts, start = [], 0
    for values in groups:
        codes = criteria.codes[start : start + len(values), 0]
        counts = np.bincount(codes, minlength=len(criteria.total)).astype(np.int64)
        verdicts.append(holds(criteria, len(values), counts, scratch))
        start += len(values)
    return all(verdicts)


def expand(counts):
    return [chr(97 + i) for i, n in enumerate(counts) for _ in range(n)]


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("ab")), max_size=12), st.integers(1, 4))
def test_k_anonymity_equals_counting(rows, k):
    frame = pl.DataFrame(rows, schema={"x": pl.Int64, "y": pl.String}, orient="row")
    (finding,) = sf.KAnonymity(k).check(PublishedClasses(frame, ["x", "y"]))
    assert finding.holds == is_k_anonymous(rows, k)


@pytest.mark.parametrize(
    ("counts", "c", "l", "expected"),
    [((3, 2, 1), 2, 2, True), ((3, 2, 1), 1, 2, False), ((4, 2, 1, 1), 2, 3, False),
     ((2, 2), 1, 2, False), ((2, 2), 1.01, 2, True)],
)  # fmt: skip
def test_vector_f3_recursive_diversity_is_strict(counts, c, l, expected):
    promise = sf.LDiversity(l, kind="recursive", c=c)
    assert promise.check(classes_of([expand(counts)]))[0].holds == expected
    assert kernel_says(promise, [expand(counts)]) == expected


@pytest.mark.parametrize(("counts", "expected"), [((1, 1, 1), 3), ((2, 1), 1.889882), ((3, 2, 1), 2.749459)])
def test_vector_f4_effective_entropy_l(counts, expected):
    (finding,) = sf.LDiversity(1, kind="entropy").check(classes_of([expand(counts)]))
    assert finding.value == pytest.approx(expected, abs=1e-6)


def test_three_equal_counts_are_entropy_3_diverse():
    assert sf.LDiversity(3, kind="entropy").check(classes_of([expand((1, 1, 1))]))[0].holds
    assert kernel_says(sf.LDiversity(3, kind="entropy"), [expand((1, 1, 1))])


@pytest.mark.parametrize(("salaries", "t"), [([3, 4, 5], 0.375), ([6, 8, 11], 1 / 6), ([4, 5, 6], 0.2777777778)])
def test_vectors_f1_and_f2_distances_of_the_salary_example(salaries, t):
    """Li, Li & Venkatasubramanian, ICDE 2007: the class against the uniform table of 3k..11k."""
    rest = [salary for salary in range(3, 12) if salary not in salaries]
    groups = [salaries, rest[:3], rest[3:]]
    for distance, value in (("emd", t), ("variational", 2 / 3), ("kl", math.log(3))):
        classes = classes_of([salaries, rest])
        block = next(classes.distributions("s"))[1]
        promise = sf.TCloseness(0.5, distance=distance)
        whole = np.full(9, 1 / 9)
        found = promise._distance(block - whole, block, whole, classes.column("s"))[0]
        assert found == pytest.approx(value, abs=1e-9)
        assert kernel_says(sf.TCloseness(value, distance=distance), [groups[0], groups[1] + groups[2]])
        assert not kernel_says(sf.TCloseness(value - 1e-6, distance=distance), [groups[0], groups[1] + groups[2]])


histograms = st.lists(st.lists(st.integers(0, 4), min_size=2, max_size=5).filter(any), min_size=1, max_size=4)


@settings(max_examples=200)
@given(histograms, st.sampled_from(["frequency", "distinct", "entropy", "recursive"]), st.integers(1, 4),
       st.sampled_from([0.5, 1, 1.3, 2]))  # fmt: skip
def test_l_diversity_equals_the_definition_both_ways(counts, kind, l, c):
    groups = [expand(each) for each in counts]
    promise = sf.LDiversity(l, kind=kind, c=c if kind == "recursive" else None)
    expected = all(reached_l([n for n in each if n], kind, Fraction(str(c))) >= l - 1e-9 for each in counts)
    if kind == "recursive":  # l may exceed what is reached with fewer values
        expected = all(
            max(each) < Fraction(str(c)) * sum(sorted((n for n in each if n), reverse=True)[l - 1 :]) for each in counts
        )
    assert promise.check(classes_of(groups))[0].holds == expected
    sizes_allow = all(len(group) >= promise.min_size() for group in groups)
    assert kernel_says(promise, groups) == (expected and sizes_allow)


COUNTRIES = ["Italy", "France", "Spain", "US", "Brazil", "Chile"]


def height(node):
    return {"*": 3, "America": 2, "Europe": 1, "South": 1}[node] / 3


def country_distance(a, b):
    if a == b:
        return 0.0
    if a is None or b is None:
        return 1.0
    paths = {path[0]: path for path in EUROPE.paths}
    return height(next(node for node in paths[a][1:] if node in paths[b]))


@settings(max_examples=60)
@given(st.lists(st.lists(st.sampled_from([*COUNTRIES, None]), min_size=1, max_size=6), min_size=2, max_size=3))
def test_hierarchical_emd_equals_linear_programming(groups):
    values = [*COUNTRIES, None]
    everyone = [value for group in groups for value in group]
    if all(value is None for value in everyone):
        return
    q = [everyone.count(value) / len(everyone) for value in values]
    ground = [[country_distance(a, b) for b in values] for a in values]
    expected = max(earth_movers([g.count(v) / len(g) for v in values], q, ground) for g in groups)
    column = sf.Column(name="s", role="sensitive", hierarchy=EUROPE)
    (finding,) = sf.TCloseness(0.5).check(classes_of(groups, column=column))
    assert finding.value == pytest.approx(expected, abs=1e-7)
    for t in (0.1, 0.3, 0.5, 0.7):
        if abs(expected - t) > 1e-6:
            assert kernel_says(sf.TCloseness(t), groups, column) == (expected <= t)


@settings(max_examples=60)
@given(st.lists(st.lists(st.sampled_from([1, 2, 5, None]), min_size=1, max_size=6), min_size=2, max_size=3),
       st.sampled_from(["emd", "variational", "kl"]))  # fmt: skip
def test_ordered_distances_equal_their_definition(groups, distance):
    everyone = [value for group in groups for value in group]
    if all(value is None for value in everyone):
        return
    values = sorted({value for value in everyone if value is not None})
    values = [*([None] if None in everyone else []), *values]
    m = len(values)
    q = [everyone.count(value) / len(everyone) for value in values]
    expected = 0.0
    for group in groups:
        p = [group.count(value) / len(group) for value in values]
        if distance == "emd":
            ground = [[abs(i - j) / max(m - 1, 1) for j in range(m)] for i in range(m)]
            expected = max(expected, earth_movers(p, q, ground))
        elif distance == "variational":
            expected = max(expected, sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2)
        else:
            expected = max(expected, sum(a * math.log(a / b) for a, b in zip(p, q, strict=True) if a))
    promise = sf.TCloseness(0.4, distance=distance)
    assert promise.check(classes_of(groups))[0].value == pytest.approx(expected, abs=1e-7)
    for t in (0.1, 0.4, 0.8):
        if abs(expected - t) > 1e-6:
            assert kernel_says(sf.TCloseness(t, distance=distance), groups) == (expected <= t)


def test_several_sensitive_columns_are_each_held_to_it():
    frame = pl.DataFrame({"g": [1, 1], "a": ["x", "y"], "b": ["z", "z"]})
    verdict = sf.verify(frame, promise=sf.LDiversity(2), quasi=["g"], sensitive=["a", "b"])
    assert not verdict.holds
    assert "'b'" in verdict.broken[0]
    assert sf.verify(frame, promise=sf.LDiversity(2, columns=("a",)), quasi=["g"], sensitive=["a", "b"]).holds


def test_promises_combine_and_travel_as_data():
    promise = sf.KAnonymity(5) & sf.LDiversity(3, kind="recursive", c=2) & sf.TCloseness(0.2, columns=("s",))
    assert len(promise.parts) == 3
    assert promise.min_size() == 5
    assert promise_from_dict(promise.to_dict()) == promise
    assert repr(promise) == "KAnonymity(k=5) & LDiversity(3, kind='recursive', c=2) & TCloseness(0.2, columns=('s',))"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sf.KAnonymity(0), "k must be a whole number >= 1, got 0"),
        (lambda: sf.KAnonymity(2.5), "k must be a whole number >= 1, got 2.5"),
        (lambda: sf.KAnonymity(True), "k must be a whole number"),
        (lambda: sf.LDiversity(0.5), "l must be a number from 1 to 1,000,000,000, got 0.5"),
        (lambda: sf.LDiversity(2.5, kind="distinct"), "whole number for distinct"),
        (lambda: sf.LDiversity(2, kind="recursive"), "needs c"),
        (lambda: sf.LDiversity(2, c=1), "takes no c"),
        (lambda: sf.LDiversity(2, kind="recursive", c=0), "c must be a number of 1e-06 or more"),
        (lambda: sf.LDiversity(2, kind="odd"), "kind must be one of frequency"),
        (lambda: sf.TCloseness(-0.1), "t must be a number >= 0"),
        (lambda: sf.TCloseness(1.5), "t must be at most 1"),
        (lambda: sf.TCloseness(0.1, distance="far"), "distance must be one of emd"),
        (lambda: promise_from_dict({"name": "Kanonymity", "k": 3}), "did you mean 'KAnonymity'"),
        (lambda: promise_from_dict({"name": "KAnonymity", "j": 3}), "KAnonymity has no parameter 'j'; there are 'k'"),
        (lambda: promise_from_dict({"name": "KAnonymity"}), "KAnonymity needs k, as in k = 5"),
        (lambda: sf.KAnonymity(2) & 3, "unsupported operand"),
    ],
)  # fmt: skip
def test_bad_promises_are_refused_when_made(make, message):
    with pytest.raises((ParameterError, TypeError), match=message):
        make()


def test_limits_say_the_best_that_can_be_reached():
    frame = pl.DataFrame({"q": range(10), "s": ["a"] * 6 + ["b"] * 3 + ["c"]})
    table = sf.Table(frame, sf.Schema(quasi=["q"], sensitive=["s"]))
    for promise, best in (
        (sf.KAnonymity(11), "the best is k=10"),
        (sf.LDiversity(2), "6 of 10 records and 3 values occur; the best is l=1.66"),
        (sf.LDiversity(4, kind="distinct"), "the best is l=3"),
        (sf.LDiversity(3, kind="entropy"), "the best is l=2.45"),
        (sf.LDiversity(3, kind="recursive", c=2), "the best is l=2"),
    ):
        with pytest.raises(sf.errors.InfeasibleError, match=best):
            sf.publish(table, sf.Mondrian(), promise)


def test_frequency_diversity_is_decided_in_integers():
    """3 of 9 is exactly one third, 0.1 is exactly one tenth: no rounding either way."""
    for n, l in itertools.product(range(1, 12), (1.1, 3, 2.7)):
        groups = [["a"] * n + [f"v{i}" for i in range(29)]]
        expected = n * Fraction(str(l)) <= n + 29
        assert sf.LDiversity(l).check(classes_of(groups))[0].holds == expected
