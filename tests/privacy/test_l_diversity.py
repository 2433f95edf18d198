"""l-diversity of every kind, by the check and by the kernels, against the definitions."""

import itertools
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.ground.errors import InfeasibleError
from support.naive import reached_l
from support.promised_classes import classes_of, kernel_says


def expand(counts):
    return [chr(97 + i) for i, n in enumerate(counts) for _ in range(n)]


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


def test_frequency_diversity_is_decided_in_integers():
    """3 of 9 is exactly one third, 0.1 is exactly one tenth: no rounding either way."""
    for n, l in itertools.product(range(1, 12), (1.1, 3, 2.7)):
        groups = [["a"] * n + [f"v{i}" for i in range(29)]]
        expected = n * Fraction(str(l)) <= n + 29
        assert sf.LDiversity(l).check(classes_of(groups))[0].holds == expected


def flu_frame(n):
    return pl.DataFrame({"a": ["x"] * n, "d": ["flu"] * (n - 1) + ["cold"]})


@pytest.mark.parametrize("n", [1_000, 3_000, 5_000, 6_000])
@pytest.mark.parametrize(
    "promise",
    [sf.LDiversity(10 / 3), sf.LDiversity(2, kind="recursive", c=1 / 3), sf.LDiversity(2, kind="recursive", c=10 / 3)],
)
def test_long_fractions_do_not_overflow(n, promise):
    assert not sf.verify(flu_frame(n), promise=promise, quasi=["a"], sensitive=["d"])
    with pytest.raises(InfeasibleError):
        sf.publish(sf.Table(flu_frame(n), sf.Schema(quasi=["a"], sensitive=["d"])), sf.Mondrian(), promise)


def test_algorithm_and_check_agree_on_fractions():
    frame = pl.DataFrame({"a": [0] * 10 + [1] * 10, "s": [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 5, 5, 5, 6, 6, 6, 7, 7, 8, 8]})
    table = sf.Table(frame, sf.Schema(quasi=["a"], sensitive=["s"]))
    assert sf.publish(table, sf.Mondrian(), sf.LDiversity(10 / 3)).verdict


def test_it_is_said_when_the_most_frequent_value_is_missing():
    frame = pl.DataFrame({"age": range(9), "ill": [None] * 5 + ["flu"] * 2 + ["gout"] * 2})
    with pytest.raises(InfeasibleError) as caught:
        sf.publish(sf.Table(frame, sf.Schema(quasi=["age"], sensitive=["ill"])), sf.Mondrian(), sf.LDiversity(3))
    assert str(caught.value) == (
        "LDiversity(3) cannot be met on column 'ill': its most frequent value, 'missing', has 5 of 9 records and 3 "
        "values occur; the best is l=1.8; missing = 'withhold' leaves such records out"
    )
    full = frame.with_columns(pl.col("ill").fill_null("flu"))
    with pytest.raises(InfeasibleError, match="its most frequent value has 7 of 9 records"):
        sf.publish(sf.Table(full, sf.Schema(quasi=["age"], sensitive=["ill"])), sf.Mondrian(), sf.LDiversity(3))
