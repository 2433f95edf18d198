"""Statements that take withheld records in give the bounds that `ask` gives."""

import duckdb
import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.contracts.question import read_question
from sfumato.tables.answers.withheld import Ends, Withheld
from sfumato.tables.answers.withheld_sql import aggregate_statement, count_statement_widened
from support.asked import people

ASKED = {
    "age": ["COUNT", "SUM", "AVG", "MIN", "MAX"], "height": ["SUM", "AVG", "MIN", "MAX"], "born": ["MIN", "MAX"],
    "salary": ["COUNT", "SUM", "AVG", "MIN", "MAX"], "*": ["COUNT"],
}  # fmt: skip
CONDITIONS = ["", " WHERE age > 30", " WHERE age > 900", " WHERE sex = 'f' AND height < 170.5"]
BOUNDS = {"salary": (-40, 120), "age": (0, 100), "height": (100, 250.25)}


@pytest.mark.parametrize("bounds", [BOUNDS, {}], ids=["bounded", "unbounded"])
def test_statements_say_what_ask_says(bounds, tmp_path, monkeypatch):
    rng = np.random.default_rng(6)
    frame = people(rng, 40, missing=False).with_columns(
        pl.when(pl.Series(rng.random(40) < 0.1)).then(None).otherwise(pl.col("age")).alias("age")
    )
    schema = sf.Schema(
        quasi=["age", "height", "born", "sex"], sensitive=["salary"], missing={"age": "withhold"}, bounds=bounds
    )
    promise = sf.LDiversity(3, kind="distinct")
    release = sf.publish(sf.Table(frame, schema), sf.Hilbert(show="permutation"), promise, seed=3)
    release.sql(folder=tmp_path)
    monkeypatch.chdir(tmp_path)
    database = duckdb.connect()
    database.execute((tmp_path / "views.sql").read_text())
    for column, aggregates in ASKED.items():
        for aggregate in aggregates:
            for condition in CONDITIONS:
                sql = f"SELECT {aggregate}({column}) FROM release{condition}"
                answer = sf.ask(release, sql)
                (row,) = pl.from_arrow(database.sql(answer.sql).to_arrow_table()).to_dicts()
                assert row["n"] == answer.n_high - answer.withheld or row["n"] is None or aggregate == "COUNT"
                for side in ("low", "high"):
                    told = getattr(answer, side)
                    if row[side] is None:  # a whole number where none is selected, without an end
                        assert not bounds, sql
                        continue
                    if column == "born":
                        assert row[side] == told
                    else:
                        assert row[side] == pytest.approx(told, rel=1e-12), (sql, side)
            grouped = sf.ask(release, f"SELECT sex, {aggregate}({column}) FROM release GROUP BY sex")
            rows = database.execute(grouped["f"].sql).fetchall()
            assert [row[0] for row in rows] == [key for (key,), _ in grouped]


def test_nothing_withheld_leaves_a_statement_as_it_is():
    question = read_question("SELECT SUM(x) FROM release", ["x"])
    assert aggregate_statement("it", question, Ends(0), 0.0, whole=True, listed=True) == "it"
    assert count_statement_widened("it", question, Withheld(), bounded=True) == "it"
    median = read_question("SELECT MEDIAN(x) FROM release", ["x"])
    assert aggregate_statement("it", median, Ends(1), 0.0, whole=True, listed=True) is None
