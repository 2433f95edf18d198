"""Sets of items are told from tables and edges by what stands in the file."""

from __future__ import annotations

import gzip

import polars as pl
import pytest

from sfumato.data.recognising_contents import has_lines_of_items, record_and_item
from sfumato.data.table import Table


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        ("1 2 3\n2 5\n7\n", True), ("1 2 3 \n2 5 \n\n7 8 9 10\n", True), ("1 2\n3 4\n5 6\n", False),
        ("1 2 3\n4 5 6\n7 8 9\n", False), ("a b\nc\nd e f\n", False), ("age sex\n1 2\n3\n", False), ("1 2\n3\n", False),
        ("# x\n1 2\n3\n4 5 6\n", False), ("1,2\n3\n4,5,6\n", False), ("", False),
    ],
)  # fmt: skip
def test_lines_of_items(tmp_path, content, wanted):
    (tmp_path / "x.txt").write_text(content)
    (tmp_path / "x.txt.gz").write_bytes(gzip.compress(content.encode()))
    (tmp_path / "x.csv").write_text(content)
    assert has_lines_of_items(str(tmp_path / "x.txt")) is wanted
    assert has_lines_of_items(str(tmp_path / "x.txt.gz")) is wanted
    assert not has_lines_of_items(str(tmp_path / "x.csv"))


def test_what_cannot_be_read_is_left_to_whoever_reads_it(tmp_path):
    (tmp_path / "broken.txt.gz").write_bytes(b"\x1f\x8bnonsense")
    assert not has_lines_of_items(str(tmp_path / "broken.txt.gz"))
    assert not has_lines_of_items(str(tmp_path / "none.txt"))
    assert not has_lines_of_items("postgresql://x/y.txt")


def test_a_row_for_each_item():
    def pair(**columns):
        return record_and_item(Table(pl.DataFrame(columns)))

    assert pair(order_id=[1, 1, 2], product=["a", "b", "a"]) == ("order_id", "product")
    assert pair(Warenkorb=[1, 1], Artikel=["a", "b"]) == ("Warenkorb", "Artikel")
    assert pair(order_id=[1, 2, 3], product=["a", "b", "a"]) is None  # every order one row: a table
    assert pair(patient=[1, 1], product=["a", "b"]) is None
    assert pair(order=[1, 1], product=["a", "b"], age=[3, 4]) is None
