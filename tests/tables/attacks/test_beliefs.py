"""Beliefs by the rows that fit: by groups of two tables, and by the nearest rows."""

from collections import Counter

import numpy as np
import polars as pl
import pytest

import sfumato as sf


def test_beliefs_by_groups_of_two_tables():
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"age": rng.integers(0, 6, 41), "ill": rng.choice(list("PQRST"), 41)})
    table = sf.Table(frame, sf.Schema(quasi=["age"], sensitive=["ill"]))
    release = sf.publish(table, sf.Anatomy(), sf.LDiversity(3), seed=1)
    told = release.public["permutation"]
    listed = release.files[told["table"]].to_dicts()
    sizes = Counter(release.data.frame[told["group"]])
    own = []
    for person in frame.iter_rows(named=True):
        groups = [row[told["group"]] for row in release.data.frame.to_dicts() if row["age"] == person["age"]]
        share = [
            sum(e[told["count"]] for e in listed if e[told["group"]] == g and e["ill"] == person["ill"]) / sizes[g]
            for g in groups
        ]
        own.append(np.mean(share))
    assert len(set(sizes.values())) > 1
    assert sf.attack(release, sf.HomogeneityAttack(), table)["posterior"].value == pytest.approx(np.mean(own))


def test_of_the_nearest_rows_nothing_is_certain():
    rng = np.random.default_rng(2)
    table = sf.Table(
        pl.DataFrame({"a": rng.normal(size=80), "b": rng.normal(size=80), "ill": rng.choice(list("PQR"), 80)}),
        sf.Schema(quasi=["a", "b"], sensitive=["ill"]),
    )
    release = sf.publish(table, sf.AdditiveNoise(scale=0.001), seed=1)
    found = sf.attack(release, sf.HomogeneityAttack(), table)
    assert "certain" not in found
    assert "certain" not in sf.attack(release, sf.BackgroundKnowledgeAttack(), table)
    assert found["posterior"].value > 0.95  # so little noise hides nobody
    far = sf.publish(table, sf.AdditiveNoise(scale=2.0), seed=1)
    assert sf.attack(far, sf.HomogeneityAttack(), table)["posterior"].value < 0.6
