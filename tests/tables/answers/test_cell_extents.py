"""What each kind of published cell may stand for, condition by condition."""

import pytest

import sfumato as sf
from support.asked import DATE, INTEGER, NUMBER, TEXT, judge_condition, release_of_cells

PATHS = sf.Hierarchy.from_paths([("Rome", "Italy", "*"), ("Paris", "France", "*"), ("Spain", "*")])


MEANINGS = [
    ("[30, 35]", "range", INTEGER, {"x > 29": "yes", "x > 35": "no", "x > 34": "maybe", "x > 34.5": "maybe",
     "x = 32.5": "no", "x <> 32.5": "yes", "x IS NULL": "no", "x % 2 = 0": "maybe", "x BETWEEN 30 AND 35": "yes",
     "NOT x IN (30, 36)": "maybe", "36 > x": "yes", "x * 2 < 71": "yes"}),
    ("[30, 35] or missing", "range", INTEGER, {"x > 29": "maybe", "x IS NULL": "maybe", "x > 35": "no",
     "x > 29 OR x IS NULL": "yes", "NOT x > 35": "maybe"}),
    ("*", "range", INTEGER, {"x > 0": "maybe", "x IS NULL": "maybe", "x IS NOT NULL": "maybe", "x % 2 = 0": "maybe",
     "x = x": "maybe"}),
    ("[1.5, 2.5]", "range", NUMBER, {"x >= 1.5": "yes", "x > 1.5": "maybe", "x > 2.5": "no", "x = 2": "maybe"}),
    ("7.25", "range", NUMBER, {"x = 7.25": "yes", "x * 2 = 14.5": "yes", "x < 7.25": "no"}),
    ("[2020-01-30, 2020-02-02]", "range", DATE, {"x <= '2020-02-02'": "yes", "x > DATE '2020-02-01'": "maybe",
     "x < '2020-01-30'": "no", "month(x) < 3": "yes", "month(x) = 2": "maybe", "year(x) = 2021": "no"}),
    ("[2020-01-30 10:00:00, 2020-01-31]", "range", DATE, {"x > TIMESTAMP '2020-01-30 09:59:59'": "yes",
     "x < '2020-01-30 10:00:00'": "no", "x > '2020-01-30'": "yes"}),
    ("{a, b}", "set", TEXT, {"x = 'a'": "maybe", "x IN ('a', 'b')": "yes", "x = 'c'": "no", "x < 'c'": "yes",
     "UPPER(x) = 'A'": "maybe", "length(x) = 1": "yes"}),
    ("*", "set", TEXT, {"x = 'a'": "maybe", "x <> 'a'": "maybe", "x LIKE 'a%'": "maybe", "x IS NULL": "maybe",
     "x = 'a' OR x <> 'a' OR x IS NULL": "yes"}),
    ("[low .. mid]", "range", {"orders": {"x": ["low", "mid", "top"]}}, {"x = 'top'": "no", "x = 'mid'": "maybe",
     "x IN ('low', 'mid')": "yes"}),
    ("Italy", "node", {**TEXT, "hierarchies": {"x": PATHS}}, {"x = 'Rome'": "maybe", "x = 'Paris'": "no",
     "x <> 'Paris'": "yes", "x = 'Italy'": "maybe", "x = 'Milan'": "maybe", "x IN ('Spain', 'Paris')": "no",
     "x IS NULL": "no", "x IS NOT NULL": "yes", "x LIKE 'R%'": "maybe", "x > 'A'": "maybe"}),
    ("3x", "node", {**INTEGER, "hierarchies": {"x": sf.Hierarchy.from_paths([("3x", "old"), ("41", "old")])}},
     {"x = 30": "maybe", "x = 41": "no", "x > 3": "maybe", "x IS NULL": "no", "x <> 41": "yes"}),
    ("53*", "node", {**TEXT, "hierarchies": {"x": sf.Hierarchy.prefixes(3)}}, {"x = '530'": "maybe", "x = '540'": "no",
     "x = '5300'": "no", "x <> '540'": "yes", "x LIKE '53%'": "maybe"}),
    ("537", "node", {**TEXT, "hierarchies": {"x": sf.Hierarchy.prefixes(3)}}, {"x = '537'": "yes", "x LIKE '5%'": "yes"}),
    ("[10, 20)", "node", {**INTEGER, "hierarchies": {"x": sf.Hierarchy.intervals([10], low=0, high=50)}},
     {"x < 20": "yes", "x >= 19": "maybe", "x > 19": "no", "x >= 10": "yes", "x > 18 AND x < 20": "maybe"}),
    ("[10, 20)", "node", {**NUMBER, "hierarchies": {"x": sf.Hierarchy.intervals([10], low=0, high=50)}},
     {"x < 20": "yes", "x > 19.999": "maybe", "x >= 20": "no"}),
    ("12", "node", {**INTEGER, "hierarchies": {"x": sf.Hierarchy.intervals([10], low=0, high=50)}}, {"x = 12": "yes"}),
]  # fmt: skip
PARTS = {
    "2020-02": ("2020-02-01", "2020-02-29"), "2020-Q4": ("2020-10-01", "2020-12-31"),
    "2019": ("2019-01-01", "2019-12-31"), "2010s": ("2010-01-01", "2019-12-31"),
    "1900-1999": ("1900-01-01", "1999-12-31"), "2020-05-06": ("2020-05-06", "2020-05-06"),
}  # fmt: skip


@pytest.mark.parametrize(("cell", "form", "schema", "expected"), MEANINGS)
def test_what_a_cell_may_stand_for(cell, form, schema, expected):
    release = release_of_cells([cell], form, **schema)
    assert {condition: judge_condition(release, condition)[0] for condition in expected} == expected


@pytest.mark.parametrize("label", PARTS)
def test_parts_of_the_calendar(label):
    rule = sf.Hierarchy.calendar(("month", "quarter", "year", "decade", "century"))
    release, (first, last) = release_of_cells(label, "node", **DATE, hierarchies={"x": rule}), PARTS[label]
    assert judge_condition(release, f"x >= '{first}' AND year(x) <= 2020")[0] == "yes"
    assert judge_condition(release, f"x < '{first}'")[0] == "no"
    assert judge_condition(release, f"x >= '{last}'")[0] == ("yes" if first == last else "maybe")
    week = release_of_cells("2020-W10", "node", **DATE, hierarchies={"x": sf.Hierarchy.calendar(("week",))})
    assert judge_condition(week, "x >= '2020-03-02' AND x < '2020-03-09'")[0] == "yes"
    assert judge_condition(week, "x >= '2020-03-08'")[0] == "maybe"
