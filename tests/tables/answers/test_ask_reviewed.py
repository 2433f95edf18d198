"""What a hostile reader found in `ask`, each with the case that showed it."""

import duckdb
import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError

N = 40
DIVERSE = sf.LDiversity(2, kind="distinct")


def published(frame, method, promise=None, **schema):
    return sf.publish(sf.Table(pl.DataFrame(frame), sf.Schema(**schema)), method, promise, seed=1)


def truth(release, sql):
    release_rows = release.owner.original.frame[release.owner.rows]
    database = duckdb.connect()
    database.register("release", release_rows.to_arrow())
    return database.execute(sql).fetchall()[0][0]


def holds(release, sql):
    answer, true = sf.ask(release, sql), truth(release, sql)
    assert answer.low <= true <= answer.high, (sql, answer, true)
    return answer


# -- names ---------------------------------------------------------------------------------------------------------
def test_names_that_differ_in_case_alone_are_refused():
    frame = {"q": range(N), "p": [1] * N, "P": [100] * N, "s": [0, 1] * (N // 2)}
    ranges = published(frame, sf.Hilbert(), sf.KAnonymity(4), quasi=["q"], plain=["p", "P"], sensitive=["s"])
    two = published(frame, sf.Hilbert(show="permutation"), DIVERSE, quasi=["q"], plain=["p", "P"], sensitive=["s"])
    for release in (ranges, two):
        with pytest.raises(ParameterError, match="'p' and 'P' differ in case alone"):
            sf.ask(release, 'SELECT SUM("P") FROM release')
    with pytest.raises(ParameterError, match="differ in case alone"):
        two.sql()


@pytest.mark.parametrize("name", ["Group", "group", "_Group", "Count", "place", "PLACE", "First", "value", "target",
                                  "rank", "low", "n", "s", "weight", "met", "piece"])  # fmt: skip
def test_columns_may_be_called_as_we_call_our_own(name, tmp_path, monkeypatch):
    frame = {"q": list(range(N)), name: [10, 20] * (N // 2)}
    for method, promise in ((sf.Hilbert(show="permutation"), DIVERSE), (sf.TargetDistribution("uniform"), None)):
        release = published(frame, method, promise, quasi=["q"], sensitive=[name])
        quoted = f'"{name}"'
        assert holds(release, f"SELECT SUM({quoted}) FROM release").value == 600
        holds(release, f"SELECT SUM({quoted}) FROM release WHERE q > 20")
        holds(release, f"SELECT COUNT(*) FROM release WHERE q > 20 AND {quoted} > 15")
        folder = tmp_path / type(method).__name__
        script, sql = release.sql("duckdb", folder), sf.ask(release, f"SELECT SUM({quoted}) FROM release").sql
        monkeypatch.chdir(folder)
        database = duckdb.connect()
        database.execute(script)
        row = database.sql(sql).to_arrow_table().to_pylist()[0]
        assert (row["low"], row["high"]) == (600, 600)
    frame = {"q": list(range(N)), name: [1, 2] * (N // 2), "pay": [5, 6] * (N // 2)}
    plain = published(frame, sf.Hilbert(show="permutation"), DIVERSE, quasi=["q"], plain=[name], sensitive=["pay"])
    holds(plain, "SELECT SUM(pay) FROM release WHERE q > 20")
    assert holds(plain, f'SELECT SUM("{name}") FROM release').low == 60


@pytest.mark.parametrize("name", ["_met", "_cell_0", "_share", "_holds", "_may", "_weight", "_open", "_key_0", "_value",
                                  "_sure", "_Met", "__met", "cell", "open"])  # fmt: skip
def test_ranges_of_columns_called_as_we_call_our_own(name):
    release = published(
        {name: list(range(N)), "s": [1, 2] * 20}, sf.Hilbert(), sf.KAnonymity(4), quasi=[name], sensitive=["s"]
    )
    holds(release, f'SELECT COUNT(*) FROM release WHERE "{name}" > 30')
    holds(release, f'SELECT SUM(s) FROM release WHERE "{name}" BETWEEN 3 AND 30')


# -- numbers -------------------------------------------------------------------------------------------------------
def test_whole_numbers_past_doubles():
    base = 2**53
    frame = {"q": [base - i for i in range(N)], "s": [1, 2] * 20}
    release = published(frame, sf.Hilbert(), sf.KAnonymity(20), quasi=["q"], sensitive=["s"])
    for condition in ("q > 9007199254740992e0", "q = 9007199254740992e0", "q <> 9007199254740992e0",
                      "q IN (9007199254740992e0)", "q > 9007199254740993", "q > 9007199254740993.0"):  # fmt: skip
        holds(release, f"SELECT COUNT(*) FROM release WHERE {condition}")


def test_large_sensitive_numbers_have_extremes():
    frame = {"q": range(N), "s": [2**62, -(2**62)] * 20}
    release = published(frame, sf.Hilbert(show="permutation"), DIVERSE, quasi=["q"], sensitive=["s"])
    for what in ("MIN", "MAX", "MEDIAN", "SUM", "AVG"):
        holds(release, f"SELECT {what}(s) FROM release WHERE q > 5")


def test_constants_past_what_a_column_can_hold():
    frame = {"a": [*range(20), *[None] * 20], "s": [1, 2] * 20}
    release = published(frame, sf.Hilbert(), sf.KAnonymity(40), quasi=["a"], sensitive=["s"])
    for condition in ("a > 1e30", "a = 9223372036854775807", "a >= -9223372036854775808", "a < -1e30",
                      "a IN (5, 99999999999999999999)"):  # fmt: skip
        holds(release, f"SELECT COUNT(*) FROM release WHERE {condition}")
    with pytest.raises(ParameterError, match="too long to be compared with"):
        sf.ask(release, "SELECT COUNT(*) FROM release WHERE a < 1e99999999")
    days = pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 2, 9), eager=True)
    dated = published({"d": days, "s": [1, 2] * 20}, sf.Hilbert(), sf.KAnonymity(4), quasi=["d"], sensitive=["s"])
    for condition in ("d > DATE '0001-01-01'", "d < '0001-01-01'", "d <= '9999-12-31'"):
        holds(dated, f"SELECT COUNT(*) FROM release WHERE {condition}")


def test_numbers_too_large_to_be_summed():
    frame = {"q": range(N), "p": [1.5e308] * N, "s": [1, 2] * 20}
    release = published(frame, sf.Hilbert(), sf.KAnonymity(4), quasi=["q"], plain=["p"], sensitive=["s"])
    with pytest.raises(ParameterError, match="too large to be summed"):
        sf.ask(release, "SELECT SUM(p) FROM release WHERE q > 3")
    holds(release, "SELECT MAX(p) FROM release WHERE q > 3")


# -- the rest ------------------------------------------------------------------------------------------------------
def test_keys_without_values_are_there():
    frame = {"q": range(N), "k": ["a", "b"] * 20, "p": [1, None] * 20, "s": [1, 2] * 20}
    release = published(frame, sf.Hilbert(), sf.KAnonymity(4), quasi=["q"], plain=["k", "p"], sensitive=["s"])
    counts = sf.ask(release, "SELECT k, COUNT(p) FROM release GROUP BY k")
    assert (counts["a"].low, counts["b"].high) == (20, 0)
    assert sf.ask(release, "SELECT k, SUM(p) FROM release GROUP BY k")["b"].value is None


def test_a_spread_is_no_more_than_the_bounds_allow():
    frame = {"q": range(N), "s": [-1.1] * 17 + [1.1] * 23}
    release = published(frame, sf.TargetDistribution("table"), quasi=["q"], sensitive=["s"])
    for sql in ("SELECT MEDIAN(s) FROM release", "SELECT MEDIAN(s) FROM release WHERE q > 10"):
        answer = sf.ask(release, sql)
        assert answer.spread <= (answer.high - answer.low) / 2 + 1e-12


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


def test_postgres_takes_no_escape_that_duckdb_does_not():
    release = published(
        {"t": ["a%", "ab"] * 20, "s": [1, 2] * 20}, sf.TargetDistribution("uniform"), quasi=["t"], sensitive=["s"]
    )
    answer = sf.ask(release, r"SELECT SUM(s) FROM release WHERE t LIKE 'a\%'")
    assert "ESCAPE ''" in answer.sql_for("postgres")


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
