"""What a report says to the owner alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from support.report_pages import Page, both_pages, report_page


def test_the_owners_page_compares_withholds_and_warns(hospital_release):
    table, release, measures = hospital_release
    page = report_page(release, table, "owner", measures=measures)
    words = Page(page).words
    assert "For the owner only." in words
    for name in release.schema.quasi:
        assert f"<title>{name} before and after</title>" in page
    assert "mrn" in words
    assert "0 of 600" in words
    assert "Smallest and largest classes" in words


def test_an_owner_without_the_original_gets_what_there_is(hospital_release):
    _, release, measures = hospital_release
    bare = replace(release, owner=None)
    assert "The original was not at hand" in report_page(bare, None, "owner", measures=measures)


def test_no_sensitive_column_and_cells_all_missing():
    random = np.random.default_rng(4)
    age = pl.Series([None] * 95 + [30, 31, 32, 33, 34], dtype=pl.Int64)
    town = pl.Series(random.choice(["Rome", "Oslo"], 100)).to_frame("t").select(
        pl.when(pl.int_range(pl.len()) > 49).then(pl.col("t"))
    )["t"]  # fmt: skip
    table = Table(pl.DataFrame({"age": age, "town": town, "n": range(100)}), Schema(quasi=["age", "town"], plain=["n"]))
    public, owner = both_pages(table)
    assert "Sensitive values" not in public
    assert "(no value)" in owner
    assert "Without a value: 95 rows before" in owner
