"""What each kind of published cell may stand for, condition by condition; and releases that follow a target."""

import duckdb
import numpy as np
import polars as pl
import pytest
from asked import people, subdomain_release, where

import sfumato as sf
from sfumato.data.schema_file import schema_to_dict
from sfumato.ground.errors import ParameterError
from sfumato.privacy.verdict import Verdict
from sfumato.release.release import Release


def shown(cells, form, **schema):
    """A release of one column that shows these cells, beside a column of numbers."""
    cells = [cells] if isinstance(cells, str) else cells
    frame = pl.DataFrame({"x": cells, "pay": range(len(cells))}, schema_overrides={"x": pl.String})
    return Release(
        data=sf.Table(frame, sf.Schema(quasi=["x"], plain=["pay"])), promise=None, method={"name": "by hand"},
        verdict=Verdict(found=(), checked_on="nothing"),
        public={"schema": schema_to_dict(sf.Schema(quasi=["x"], plain=["pay"], **schema)), "forms": {"x": form}},
    )  # fmt: skip


def verdict(release, condition):
    answer = sf.ask(release, f"SELECT COUNT(*) FROM release WHERE {condition}")
    return {(1, 1): "yes", (0, 0): "no", (0, 1): "maybe"}[answer.low, answer.high], answer.value


PATHS = sf.Hierarchy.from_paths([("Rome", "Italy", "*"), ("Paris", "France", "*"), ("Spain", "*")])
INTEGER, NUMBER, DATE, TEXT = ({"kinds": {"x": kind}} for kind in ("integer", "number", "date", "category"))
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
    release = shown([cell], form, **schema)
    assert {condition: verdict(release, condition)[0] for condition in expected} == expected


@pytest.mark.parametrize("label", PARTS)
def test_parts_of_the_calendar(label):
    rule = sf.Hierarchy.calendar(("month", "quarter", "year", "decade", "century"))
    release, (first, last) = shown(label, "node", **DATE, hierarchies={"x": rule}), PARTS[label]
    assert verdict(release, f"x >= '{first}' AND year(x) <= 2020")[0] == "yes"
    assert verdict(release, f"x < '{first}'")[0] == "no"
    assert verdict(release, f"x >= '{last}'")[0] == ("yes" if first == last else "maybe")
    week = shown("2020-W10", "node", **DATE, hierarchies={"x": sf.Hierarchy.calendar(("week",))})
    assert verdict(week, "x >= '2020-03-02' AND x < '2020-03-09'")[0] == "yes"
    assert verdict(week, "x >= '2020-03-08'")[0] == "maybe"


def test_shares():
    assert verdict(shown("[1, 10]", "range", **INTEGER), "x <= 3")[1] == pytest.approx(0.3)
    assert verdict(shown("[0.0, 1.0]", "range", **NUMBER), "x BETWEEN 0.25 AND 0.5")[1] == pytest.approx(0.25)
    assert verdict(shown("[2020-01-01, 2020-01-10]", "range", **DATE), "x <= '2020-01-03'")[1] == pytest.approx(0.3)
    assert verdict(shown("{a, b, c}", "set", **TEXT), "x <> 'a'")[1] == pytest.approx(2 / 3)
    assert verdict(shown("{a, b, c} or missing", "set", **TEXT), "x IS NULL")[1] == pytest.approx(1 / 4)
    assert verdict(shown("[1, 9] or missing", "range", **INTEGER), "x IS NULL")[1] == pytest.approx(0.1)
    release = shown(["[1, 10]", "*"], "range", **INTEGER)
    assert sf.ask(release, "SELECT COUNT(*) FROM release WHERE x <= 5").value == pytest.approx(0.5 + 0.5 * 10 / 11)
    missing = shown([None, "[1, 9]"], "range", **INTEGER)
    for condition, wanted in (("x IS NULL", (1, 1)), ("x > 0", (1, 1)), ("NOT x > 5", (0, 1))):
        answer = sf.ask(missing, f"SELECT COUNT(*) FROM release WHERE {condition}")
        assert (answer.low, answer.high) == wanted
    two = sf.ask(shown(["[1, 2]", "[1, 4]"], "range", **INTEGER), "SELECT SUM(pay) FROM release WHERE x = 1")
    assert (two.low, two.value, two.high, two.n_low, two.n_high) == (0, 0.25, 1, 0, 2)


