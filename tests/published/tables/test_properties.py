"""Properties that are missing, damaged or left by the values are found."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

import sfumato as sf
from support.pattern_tables import sorted_table


def test_a_name_of_its_own_tells_a_record_apart():
    release = sf.publish(sorted_table(20), sf.PatternPreserving(sf.Blocks(5)), sf.Exchangeable(5), seed=1)
    rows = release.files["properties"].with_columns(pl.col("property").cast(pl.String))
    single = rows["rows"].list.len() == 1
    named = rows.with_columns(
        pl.when(single & (pl.int_range(pl.len()) == single.arg_true()[0])).then(pl.lit("Ann")).otherwise("property")
        .alias("property")
    )  # fmt: skip
    assert sf.verify(replace(release, files={**release.files, "properties": named})).word == "broken"


def test_bounds_of_the_schema_are_checked():
    table = sf.Table(pl.DataFrame({"x": list(range(30))}), sf.Schema(quasi=["x"], bounds={"x": (0, 40)}))
    release = sf.publish(table, sf.PatternPreserving(sf.PoI("x[0] <= x[9]")), seed=1)
    out = release.data.frame.with_columns(pl.when(pl.int_range(30) == 5).then(41).otherwise("x").alias("x"))
    verdict = sf.verify(replace(release, data=sf.Table(out, sf.Schema(quasi=["x"]))))
    assert "leaves the bounds" in str(verdict)


def test_what_should_be_there_must_be_there():
    table = sorted_table(40)
    release = sf.publish(table, sf.PatternPreserving(sf.Blocks(5)), sf.Exchangeable(5), seed=1)
    rows, blocks = release.files["properties"], release.files["blocks"]
    assert sf.verify(replace(release, files={})).word == "broken"
    for bound in (float("inf"), float("nan"), None):
        spoiled = rows.with_columns(pl.lit(bound, dtype=pl.Float64).alias("bound"))
        assert sf.verify(replace(release, files={"properties": spoiled, "blocks": blocks})).word == "broken"
    for spoiled in (
        rows.drop("bound"), rows.with_columns(pl.col("rows").list.head(0)), rows.with_columns(pl.lit("x").alias("bound")),
        rows.with_columns(pl.col("rows").list.eval(pl.element() + 900)), rows.with_columns(pl.lit(3).alias("rows")),
    ):  # fmt: skip
        assert sf.verify(replace(release, files={"properties": spoiled, "blocks": blocks})).word == "broken"
    text, empty = blocks.with_columns(pl.lit("x").alias("block")), blocks.with_columns(pl.lit(None).alias("block"))
    for odd in (blocks.rename({"block": "b"}), text, empty):
        assert sf.verify(replace(release, files={"properties": rows, "blocks": odd})).word == "broken"
    far = blocks.with_columns(pl.col("block").cast(pl.Int64) * 4_000_000_000)
    assert sf.verify(replace(release, files={"properties": rows, "blocks": far})).word == "declared"


def test_properties_have_their_columns_and_types():
    """What is cast to whole numbers could differ from row to row, and a column too many could tell anything."""
    release = sf.publish(sorted_table(20), sf.PatternPreserving(sf.Order()), seed=1)
    rows = release.files["properties"]
    for spoiled in (
        rows.with_row_index("row"),
        rows.with_columns(pl.col("rows").list.eval(pl.element() + 0.4)),
        rows.with_columns(pl.col("columns").list.eval(pl.element().cast(pl.String))),
        rows.with_columns(pl.col("bound").cast(pl.String)),
        rows.with_columns(pl.col("coefficients").list.eval(pl.element().cast(pl.String))),
    ):
        assert sf.verify(replace(release, files={"properties": spoiled})).word == "broken"
    assert sf.verify(release).word == "holds"
