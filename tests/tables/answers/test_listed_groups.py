"""Answers over groups that list their values: worked examples, and releases that follow a target."""

import datetime as dt
import math
from fractions import Fraction

import duckdb
import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from support.asked import DOMAIN, FIGURE_1, FIGURE_2, GROUPS, bounds, figure_2, people, subdomain_release, where


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


def test_figure_2():
    release = figure_2()
    women = sf.ask(release, "SELECT AVG(salary) FROM release WHERE gender = 'F'")
    assert bounds(women) == (35, 55)
    assert women.value == pytest.approx(45)
    assert (women.n_low, women.n_high, women.certain) == (6, 6, True)
    assert bounds(sf.ask(release, "SELECT AVG(salary) FROM release WHERE zipcode LIKE '913%'")) == (35, 55)
    low, high = bounds(sf.ask(release, "select avg(SALARY) from RELEASE where zipcode like '912%'"))
    assert low == pytest.approx(110 / 3)
    assert high == pytest.approx(160 / 3)
    assert Fraction(low) <= Fraction(110, 3)
    assert Fraction(high) >= Fraction(160, 3)


def test_fake_values():
    one = figure_2(g2=[(0, 0, 1), (1, 1, 1), (2, 2, 1), (3, 3, 1)])
    assert bounds(sf.ask(one, "SELECT AVG(salary) FROM release WHERE zipcode LIKE '912%'")) == (40, 50)
    many = figure_2(g3=[(0, 0, 3), (1, 1, 3), (2, 2, 3), (3, 3, 3)])
    assert bounds(sf.ask(many, "SELECT AVG(salary) FROM release WHERE zipcode LIKE '913%'")) == (130 / 4, 230 / 4)
    assert bounds(sf.ask(many, "SELECT COUNT(*) FROM release WHERE salary >= 30 AND zipcode >= '913'")) == (4, 4)
    assert bounds(sf.ask(many, "SELECT COUNT(*) FROM release WHERE salary <> 60 AND zipcode >= '913'")) == (1, 4)


def test_every_aggregate_of_figure_2():
    """Women: two of group 1, all of group 2, one of group 3."""
    release = figure_2()
    expected = {
        "SUM": (210, 330), "MIN": (30, 40), "MAX": (50, 60), "MEDIAN": (30, 60), "COUNT": (6, 6),
    }  # fmt: skip
    for aggregate, wanted in expected.items():
        answer = sf.ask(release, f"SELECT {aggregate}(salary) FROM release WHERE gender = 'F'")
        assert bounds(answer) == wanted, aggregate
    count = sf.ask(release, "SELECT COUNT(*) FROM release WHERE gender = 'F' AND salary >= 50")
    assert bounds(count) == (1, 5)
    assert count.value == pytest.approx(3)


def test_the_spread_is_that_of_drawing_without_replacement():
    release = figure_2()
    one = sf.ask(release, "SELECT SUM(salary) FROM release WHERE zipcode = '91130'")
    assert one.value == 45
    assert one.spread == pytest.approx(math.sqrt(125))
    three = sf.ask(release, "SELECT SUM(salary) FROM release WHERE zipcode = '91110'")
    assert three.value == 135
    assert three.spread == pytest.approx(math.sqrt(125))  # three of four are as uncertain as the one left out
    whole = sf.ask(release, "SELECT SUM(salary) FROM release WHERE zipcode < '912'")
    assert (whole.low, whole.value, whole.high, whole.spread) == (180, 180, 180, 0)
    ranged = sf.ask(release, "SELECT SUM(salary) FROM release WHERE zipcode LIKE '912%'")
    assert ranged.spread == pytest.approx(math.sqrt(25 + 25 + 125))  # all three pieces, each spread evenly


def test_estimates_follow_the_target():
    skewed = subdomain_release(FIGURE_1, "salary", [0] * 11, DOMAIN, {0: [(0, 3, 11)]}, weights=[7, 1, 1, 1])
    answer = sf.ask(skewed, "SELECT AVG(salary) FROM release")
    assert answer.value == pytest.approx(0.7 * 30 + 15)
    assert sf.ask(skewed, "SELECT MEDIAN(salary) FROM release").value == 30
    assert sf.ask(skewed, "SELECT COUNT(*) FROM release WHERE salary = 30").value == pytest.approx(7.7)
    assert sf.ask(skewed, "SELECT MAX(salary) FROM release").value == 60


def test_dates_and_texts():
    days = [dt.date(2024, 1, day) for day in range(1, 5)]
    frame = FIGURE_1.with_columns(pl.Series("salary", [days[s // 10 - 3] for s in FIGURE_1["salary"]]))
    release = subdomain_release(frame, "salary", GROUPS, days, FIGURE_2)
    first = sf.ask(release, "SELECT MIN(salary) FROM release WHERE zipcode LIKE '912%'")
    assert bounds(first) == (days[0], days[1])
    assert first.spread is not None
    count = sf.ask(release, "SELECT COUNT(*) FROM release WHERE salary <= DATE '2024-01-02' AND gender = 'M'")
    assert bounds(count) == (0, 5)
    with pytest.raises(ParameterError, match="column 'salary' holds dates, which AVG does not take"):
        sf.ask(release, "SELECT AVG(salary) FROM release")
    with pytest.raises(ParameterError, match="column 'gender' holds texts, which MIN does not take; COUNT does"):
        sf.ask(release, "SELECT MIN(gender) FROM release")


def test_missing_sensitive_values():
    frame = pl.DataFrame({"age": [1, 2, 3, 4], "salary": [10, None, 30, 40]})
    table = sf.Table(frame, sf.Schema(quasi=["age"], sensitive=["salary"]))
    release = sf.publish(table, sf.Anatomy(), sf.LDiversity(4))
    assert bounds(sf.ask(release, "SELECT COUNT(salary) FROM release WHERE age < 3")) == (1, 2)
    assert bounds(sf.ask(release, "SELECT COUNT(*) FROM release WHERE age < 3")) == (2, 2)
    assert bounds(sf.ask(release, "SELECT COUNT(*) FROM release WHERE age < 3 AND salary IS NULL")) == (0, 1)
    with pytest.raises(ParameterError, match=r"column 'salary' has missing values.*COUNT\(salary\) is"):
        sf.ask(release, "SELECT AVG(salary) FROM release")
