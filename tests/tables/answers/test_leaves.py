"""Estimates over nodes: the share of the leaves that meet a condition, or none where leaves are not listed."""

import duckdb
import polars as pl
import pytest

import sfumato as sf
from sfumato.datasets import hospital
from support.asked import INTEGER, TEXT, release_of_cells

TOWNS = [
    ("Rome", "Italy", "Europe", "*"), ("Milan", "Italy", "Europe", "*"), ("Turin", "Italy", "Europe", "*"),
    ("Paris", "France", "Europe", "*"), ("Lima", "Peru", "America", "*"), ("Cusco", "Peru", "America", "*"),
]  # fmt: skip
CODES = [("11", "1x", "*"), ("12", "1x", "*"), ("25", "2x", "*"), ("27", "2x", "*"), ("29", "2x", "*")]
ON_TEXT = ("x = 'Rome'", "x <> 'Rome'", "x IN ('Rome', 'Lima', 'Oslo')", "x NOT IN ('Rome', 'Paris')", "x LIKE '%i%'",
           "x NOT LIKE 'R%'", "x > 'M'", "x BETWEEN 'L' AND 'Q'", "NOT x = 'Milan'", "x IS NULL", "x IS NOT NULL",
           "LENGTH(x) = 5", "x = 'Rome' OR x LIKE 'P%'", "x = 'Rome' AND x LIKE 'P%'", "x = 'Italy'")  # fmt: skip
ON_NUMBERS = ("x = 11", "x <> 11", "x IN (11, 25, 99)", "x > 12", "x BETWEEN 12 AND 27", "x % 2 = 1", "x IS NULL")


def estimate(cells, paths, condition, dtype):
    """For each cell the share of its leaves that the database says to meet the condition, and their sum."""
    total = 0.0
    for cell in cells:
        body = cell.removesuffix(" or missing")
        leaves = [path[0] for path in paths if body in path]
        leaves += [None] * (body != cell or cell == "*")
        known = pl.DataFrame({"x": pl.Series(leaves, dtype=pl.String).cast(dtype)})  # noqa: F841
        total += duckdb.sql(f"SELECT COUNT(*) FROM known WHERE {condition}").fetchall()[0][0] / len(leaves)
    return total


@pytest.mark.parametrize(
    ("paths", "kind", "dtype", "conditions", "cells"),
    [
        (TOWNS, TEXT, pl.String, ON_TEXT, ["Italy", "Europe", "*", "Rome", "Peru or missing", "France", "Italy"]),
        (CODES, INTEGER, pl.Int64, ON_NUMBERS, ["1x", "2x", "*", "25", "2x or missing"]),
    ],
)
def test_estimates_sum_the_shares_of_leaves(paths, kind, dtype, conditions, cells):
    rule = sf.Hierarchy.from_paths(paths)
    for shown in (*([cell] for cell in cells), cells):
        release = release_of_cells(shown, "node", **kind, hierarchies={"x": rule})
        for condition in conditions:
            answer = sf.ask(release, f"SELECT COUNT(*) FROM release WHERE {condition}")
            assert answer.value == pytest.approx(estimate(shown, paths, condition, dtype)), (shown, condition)
            assert answer.low <= answer.value <= answer.high


def test_a_star_among_sets_and_grades_counts_their_values():
    sets = release_of_cells(["{a, b}", "{b, c}", "*"], "set", **TEXT)
    for condition, wanted in (("x = 'a'", 1 / 2 + 1 / 4), ("x LIKE 'b%'", 1 / 2 + 1 / 2 + 1 / 4), ("x IS NULL", 1 / 4)):
        assert sf.ask(sets, f"SELECT COUNT(*) FROM release WHERE {condition}").value == pytest.approx(wanted)
    grades = release_of_cells(["low", "*"], "range", orders={"x": ["low", "mid", "top"]})
    assert sf.ask(grades, "SELECT COUNT(*) FROM release WHERE x = 'low'").value == pytest.approx(1 + 1 / 4)


def test_without_leaves_there_is_no_estimate():
    zips = release_of_cells(["53*", "537", "*"], "node", **TEXT, hierarchies={"x": sf.Hierarchy.prefixes(3)})
    cut = sf.Hierarchy.from_paths([("Rome", "Italy", "*"), ("France", "*")])
    towns = release_of_cells(["Italy", "Rome", "France"], "node", **TEXT, hierarchies={"x": cut})
    for release, condition, bounds in (
        (zips, "x = '537'", (1, 3)), (zips, "x <> '537'", (0, 2)), (zips, "x LIKE '53%'", (1, 3)),
        (zips, "x > '1'", (1, 3)), (zips, "x IS NULL", (0, 1)), (towns, "x = 'Rome'", (0, 2)),
        (towns, "x LIKE 'R%'", (0, 3)), (zips, "x = '53*'", (0, 2)), (towns, "x = 'Italy'", (0, 2)),
    ):  # fmt: skip
        for aggregate in ("COUNT(*)", "SUM(pay)", "AVG(pay)"):
            answer = sf.ask(release, f"SELECT {aggregate} FROM release WHERE {condition}")
            if answer.low == answer.high:
                continue
            assert (answer.value, answer.spread) == (None, None), (condition, answer)
            assert (answer.n_low, answer.n_high) == bounds, condition
            assert "no estimate, as the values that cells stand for are not listed (" in str(answer)
            assert answer.to_dict()["value"] is None
            assert "no estimate" in answer._repr_html_()
    assert sf.ask(towns, "SELECT COUNT(*) FROM release WHERE x = 'France'").value == 1
    for condition, n in (("x = '640' AND pay < 2", 0), ("x = '537' AND pay = 1", 1)):
        exact = sf.ask(zips, f"SELECT COUNT(*) FROM release WHERE {condition}")
        assert (exact.value, exact.low, exact.high, exact.spread) == (n, n, n, 0)


def test_nodes_of_a_hospital():
    patients = hospital(300)
    release = sf.publish(patients, sf.LocalRecoding(), sf.KAnonymity(10), seed=1)
    assert release.data.frame["zip"].str.contains(r"\*").any()
    for condition in ("zip = '02101'", "zip LIKE '02%'", "zip <> '02101'"):
        frame = patients.frame  # noqa: F841
        truth = duckdb.sql(f"SELECT COUNT(*) FROM frame WHERE {condition}").fetchall()[0][0]
        answer = sf.ask(release, f"SELECT COUNT(*) FROM release WHERE {condition}")
        assert (answer.value, answer.spread) == (None, None)
        assert answer.low <= truth <= answer.high
