"""Classes are of people who are near each other."""

import numpy as np
import polars as pl

import sfumato as sf
from sfumato.tables.republishing.split import split_bucket
from support.republished_tables import ILLS, SCHEMA


def test_near_people_share_a_class():
    """Two clusters: no class may span both."""
    pool = pl.DataFrame(
        {"id": range(24), "age": [20 + i % 6 for i in range(12)] + [70 + i % 6 for i in range(12)],
         "town": ["a"] * 24, "illness": [ILLS[i % 3] for i in range(24)]}
    )  # fmt: skip
    release = sf.publish(sf.Table(pool, SCHEMA), sf.Republishing(), sf.MInvariance(3), seed=1)
    ages = release.owner.original.frame["age"]
    for number in set(release.data.frame["group"]):
        behind = ages.gather(release.owner.rows[(release.data.frame["group"] == number).to_numpy()])
        assert behind.max() - behind.min() < 10


def test_the_split_cuts_where_extents_are_smallest():
    position = np.array([[0.0, 0.1, 0.9, 1.0, 0.05, 0.15, 0.95, 0.85], [0.3, 0.4, 0.5, 0.2, 0.3, 0.4, 0.5, 0.2]])
    members = np.array([[2, 0, 3, 1], [4, 6, 5, 7]])
    split_bucket(position, np.ones(2), members)
    for column in members.T:
        assert np.ptp(position[0, column]) < 0.2
