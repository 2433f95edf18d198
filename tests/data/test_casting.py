"""Columns brought to their declared kind, and what is said of a value that does not fit."""

import datetime as dt

import polars as pl
import pytest

from sfumato import Schema, Table
from sfumato.errors import SchemaError


def column(values, kind=None, form=None, codes=(), role="quasi"):
    schema = Schema(
        **{role: ["x"]}, kinds={"x": kind} if kind else None, date_formats={"x": form} if form else None,
        missing_values={"x": list(codes)},
    )  # fmt: skip
    return Table(pl.DataFrame({"x": values}), schema).frame["x"]


def refused(values, kind=None, form=None, codes=()):
    with pytest.raises(SchemaError) as caught:
        column(values, kind, form, codes)
    return str(caught.value)


@pytest.mark.parametrize(
    ("values", "form", "wanted"),
    [
        (["31.12.2024", None], None, dt.date(2024, 12, 31)),
        (["2024/12/31"], None, dt.date(2024, 12, 31)),
        (["31-12-2024"], None, dt.date(2024, 12, 31)),
        (["12/31/2024", "03/04/1990"], None, dt.date(2024, 12, 31)),
        (["31 Dec 2024"], None, dt.date(2024, 12, 31)),
        (["20241231"], None, dt.date(2024, 12, 31)),
        ([20241231], None, dt.date(2024, 12, 31)),
        ([20241231], "yyyymmdd", dt.date(2024, 12, 31)),
        (["2024-12-31"], None, dt.date(2024, 12, 31)),
        (["2024-12-31T10:05"], None, dt.datetime(2024, 12, 31, 10, 5)),
        (["31.12.2024 10:05"], None, dt.datetime(2024, 12, 31, 10, 5)),
        (["12/31/2024"], "mm/dd/yyyy", dt.date(2024, 12, 31)),
        (["03/04/1990"], "mm/dd/yyyy", dt.date(1990, 3, 4)),
        (["03/04/1990"], "dd/mm/yyyy", dt.date(1990, 4, 3)),
        (["31.12.99"], "dd.mm.yy", dt.date(1999, 12, 31)),
        (["01/01/1990", "05/05/1991"], None, dt.date(1990, 1, 1)),
    ],
)  # fmt: skip
def test_dates_in_text(values, form, wanted):
    assert column(values, "date", form)[0] == wanted
    assert column(pl.Series(values).cast(pl.String).cast(pl.Categorical), "date", form)[0] == wanted


def test_an_ambiguous_column_of_dates_is_never_guessed():
    assert refused(["05/05/1990", "03/04/1990"], "date") == (
        "column 'x' is declared date and its days and months cannot be told apart: '03/04/1990' at row 2 may be "
        '1990-04-03 or 1990-03-04; declare date_format = "dd/mm/yyyy" or "mm/dd/yyyy"'
    )


def test_a_century_is_not_guessed_either():
    assert refused(["31.12.99"], "date") == (
        "column 'x' is declared date and its years have two digits, as in '31.12.99'; declare date_format = "
        '"dd.mm.yy" to read each as the last such year that is not in the future'
    )


def test_a_value_that_is_not_of_the_form_is_named():
    assert refused(["31.12.2024", "12/31/2024"], form="dd.mm.yyyy") == (
        "column 'x' is declared date of the form dd.mm.yyyy but row 2 holds '12/31/2024'; mend the value or declare "
        "another date_format"
    )
    assert refused(["31.12.2024", "30.02.2024"], form="dd.mm.yyyy").startswith(
        "column 'x' is declared date of the form dd.mm.yyyy but row 2 holds '30.02.2024'"
    )


def test_of_dates_that_do_not_fit_the_odd_one_is_named():
    assert "row 3 holds 'n/a'; declare missing_values" in refused(["31.12.2024", "1.2.2024", "n/a"], "date")
    assert "row 2 holds '30.02.2024'; mend" in refused(["31.12.2024", "30.02.2024"], "date")
    assert "row 1 holds '1985'; mend" in refused([1985, 1990], "date")


@pytest.mark.parametrize(
    ("values", "kind", "wanted"),
    [
        (["1.957,70", "2.100"], "number", [1957.7, 2100.0]),
        (["1'957.70"], "number", [1957.7]),
        (["1 957,70", "nan"], "number", None),
        (["1.957", "1.234.567"], "integer", [1957, 1234567]),
        (["1.957,00"], "integer", [1957]),
        (["12,5"], "number", [12.5]),
        (["1.957", "12.5"], "number", [1.957, 12.5]),
        (["1e3", "nan"], "number", [1000.0, None]),
    ],
)  # fmt: skip
def test_numbers_in_text(values, kind, wanted):
    assert column(values, kind).to_list() == (wanted if wanted is not None else [1957.7, None])


@pytest.mark.parametrize("kind", ["number", "integer", "date"])
def test_a_cell_that_may_stand_for_no_value_leads_to_missing_values(kind):
    assert refused(["n/a", "1.957,70", "12,5", "3,5"] if kind == "number" else ["n/a"], kind) == (
        f"column 'x' is declared {kind} but row 1 holds 'n/a'; declare missing_values = [\"n/a\"] if it stands for no "
        f"value (or read with --missing n/a), else mend the value or declare another kind"
    )


def test_a_code_in_another_case_is_told():
    assert (
        "row 2 holds 'N/A'; add it to its missing_values, which have 'n/a' and tell upper from lower case"
        in refused(["n/a", "N/A", "1"], "integer", codes=["n/a"])
    )


def test_a_number_that_may_be_two_is_told():
    assert refused(["1,957"], "number") == (
        "column 'x' is declared number but row 1 holds '1,957', which may be 1957 or 1.957; write numbers without "
        "marks between thousands, or declare another kind"
    )


def test_texts_take_the_type_of_what_the_codes_leave():
    assert column(["12", "n/a"], codes=["n/a"]).to_list() == [12, None]
    assert column(["31.12.2024", "n/a"], codes=["n/a"]).to_list() == [dt.date(2024, 12, 31), None]
    assert column(["12", "13"], codes=["n/a"]).to_list() == ["12", "13"]  # a text column is what it was
    assert column(["12", "n/a"], "category", codes=["n/a"]).to_list() == ["12", None]
    assert column(["12", "n/a"], codes=["n/a"], role="identifier").to_list() == ["12", None]
