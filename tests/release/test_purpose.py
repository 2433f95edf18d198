"""One seed used for two releases does not tie them together."""

import numpy as np
import polars as pl

import sfumato as sf
from support.edited_releases import hospital_table


def test_one_seed_gives_other_runs_another_order_of_rows():
    table = hospital_table()
    methods = [sf.Mondrian(), sf.LocalRecoding(), sf.Hilbert()]
    releases = [sf.publish(table, method, sf.KAnonymity(5), seed=7) for method in methods]
    releases.append(sf.publish(table, sf.Mondrian(), sf.KAnonymity(6), seed=7))
    changed = table.frame.with_columns(pl.col("age") + (pl.int_range(pl.len()) == 3).cast(pl.Int64))
    releases.append(sf.publish(sf.Table(changed, table.schema), sf.Mondrian(), sf.KAnonymity(5), seed=7))
    orders = [release.owner.rows for release in releases]
    for i, first in enumerate(orders):
        for second in orders[:i]:
            assert (first == second).mean() < 0.1
    assert (sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=7).owner.rows == orders[0]).all()


def test_noise_of_one_seed_differs_between_methods():
    table = hospital_table()
    numbers = sf.Table(table.frame.select("age"), sf.Schema(quasi=["age"]))
    shown = []
    for scale in (0.1, 0.2):
        release = sf.publish(numbers, sf.AdditiveNoise(scale=scale), seed=7)
        moved = np.empty(len(numbers))
        moved[release.owner.rows] = release.data.frame["age"].to_numpy()
        shown.append(moved - numbers.frame["age"].to_numpy())
    assert abs(np.corrcoef(shown)[0, 1]) < 0.3
