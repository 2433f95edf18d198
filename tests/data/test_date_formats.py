"""Forms of dates, held against Python's own `strptime`."""

import datetime as dt
import itertools
import re

import numpy as np
import polars as pl
import pytest

from sfumato.data.date_formats import DateForms, is_date_format, parse_dates, recognise_dates, strptime_form

FORMS = [
    "dd.mm.yyyy", "d.m.yyyy", "dd/mm/yyyy", "mm/dd/yyyy", "yyyy/mm/dd", "yyyy-mm-dd", "dd-mm-yyyy", "yyyymmdd",
    "ddmmyyyy", "dd-mmm-yyyy", "d mmm yyyy", "mmm d, yyyy", "ddmmmyyyy", "dd.mm.yy", "mm/dd/yy", "yymmdd",
]  # fmt: skip
TIMES = {"": "", " HH:MM": " %H:%M", " HH:MM:SS": " %H:%M:%S"}


def written(date, form):
    """A date in a form, the stupid way."""
    days = {"d": str(date.day), "dd": f"{date.day:02}", "m": str(date.month), "mm": f"{date.month:02}",
            "mmm": date.strftime("%b"), "yy": f"{date.year % 100:02}", "yyyy": f"{date.year:04}"}  # fmt: skip
    head, _, time = form.partition(" HH")
    text = re.sub("d+|m+|y+", lambda found: days[found[0]], head)
    return text + (date.strftime(TIMES[" HH" + time]) if time else "")


