"""Losses and risks of releases with counterfeits are those of people."""

from dataclasses import replace

import polars as pl
import pytest

import sfumato as sf
from support.republished_tables import half_counterfeits, second_of_sequence


@pytest.fixture(scope="module")
def two():
    return second_of_sequence()


def test_losses_and_risks_are_measured(two):
    found = sf.measure(two)
    assert 0 < found["gcp"] < 1
    assert found["withheld_rows"] == 0
    assert found["counterfeits"] == int((two.owner.rows < 0).sum())
    assert sf.measure(replace(two, owner=None))["counterfeits"] == found["counterfeits"]


@pytest.fixture(scope="module")
def half():
    return half_counterfeits()


@pytest.mark.parametrize("owner", [True, False])
def test_risks_are_those_of_people(half, owner):
    """Everybody is alone among three; with the counterfeits it would be half of that."""
    found = sf.measure(half if owner else replace(half, owner=None))
    assert found["prosecutor_max"] == found["prosecutor_average"] == found["marketer"] == 1.0
    assert found["average_class_size"] == 2.0
    assert sum("marketer's risk" in note for note in found.notes) == 1


def test_risks_in_a_population_are_those_of_people(half):
    population = half.owner.original.frame.select("age", "town")
    people_ = sf.Table(pl.concat([population] * 4), sf.Schema(quasi=["age", "town"]))
    found = sf.measure(half, population=people_)
    assert found["journalist_max"] == found["marketer"] == 0.25
