"""Bounds are attained: every assignment, and every choice of records in doubt, is tried on small cases."""

import itertools
import statistics
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from asked import subdomain_release

import sfumato as sf
from sfumato.tables.answers.bounds_from_ranges import extremes

AGGREGATES = {
    "SUM": sum, "AVG": lambda values: Fraction(sum(values)) / len(values), "MIN": min, "MAX": max,
    "MEDIAN": statistics.median,
}  # fmt: skip


def assignments(pieces, n):
    """Every way to give n rows values from different pieces."""
    for chosen in itertools.permutations(range(len(pieces)), n):
        yield from itertools.product(*(range(pieces[i][0], pieces[i][1] + 1) for i in chosen))


@pytest.mark.parametrize("seed", range(25))
def test_bounds_over_groups_are_attained(seed):
    rng = np.random.default_rng(seed)
    domain = sorted(rng.choice(30, 5, replace=False).tolist())
    sizes = [int(n) for n in rng.integers(1, 4, 2)]
    listed, pieces = {}, {}
    for g, size in enumerate(sizes):
        ends = np.sort(rng.integers(0, 5, (size + int(rng.integers(0, 2)), 2)), axis=1).tolist()
        pieces[g] = ends
        listed[g] = [(a, b, ends.count([a, b])) for a, b in sorted({(a, b) for a, b in ends})]
    groups = [g for g, size in enumerate(sizes) for _ in range(size)]
    picked = rng.random(len(groups)) < 0.6
    picked[0] = True
    frame = pl.DataFrame({"picked": picked.astype(int), "salary": [domain[0]] * len(groups)})
    release = subdomain_release(frame, "salary", groups, domain, listed)
    chosen = [int(sum(p for p, of in zip(picked, groups, strict=True) if of == g)) for g in range(len(sizes))]
    worlds = {
        tuple(sorted(domain[p] for part in parts for p in part))
        for parts in itertools.product(*({tuple(sorted(a)) for a in assignments(pieces[g], s)}
                                         for g, s in enumerate(chosen)))
    }  # fmt: skip
    for aggregate, exactly in AGGREGATES.items():
        answer = sf.ask(release, f"SELECT {aggregate}(salary) FROM release WHERE picked = 1")
        truths = [exactly(world) for world in worlds]
        assert answer.low == pytest.approx(float(min(truths)), rel=1e-15), aggregate
        assert answer.high == pytest.approx(float(max(truths)), rel=1e-15), aggregate
        assert Fraction(answer.low) <= min(truths) or answer.low == answer.high
        assert Fraction(answer.high) >= max(truths) or answer.low == answer.high
    for value in domain:
        answer = sf.ask(release, f"SELECT COUNT(*) FROM release WHERE picked = 1 AND salary <= {value}")
        counts = [sum(v <= value for v in world) for world in worlds]
        assert (answer.low, answer.high) == (min(counts), max(counts))


@pytest.mark.parametrize("seed", range(60))
def test_bounds_over_choices_are_attained(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    values = rng.integers(-6, 7, n) * (1 if seed % 2 else 0.5)
    sure = rng.random(n) < rng.choice([0, 0.4, 0.9])
    doubt = np.flatnonzero(~sure)
    worlds = [
        [*values[sure].tolist(), *values[list(more)].tolist()]
        for k in range(len(doubt) + 1)
        for more in itertools.combinations(doubt, k)
    ]
    for aggregate, exactly in AGGREGATES.items():
        truths = [exactly([Fraction(v) for v in world]) for world in worlds if world]
        low, high = extremes(aggregate, values, sure)
        assert low == pytest.approx(float(min(truths)), rel=1e-15), aggregate
        assert high == pytest.approx(float(max(truths)), rel=1e-15), aggregate


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
        truths = {name: [exactly(world) for world in worlds if world] for name, exactly in AGGREGATES.items()}
        for aggregate, found in truths.items():
            answer = sf.ask(release, f"SELECT {aggregate}(salary) FROM release WHERE {condition}")
            if not found:
                assert answer.value is None
                continue
            assert answer.low == pytest.approx(float(min(found)), rel=1e-15), (aggregate, condition)
            assert answer.high == pytest.approx(float(max(found)), rel=1e-15), (aggregate, condition)
