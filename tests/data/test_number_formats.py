"""Conventions of numbers, held against a reader that tries every one of them cell by cell."""

import itertools

import numpy as np
import polars as pl
import pytest

from sfumato.data.number_formats import misfits_of_numbers, numbers_in_words, read_numbers

SPACES = (" ", "\u00a0", "\u2009", "\u202f")
CONVENTIONS = [
    ((".",), ","),
    ((",",), "."),
    (("'", "\u2019"), "."),
    (("'", "\u2019"), ","),
    (SPACES, ","),
    (SPACES, "."),
]


def oracle_cell(text, thousands, decimal):
    """One number, or None, by walking through the text."""
    body = text.strip()
    sign = -1 if body.startswith("-") else 1
    body = body.removeprefix("-")
    whole, mark, part = body.partition(decimal)
    if mark and not (part and all(c in "0123456789" for c in part)):
        return None
    groups = [whole]
    for each in thousands:
        groups = [piece for group in groups for piece in group.split(each)]
    if not all(group and all(c in "0123456789" for c in group) for group in groups):
        return None
    if len(groups) > 1 and (len(groups[0]) > 3 or any(len(group) != 3 for group in groups[1:]) or groups[0][0] == "0"):
        return None
    if len(groups) == 1 and len(whole) > 1 and whole[0] == "0":
        return None
    return sign * float("".join(groups) + "." + (part or "0"))


def oracle(texts):
    readings = []
    for thousands, decimal in CONVENTIONS:
        numbers = [None if text is None else oracle_cell(text, thousands, decimal) for text in texts]
        if all((text is None) == (number is None) for text, number in zip(texts, numbers, strict=True)):
            readings.append(numbers)
    if not readings or any(other != readings[0] for other in readings) or all(text is None for text in texts):
        return None
    return readings[0]


def test_declared_numbers_are_read_as_the_slow_reader_reads_them():
    rng = np.random.default_rng(11)
    wholes = [
        "0",
        "7",
        "12",
        "957",
        "1957",
        "012",
        "1{t}957",
        "12{t}957",
        "1{t}957{t}000",
        "1{t}95",
        "0{t}957",
        "-1{t}957",
    ]
    parts = ["", "{d}5", "{d}70", "{d}957", "{d}", "{d}1234"]
    cells = [w + p for w, p in itertools.product(wholes, parts)]
    seen = set()
    for _ in range(400):
        marks, decimal = CONVENTIONS[rng.integers(len(CONVENTIONS))]
        column = []
        for cell in rng.choice(cells, rng.integers(1, 4)):
            mark = decimal if rng.random() < 0.02 else str(rng.choice(marks))
            column.append(cell.format(t=mark, d=decimal) if rng.random() > 0.05 else None)
        found = read_numbers(pl.Series("x", column, dtype=pl.String), declared=True)
        wanted = oracle(column)
        seen.add(wanted is None)
        assert (None if found is None else found.cast(pl.Float64).to_list()) == wanted, column
    assert seen == {True, False}


@pytest.mark.parametrize(
    ("texts", "wanted"),
    [
        (["1.957,70", "12,5", "2.100", None], [1957.7, 12.5, 2100.0, None]),
        (["1'957.70", "12"], [1957.7, 12.0]),
        (["1\u2019957", "12"], [1957, 12]),
        (["1,957.70", "3"], [1957.7, 3.0]),
        (["1 957,70"], [1957.7]),
        (["1\u202f957\u202f000", "-2"], [1957000, -2]),
        (["1.957", "1.234.567"], [1957, 1234567]),
        (["1.957", "2.100"], None),
        (["1,957", "12,345"], None),
        (["12,5"], None),
        (["110 001", "560 034"], None),
        (["1.957,70", "1,957.70"], None),
        (["1.957,70", "n/a"], None),
        (["9.223.372.036.854.775.808", "1"], None),
        ([None], None),
    ],
)  # fmt: skip
def test_undeclared_columns_are_numbers_where_nothing_else_can_be_meant(texts, wanted):
    found = read_numbers(pl.Series(texts, dtype=pl.String))
    assert (None if found is None else found.to_list()) == wanted


def test_whole_numbers_stay_whole():
    assert read_numbers(pl.Series(["1.957", "1.234.567"])).dtype == pl.Int64
    assert read_numbers(pl.Series(["1.957,0"])).dtype == pl.Float64


def test_the_value_that_does_not_fit_is_the_odd_one():
    assert misfits_of_numbers(pl.Series(["1.957,70", "n/a", "2,5", None])).to_list() == [False, True, False, False]
    assert misfits_of_numbers(pl.Series(["1e5", "x", "2.5"])).to_list() == [False, True, False]


def test_two_readings_are_told():
    assert numbers_in_words("1.957") == ", which may be 1957 or 1.957"
    assert numbers_in_words("-12,345") == ", which may be -12345 or -12.345"
    assert numbers_in_words("1.95") == numbers_in_words("n/a") == ""
