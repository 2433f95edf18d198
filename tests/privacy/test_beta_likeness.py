import itertools
import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.ground.errors import ParameterError
from sfumato.privacy.promise import promise_from_dict
from sfumato.privacy.shares import _exceeds
from support.promised_classes import classes_of, kernel_says

VALUES = "abcd"


def keeps(groups, beta, *, enhanced):
    """The definition, in fractions; the logarithm with a tolerance."""
    everyone = [value for group in groups for value in group]
    for value in set(everyone):
        p = Fraction(everyone.count(value), len(everyone))
        for group in groups:
            gain = (Fraction(group.count(value), len(group)) - p) / p
            if gain > 0 and gain > Fraction(str(beta)):
                return False
            if enhanced and gain > 0 and float(gain) > -math.log(p) + 1e-9:
                return False
    return True


lists = st.lists(st.lists(st.sampled_from([*VALUES, None]), min_size=1, max_size=7), min_size=1, max_size=4)
betas = st.sampled_from([0.1, 0.25, 0.5, 1, 1.5, 2, 3, 10])


@settings(max_examples=300)
@given(lists, betas, st.booleans())
def test_check_and_kernel_equal_the_definition(groups, beta, enhanced):
    if all(value is None for group in groups for value in group):
        return
    promise = sf.BetaLikeness(beta, enhanced=enhanced)
    expected = keeps(groups, beta, enhanced=enhanced)
    assert promise.check(classes_of(groups))[0].holds == expected
    assert kernel_says(promise, groups) == expected


@settings(max_examples=200)
@given(lists, betas, st.booleans(), st.randoms(use_true_random=False))
def test_classes_that_keep_it_keep_it_when_they_are_joined(groups, beta, enhanced, random):
    if all(value is None for group in groups for value in group):
        return
    one, other = random.randrange(len(groups)), random.randrange(len(groups))
    joined = [group for i, group in enumerate(groups) if i not in (one, other)]
    joined.append(groups[one] + (groups[other] if other != one else []))
    promise = sf.BetaLikeness(beta, enhanced=enhanced)
    if kernel_says(promise, groups):
        assert kernel_says(promise, joined)
        assert promise.check(classes_of(joined))[0].holds
    assert kernel_says(promise, [[value for group in groups for value in group]])


def test_the_bound_itself_is_allowed_and_decided_exactly():
    """1 of 3 against 1 of 9 is a gain of exactly 2; with floats it is 2.0000000000000004."""
    groups = [["a", "b", "b"], ["b"] * 6]
    assert (1 / 3) / (1 / 9) - 1 > 2 - 1e-15
    for beta, fine in ((2, True), (1.999999, False), (2.000001, True)):
        promise = sf.BetaLikeness(beta, enhanced=False)
        assert promise.check(classes_of(groups))[0].holds == fine
        assert kernel_says(promise, groups) == fine
    many = [["a"] * 7 + ["b"] * 3, ["a"] * 3 + ["b"] * 27]  # 0.7 against 0.25: a gain of 1.8
    assert sf.BetaLikeness(1.8, enhanced=False).check(classes_of(many))[0].holds
    assert kernel_says(sf.BetaLikeness(1.8, enhanced=False), many)
    assert not kernel_says(sf.BetaLikeness(1.799999, enhanced=False), many)


def test_enhanced_likeness_bounds_frequent_values():
    """A value with half the table gains at most ln 2 of its share: 0.8466 of a class and no more."""
    groups = [["a"] * 17 + ["b"] * 3, ["a"] * 3 + ["b"] * 17]
    assert sf.BetaLikeness(10, enhanced=False).check(classes_of(groups))[0].holds
    promise = sf.BetaLikeness(10)
    finding = promise.check(classes_of(groups))[0]
    assert not finding.holds
    assert finding.found == "a value is 1.70 times as frequent in a class as in the table, on 's' in 2 classes"
    assert not kernel_says(promise, groups)
    fewer = [["a"] * 16 + ["b"] * 4, ["a"] * 4 + ["b"] * 16]
    assert promise.check(classes_of(fewer))[0].holds
    assert kernel_says(promise, fewer)
    uniform = [["a", "a"], ["b", "b"]]  # no value may have a class for itself
    assert not kernel_says(sf.BetaLikeness(1000), uniform)
    assert kernel_says(sf.BetaLikeness(1000, enhanced=False), uniform)


