"""The profile page: whole, of the owner alone, the same for the same data."""

from __future__ import annotations

import html
import re

import polars as pl

from sfumato.data.inspecting import inspect_table
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.report.profile import render_profile, save_profile


def page_of(table: Table, name: str = "patients.csv") -> str:
    return render_profile(table, inspect_table(table), name=name)


def test_the_page_says_what_singles_people_out_and_draws_columns():
    frame = hospital(200).frame.select("name", "age", "sex", "zip", "diagnosis").with_columns(ward=pl.col("diagnosis"))
    table = Table(frame)
    page = page_of(table)
    assert page == page_of(table)
    text = " ".join(html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", page, flags=re.DOTALL)).split())
    assert text.index("For the owner only.") < text.index("of the rows are singled out") < text.index("Ask yourself")
    for part in ("One column, and two together", "What goes with a sensitive column", "The columns", "age + zip"):
        assert part in text, part
    assert page.count("<svg ") == 5  # all but the names
    assert not any(name in text for name in frame["name"].unique().to_list())
    assert "<script" not in page
    assert not re.findall(r"""(?:src|href)=["'](?!#)""", page)
    assert "{{" not in page


def test_names_of_columns_are_text_alone():
    table = Table(pl.DataFrame({"<b>x</b>": ["<i>a</i>", "b"] * 20}))
    page = page_of(table, "<u>.csv")
    assert "<b>x</b>" not in page
    assert "<i>a</i>" not in page
    assert "<u>.csv" not in page


def test_the_file_is_readable_by_the_owner_alone_even_where_one_was_there(tmp_path):
    table = Table(pl.DataFrame({"age": [20, 30] * 9}))
    target = tmp_path / "page.html"
    target.write_text("old")
    target.chmod(0o644)
    save_profile(table, inspect_table(table), target, name="x")
    assert target.stat().st_mode & 0o777 == 0o600
    assert "NOTHING" in target.read_text().upper()


def test_any_table_has_a_page():
    table = Table(pl.DataFrame({"none": [None, None], "nested": [[1], [2]], "one": [1, 1]}))
    assert "The columns" in page_of(table)
    assert "The columns" in page_of(Table(pl.DataFrame({"age": pl.Series([], dtype=pl.Int64)})))
