"""The examples of the paper's section 2, the words of an answer, and what cannot be asked."""

import datetime as dt
import math
from fractions import Fraction

import polars as pl
import pytest
from asked import subdomain_release

import sfumato as sf
from sfumato.ground.errors import ParameterError

FIGURE_1 = pl.DataFrame(
    {
        "zipcode": ["91110", "91110", "91110", "91130", "91210", "91220", "91240", "91310", "91320", "91330", "91340"],
        "gender": list("FMMFFFFMMMF"),
        "salary": [30, 40, 50, 60, 40, 30, 50, 40, 60, 60, 60],
    }
)
GROUPS = [1] * 4 + [2] * 3 + [3] * 4
DOMAIN = [30, 40, 50, 60]
FIGURE_2 = {
    1: [(0, 0, 1), (1, 1, 1), (2, 2, 1), (3, 3, 1)],
    2: [(0, 1, 1), (2, 3, 1), (0, 3, 1)],
    3: [(0, 3, 2), (2, 3, 1), (0, 1, 1)],
}


def figure_2(**others):
    listed = FIGURE_2 | {int(key[1:]): parts for key, parts in others.items()}
    return subdomain_release(FIGURE_1, "salary", GROUPS, DOMAIN, listed)


def bounds(answer):
    return answer.low, answer.high


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


def test_group_by():
    answers = sf.ask(figure_2(), "SELECT gender, AVG(salary) AS a FROM release GROUP BY gender")
    assert len(answers) == 2
    assert bounds(answers["F"]) == (35, 55)
    assert bounds(answers[("M",)]) == bounds(sf.ask(figure_2(), "SELECT AVG(salary) FROM release WHERE gender = 'M'"))
    assert [key for key, _ in answers] == [("F",), ("M",)]
    frame = answers.to_polars()
    assert frame.columns == ["gender", "value", "low", "high", "spread", "n_low", "n_high"]
    assert frame["n_low"].to_list() == [6, 5]
    assert "F: AVG(salary): 45 (between 35 and 55 for certain" in repr(answers)
    with pytest.raises(KeyError):
        answers["X"]
    none = sf.ask(figure_2(), "SELECT gender, COUNT(*) FROM release WHERE gender = 'X' GROUP BY gender")
    assert len(none) == 0


def test_words():
    release = figure_2()
    answer = sf.ask(release, "SELECT AVG(salary) FROM release WHERE gender = 'F'")
    assert str(answer).startswith("AVG(salary): 45 (between 35 and 55 for certain; spread ")
    assert str(answer).endswith("; 6 records)")
    assert str(sf.ask(release, "SELECT COUNT(*) FROM release")) == "COUNT(*): 11 (exact; 11 records)"
    assert str(sf.ask(release, "SELECT COUNT(salary) FROM release")) == "COUNT(salary): 11 (exact; 11 records)"
    nobody = "FROM release WHERE gender = 'X'"
    assert str(sf.ask(release, f"SELECT MIN(salary) {nobody}")) == "MIN(salary): none (0 records)"
    assert sf.ask(release, f"SELECT SUM(salary) {nobody}").value is None
    for condition in ("", " AND salary = 30"):
        none = sf.ask(release, f"SELECT COUNT(*) {nobody}{condition}")
        assert (none.value, none.low, none.high) == (0, 0, 0)
    assert answer.to_dict()["low"] == 35


def test_columns_as_recorded_are_exact():
    answer = sf.ask(figure_2(), "SELECT MEDIAN(\"group\") FROM release WHERE gender = 'F'")
    assert (answer.low, answer.value, answer.high, answer.spread) == (2, 2, 2, 0)


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


def test_large_numbers_are_summed_exactly():
    big = 2**61
    frame = pl.DataFrame({"age": range(8), "salary": [big + i for i in range(8)]})
    release = sf.publish(
        sf.Table(frame, sf.Schema(quasi=["age"], sensitive=["salary"])), sf.Anatomy(),
        sf.LDiversity(4), seed=1,
    )  # fmt: skip
    assert sf.ask(release, "SELECT AVG(salary) FROM release WHERE age < 3").low >= big
    answer = sf.ask(release, "SELECT SUM(salary) FROM release")
    assert answer.low == answer.high == answer.value == 8 * big + 28


