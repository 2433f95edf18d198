"""Published cells: whatever is shown can be read back, and nothing else can be read into it."""

from __future__ import annotations

import contextlib
import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.shown import Cell, parse, parse_bound, show_range, show_set, with_missing
from sfumato.data.values import text
from sfumato.ground.errors import DataError

TRICKY = [
    "", " ", "*", "missing", "x or missing", " or missing", '"', '""', '"a"', "a, b", ", ", ",", "{a}", "{", "}", "{}",
    "[1, 2]", "[a .. b]", "[", "]", "..", " .. ", "a .. b", "a ..", ".. b", "a\nb", "\n", "\\", '\\"', "a ", " a", "é",
    "\u2028", "\x00", "{a, b} or missing", "None", "null", "-5", "1e5", "* or missing", '"x" or missing',
]  # fmt: skip
labels = st.sampled_from(TRICKY) | st.text(max_size=6) | st.text('a,{}"[]*. \\', max_size=8)


@pytest.mark.parametrize("label", TRICKY)
def test_labels_that_look_like_something_else_read_back(label):
    for other in TRICKY:
        members = (label,) if label == other else (label, other)
        for wrap, missing in ((str, False), (with_missing, True)):
            assert parse(wrap(show_set(members)), "set") == Cell(members=members, missing=missing)
            assert parse(wrap(show_range(label, other)), "range") == Cell(low=label, high=other, missing=missing)


@given(st.lists(labels, min_size=1, max_size=5, unique=True), st.booleans())
def test_sets_read_back(members, missing):
    shown = with_missing(show_set(members)) if missing else show_set(members)
    assert parse(shown, "set") == Cell(members=tuple(members), missing=missing)


@given(st.lists(labels, max_size=3, unique=True), st.lists(labels, max_size=3, unique=True))
def test_different_sets_are_shown_differently(one, two):
    assert (show_set(one) == show_set(two)) == (one == two)


@given(labels, labels, st.booleans())
def test_ordinal_ranges_read_back(low, high, missing):
    shown = with_missing(show_range(low, high)) if missing else show_range(low, high)
    assert parse(shown, "range") == Cell(low=low, high=high, missing=missing)


ordered = st.one_of(
    *(
        st.tuples(values, values).map(sorted)
        for values in (
            st.integers(-(2**63), 2**63 - 1),
            st.floats(allow_nan=False, allow_infinity=False),
            st.dates(),
            st.datetimes(),
            st.datetimes(timezones=st.sampled_from([dt.UTC, dt.timezone(dt.timedelta(hours=-5))])),
        )
    )
)
KINDS = {int: "integer", float: "number", dt.date: "date", dt.datetime: "date"}


@given(ordered, st.booleans())
def test_ranges_of_numbers_and_dates_read_back(ends, missing):
    low, high = ends
    shown = with_missing(show_range(low, high)) if missing else show_range(low, high)
    cell = parse(shown, "range")
    assert cell.missing == missing
    for given_end, read in ((low, cell.low), (high, cell.high)):
        again = parse_bound(read, KINDS[type(given_end)])
        if isinstance(given_end, dt.datetime) and not isinstance(again, dt.datetime):  # midnight is shown as a date
            again = dt.datetime.combine(again, dt.time())
        assert again == given_end