def test_the_class_that_breaks_it_is_named():
    frame = pl.DataFrame({"g": [1, 1, 2, 2, 3, 3], "s": ["a", "b", "c", "c", "a", "b"]})
    verdict = sf.verify(frame, promise=sf.BetaLikeness(1.5), quasi=["g"], sensitive=["s"])
    assert verdict.broken[0].endswith("class (g=2)")
    assert verdict.reached == {"BetaLikeness(1.5)": pytest.approx(2.0)}


@settings(max_examples=300)
@given(*[st.integers(0, 2**40), st.integers(1, 2**40)] * 2)
def test_fractions_are_compared_without_overflow(a, b, c, d):
    assert _exceeds(a, b, c, d) == (Fraction(a, b) > Fraction(c, d))
    assert not _exceeds(a, b, a, b)
    assert _exceeds(a * 4 + 1, b * 4, a, b)
    assert not _exceeds(a, b, a * 4 + 1, b * 4)


@pytest.mark.parametrize("method", [sf.Mondrian(), sf.Hilbert()])
def test_methods_keep_it_and_the_certificate_round_trips(method, tmp_path):
    table = hospital(400)
    for promise in (
        sf.KAnonymity(4) & sf.BetaLikeness(2.5),
        sf.BetaLikeness(2, enhanced=False, columns=("diagnosis",)),
    ):
        release = sf.publish(table, method, promise, seed=1)
        assert release.verdict.holds
        rows = release.data.to_polars()
        groups = [part["diagnosis"].to_list() for part in rows.partition_by(release.schema.quasi)]
        last = promise.parts[-1]
        assert len(groups) > 1
        assert keeps(groups, last.beta, enhanced=last.enhanced)
        told = last.enhanced and isinstance(method, sf.Mondrian)
        folder = release.save(tmp_path / f"out{last.beta}", report=told)
        loaded = sf.load_release(folder)
        assert loaded.promise == promise
        assert sf.verify(loaded).holds
        assert not told or "times that share" in (folder / "report.html").read_text()


def test_any_beta_can_be_met_by_the_whole_table():
    frame = pl.DataFrame({"q": range(10), "s": ["a"] * 9 + ["b"]})
    table = sf.Table(frame, sf.Schema(quasi=["q"], sensitive=["s"]))
    release = sf.publish(table, sf.Mondrian(), sf.BetaLikeness(0.01))
    assert release.verdict.holds
    assert release.data.to_polars()["q"].n_unique() == 1


def test_it_is_on_the_command_line_and_in_recipes(tmp_path, capsys):
    from sfumato.cli import run

    rows = "".join(f"{g},{v}\n" for g, v in itertools.product((1, 2), "abab"))
    (tmp_path / "t.csv").write_text("g,s\n" + rows)
    assert run(["verify", str(tmp_path / "t.csv"), "--quasi", "g", "--sensitive", "s", "--beta", "0.5"]) == 0
    assert "no value is more than 1.00 times as frequent" in capsys.readouterr().out
    made = promise_from_dict({"name": "BetaLikeness", "beta": 2, "enhanced": False, "columns": ["s"]})
    assert made == sf.BetaLikeness(2, enhanced=False, columns=("s",))
    assert repr(made) == "BetaLikeness(2, enhanced=False, columns=('s',))"
    assert promise_from_dict(made.to_dict()) == made


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sf.BetaLikeness(0), "beta must be a number above 0 and at most 1,000,000, got 0"),
        (lambda: sf.BetaLikeness(-1), "beta must be a number above 0"),
        (lambda: sf.BetaLikeness(True), "beta must be a number above 0"),
        (lambda: sf.BetaLikeness(math.nan), "beta must be a number above 0"),
        (lambda: sf.BetaLikeness(1, enhanced="yes"), "enhanced must be true or false, got 'yes'"),
        (lambda: sf.BetaLikeness(1, columns=()), "columns must name sensitive columns"),
        (lambda: sf.BetaLikeness(1).limit(3, []), "needs a sensitive column"),
    ],
)
def test_bad_parameters_are_refused(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def test_large_tables_do_not_overflow():
    n = 3_000_000
    codes = np.zeros(n, dtype=np.int8)
    codes[: n // 3] = 1
    frame = pl.DataFrame({"g": np.arange(n) // (n // 3), "s": codes})
    promise = sf.BetaLikeness(0.999999, enhanced=False)
    verdict = sf.verify(frame, promise=promise, quasi=["g"], sensitive=["s"])
    assert not verdict.holds
    assert sf.verify(frame, promise=sf.BetaLikeness(2, enhanced=False), quasi=["g"], sensitive=["s"]).holds
