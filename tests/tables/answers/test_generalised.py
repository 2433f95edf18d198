"""Answers from ranges, sets and nodes: bounds are attained, whatever columns are called."""

import itertools

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from support.asked import EXACT_AGGREGATES
from support.asked_originals import N, ask_within_bounds, published


@pytest.mark.parametrize("seed", range(12))
def test_bounds_over_ranges_are_attained(seed):
    """Every value of every cell is tried for a release of ranges of whole numbers and sets."""
    rng = np.random.default_rng(seed)
    n = 6
    frame = pl.DataFrame(
        {"age": rng.integers(20, 26, n), "town": rng.choice(["a", "b", "c"], n), "salary": rng.integers(-5, 20, n)}
    )
    table = sf.Table(frame, sf.Schema(quasi=["age", "town"], sensitive=["salary"]))
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(3), seed=1)
    cells = []
    for age, town in release.data.frame.select("age", "town").iter_rows():
        ends = [int(end) for end in age.strip("[]").split(", ")]
        members = ["a", "b", "c", "d", None] if town == "*" else town.strip("{}").split(", ")
        cells.append([(a, t) for a in range(ends[0], ends[-1] + 1) for t in members])
    salary = release.data.frame["salary"].to_list()
    for condition, holds in (
        ("age < 23", lambda a, _: a < 23),
        ("age % 2 = 0 AND town = 'a'", lambda a, t: a % 2 == 0 and t == "a"),
        ("age BETWEEN 21 AND 24 OR town <> 'b'", lambda a, t: 21 <= a <= 24 or t not in ("b", None)),
        ("NOT (age = 22 AND town IN ('a', 'c'))", lambda a, t: not (a == 22 and (t in ("a", "c") or t is None))),
    ):
        met = [[holds(*pair) for pair in pairs] for pairs in cells]
        sure = [all(each) for each in met]
        may = [any(each) for each in met]
        count = sf.ask(release, f"SELECT COUNT(*) FROM release WHERE {condition}")
        assert (count.low, count.high) == (sum(sure), sum(may)), condition
        if "*" not in release.data.frame["town"].to_list():
            assert count.value == pytest.approx(sum(sum(each) / len(each) for each in met))
        doubt = [v for v, s, m in zip(salary, sure, may, strict=True) if m and not s]
        certain = [v for v, s in zip(salary, sure, strict=True) if s]
        worlds = [
            [*certain, *more] for k in range(len(doubt) + 1) for more in itertools.combinations(doubt, k)
        ]  # fmt: skip
        truths = {name: [exactly(world) for world in worlds if world] for name, exactly in EXACT_AGGREGATES.items()}
        for aggregate, found in truths.items():
            answer = sf.ask(release, f"SELECT {aggregate}(salary) FROM release WHERE {condition}")
            if not found:
                assert answer.value is None
                continue
            assert answer.low == pytest.approx(float(min(found)), rel=1e-15), (aggregate, condition)
            assert answer.high == pytest.approx(float(max(found)), rel=1e-15), (aggregate, condition)


@pytest.mark.parametrize("name", ["_met", "_cell_0", "_share", "_holds", "_may", "_weight", "_open", "_key_0", "_value",
                                  "_sure", "_Met", "__met", "cell", "open"])  # fmt: skip
def test_ranges_of_columns_called_as_we_call_our_own(name):
    release = published(
        {name: list(range(N)), "s": [1, 2] * 20}, sf.Hilbert(), sf.KAnonymity(4), quasi=[name], sensitive=["s"]
    )
    ask_within_bounds(release, f'SELECT COUNT(*) FROM release WHERE "{name}" > 30')
    ask_within_bounds(release, f'SELECT SUM(s) FROM release WHERE "{name}" BETWEEN 3 AND 30')


def test_keys_without_values_are_there():
    frame = {"q": range(N), "k": ["a", "b"] * 20, "p": [1, None] * 20, "s": [1, 2] * 20}
    release = published(frame, sf.Hilbert(), sf.KAnonymity(4), quasi=["q"], plain=["k", "p"], sensitive=["s"])
    counts = sf.ask(release, "SELECT k, COUNT(p) FROM release GROUP BY k")
    assert (counts["a"].low, counts["b"].high) == (20, 0)
    assert sf.ask(release, "SELECT k, SUM(p) FROM release GROUP BY k")["b"].value is None