@pytest.mark.parametrize(("form", "time"), list(itertools.product(FORMS, TIMES)))
def test_what_is_written_in_a_form_is_read_back(form, time):
    rng = np.random.default_rng(7)
    seconds = {"": 86_400, " HH:MM": 60, " HH:MM:SS": 1}[time]
    start = dt.datetime(1930, 1, 1)
    dates = [start + dt.timedelta(seconds=int(n) // seconds * seconds) for n in rng.integers(0, 90 * 365 * 86_400, 50)]
    texts = pl.Series(
        "x", [*(written(date, form + time) for date in dates), None, " " + written(dates[0], form + time)]
    )
    read = parse_dates(texts, form + time, last_year=2020)
    wanted = [*dates, None, dates[0]]
    assert read.to_list() == [each.date() if each and not time else each for each in wanted]
    assert is_date_format(form + time)
    assert "%" in strptime_form(form + time)


@pytest.mark.parametrize(
    "form", ["dd.mm.yyyy", "d.m.yyyy", "mm/dd/yyyy", "yyyymmdd", "dd-mmm-yyyy", "dd.mm.yyyy HH:MM"]
)
def test_every_text_is_read_as_the_slow_reader_reads_it(form):
    pieces = [
        "0",
        "1",
        "2",
        "9",
        "12",
        "13",
        "28",
        "29",
        "30",
        "31",
        "02",
        "Feb",
        "feb",
        "February",
        "1900",
        "2000",
        "99",
    ]
    marks = [".", "/", "-", "", " "]
    rng = np.random.default_rng(3)
    texts = [f"{rng.choice(pieces)}{mark}{rng.choice(pieces)}{mark}{rng.choice(pieces)}"
             for mark in rng.choice(marks, 3_000)]  # fmt: skip
    texts += [each + " 10:05" for each in texts[:500]]
    digits = {"dd": 2, "mm": 2, "yyyy": 4}

    def slow(text):
        days, _, time = form.partition(" HH")
        mark = re.sub("[dmy]", "", days)[:1]
        body, _, clock = text.partition(" ") if time else (text, "", "")
        parts = body.split(mark) if mark else [body[:4], body[4:6], body[6:]]
        if len(parts) != 3 or (time and clock != "10:05"):
            return None
        names = days.split(mark) if mark else ["yyyy", "mm", "dd"]
        if any(name in digits and (len(part) != digits[name] or not part.isdigit())
               for name, part in zip(names, parts, strict=True)):  # fmt: skip
            return None
        for layout in (strptime_form(form), strptime_form(form).replace("%b", "%B")):
            try:
                found = dt.datetime.strptime(text, layout)
            except ValueError:
                continue
            return found if time else found.date()
        return None

    assert parse_dates(pl.Series(texts), form).to_list() == [slow(text) for text in texts]


@pytest.mark.parametrize(
    ("texts", "certain", "possible"),
    [
        (["31.12.2024", "01.02.1990"], "dd.mm.yyyy", None),
        (["1.2.2024", "12.10.2024"], "d.m.yyyy", None),
        (["03.04.1990"], "dd.mm.yyyy", None),
        (["2024/12/31"], "yyyy/mm/dd", None),
        (["2024/1/5"], "yyyy/m/d", None),
        (["31-12-2024"], "dd-mm-yyyy", None),
        (["12/31/2024", "03/04/1990"], "mm/dd/yyyy", None),
        (["31/12/2024", "03/04/1990"], "dd/mm/yyyy", None),
        (["03/04/1990", "12/11/2001"], None, ("dd/mm/yyyy", "mm/dd/yyyy")),
        (["03-04-1990"], None, ("dd-mm-yyyy", "mm-dd-yyyy")),
        (["20241231", "19990101"], "yyyymmdd", None),
        (["12345678"], None, ()),
        (["31-DEC-2024", "01-jan-1999"], "dd-mmm-yyyy", None),
        (["31 December 2024"], "dd mmm yyyy", None),
        (["December 31, 2024"], "mmm dd, yyyy", None),
        (["31DEC2024"], "ddmmmyyyy", None),
        (["31.12.99"], "dd.mm.yy", None),
        (["01/02/03"], None, ("yy/mm/dd", "dd/mm/yy", "mm/dd/yy")),
        (["31.12.2024 10:05"], "dd.mm.yyyy HH:MM", None),
        (["31.12.2024", "12.31.2024"], None, ()),
        (["30.02.2024"], None, ()),
        (["31.12.2024", "n/a"], None, ()),
        (["1990", "2001"], None, ()),
        (["2024-12-31"], "yyyy-mm-dd", None),
        (["01/13/2020", "13/01/2020"], None, ()),
        ([None], None, ()),
        ([], None, ()),
    ],
)  # fmt: skip
def test_a_column_is_recognised_where_one_form_alone_fits(texts, certain, possible):
    wanted = (certain,) if possible is None else possible
    assert recognise_dates(pl.Series(texts, dtype=pl.String)) == DateForms(certain, wanted)


def test_whole_numbers_may_be_dates_and_other_types_are_none():
    assert recognise_dates(pl.Series([20241231, 20230102])).certain == "yyyymmdd"
    assert recognise_dates(pl.Series([1.5])) == DateForms(None, ())
    assert recognise_dates(pl.Series(["31.12.2024"], dtype=pl.Categorical)).certain == "dd.mm.yyyy"


def test_one_value_late_in_a_long_column_decides():
    texts = pl.Series([f"{i % 12 + 1:02}/{i % 11 + 1:02}/{1950 + i % 60}" for i in range(3_000)] + ["05/13/1990"])
    assert recognise_dates(texts).certain == "mm/dd/yyyy"
    assert recognise_dates(texts.head(3_000)).certain is None


def test_a_year_of_two_digits_is_the_last_that_is_not_in_the_future():
    texts = pl.Series(["01.01.26", "01.01.27", "01.01.00", "01.01.99"])
    years = [date.year for date in parse_dates(texts, "dd.mm.yy", last_year=2026)]
    assert years == [2026, 1927, 2000, 1999]
    now = dt.datetime.now(tz=dt.UTC).year
    shown = pl.Series([f"01.01.{now % 100:02}", f"01.01.{(now + 1) % 100:02}"])
    assert [date.year for date in parse_dates(shown, "dd.mm.yy")] == [now, now - 99]


@pytest.mark.parametrize(
    "form", ["", "dd", "dd.mm", "dd.dd.yyyy", "dmyyyy", "dd.mmyyyy", "dd:mm:yyyy", "%d.%m.%Y", "tt.mm.jjjj"]
)
def test_what_is_no_form(form):
    assert not is_date_format(form)


def test_the_case_of_a_form_does_not_matter():
    assert is_date_format("DD.MM.YYYY HH:MM")
    assert parse_dates(pl.Series(["31.12.2024 09:05"]), "DD.MM.YYYY HH:MM").item() == dt.datetime(2024, 12, 31, 9, 5)
