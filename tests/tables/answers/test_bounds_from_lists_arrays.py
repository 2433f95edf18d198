"""Bounds over groups are attained by some assignment, and hold of the largest numbers."""

import itertools
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from support.asked import EXACT_AGGREGATES, subdomain_release
from support.asked_originals import DIVERSE, N, ask_within_bounds, published


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
    for aggregate, exactly in EXACT_AGGREGATES.items():
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


def test_large_sensitive_numbers_have_extremes():
    frame = {"q": range(N), "s": [2**62, -(2**62)] * 20}
    release = published(frame, sf.Hilbert(show="permutation"), DIVERSE, quasi=["q"], sensitive=["s"])
    for what in ("MIN", "MAX", "MEDIAN", "SUM", "AVG"):
        ask_within_bounds(release, f"SELECT {what}(s) FROM release WHERE q > 5")
