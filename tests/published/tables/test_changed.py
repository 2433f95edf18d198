"""Changed values: what a release says of them is read, checked and, where it cannot be, broken."""

from dataclasses import replace

import polars as pl
import pytest

import sfumato as sf
from support.changed_tables import with_public


def densities(n=60):
    frame = pl.DataFrame(
        {"id": range(n), "age": [20 + i * 7 % 61 for i in range(n)], "stay": [1 + i * 5 % 23 for i in range(n)],
         "d": ["flu", "gout"] * (n // 2)}
    )  # fmt: skip
    table = sf.Table(frame, sf.Schema(identifier=["id"], quasi=["age", "stay"], sensitive=["d"]))
    return table, sf.publish(table, sf.UncertainPublication(5), seed=1)


def test_a_published_table_of_fits_decides_nothing():
    """Records as they are, and a table that says how many fit each: nobody who reads counted that."""
    table, release = densities()
    fitting = pl.DataFrame({"expected": [9.0] * len(release.data)})
    public = {key: value for key, value in release.public.items() if key != "uncertain"}
    files = {**release.files, "fitting": fitting}
    bare = replace(release, owner=None, public={**public, "forms": {}}, files=files)
    for forged in (replace(release, owner=None, files=files), bare):
        for original in (None, table):
            verdict = sf.verify(forged, original)
            assert not verdict
            assert verdict.undecided == ("ExpectedAnonymity(k=5)",)
            assert not verdict.reached


def test_a_column_as_recorded_leaves_the_fits_of_densities_undecided():
    table, release = densities()
    assert sf.verify(release, table)
    own = table.frame["stay"].gather(release.owner.rows)
    frame = release.data.frame.with_columns(own)
    forged = with_public(
        replace(
            release, data=sf.Table(frame, release.data.schema),
            files={"densities": release.files["densities"].select("age")},
        ),
        forms={"age": "substitute"}, uncertain={**release.public["uncertain"], "columns": ["age"]},
    )  # fmt: skip
    verdict = sf.verify(forged, table)
    assert not verdict
    assert verdict.undecided == ("ExpectedAnonymity(k=5)",)
    assert not verdict.broken


@pytest.mark.parametrize(
    "uncertain",
    [10**30, None, [], {"a": 1}, {"columns": [[]]}, {"columns": 3}, {"columns": ["age", "stay"]},
     {"columns": ["nope", "stay"], "density": "normal", "table": "densities"}],
)  # fmt: skip
def test_densities_that_cannot_be_read_are_broken(uncertain):
    table, release = densities()
    verdict = sf.verify(with_public(release, uncertain=uncertain), table)
    assert not verdict
    assert any("densities" in text for text in verdict.broken)


def test_spreads_that_are_no_numbers_are_broken():
    table, release = densities()
    files = {"densities": release.files["densities"].with_columns(age=pl.lit("["))}
    assert "what the release says of densities cannot be read" in sf.verify(replace(release, files=files), table).broken
