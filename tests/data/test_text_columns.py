"""What a column of texts is read as where nobody declared it."""

import datetime as dt

import polars as pl
import pytest

from sfumato import Column
from sfumato.data.text_columns import find_type


@pytest.mark.parametrize(
    ("texts", "first"),
    [
        (["12", "7"], 12),
        (["12.5", "7"], 12.5),
        (["1.957,70", "2.100"], 1957.7),
        (["1.957"], 1.957),
        (["1,957"], "1,957"),
        (["02139"], "02139"),
        (["2024-12-31"], dt.date(2024, 12, 31)),
        (["2024-12-31 10:05"], dt.datetime(2024, 12, 31, 10, 5)),
        (["31.12.2024", "03.04.1990"], dt.date(2024, 12, 31)),
        (["12/31/2024", "03/04/1990"], dt.date(2024, 12, 31)),
        (["31-Dec-2024"], dt.date(2024, 12, 31)),
        (["31.12.2024", "30.02.2024"], "31.12.2024"),
        (["03/04/1990"], "03/04/1990"),
        (["01/01/1990"], "01/01/1990"),
        (["31.12.99"], "31.12.99"),
        (["20241231"], 20241231),
        (["01122024"], "01122024"),
        (["31.12.2024", "n/a"], "31.12.2024"),
        (["99999999999999999999"], "99999999999999999999"),
    ],
)  # fmt: skip
def test_undeclared(texts, first):
    found = find_type(pl.Series("x", texts))
    assert found[0] == first
    assert type(found[0]) is type(first)


def test_what_is_declared_is_not_guessed():
    texts = pl.Series("x", ["31.12.2024"])
    for column in (
        Column(name="x", kind="category"), Column(name="x", role="identifier"), Column(name="x", kind="date"),
        Column(name="x", date_format="mm.dd.yyyy"),
    ):  # fmt: skip
        assert find_type(texts, column).dtype == pl.String


def test_a_lone_comma_stands_before_decimals_where_that_is_likely():
    texts = pl.Series("x", ["12,5", "1"])
    assert find_type(texts, decimal_comma=True).to_list() == [12.5, 1.0]
    assert find_type(texts).dtype == pl.String
