"""Real data: what an adversary links in repeated releases of Adult, with and without exchangeable blocks."""

from __future__ import annotations

import polars as pl
import pytest

import sfumato as sf
from sfumato.published.tables.linkage import linkage_over_releases
from sfumato.published.tables.linkage_rates import numbers_of

pytestmark = [pytest.mark.data, pytest.mark.slow]

QUASI = ["age", "fnlwgt", "education-num"]


@pytest.fixture(scope="module")
def adult(data_folder):
    frame = pl.read_csv(data_folder / "relational" / "adult.csv.gz", null_values="?").head(600)
    return sf.Table(frame.select(*QUASI, "occupation"), sf.Schema(quasi=QUASI, sensitive=["occupation"]))


def linked(table, method, promise, n_releases):
    def releases():
        for seed in range(n_releases):
            release = sf.publish(table, method, promise, seed=seed)
            yield numbers_of(release.data.frame, QUASI), release.owner.rows

    return linkage_over_releases(numbers_of(table.frame, QUASI), releases())


@pytest.mark.parametrize("k", [5, 10, 50])
def test_no_attack_exceeds_one_in_k(adult, k):
    linkage = linked(adult, sf.PatternPreserving(sf.Blocks(k)), sf.Exchangeable(k), 8)
    for attack in linkage.hits:
        low, _ = linkage.pooled_interval(attack, 0.99)
        assert low <= 1 / k, f"{attack} links {linkage.rate[attack]:.3f}"
    assert max(linkage.rate.values()) > 1 / len(adult)  # the attacks are no straw men


def test_the_order_gives_everybody_away(adult):
    linkage = linked(adult, sf.PatternPreserving(sf.Order(), resolution="real"), None, 1)
    assert linkage.rate["by_rank"] > 0.99
