"""Classes by number and their counterfeits: true, and damage is found."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from support.republished_tables import second_of_sequence


@pytest.fixture(scope="module")
def two():
    return second_of_sequence()


def altered(release, **columns):
    frame = release.data.frame.with_columns(**columns)
    return replace(release, data=sf.Table(frame, release.data.schema))


def test_the_release_is_true(two):
    assert (two.owner.rows < 0).any()
    assert sf.verify(two, two.owner.original).holds
    alone = sf.verify(replace(two, owner=None), two.owner.original)
    assert (alone.word, alone.broken) == ("not decided", ())  # the first release is not here


def test_wrong_values_are_found(two):
    real = int(np.flatnonzero(two.owner.rows >= 0)[0])
    shown = two.data.frame["illness"].to_list()
    shown[real] = "plague"
    verdict = sf.verify(altered(two, illness=pl.Series(shown)), two.owner.original)
    assert any("differs from the original in 1 rows" in text for text in verdict.broken)
    shown[:] = ["plague" if i < 12 else value for i, value in enumerate(two.data.frame["illness"])]
    without = replace(altered(two, illness=pl.Series(shown)), owner=None)
    assert any("values more than the original holds" in text for text in sf.verify(without, two.owner.original).broken)


def test_counterfeits_that_are_not_told_are_found(two):
    none = replace(two, files={"counterfeits": two.files["counterfeits"].head(0)})
    verdict = sf.verify(none, two.owner.original)
    assert any("another number of counterfeits than is told" in text for text in verdict.broken)


@pytest.mark.parametrize(
    ("files", "match"),
    [
        ({}, "the table 'counterfeits' is missing"),
        ({"counterfeits": pl.DataFrame({"group": [0]})}, "column 'count' is missing"),
        ({"counterfeits": pl.DataFrame({"group": [0], "count": [99]})}, "leave no person in their class"),
        ({"counterfeits": pl.DataFrame({"group": [999], "count": [1]})}, "leave no person in their class"),
        ({"counterfeits": pl.DataFrame({"group": [1, 0], "count": [1, 1]})}, "not in order"),
        ({"counterfeits": pl.DataFrame({"group": ["0"], "count": [1]})}, "must hold whole numbers"),
    ],
)  # fmt: skip
def test_tables_that_do_not_fit_are_found(two, files, match):
    verdict = sf.verify(replace(two, files=files))
    assert not verdict.holds
    assert any(match in text for text in verdict.broken)


def test_one_number_for_two_classes_is_found(two):
    verdict = sf.verify(altered(two, group=pl.lit(0)))
    assert any("some number stands for rows that show different things" in text for text in verdict.broken)
