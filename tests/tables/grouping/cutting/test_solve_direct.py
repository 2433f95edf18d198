"""The direct problem: diverse groups are joined where k asks for more."""

import polars as pl

import sfumato as sf


def test_k_above_l_joins_diverse_groups():
    n = 6000
    table = sf.Table(
        pl.DataFrame({"q": range(n), "s": [i % 3 for i in range(n)]}), sf.Schema(quasi=["q"], sensitive=["s"])
    )  # fmt: skip
    release = sf.publish(table, sf.Hilbert(), sf.LDiversity(3) & sf.KAnonymity(6), seed=1)
    assert sf.measure(release, n_queries=0)["n_classes"] == 1000
