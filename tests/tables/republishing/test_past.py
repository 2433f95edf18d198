"""What the owner keeps of a release is enough for the next, and is no more."""

from dataclasses import replace

import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ReleaseError, SchemaError
from support.republished_tables import ILLS, assert_refused, people, published, signatures, table


def test_the_latest_release_alone_tells_everybodys_signature():
    pool = people(12, [ILLS[i % 4] for i in range(12)])
    one, two = published(pool, [range(12), range(4, 12)], 2)
    three = sf.publish(table(pool, range(12)), sf.Republishing(), sf.MInvariance(2), previous=[two], seed=9)
    assert signatures(three) == signatures(one)
    assert three.public["republication"]["release"] == 3
    assert sf.verify(three, previous=[one, two]).holds


def test_the_owner_does_not_keep_whose_value_is_whose():
    kept = published(people(8, ["flu", "gout"] * 4), [range(8)], 2)[0].owner.files
    assert kept["people"].columns == ["person", "group", "signature", "since"]
    assert set(kept["people"]["signature"]) == {'["flu", "gout"]'}
    assert kept["values"]["text"].to_list() == ["flu", "gout"]


def test_earlier_releases_must_have_their_owners_part_and_column():
    pool = people(8, ["flu", "gout", "cold", "HIV"] * 2)
    (first,) = published(pool, [range(8)], 2)
    stripped = replace(first, owner=None)
    assert_refused(table(pool, range(8)), ReleaseError, "has no owner's part", previous=[stripped])
    other = sf.Schema(identifier=["id"], quasi=["age"], sensitive=["town"])
    assert_refused(table(pool, range(8), other), SchemaError, "earlier releases protect 'illness'", previous=[first])


@pytest.mark.parametrize("format", ["parquet", "csv", "arrow"])
def test_a_saved_sequence_goes_on_without_the_originals(tmp_path, format):
    pool = people(24, list(range(4)) * 6).with_columns(illness=pl.Series(list(range(4)) * 6))
    pool = pool.with_columns(day=pl.lit("2024-02-01").str.to_date())
    schema = sf.Schema(identifier=["id"], quasi=["age", "day"], sensitive=["illness"])
    stays, folders = [range(16), range(6, 20), range(24)], []
    for i, stay in enumerate(stays):
        previous = [sf.load_release(folder) for folder in folders]
        data = table(pool, stay, schema)
        release = sf.publish(data, sf.Republishing(counterfeits=9), sf.MInvariance(3), previous=previous, seed=i)
        folders.append(release.save(tmp_path / f"out{i}", format=format, report=format == "parquet" and i == 2))
        loaded = sf.load_release(folders[-1])
        assert loaded.verdict.found == release.verdict.found
        assert sf.verify(loaded, data, previous=previous).holds
    text = (tmp_path / "out2" / "release.json").read_text()
    assert "p001" not in text
    assert "p001" not in "".join(path.read_bytes().decode("latin-1") for path in (tmp_path / "out2").iterdir())
    assert "over 2 earlier releases" in text