@pytest.mark.parametrize(
    ("shown", "form", "cell"),
    [
        (None, "range", Cell(missing=True)),
        (None, "set", Cell(missing=True)),
        ("*", "range", Cell(missing=True, everything=True)),
        ("*", "set", Cell(missing=True, everything=True)),
        ("*", "node", Cell(missing=True, everything=True)),
        ("30", "range", Cell(low="30", high="30")),
        ("-30", "range", Cell(low="-30", high="-30")),
        ("[-35, -30]", "range", Cell(low="-35", high="-30")),
        ("[-3.5, 1e+16] or missing", "range", Cell(low="-3.5", high="1e+16", missing=True)),
        ("[2024-01-01, 2024-02-29]", "range", Cell(low="2024-01-01", high="2024-02-29")),
        ("[low .. very high]", "range", Cell(low="low", high="very high")),
        ('["a, b" .. c]', "range", Cell(low="a, b", high="c")),
        ('"[a .. b]"', "range", Cell(low="[a .. b]", high="[a .. b]")),
        ("{Flu, Gastritis}", "set", Cell(members=("Flu", "Gastritis"))),
        ('{"a, b", c} or missing', "set", Cell(members=("a, b", "c"), missing=True)),
        ("Flu or missing", "set", Cell(members=("Flu",), missing=True)),
        ('"*"', "set", Cell(members=("*",))),
        ("{}", "set", Cell(members=())),
        ("Europe", "node", Cell(node="Europe")),
        ("Europe or missing", "node", Cell(node="Europe", missing=True)),
        ("[30, 40)", "node", Cell(node="[30, 40)")),
        ("[30, 35]", "value", Cell(low="[30, 35]", high="[30, 35]")),
        ("x or missing", "value", Cell(low="x or missing", high="x or missing")),
    ],
)
def test_cells_mean_what_the_documentation_says(shown, form, cell):
    assert parse(shown, form) == cell


@pytest.mark.parametrize(
    ("members", "shown"),
    [
        (["Flu"], "Flu"),
        (["Flu", "Gastritis"], "{Flu, Gastritis}"),
        (["a, b", "c"], '{"a, b", c}'),
        (["*"], '"*"'),
        ([""], '""'),
        (["Côte d'Ivoire", "日本"], "{Côte d'Ivoire, 日本}"),
    ],
)
def test_sets_are_shown_plainly_where_they_can_be(members, shown):
    assert show_set(members) == shown


def test_ranges_are_shown_plainly_where_they_can_be():
    assert show_range(30, 35) == "[30, 35]"
    assert show_range(30.0, 35.5) == "[30, 35.5]"
    assert show_range("low", "high") == "[low .. high]"
    assert show_range("10-20", "30-40") == "[10-20 .. 30-40]"
    assert show_range("low", "low") == "low"
    assert show_range(dt.date(2024, 1, 1), dt.date(2024, 1, 2)) == "[2024-01-01, 2024-01-02]"
    assert with_missing("*") == "*"


@pytest.mark.parametrize(
    ("shown", "form"),
    [
        ("{a, b", "set"), ('{"a, b}', "set"), ('{"a" b}', "set"), ('"a', "set"), ('"a" b', "set"), ('"a", "b"', "set"),
        ("{a, }", "set"), ("{, a}", "set"), ('{a, "b}', "set"), ("{", "set"),
        ("[1, 2", "range"), ("[1]", "range"), ("[]", "range"), ("[1, 2, 3]", "range"), ('["a .. b]', "range"),
        ("[", "range"), ("[ .. b]", "range"), ('"a" .. "b"', "range"), ("[30, 40)", "range"),
    ],
)  # fmt: skip
def test_damaged_cells_are_refused(shown, form):
    with pytest.raises(DataError, match="not well formed; was the file edited by hand"):
        parse(shown, form)


@given(st.text(max_size=12) | st.text('a,{}"[]*. \\', max_size=12), st.sampled_from(["range", "set", "node", "value"]))
def test_any_text_is_read_or_refused(shown, form):
    with contextlib.suppress(DataError):
        assert isinstance(parse(shown, form), Cell)


@pytest.mark.parametrize(
    ("value", "kind"), [("x", "integer"), ("1.5", "integer"), ("x", "number"), ("2024-13-01", "date")]
)
def test_bounds_that_are_none(value, kind):
    with pytest.raises(DataError, match=f"the published bound '{value}' is no {kind}"):
        parse_bound(value, kind)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (True, "true"), (1.0, "1"), (-0.0, "0"), (0.1, "0.1"), (1e20, "1e+20"), (7, "7"), (None, "None"),
        (dt.date(2024, 1, 2), "2024-01-02"), (dt.datetime(2024, 1, 2), "2024-01-02"),
        (dt.datetime(2024, 1, 2, 3, 4), "2024-01-02 03:04:00"),
        (dt.datetime(2024, 1, 2, tzinfo=dt.UTC), "2024-01-02 00:00:00+00:00"),
    ],
)  # fmt: skip
def test_text_of_values(value, shown):
    assert text(value) == shown
