"""The truth of the whole original, records that the release withholds among them, is within the bounds of every answer.

The oracle is the stupid one: every question is asked of all records in a database of its own.
"""

from __future__ import annotations

import datetime as dt
import itertools
import math
from dataclasses import replace

import duckdb
import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import DataError, ParameterError, SfumatoError
from sfumato.published.shape import shape_of
from support.house import METHODS, SEED, method_named, published

N_QUICK, N_QUESTIONS = 3, 40
AGGREGATES = {
    "cost": ["SUM", "AVG", "MIN", "MAX", "MEDIAN", "COUNT"], "height": ["SUM", "AVG", "MIN", "MAX", "MEDIAN", "COUNT"],
    "visits": ["SUM", "AVG", "MIN", "MAX", "MEDIAN", "COUNT"], "seen": ["MIN", "MAX", "COUNT"], "city": ["COUNT"],
    None: ["COUNT"],
}  # fmt: skip
CONDITIONS = [
    "", " WHERE age < 40", " WHERE age >= 80", " WHERE city = 'far'", " WHERE city <> 'far'", " WHERE age IS NULL",
    " WHERE age > 200", " WHERE city LIKE 'n%' AND age BETWEEN 20 AND 90", " WHERE cost > 50", " WHERE seen > DATE '2024-01-20'",
]  # fmt: skip
BOUNDS = [
    {},
    {"cost": (-5, 5_000), "height": (1, 3), "seen": (dt.date(2000, 1, 1), dt.date(2030, 1, 1)), "age": (0, 120)},
    {"cost": (-4, None), "height": (None, 2.5), "seen": (None, dt.date(2030, 1, 1))},
]


def patients(rng, n, *, missing):
    """Records of which the last ones stand out in every column, and so are withheld first."""
    out = int(rng.integers(1, 3))
    age = [*rng.choice([20, 21, 30], n).tolist(), *([90, 91][:out])]
    if missing:
        age = [None if rng.random() < 0.25 else each for each in age]
        age[0] = 20
    return pl.DataFrame(
        {
            "age": pl.Series(age, dtype=pl.Int64),
            "city": [*rng.choice(["near", "north"], n).tolist(), *(["far"] * out)],
            "height": [*np.round(rng.normal(1.7, 0.1, n), 2).tolist(), *([1.01, 2.49][:out])],
            "cost": [*rng.integers(0, 9, n).tolist(), *([1_000, -4][:out] if rng.random() < 0.5 else [4_000, 4_001][:out])],
            "visits": [*rng.integers(0, 9, n).tolist(), *([70, -70][:out])],
            "seen": [dt.date(2024, 1, 1) + dt.timedelta(days=int(d)) for d in rng.integers(0, 30, n)]
            + [dt.date(2001, 1, 1), dt.date(2029, 1, 1)][:out],
        }
    )  # fmt: skip


def schema(rng, bounds, sensitive):
    quasi = ["age"] if rng.random() < 0.5 else ["age", "city"]
    plain = [name for name in ("city", "height", "cost", "visits", "seen") if name not in (*quasi, *sensitive)]
    taken = {name: pair for name, pair in bounds.items() if name in (*quasi, *sensitive)}
    return sf.Schema(quasi=quasi, sensitive=sensitive, plain=plain, bounds=taken, missing={"age": "withhold"})


def generalised(rng, frame, described):
    method = [
        sf.BestFirst(max_suppressed=0.4), sf.Samarati(max_suppressed=0.4), sf.Incognito(max_suppressed=0.4),
        sf.Mondrian(), sf.CellSuppression(), sf.Hilbert(),
    ][int(rng.integers(6))]  # fmt: skip
    return sf.publish(sf.Table(frame, described), method, sf.KAnonymity(2), seed=1)


def two_tables(rng, frame, described):
    return sf.publish(
        sf.Table(frame, described), sf.Hilbert(show="permutation"), sf.LDiversity(2, kind="distinct"), seed=1
    )


def subdomains(rng, frame, described):
    return sf.publish(sf.Table(frame, described), sf.TargetDistribution("uniform", within=0.5), seed=1)


def questions(rng, n):
    """All questions, or `n` of them: the statement, and the column that it is grouped by."""
    every = []
    for (column, aggregates), where in itertools.product(AGGREGATES.items(), CONDITIONS):
        for aggregate, by in itertools.product(aggregates, ("", "city")):
            keys, group = (f"{by}, ", f" GROUP BY {by}") if by else ("", "")
            every.append((f"SELECT {keys}{aggregate}({column or '*'}) FROM release{where}{group}", by))
    return every if n is None else [every[i] for i in rng.choice(len(every), n, replace=False)]


