"""Published subdomains that are damaged in one way or another: never verified, and never a traceback."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import DataError
from sfumato.published.tables.subdomain_flaws import subdomain_table_flaws
from sfumato.published.tables.subdomains import read_subdomains
from support.distribution_tables import table_of

FRAME = pl.DataFrame({"age": [30, 31, 32, 33, 34, 35], "town": list("aabbab"), "pay": [10, 20, 30, 10, 10, 40]})
TABLE = sf.Table(FRAME, sf.Schema(quasi=["age", "town"], sensitive=["pay"]))
RELEASE = sf.publish(TABLE, sf.TargetDistribution(groups="town"), seed=1)


def cell(column, value, row=0):
    return lambda table: table.with_columns(
        pl.when(pl.int_range(pl.len()) == row).then(value).otherwise(column).alias(column)
    )


def kind(column, dtype):
    return lambda table: table.with_columns(pl.col(column).cast(dtype))


def all_of(column, value, dtype=pl.Int64):
    return lambda table: table.with_columns(pl.lit(value, dtype=dtype).alias(column))


JOINED = "the published tables do not fit each other"
NO_RANGE = "some subdomain is no range of the domain"
NUMBERED = "the places of the domain are not numbered from 0"
WEIGHT = "some weight of a target"

DAMAGE = [
    # tables and columns that are not there, or of another kind
    *[(name, None, f"the table {name!r} is missing") for name in ("sensitive", "domain", "targets", "groups")],
    *[
        (name, lambda table, column=column: table.drop(column), f"column {column!r} is missing from {name!r}")
        for name, columns in {
            "sensitive": ("group", "first", "last", "count"),
            "domain": ("place",),
            "targets": ("target", "place", "weight"),
            "groups": ("group", "target"),
        }.items()
        for column in columns
    ],
    *[
        (name, change(column), f"column {column!r} is missing from {name!r}, or holds no whole numbers")
        for name, column in (("sensitive", "count"), ("domain", "place"), ("targets", "weight"), ("groups", "target"))
        for change in (
            lambda column: cell(column, None),
            lambda column: kind(column, pl.Float64),
            lambda column: kind(column, pl.String),
            lambda column: all_of(column, 2**64 - 1, pl.UInt64),
        )
    ],
    ("domain", lambda table: table.drop("value"), "the domain lacks its values"),
    ("domain", cell("value", None), "the domain lacks its values"),
    # the domain
    ("domain", cell("place", 7), NUMBERED),
    ("domain", cell("place", -1), NUMBERED),
    ("domain", cell("place", 1), NUMBERED),
    ("domain", cell("value", 20), NUMBERED),
    ("domain", lambda table: table.head(2), ""),
    ("domain", lambda table: table.clear(), ""),
    ("domain", lambda table: pl.concat([table, table]), NUMBERED),
    (
        "domain",
        lambda table: table.with_columns(pl.col("value").reverse()),
        "the values of the domain are not in order",
    ),
    ("domain", cell("value", 11), "column 'low' of 'sensitive' does not agree with the domain"),
    ("domain", kind("value", pl.String), "does not agree with the domain"),
    # subdomains
    ("sensitive", cell("first", -1), NO_RANGE),
    ("sensitive", cell("last", 4), NO_RANGE),
    ("sensitive", all_of("first", 3), ""),
    ("sensitive", all_of("last", 0), NO_RANGE),
    ("sensitive", cell("count", 0), NO_RANGE),
    ("sensitive", cell("count", -3), NO_RANGE),
    ("sensitive", lambda table: pl.concat([table, table.head(1)]), "some group lists a subdomain twice"),
    ("sensitive", lambda table: table.slice(1), "groups there are fewer subdomains than rows"),
    ("sensitive", lambda table: table.clear(), "in 2 of 2 groups there are fewer subdomains than rows"),
    ("sensitive", lambda table: pl.concat([table, cell("group", 5)(table.head(1))]), "in 1 of 3 groups"),
    ("sensitive", cell("low", 20), "column 'low' of 'sensitive' does not agree"),
    ("sensitive", cell("high", 10), "column 'high' of 'sensitive' does not agree"),
    ("sensitive", kind("high", pl.String), "column 'high' of 'sensitive' does not agree"),
    # targets
    ("targets", cell("place", 4), WEIGHT),
    ("targets", cell("place", -1), WEIGHT),
    ("targets", cell("weight", 0), WEIGHT),
    ("targets", cell("weight", -1), WEIGHT),
    ("targets", cell("target", -1), WEIGHT),
    ("targets", all_of("weight", 2**62), WEIGHT),
    ("targets", cell("place", 1), "some target gives a value two weights"),
    ("targets", lambda table: pl.concat([table, table]), "some target gives a value two weights"),
    ("targets", cell("target", 10**15), "some group follows a target that is not published"),
    ("targets", all_of("target", 1), "some group follows a target that is not published"),
    ("targets", lambda table: table.clear(), "some group follows a target that is not published"),
    ("targets", lambda table: table.slice(1), "the published target is not the one promised"),
    # groups
    ("groups", cell("target", 1), "some group follows a target that is not published"),
    ("groups", cell("target", -1), "some group follows a target that is not published"),
    ("groups", cell("group", 1), "are not those of the rows"),
    ("groups", cell("group", 9), "are not those of the rows"),
    ("groups", lambda table: table.slice(1), "are not those of the rows"),
    ("groups", lambda table: table.clear(), "are not those of the rows"),
]


def refused(release, match):
    for given in (release, replace(release, owner=None)):
        for original in (None, TABLE):
            verdict = sf.verify(given, original)
            assert not verdict.holds
            assert match in " ".join([*verdict.broken, *verdict.found])


def test_the_release_itself_holds():
    assert sf.verify(RELEASE, TABLE)
    assert subdomain_table_flaws(RELEASE.data.frame, RELEASE.files, RELEASE.public, RELEASE.schema) == []
    assert read_subdomains(RELEASE.data.frame, RELEASE.files, {}) is None


@pytest.mark.parametrize(("name", "change", "match"), DAMAGE)
def test_damaged_tables_are_named_and_never_raise(name, change, match):
    files = {key: table for key, table in RELEASE.files.items() if key != name}
    if change is not None:
        files[name] = change(RELEASE.files[name])
    refused(replace(RELEASE, files=files), match)


@pytest.mark.parametrize(("name", "change", "match"), DAMAGE)
def test_damaged_tables_are_not_read_either(name, change, match):
    files = {key: table for key, table in RELEASE.files.items() if key != name}
    if change is not None:
        files[name] = change(RELEASE.files[name])
    wrong = subdomain_table_flaws(RELEASE.data.frame, files, RELEASE.public)
    if wrong:
        with pytest.raises(DataError, match=JOINED):
            read_subdomains(RELEASE.data.frame, files, RELEASE.public)
    else:
        assert match.endswith(("is not the one promised", "the domain")) or "does not agree" in match


ROWS = [
    (cell("group", None), "column 'group' is missing from the data, or holds no whole numbers"),
    (kind("group", pl.String), "column 'group' is missing from the data, or holds no whole numbers"),
    (cell("group", 7), "are not those of the rows"),
    (lambda frame: frame.drop("group"), "column 'group' is missing from the data"),
    (lambda frame: frame.drop("age"), "column 'age' is missing"),
    (lambda frame: frame.clear(), "are not those of the rows"),
    (lambda frame: frame.with_columns(more=pl.lit(1)), "column 'more' is published, and the release does not name it"),
    (lambda frame: frame.with_columns(pay=pl.lit(10)), "column 'pay' is published beside the quasi-identifiers"),
    (lambda frame: pl.concat([frame, frame]), "fewer subdomains than rows"),
]


@pytest.mark.parametrize(("change", "match"), ROWS)
def test_damaged_rows_are_named(change, match):
    frame = change(RELEASE.data.frame)
    wrong = subdomain_table_flaws(frame, RELEASE.files, RELEASE.public, RELEASE.schema)
    assert any(match in clause for clause in wrong)
    if "group" in frame.columns and frame["group"].dtype == pl.Int64:
        refused(replace(RELEASE, data=sf.Table(frame, sf.Schema(rest="plain"))), match)


TOLD = ["column", "group", "count", "table", "domain", "targets", "groups"]


@pytest.mark.parametrize("key", TOLD)
@pytest.mark.parametrize("value", [None, 3, "nowhere", ["group"]])
def test_what_the_release_says_of_its_tables_must_be_so(key, value):
    told = {**RELEASE.public["target"], key: value}
    wrong = replace(RELEASE, public={**RELEASE.public, "target": told})
    refused(wrong, "" if value == "nowhere" else "does not say how its tables are joined")
    left = {name: said for name, said in told.items() if name != key}
    refused(replace(RELEASE, public={**RELEASE.public, "target": left}), "does not say how its tables are joined")


@pytest.mark.parametrize("told", [None, 3, [], {}, "target"])
def test_no_words_on_the_tables_at_all(told):
    refused(replace(RELEASE, public={**RELEASE.public, "target": told}), "does not say how its tables are joined")


@pytest.mark.parametrize("said", [None, 3, "nothing", {"name": "nothing"}, {"name": "zipf"}, {}, ["uniform"]])
def test_a_target_that_is_none_does_not_raise(said):
    told = {**RELEASE.public["target"], "target": said}
    assert not sf.verify(replace(RELEASE, public={**RELEASE.public, "target": told}), TABLE)


def test_a_release_that_does_not_tell_its_target_does_not_raise():
    told = {key: value for key, value in RELEASE.public["target"].items() if key != "target"}
    assert not sf.verify(replace(RELEASE, public={**RELEASE.public, "target": told}), TABLE)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_values_that_are_no_numbers_do_not_raise(value):
    """Without the copies of the ends, which would tell."""
    domain = RELEASE.files["domain"].with_columns(value=pl.Series([10.0, 20.0, 30.0, value]))
    files = {**RELEASE.files, "domain": domain, "sensitive": RELEASE.files["sensitive"].drop("low", "high")}
    assert not sf.verify(replace(RELEASE, files=files))
    assert not sf.verify(replace(RELEASE, files=files), TABLE)


def test_other_widths_of_whole_numbers_are_the_same():
    files = {name: table.with_columns(pl.col(pl.Int64).exclude("value", "low", "high").cast(pl.UInt8))
             for name, table in RELEASE.files.items()}  # fmt: skip
    assert sf.verify(replace(RELEASE, files=files), TABLE)
    shuffled = {name: table.reverse() for name, table in RELEASE.files.items()}
    assert not sf.verify(replace(RELEASE, files=shuffled), TABLE)  # the order of a file is knowledge too


def test_the_domain_is_of_the_kind_of_its_column():
    table = table_of({"q": [1, 1, 2, 2], "s": [1.2, 2.7, 1.2, 2.7]}, quasi=["q"], sensitive=["s"])
    release = sf.publish(table, sf.TargetDistribution("uniform"), seed=1)
    domain = release.files["domain"].with_columns(pl.col("value").cast(pl.Int64))
    plain = release.files["sensitive"].drop("s", "low", "high")
    cut = replace(release, files={**release.files, "domain": domain, "sensitive": plain})
    assert not sf.verify(cut, table)
    for dtype in (pl.String, pl.Categorical):
        other = replace(
            release,
            files={
                **release.files,
                "sensitive": plain,
                "domain": domain.with_columns(pl.col("value").cast(pl.String).cast(dtype, strict=False)),
            },
        )
        assert not sf.verify(other)
        assert not sf.verify(other, table)
    times = table_of(
        {"q": [1, 2], "s": [dt.datetime(2024, 1, 1, 9), dt.datetime(2024, 1, 2, 9)]}, quasi=["q"], sensitive=["s"]
    )
    days = sf.publish(times, sf.TargetDistribution("uniform"), seed=1)
    dated = days.files["domain"].with_columns(pl.col("value").cast(pl.Date))
    false = replace(
        days, files={**days.files, "domain": dated, "sensitive": days.files["sensitive"].drop("s", "low", "high")}
    )
    assert not sf.verify(false, times)


def test_a_target_that_nobody_follows_is_out_of_place():
    table = table_of({"q": [1, 2], "s": [1, 2]}, quasi=["q"], sensitive=["s"])
    release = sf.publish(table, sf.TargetDistribution("uniform"), seed=1)
    more = pl.concat([release.files["targets"], pl.DataFrame({"target": [1], "place": [0], "weight": [987654321]})])
    verdict = sf.verify(replace(release, files={**release.files, "targets": more}))
    assert "some target is published that no group follows" in verdict.broken


@pytest.mark.parametrize("column", ["low", "high", "pay"])
def test_the_values_beside_places_are_there(column):
    """Columns that the release tells of are there, and of the type of the domain."""
    listed = RELEASE.files["sensitive"]
    for spoiled in (listed.drop(column), listed.with_columns(pl.col(column).cast(pl.String).cast(pl.Binary))):
        verdict = sf.verify(replace(RELEASE, files={**RELEASE.files, "sensitive": spoiled}, owner=None))
        assert verdict.word == "broken"
        assert f"column {column!r}" in verdict.broken[0]
