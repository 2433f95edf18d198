"""Large numbers and spreads are rounded the safe way."""

import polars as pl

import sfumato as sf
from support.asked_originals import N, published


def test_large_numbers_are_summed_exactly():
    big = 2**61
    frame = pl.DataFrame({"age": range(8), "salary": [big + i for i in range(8)]})
    release = sf.publish(
        sf.Table(frame, sf.Schema(quasi=["age"], sensitive=["salary"])), sf.Anatomy(),
        sf.LDiversity(4), seed=1,
    )  # fmt: skip
    assert sf.ask(release, "SELECT AVG(salary) FROM release WHERE age < 3").low >= big
    answer = sf.ask(release, "SELECT SUM(salary) FROM release")
    assert answer.low == answer.high == answer.value == 8 * big + 28


def test_a_spread_is_no_more_than_the_bounds_allow():
    frame = {"q": range(N), "s": [-1.1] * 17 + [1.1] * 23}
    release = published(frame, sf.TargetDistribution("table"), quasi=["q"], sensitive=["s"])
    for sql in ("SELECT MEDIAN(s) FROM release", "SELECT MEDIAN(s) FROM release WHERE q > 10"):
        answer = sf.ask(release, sql)
        assert answer.spread <= (answer.high - answer.low) / 2 + 1e-12
