"""Releases of classes: another original is found, and stars are a class."""

import polars as pl

import sfumato as sf
from support.edited_releases import hospital_table


def test_another_original_is_found_by_its_size():
    table = hospital_table()
    release = sf.publish(table, sf.LocalRecoding(), sf.KAnonymity(5), seed=1)
    more = sf.Table(pl.concat([table.frame, table.frame.head(7)]), table.schema)
    verdict = sf.verify(release, more)
    assert not verdict.holds
    assert any("the original has 207 records, and the release was made from 200" in said for said in verdict.broken)


def test_a_class_that_shows_only_stars_is_still_a_class():
    frame = pl.DataFrame({"c": list("abcd"), "s": ["x", "x", "x", "y"]})
    table = sf.Table(frame, sf.Schema(quasi=["c"], sensitive=["s"]))
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(4), seed=1)
    assert set(release.data.frame["c"]) == {"*"}
    assert release.verdict.found == ("smallest class 4 in 1 class",)
    assert not sf.verify(release, promise=sf.LDiversity(2)).holds