def within(answer, truth):
    if truth is None:
        return answer.n_low == 0
    return answer.low is not None and answer.low <= truth <= answer.high


def says_what_it_means(answer):
    """The words agree with the numbers."""
    said = str(answer)
    exact = answer.low == answer.high and (answer.n_low > 0 or answer.label.startswith("COUNT"))
    assert ("(exact" in said) == (exact and answer.value is not None), said
    assert "inf" not in said
    assert answer.n_low <= answer.n_high
    assert (f"{answer.withheld:,} withheld" in said) == bool(answer.withheld), said
    assert answer.value is None or answer.low <= answer.value <= answer.high
    plain = answer.to_dict()
    assert all(each is None or not isinstance(each, float) or math.isfinite(each) for each in plain.values())
    assert plain["withheld"] == answer.withheld


@pytest.mark.parametrize("kind", [generalised, two_tables, subdomains])
@pytest.mark.parametrize(
    "seed", [seed if seed < N_QUICK else pytest.param(seed, marks=pytest.mark.slow) for seed in range(20)]
)
def test_the_truth_is_within_the_bounds(kind, seed):
    rng = np.random.default_rng([seed, len(kind.__name__)])
    frame = patients(rng, int(rng.integers(5, 9)), missing=kind is not generalised or rng.random() < 0.3)
    sensitive = [["cost"], ["height"], ["seen"]][seed % 3]
    release = kind(rng, frame, schema(rng, BOUNDS[int(rng.integers(3))], sensitive))
    w = shape_of(release).n_withheld
    assert w == frame.height - release.data.frame.height
    original = duckdb.connect()
    original.register("original", frame.to_arrow())
    original.execute("CREATE TABLE release AS SELECT * FROM original")
    asked = 0
    for sql, by in questions(rng, N_QUESTIONS if seed < N_QUICK else None):
        try:
            answer = sf.ask(release, sql)
        except ParameterError:
            continue
        asked += 1
        truth = original.execute(sql).fetchall()
        assert answer.withheld == w
        if not by:
            says_what_it_means(answer)
            assert within(answer, truth[0][0]), (sql, truth, answer)
            continue
        shown = dict(answer)
        for key, value in truth:
            if (key,) in shown:
                says_what_it_means(shown[key,])
                assert within(shown[key,], value), (sql, key, value, answer)
        assert all((key,) in shown or w for key, _ in truth)
    assert asked >= N_QUESTIONS // 4


def test_what_is_withheld_widens_the_bounds():
    frame = pl.DataFrame({"age": [20, 20, 20, 20, 90], "cost": [1, 2, 3, 4, 1000]})
    method, promise = sf.BestFirst(max_suppressed=0.2), sf.KAnonymity(2)
    unknown = sf.publish(sf.Table(frame, sf.Schema(quasi=["age"], sensitive=["cost"])), method, promise, seed=1)
    total = sf.ask(unknown, "SELECT SUM(cost) FROM release")
    assert (total.value, total.low, total.high, total.n_low, total.n_high) == (10, -math.inf, math.inf, 4, 5)
    assert str(total) == "SUM(cost): 10 of what is published (without bounds; 4 to 5 records, 1 withheld)"
    assert total.to_dict()["low"] is None
    least = sf.ask(unknown, "SELECT MIN(cost) FROM release")
    assert str(least) == "MIN(cost): 1 of what is published (at most 1 for certain; 4 to 5 records, 1 withheld)"
    known = sf.Schema(quasi=["age"], sensitive=["cost"], bounds={"cost": (0, 2_000)})
    release = sf.publish(sf.Table(frame, known), method, promise, seed=1)
    expected = {
        "COUNT(*)": (5, 5), "COUNT(cost)": (4, 5), "SUM(cost)": (10, 2_010), "AVG(cost)": (2, 402), "MIN(cost)": (0, 1),
        "MAX(cost)": (4, 2_000), "MEDIAN(cost)": (2, 3),
    }  # fmt: skip
    for asked, (low, high) in expected.items():
        answer = sf.ask(release, f"SELECT {asked} FROM release")
        assert (answer.low, answer.high) == (low, high), asked
    assert sf.ask(release, "SELECT MEDIAN(cost) FROM release").value == 2.5
    assert str(sf.ask(release, "SELECT COUNT(*) FROM release")) == "COUNT(*): 5 (exact; 5 records, 1 withheld)"
    old = sf.ask(release, "SELECT AVG(cost) FROM release WHERE age > 80")
    assert (old.value, old.low, old.high, old.n_low, old.n_high) == (None, 0, 2_000, 0, 1)
    assert str(old) == (
        "AVG(cost): none of what is published (between 0 and 2,000 for certain, or none at all; 0 to 1 record, 1 withheld)"
    )