REFUSED = {
    "SELECT 1; SELECT 2": "one statement, got 2",
    "SELECT AVG(salary) FROM release; DROP TABLE release": "one statement, got 2",
    "ATTACH 'x.db'": "takes a SELECT, got",
    "COPY release TO 'x.csv'": "takes a SELECT, got",
    "PRAGMA database_list": "takes a SELECT, got",
    "SET memory_limit = '1GB'": "takes a SELECT, got",
    "INSTALL httpfs": "takes a SELECT, got",
    "SELECT COUNT(*) FROM read_csv('/etc/passwd')": "the one table to ask is release",
    "SELECT COUNT(*) FROM '/etc/passwd'": "the one table to ask is release",
    "SELECT COUNT(*) FROM other.release": "the one table to ask is release",
    "SELECT COUNT(*) FROM (SELECT * FROM release)": "the one table to ask is release",
    "SELECT COUNT(*) FROM release AS r": "the one table to ask is release",
    "SELECT COUNT(*) FROM duckdb_settings()": "the one table to ask is release",
    "SELECT COUNT(*)": "got none; write FROM release",
    "SELECT COUNT(*) FROM release, release": "a join cannot be answered",
    "SELECT COUNT(*) FROM release JOIN release USING (gender)": "cannot be answered|the one table",
    "SELECT COUNT(*) FROM release UNION SELECT 1": "takes a SELECT, got",
    "WITH x AS (SELECT 1) SELECT COUNT(*) FROM release": "WITH cannot be answered",
    "SELECT COUNT(*) FROM release WHERE gender IN (SELECT 'F')": "cannot stand in a condition|a subquery cannot",
    "SELECT COUNT(*) FROM release WHERE EXISTS (SELECT 1)": "cannot stand in a condition",
    "SELECT COUNT(*) FROM release WHERE getenv('HOME') = 'x'": "GETENV.* cannot stand in a condition",
    "SELECT COUNT(*) FROM release WHERE gender = (SELECT content FROM read_text('x'))": "cannot stand in a condition",
    "SELECT COUNT(*) FROM release WHERE random() < 0.5": "cannot stand in a condition",
    "SELECT getenv('HOME') FROM release": "cannot be answered; select one of COUNT",
    "SELECT * FROM release": "cannot be answered; select one of COUNT",
    "SELECT gender FROM release": "selected and not grouped by",
    "SELECT gender FROM release GROUP BY gender": "nothing is aggregated",
    "SELECT AVG(salary), SUM(salary) FROM release": "one aggregate is answered at a time",
    "SELECT AVG(salary) + 1 FROM release": "cannot be answered; select one of COUNT",
    "SELECT AVG(salary + 1) FROM release": "AVG takes one column",
    "SELECT COUNT(DISTINCT salary) FROM release": "COUNT takes one column",
    "SELECT MIN(salary, 3) FROM release": "cannot be answered",
    "SELECT AVG(salary) FILTER (WHERE gender = 'F') FROM release": "cannot be answered; select one of COUNT",
    "SELECT AVG(salary) OVER () FROM release": "cannot be answered; select one of COUNT",
    "SELECT STDDEV(salary) FROM release": "cannot be answered; select one of COUNT",
    "SELECT DISTINCT COUNT(*) FROM release": "DISTINCT cannot be answered",
    "SELECT COUNT(*) FROM release GROUP BY gender HAVING COUNT(*) > 1": "HAVING cannot be answered",
    "SELECT COUNT(*) FROM release ORDER BY 1": "ORDER BY cannot be answered",
    "SELECT COUNT(*) FROM release LIMIT 1": "LIMIT cannot be answered",
    "SELECT COUNT(*) FROM release GROUP BY 1": "GROUP BY takes columns",
    "SELECT COUNT(*) FROM release GROUP BY ROLLUP (gender)": "GROUP BY takes columns",
    "SELECT COUNT(*) FROM release USING SAMPLE 3": "cannot be answered|the one table",
    "SELECT COUNT(*) FROM release TABLESAMPLE 10%": "cannot be answered|the one table",
    "SELECT AVG(salry) FROM release": "no column is called 'salry'; did you mean 'salary'",
    "SELECT AVG(\"Salary\") FROM release": "no column is called 'Salary'",
    "SELECT COUNT(*) FROM release WHERE x.gender = 'F'": "is no column of release",
    "SELECT COUNT(*) FROM release WHERE salary = 30 OR gender = 'F'": "mixes 'salary'",
    "SELECT SUM(salary) FROM release WHERE salary > 30": r"answered for COUNT\(\*\) only",
    "SELECT salary, COUNT(*) FROM release GROUP BY salary": "cannot be grouped by; count one value at a time",
    "SELECT COUNT(*) FROM release WHERE \"group\" > 'abc'": "the condition cannot be decided",
    "SELECT AVG(salary FROM release": "the SQL cannot be read",
    "SELECT AVG(salary) FROM release WHERE": "the SQL cannot be read|takes",
    "": "nothing is asked",
    "SELECT COUNT(*) FROM release WHERE CAST(zipcode AS STRUCT(a INT)) IS NULL": "cannot be cast",
}  # fmt: skip


@pytest.mark.parametrize("sql", REFUSED)
def test_whatever_is_not_known_is_refused(sql):
    with pytest.raises(ParameterError, match=REFUSED[sql]) as caught:
        sf.ask(figure_2(), sql)
    assert "\n" not in str(caught.value)


def test_the_database_reaches_nothing(tmp_path):
    from sfumato.tables.answers.engine import Engine

    engine = Engine({"release": FIGURE_1})
    (tmp_path / "x.csv").write_text("a\n1\n")
    for sql in (f"SELECT * FROM read_csv('{tmp_path / 'x.csv'}')", f"COPY release TO '{tmp_path / 'y.csv'}'",
                f"ATTACH '{tmp_path / 'z.db'}' AS z", "SET enable_external_access = true", "INSTALL httpfs"):  # fmt: skip
        with pytest.raises(ParameterError):
            engine.rows(sql)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.csv"]


def test_only_releases_with_bounds_can_be_asked():
    table = sf.Table(FIGURE_1, sf.Schema(quasi=["salary"], sensitive=["gender"]))
    means = sf.publish(table, sf.Hilbert(show="means"), sf.KAnonymity(3))
    with pytest.raises(
        ParameterError, match="column 'salary' shows a mean or mode, from which nothing certain follows"
    ):
        sf.ask(means, "SELECT COUNT(*) FROM release")
    with pytest.raises(ParameterError, match="ask takes a Release, got DataFrame"):
        sf.ask(FIGURE_1, "SELECT COUNT(*) FROM release")
    with pytest.raises(ParameterError, match="ask takes SQL as text, got int"):
        sf.ask(figure_2(), 3)
