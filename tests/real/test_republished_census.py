"""Real data: five releases of employed people of Census-Income, a tenth of whom leave and join each time."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf

pytestmark = [pytest.mark.data, pytest.mark.slow]

N, STEP, M = 10_000, 1_000, 4
SCHEMA = sf.Schema(
    identifier=["person"],
    quasi=["age", "sex", "education", "country_of_birth_self"],
    sensitive=["occupation_code"],
    kinds={"occupation_code": "category"},
)


@pytest.fixture(scope="module")
def stays(data_folder):
    frame = pl.read_csv(data_folder / "relational" / "census_income.csv.gz", null_values="?").with_row_index("person")
    employed = sf.Table(frame.filter(pl.col("occupation_code") != 0), SCHEMA)
    order = np.random.default_rng(1).permutation(len(employed))
    return [employed.rows(np.sort(order[i * STEP : i * STEP + N])) for i in range(5)]


def test_few_counterfeits_are_needed_and_nobody_is_found(stays):
    releases = []
    for i, stay in enumerate(stays):
        release = sf.publish(stay, sf.Republishing(), sf.MInvariance(M), previous=releases, seed=i)
        figures = sf.measure(release, n_queries=1)
        print(f"\nrelease {i + 1}: {figures['counterfeits']:.0f} counterfeits, GCP {figures['gcp']:.4f}")
        assert release.verdict.holds
        assert figures["counterfeits"] <= 0.005 * N
        assert figures["gcp"] < 0.3
        releases.append(release)
    for knows_class in (False, True):
        found = sf.attack(releases[-1], sf.IntersectionAttack(previous=releases[:-1], knows_class=knows_class))
        assert found["certain"].value == 0
        assert found["posterior"].value <= 1 / M + 1e-9
        assert found["fewest"].value >= M


def test_naive_releases_give_people_away(stays):
    releases = [sf.publish(stay, sf.Mondrian(), sf.LDiversity(M), seed=1) for stay in stays]
    found = sf.attack(releases[-1], sf.IntersectionAttack(previous=releases[:-1]))
    print(f"\ncertain {found['certain'].value:.4f}, by the latest alone {found['certain_latest'].value:.4f}")
    assert found["certain_latest"].value == 0
    assert found["certain"].low > 0
