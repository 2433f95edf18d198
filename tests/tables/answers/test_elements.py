"""The values that a cell is tried with: their shares, large constants, and what cannot be tried."""

import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from support.asked import DATE, INTEGER, NUMBER, TEXT, judge_condition, release_of_cells
from support.asked_originals import N, ask_within_bounds, published


def test_shares():
    assert judge_condition(release_of_cells("[1, 10]", "range", **INTEGER), "x <= 3")[1] == pytest.approx(0.3)
    assert judge_condition(release_of_cells("[0.0, 1.0]", "range", **NUMBER), "x BETWEEN 0.25 AND 0.5")[
        1
    ] == pytest.approx(0.25)
    assert judge_condition(release_of_cells("[2020-01-01, 2020-01-10]", "range", **DATE), "x <= '2020-01-03'")[
        1
    ] == pytest.approx(0.3)
    assert judge_condition(release_of_cells("{a, b, c}", "set", **TEXT), "x <> 'a'")[1] == pytest.approx(2 / 3)
    assert judge_condition(release_of_cells("{a, b, c} or missing", "set", **TEXT), "x IS NULL")[1] == pytest.approx(
        1 / 4
    )
    assert judge_condition(release_of_cells("[1, 9] or missing", "range", **INTEGER), "x IS NULL")[1] == pytest.approx(
        0.1
    )
    release = release_of_cells(["[1, 10]", "*"], "range", **INTEGER)
    assert sf.ask(release, "SELECT COUNT(*) FROM release WHERE x <= 5").value == pytest.approx(0.5 + 0.5 * 10 / 11)
    missing = release_of_cells([None, "[1, 9]"], "range", **INTEGER)
    for condition, wanted in (("x IS NULL", (1, 1)), ("x > 0", (1, 1)), ("NOT x > 5", (0, 1))):
        answer = sf.ask(missing, f"SELECT COUNT(*) FROM release WHERE {condition}")
        assert (answer.low, answer.high) == wanted
    two = sf.ask(release_of_cells(["[1, 2]", "[1, 4]"], "range", **INTEGER), "SELECT SUM(pay) FROM release WHERE x = 1")
    assert (two.low, two.value, two.high, two.n_low, two.n_high) == (0, 0.25, 1, 0, 2)


def test_conditions_that_cannot_be_tried_are_refused():
    for release, condition, message in (
        (release_of_cells("[1.0, 2.0]", "range", **NUMBER), "x * 2 > 3", "does more than compare it with constants"),
        (
            release_of_cells("[1.0, 2.0]", "range", **NUMBER),
            "x > 1.0000000000000001",
            "does more than compare it with constants",
        ),
        (release_of_cells("[1, 99999999]", "range", **INTEGER), "x % 2 = 1", "too many values to be tried"),
        (
            release_of_cells("[2020-01-01, 2020-01-02]", "range", **DATE),
            "x > '2020-01-01 10:00:00'",
            "shows days; compare it with",
        ),
        (
            release_of_cells("[2020-01-01, 2020-01-02]", "range", **DATE),
            "CAST(x AS TEXT) = 'a'",
            "does more than compare it",
        ),
        (
            release_of_cells("[2020-01-01 10:00:00+01:00, 2020-01-02]", "range", **DATE),
            "x > '2020-01-01'",
            "times with a zone",
        ),
    ):
        with pytest.raises(sf.errors.SfumatoError, match=message):
            judge_condition(release, condition)
    with pytest.raises(ParameterError, match="column 'x' is shown as ranges, sets or nodes and cannot be aggregated"):
        sf.ask(release_of_cells("[1, 2]", "range", **INTEGER), "SELECT AVG(x) FROM release")
    with pytest.raises(ParameterError, match="cannot be grouped by"):
        sf.ask(release_of_cells("[1, 2]", "range", **INTEGER), "SELECT x, COUNT(*) FROM release GROUP BY x")


def test_whole_numbers_past_doubles():
    base = 2**53
    frame = {"q": [base - i for i in range(N)], "s": [1, 2] * 20}
    release = published(frame, sf.Hilbert(), sf.KAnonymity(20), quasi=["q"], sensitive=["s"])
    for condition in ("q > 9007199254740992e0", "q = 9007199254740992e0", "q <> 9007199254740992e0",
                      "q IN (9007199254740992e0)", "q > 9007199254740993", "q > 9007199254740993.0"):  # fmt: skip
        ask_within_bounds(release, f"SELECT COUNT(*) FROM release WHERE {condition}")


def test_constants_past_what_a_column_can_hold():
    frame = {"a": [*range(20), *[None] * 20], "s": [1, 2] * 20}
    release = published(frame, sf.Hilbert(), sf.KAnonymity(40), quasi=["a"], sensitive=["s"])
    for condition in ("a > 1e30", "a = 9223372036854775807", "a >= -9223372036854775808", "a < -1e30",
                      "a IN (5, 99999999999999999999)"):  # fmt: skip
        ask_within_bounds(release, f"SELECT COUNT(*) FROM release WHERE {condition}")
    with pytest.raises(ParameterError, match="too long to be compared with"):
        sf.ask(release, "SELECT COUNT(*) FROM release WHERE a < 1e99999999")
    days = pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 2, 9), eager=True)
    dated = published({"d": days, "s": [1, 2] * 20}, sf.Hilbert(), sf.KAnonymity(4), quasi=["d"], sensitive=["s"])
    for condition in ("d > DATE '0001-01-01'", "d < '0001-01-01'", "d <= '9999-12-31'"):
        ask_within_bounds(dated, f"SELECT COUNT(*) FROM release WHERE {condition}")