def test_bounds_of_a_plain_column_are_not_held_against_the_data_and_count_for_nothing():
    frame = pl.DataFrame({"age": [20, 20, 90], "ill": ["a", "b", "c"], "cost": [1, 2, 1000]})
    schema = sf.Schema(quasi=["age"], sensitive=["ill"], plain=["cost"], bounds={"cost": (0, 10)})
    release = sf.publish(sf.Table(frame, schema), sf.BestFirst(max_suppressed=0.4), sf.KAnonymity(2), seed=1)
    assert shape_of(release).n_withheld == 1
    assert sf.ask(release, "SELECT SUM(cost) FROM release").high == math.inf


def test_a_withheld_record_may_have_a_key_that_is_not_shown():
    frame = pl.DataFrame({"age": [20, 20, 90], "city": ["near", "near", "far"], "ill": ["a", "b", "c"]})
    schema = sf.Schema(quasi=["age"], sensitive=["ill"], plain=["city"])
    release = sf.publish(sf.Table(frame, schema), sf.BestFirst(max_suppressed=0.4), sf.KAnonymity(2), seed=1)
    answers = sf.ask(release, "SELECT city, COUNT(*) FROM release GROUP BY city")
    assert (answers["near"].low, answers["near"].high, answers.withheld) == (2, 3, 1)
    assert repr(answers).startswith(
        "by city: 1 answers; 1 withheld record may have any key, also one that is not shown\nnear: COUNT(*): 2 of what"
    )


@pytest.mark.parametrize("said", ["3", -1, 1.5, None])
def test_a_release_that_does_not_say_how_many_are_withheld_is_not_asked(said):
    frame = pl.DataFrame({"age": [20, 20, 90, 91], "ill": ["a", "b", "c", "d"]})
    table = sf.Table(frame, sf.Schema(quasi=["age"], sensitive=["ill"]))
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(2), seed=1)
    forged = replace(release, public={**release.public, "withheld_rows": said})
    with pytest.raises(DataError, match="does not say in a number how many rows are withheld; ask its owner"):
        sf.ask(forged, "SELECT COUNT(*) FROM release")


def holes(data):
    """The table, and as many records more as lack the first quasi-identifier and stand out in all others."""
    if not isinstance(data, sf.Table):
        return None
    name = data.schema.quasi[0]
    odd = data.frame.head(2).with_columns(
        pl.lit(None, dtype=data.frame[name].dtype).alias(name),
        *(pl.col(each) + "'" for each in data.schema.identifier),
        *(pl.col(each) + 10_000 for each in data.schema.sensitive if data.frame[each].dtype.is_numeric()),
    )
    columns = [replace(c, missing="withhold" if c.name == name else c.missing) for c in data.schema.columns.values()]
    return sf.Table(pl.concat([data.frame, odd]), sf.Schema.of(columns))


@pytest.mark.parametrize("name", METHODS)
def test_no_method_publishes_what_is_answered_wrongly(name):
    """Of every method: what it publishes is refused, or the truth is within the bounds, with records withheld or not."""
    release, data = published(name)
    for original in (data, holes(data)):
        if not isinstance(original, sf.Table):
            continue
        try:
            made = release if original is data else sf.publish(original, method_named(name), release.promise, seed=SEED)
        except SfumatoError:
            continue
        database = duckdb.connect()
        database.register("original", original.frame.to_arrow())
        database.execute("CREATE TABLE release AS SELECT * FROM original")
        numbers = [each for each in original.columns if original.frame[each].dtype.is_numeric()]
        asked = ["COUNT(*)", *(f"{a}({each})" for each in numbers for a in ("SUM", "AVG", "MIN", "MAX", "MEDIAN"))]
        for what, where in itertools.product(
            asked, ["", " WHERE age > 40", " WHERE days < 9 AND age <= 50", " WHERE sex = 'f'"]
        ):
            sql = f"SELECT {what} FROM release{where}"
            try:
                answer = sf.ask(made, sql)
            except ParameterError:
                continue
            assert within(answer, database.execute(sql).fetchone()[0]), (name, sql, answer)