def test_conditions_that_cannot_be_tried_are_refused():
    for release, condition, message in (
        (shown("[1.0, 2.0]", "range", **NUMBER), "x * 2 > 3", "does more than compare it with constants"),
        (shown("[1.0, 2.0]", "range", **NUMBER), "x > 1.0000000000000001", "does more than compare it with constants"),
        (shown("[1, 99999999]", "range", **INTEGER), "x % 2 = 1", "too many values to be tried"),
        (
            shown("[2020-01-01, 2020-01-02]", "range", **DATE),
            "x > '2020-01-01 10:00:00'",
            "shows days; compare it with",
        ),
        (shown("[2020-01-01, 2020-01-02]", "range", **DATE), "CAST(x AS TEXT) = 'a'", "does more than compare it"),
        (shown("[2020-01-01 10:00:00+01:00, 2020-01-02]", "range", **DATE), "x > '2020-01-01'", "times with a zone"),
    ):
        with pytest.raises(sf.errors.SfumatoError, match=message):
            verdict(release, condition)
    with pytest.raises(ParameterError, match="column 'x' is shown as ranges, sets or nodes and cannot be aggregated"):
        sf.ask(shown("[1, 2]", "range", **INTEGER), "SELECT AVG(x) FROM release")
    with pytest.raises(ParameterError, match="cannot be grouped by"):
        sf.ask(shown("[1, 2]", "range", **INTEGER), "SELECT x, COUNT(*) FROM release GROUP BY x")


def test_order_statistics_are_quantiles_of_the_mixture():
    frame = pl.DataFrame({"a": range(9), "pay": [1] * 9})
    release = subdomain_release(frame, "pay", [0] * 9, [1, 2, 3, 4, 5], {0: [(0, 4, 9)]})
    found = {name: sf.ask(release, f"SELECT {name}(pay) FROM release").value for name in ("MIN", "MEDIAN", "MAX")}
    assert found == {"MIN": 1, "MEDIAN": 3, "MAX": 5}
    median = sf.ask(release, "SELECT MEDIAN(pay) FROM release")  # quantiles at 1/2 -+ 1/6: 2 and 4
    assert median.spread == 1


@pytest.mark.parametrize("fakes", [0, 2])
@pytest.mark.parametrize("groups", [None, "sex", sf.Hilbert()])
def test_releases_that_follow_a_target(groups, fakes):
    rng = np.random.default_rng([fakes, len(str(groups))])
    frame = people(rng, 60, missing=False).select("age", "zip", "height", "born", "sex", "grade", "salary")
    table = sf.Table(
        frame, sf.Schema(quasi=["age", "zip", "height", "born"], plain=["sex", "grade"], sensitive=["salary"])
    )
    release = sf.publish(table, sf.TargetDistribution("uniform", groups=groups, fakes=fakes, within=0.2), seed=1)
    original = duckdb.connect()
    original.register("given", frame.to_arrow())
    original.execute("CREATE TABLE release AS SELECT * FROM given")
    for _ in range(15):
        condition = where(rng, ["age", "zip", "height", "born", "sex"])
        for aggregate in ("SUM", "AVG", "MIN", "MAX", "MEDIAN"):
            sql = f"SELECT {aggregate}(salary) FROM release WHERE {condition}"
            (truth,), answer = original.execute(sql).fetchone(), sf.ask(release, sql)
            assert answer.value is truth is None or answer.low <= truth <= answer.high, sql
        sql = f"SELECT COUNT(*) FROM release WHERE {condition} AND {where(rng, ['salary'], depth=1)}"
        (truth,), answer = original.execute(sql).fetchone(), sf.ask(release, sql)
        assert answer.low <= truth <= answer.high, sql
