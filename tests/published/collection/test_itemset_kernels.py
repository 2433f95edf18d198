"""Gamma of published randomizers of sets: that of every report under every set, each law written out from the papers."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato import collection
from sfumato.ground.errors import DataError
from sfumato.published.collection.itemset_kernels import ITEMSETS
from sfumato.published.collection.kernel_parts import WHOLE
from support.enumerated_draws import largest_ratio
from support.surveys import EVERY_KIND, survey_of

SIX = list("abcdef")


def gamma(said):
    return ITEMSETS[said["kind"]].gamma(said)


def law_of_set(said, held, m):
    """The probability of every report of a set: which of its m places are drawn, then which items come in."""
    n, rho = len(said["items"]), Fraction(said["rho"], WHOLE)
    places = [*held, *[None] * (m - len(held))]
    if said["kind"] == "cut-and-paste":
        counts = Counter(min(cut, m) for cut in range(said["cutoff"] + 1))
    else:
        sums = [0, *said["sums"][str(m)]]
        counts = Counter({j: sums[j + 1] - sums[j] for j in range(m + 1)})
    law = Counter()
    for count, weight in counts.items():
        ways = list(itertools.combinations(range(m), count))
        for way in ways:
            drawn = {places[place] for place in way}
            closed = set() if said["kind"] == "cut-and-paste" else set(held) - drawn
            for comes in itertools.product((0, 1), repeat=n):
                chance = Fraction(weight, sum(counts.values()) * len(ways))
                for bit in comes:
                    chance *= rho if bit else 1 - rho
                law[tuple(int(i in drawn or (comes[i] and i not in closed)) for i in range(n))] += chance
    assert sum(law.values()) == 1
    return {report: chance for report, chance in law.items() if chance}


def laws_by_size(said):
    """By size, the laws of all sets that are compared with each other."""
    n, sizes = len(said["items"]), said.get("sizes") or [int(m) for m in said["sums"]]
    for m in sizes:
        held = range(min(m, n) + 1) if said["padded"] else (m,)
        yield m, [law_of_set(said, each, m) for i in held for each in itertools.combinations(range(n), i)]


def naive_gamma(said):
    ratios = [largest_ratio(laws) for _, laws in laws_by_size(said)]
    return None if None in ratios else max(ratios)


def sums_of(weights):
    """Rising sums up to 2**53 in these proportions."""
    total = sum(weights)
    return [WHOLE * sum(weights[: j + 1]) // total for j in range(len(weights))]


RHO = st.integers(1, 15).map(lambda sixteenths: sixteenths * WHOLE // 16) | st.integers(1, WHOLE - 1)
ROW = st.lists(st.integers(0, 4), min_size=1, max_size=4).filter(any)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 4), st.lists(ROW, min_size=1, max_size=2, unique_by=len), RHO, st.booleans())
def test_gamma_of_select_a_size_is_that_of_all_reports_under_all_sets(n, rows, rho, padded):
    rows = sorted(rows[:1] if padded else [row for row in rows if len(row) <= n + 1] or [[1]], key=len)
    said = {"kind": "select-a-size", "items": SIX[:n], "rho": rho, "padded": padded}
    said["sums"] = {str(len(row) - 1): sums_of(row) for row in rows}
    assert gamma(said) == naive_gamma(said)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 4), st.sets(st.integers(0, 4), min_size=1, max_size=2), st.integers(1, 5), RHO, st.booleans())
def test_gamma_of_cut_and_paste_is_that_of_all_reports_under_all_sets(n, sizes, cutoff, rho, padded):
    sizes = sorted(sizes)[:1] if padded else sorted({min(m, n) for m in sizes})
    said = {"kind": "cut-and-paste", "items": SIX[:n], "sizes": sizes, "cutoff": cutoff, "rho": rho, "padded": padded}
    assert gamma(said) == naive_gamma(said)


def about(said):
    return float(gamma(said))


def test_vectors_k2_and_k5_gamma():
    k2 = {"kind": "select-a-size", "items": SIX, "rho": WHOLE // 5, "padded": False, "sums": {"3": sums_of([1] * 4)}}
    assert about(k2) == pytest.approx(64, rel=1e-14)
    k5 = {"kind": "cut-and-paste", "items": SIX, "rho": WHOLE // 5, "padded": False, "sizes": [3], "cutoff": 2}
    assert about(k5) == pytest.approx(31, rel=1e-14)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 9), st.integers(1, 6), st.floats(0.02, 0.9), st.integers(1, 8), st.booleans())
def test_gamma_is_that_of_any_randomizer_of_sets(n, m, rho, cutoff, padded):
    items, m = list(range(n)), m if padded else min(m, n)
    made = [collection.CutAndPaste, collection.SelectASize]
    parameters = [{"sizes": [m], "cutoff": cutoff}, {"keep": [1 / (m + 1)] * (m + 1)}]
    for kind, more in zip(made, parameters, strict=True):
        try:
            randomizer = kind(items=items, rho=rho, itemset_size=1, padded=padded, **more)
        except sf.errors.ParameterError:
            continue  # nothing can be learnt so
        assert gamma(randomizer.shipped) == randomizer.privacy.gamma, randomizer


def test_where_a_number_of_items_is_never_kept_the_answer_is_given_away():
    said = {
        "kind": "select-a-size",
        "items": SIX,
        "rho": WHOLE // 4,
        "padded": False,
        "sums": {"2": sums_of([0, 1, 1])},
    }
    assert gamma(said) is None
    assert gamma(said | {"items": ["a", "b"]}) == 1, "there is one set of two items"


@pytest.mark.parametrize("keep", [[[0, 0, 1]], [[1, 0, 0]], [[0, 1, 0]], [[0, 1], [1, 0, 1]], [[1], [1, 1, 0, 0]]])
@pytest.mark.parametrize("n", [3, 4])
def test_reports_that_can_be_drawn_and_no_others_pass(keep, n):
    said = {"kind": "select-a-size", "items": SIX[:n], "rho": WHOLE // 4, "padded": False}
    said["sums"] = {str(len(row) - 1): sums_of(row) for row in keep}
    kernel, several = ITEMSETS[said["kind"]], len(keep) > 1
    drawable = {(m, *report) if several else report for m, laws in laws_by_size(said) for law in laws for report in law}
    limits = [range(least, most + 1) for least, most in kernel.limits(said).values()]
    refused = set()
    for report in itertools.product(*limits):
        flaw = kernel.flaw(said, np.array([report]))
        assert (flaw is None) == (report in drawable), report
        refused |= {flaw} - {None}
    assert all(each.startswith("row 1 ") for each in refused)


@pytest.mark.parametrize("kind", ["select-a-size", "cut-and-paste"])
def test_a_size_that_no_set_has_is_seen(kind):
    said = {"kind": kind, "items": SIX, "rho": WHOLE // 4, "padded": False, "sizes": [1, 3], "cutoff": 2}
    said["sums"] = {"1": sums_of([1, 1]), "3": sums_of([1] * 4)}
    flaw = ITEMSETS[kind].flaw(said, np.array([[1, 0, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0]]))
    assert flaw == "row 2 is of a set of 2 items, and no set has as many"


WRONG = {
    "select-a-size": [
        {"items": None}, {"items": []}, {"items": ["a", "a"]}, {"items": [1, 2, 3]}, {"padded": 1}, {"padded": None},
        {"rho": 0}, {"rho": WHOLE}, {"rho": -1}, {"rho": 0.5}, {"sums": None}, {"sums": {}}, {"sums": [[1, WHOLE]]},
        {"sums": {"1": [5, 4]}}, {"sums": {"1": [5]}}, {"sums": {"1": [1, WHOLE - 1]}}, {"sums": {"1": [-1, WHOLE]}},
        {"sums": {"01": [1, WHOLE]}}, {"sums": {"one": [1, WHOLE]}}, {"sums": {"²": [1, 2, WHOLE]}}, {"sums": {"1": None}},
        {"sums": {"2": [1, 2, WHOLE], "1": [1, WHOLE]}}, {"padded": True}, {"sums": {"6": [WHOLE] * 7}},
    ],
    "cut-and-paste": [
        {"sizes": None}, {"sizes": []}, {"sizes": [2, 1]}, {"sizes": [1, 1]}, {"sizes": [-1]}, {"sizes": [6], "padded": False},
        {"sizes": [1, 2]}, {"sizes": [True]}, {"sizes": ["2"]}, {"sizes": [1001]}, {"cutoff": 0}, {"cutoff": 1.0}, {"cutoff": 2000},
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "wrong"), [(kind, each) for kind, several in WRONG.items() for each in several], ids=repr
)
def test_what_is_no_randomizer_of_sets_is_refused_in_a_sentence(kind, wrong):
    said = EVERY_KIND[kind].shipped | wrong
    with pytest.raises(DataError):
        _ = ITEMSETS[kind].gamma(said), ITEMSETS[kind].limits(said)


def large(kind, m, *, padded, sizes=None):
    said = {"kind": kind, "items": [str(i) for i in range(1000)], "rho": WHOLE // 10, "padded": padded}
    return said | {"sizes": sizes or [m], "cutoff": m, "sums": {str(m): sums_of([1] * (m + 1))}}


def test_large_sets_are_checked_within_seconds_and_larger_ones_refused():
    started = time.perf_counter()
    for kind, padded in itertools.product(ITEMSETS, (False, True)):
        assert gamma(large(kind, 100, padded=padded)) > 1
    assert gamma(large("cut-and-paste", 400, padded=False)) > 1
    assert gamma(large("select-a-size", 900, padded=False)) > 1
    for said in (
        large("cut-and-paste", 1000, padded=True), large("select-a-size", 1000, padded=True),
        large("cut-and-paste", 9, padded=False, sizes=list(range(1001))),
    ):  # fmt: skip
        with pytest.raises(DataError, match="of sets of 1,000 items is too large to be checked here"):
            gamma(said)
    assert time.perf_counter() - started < 30


# -- in a release ------------------------------------------------------------------------------------------------------
SETS = {name: EVERY_KIND[name] for name in ITEMSETS}
ANSWERS = [["one"], ["one", "two"], ["four", "five"], ["two"]] * 50


@pytest.fixture(scope="module")
def release():
    survey = survey_of(SETS)
    return sf.publish_reports(survey, survey.randomize(pl.DataFrame(dict.fromkeys(SETS, ANSWERS)), seed=1))


def test_a_release_of_sets_is_declared_and_says_that_sizes_are_told(release, tmp_path):
    for format in ("csv", "parquet"):
        release.save(tmp_path / format, format=format)
        back = sf.load_release(tmp_path / format)
        verdict = sf.verify(back)
        assert verdict.word == "declared"
        told = [each for each in verdict.not_covered if each.startswith("how many items")]
        assert told == ["how many items a respondent has, which reports to 'select-a-size' tell as it is"]
        found = sf.estimate(back)["select-a-size"].support(["one"])
        assert found.low < 0.5 < found.high
    assert "five" in release.report().html


def test_a_size_that_no_set_has_breaks_a_release(release):
    from dataclasses import replace

    frame = release.data.frame
    sizes = [3, *frame["select-a-size.size"].to_list()[1:]]
    data = sf.Table(frame.with_columns(**{"select-a-size.size": np.array(sizes)}), sf.Schema(rest="plain"))
    assert sf.verify(replace(release, data=data)).word == "broken"
