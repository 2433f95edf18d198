"""Questions that are not known are refused in one sentence."""

import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from support.asked import figure_2
from support.asked_originals import N, published

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


def test_text_that_is_none_and_nothing():
    release = published(
        {"q": range(N), "s": [1, 2] * 20}, sf.TargetDistribution("uniform"), quasi=["q"], sensitive=["s"]
    )
    with pytest.raises(ParameterError, match="no text"):
        sf.ask(release, "SELECT COUNT(*) FROM release WHERE q > '\udcff'")
    with pytest.raises(ParameterError, match="nothing is asked"):
        sf.ask(release, " ")
    with pytest.raises(ParameterError) as told:
        sf.ask(release, "SELECT COUNT(*) FROM release WHERE q % 0 = 1 AND q / 0 > CAST('x' AS INTEGER)")
    assert "SET " not in str(told.value)


DEEP = {
    "brackets": "(" * 2_000 + "zipcode = 'a'" + ")" * 2_000,
    "NOT": "NOT " * 2_000 + "gender = 'F'",
    "NOT and brackets": "NOT (" * 300 + "gender = 'F'" + ")" * 300,
    "signs": "length(gender) > " + "- " * 400 + "3",
    "sums": "length(gender) > " + " + ".join(["1"] * 2_000),
    "functions": "lower(" * 500 + "gender" + ")" * 500 + " = 'f'",
}


@pytest.mark.parametrize("what", DEEP)
def test_what_nests_too_deeply_is_refused(what):
    with pytest.raises(ParameterError, match="nests brackets, NOT, signs or functions too deeply to be read; write it"):
        sf.ask(figure_2(), f"SELECT COUNT(*) FROM release WHERE {DEEP[what]}")


def test_what_is_too_long_is_refused_before_it_is_read():
    start = "SELECT COUNT(*) FROM release WHERE"
    with pytest.raises(ParameterError, match="the SQL has 1,288,936 characters, and at most 1,000,000 are read"):
        sf.ask(figure_2(), f"{start} salary IN ({','.join(map(str, range(200_000)))})")
    with pytest.raises(ParameterError, match="60,000 values, and at most 50,000 are read; ask for a part of them, or"):
        sf.ask(figure_2(), f"{start} salary IN ({','.join(['1'] * 60_000)})")
    with pytest.raises(ParameterError, match="12,007 words, and at most 10,000 are read; list values in IN instead of"):
        sf.ask(figure_2(), f"{start} {' OR '.join(['salary = 1'] * 4_000)}")


def test_long_lists_are_read():
    listed = ",".join(map(str, range(5_000)))
    assert sf.ask(figure_2(), f"SELECT COUNT(*) FROM release WHERE salary IN ({listed})").low == 11
