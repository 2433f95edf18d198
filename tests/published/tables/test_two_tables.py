"""Two tables joined by the number of a group: read, checked against each other and the original, saved."""

from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.ground.errors import DataError, ParameterError, ReleaseError, SchemaError
from sfumato.published.tables.two_tables import read_two_tables, two_tables_flaws
from support.dealt_tables import VALUES, people
from support.permuted_tables import L3, PERMUTED, with_listed, without_owner


def test_two_tables_keep_no_bound():
    release = sf.publish(people(VALUES), sf.Hilbert(show="permutation"), sf.LDiversity(2), seed=1)
    for bound in (sf.AccuracyBound(1.0), sf.AccuracyBound(1.0, maximise="k")):
        assert not sf.verify(release, promise=bound).holds


@pytest.fixture(scope="module")
def table():
    return hospital(300)


@pytest.fixture(scope="module")
def release(table):
    return sf.publish(table, PERMUTED, L3, seed=5)


def test_hiding_is_decided_on_the_rows_as_they_are(release):
    for promise in (sf.KAnonymity(2), sf.Exchangeable(2), sf.MatchRank(2)):
        verdict = sf.verify(release, promise=promise)
        assert not verdict.holds, promise
        assert repr(promise) in verdict.broken[0]
    both = sf.verify(release, promise=sf.LDiversity(3) & sf.KAnonymity(2))
    assert not both.holds
    assert len(both.broken) == 1
    assert sf.verify(release, promise=sf.LDiversity(2)).reached["LDiversity(2)"] >= 3
    verdict = sf.verify(release, promise=sf.LDiversity(7))
    assert not verdict.holds
    assert "group (group=" in verdict.broken[0]


def test_blocks_that_somebody_adds_do_not_help(release):
    blocks = pl.DataFrame({"block": [0] * len(release.data)})
    forged = replace(release, files={**release.files, "blocks": blocks})
    assert not sf.verify(forged, promise=sf.Exchangeable(2))


def one_more(listed):
    return listed.with_columns(pl.col("count") + (pl.int_range(pl.len()) == 0).cast(pl.Int64))


def moved_count(listed):
    """One record fewer of one value and one more of another, in the same group: the totals of groups stay."""
    groups = listed.group_by("group", maintain_order=True).len().filter(pl.col("len") > 1)
    at = listed["group"].index_of(groups["group"][0])
    counts = listed["count"].to_list()
    other = next(i for i in range(at, listed.height) if listed["group"][i] == listed["group"][at] and i != at)
    counts[at] += 1
    counts[other] -= 1
    return listed.with_columns(pl.Series("count", counts)).filter(pl.col("count") > 0)


def swapped(listed):
    """A value of one group and one of another change places."""
    values = listed["diagnosis"].to_list()
    own = dict(zip(zip(listed["group"], listed["diagnosis"], strict=True), listed["count"], strict=True))
    for i in range(listed.height):
        for j in range(i + 1, listed.height):
            a, b = listed.row(i), listed.row(j)
            free = (a[0], b[1]) not in own and (b[0], a[1]) not in own
            if a[0] != b[0] and a[1] != b[1] and free and a[2] == b[2]:
                values[i], values[j] = values[j], values[i]
                return listed.with_columns(pl.Series("diagnosis", values))
    raise AssertionError("no two values can be swapped")


def split(listed):
    """A count of several as that many rows: every group still sums to its rows."""
    return listed[np.repeat(np.arange(listed.height), listed["count"].to_numpy())].with_columns(
        count=pl.lit(1, pl.Int64)
    )


def below_zero(listed):
    first = listed.head(1).with_columns(diagnosis=pl.lit("x"))
    more = [
        first.with_columns(diagnosis=pl.lit(value), count=pl.lit(n, pl.Int64)) for value, n in (("x", 1), ("y", -1))
    ]
    return pl.concat([listed, *more])


TAMPERED = {
    "one count changed": one_more,
    "a row dropped": lambda listed: listed.slice(1),
    "a row listed twice": lambda listed: pl.concat([listed, listed.head(1)]),
    "a row split in two": split,
    "a value that nobody has": lambda listed: pl.concat(
        [listed, listed.head(1).with_columns(diagnosis=pl.lit("x"), count=pl.lit(0, pl.Int64))]
    ),
    "a value less than never": below_zero,
    "a count of 0": lambda listed: listed.with_columns(pl.lit(0, pl.Int64).alias("count")),
    "counts that are no whole numbers": lambda listed: listed.with_columns(pl.col("count").cast(pl.Float64)),
    "counts beyond all bounds": lambda listed: listed.with_columns(pl.lit(2**62).alias("count")),
    "a group that no row has": lambda listed: listed.with_columns(pl.col("group") + 1),
    "a missing group": lambda listed: listed.with_columns(pl.col("group").shift(1)),
    "no counts": lambda listed: listed.drop("count"),
    "no values": lambda listed: listed.select("group", "count").unique("group"),
    "another column": lambda listed: listed.with_columns(pl.lit("x").alias("more")),
    "nothing": lambda listed: listed.clear(),
}


@pytest.mark.parametrize("how", TAMPERED)
def test_tables_that_do_not_fit_fail_on_their_own(release, how):
    wrong = with_listed(release, TAMPERED[how])
    verdict = sf.verify(without_owner(wrong))
    assert not verdict.holds
    assert verdict.broken
    assert not sf.verify(wrong, release.owner.original)


@pytest.mark.parametrize("change", [swapped, moved_count])
def test_values_in_the_wrong_group_fail_against_the_original(table, release, change):
    wrong = with_listed(release, change)
    assert two_tables_flaws(wrong.data.frame, wrong.files, wrong.public, wrong.schema) == []
    verdict = sf.verify(wrong, table, promise=sf.LDiversity(1))
    assert any("do not list the sensitive values of their records" in said for said in verdict.broken)
    verdict = sf.verify(without_owner(wrong), table, promise=sf.LDiversity(1))
    assert not verdict.holds
    assert "sensitive values" in verdict.broken[0]


def test_what_is_there_too_often_is_said(table, release):
    """Each column may be right by itself, and the rows wrong."""
    frame = release.data.frame.with_columns(pl.col("age").shuffle(seed=1))
    wrong = without_owner(replace(release, data=sf.Table(frame, release.data.schema)))
    assert "different rows are published more often than the original holds them" in sf.verify(wrong, table).broken[0]
    rare = release.files["sensitive"]["diagnosis"].value_counts(sort=True)["diagnosis"][-1]
    wrong = with_listed(
        without_owner(release),
        lambda st: st.with_columns(pl.lit(rare).alias("diagnosis")).unique("group"),
    )
    wrong = with_listed(wrong, lambda st: st.drop("count").join(sizes_of(release), on="group").sort("group"))
    verdict = sf.verify(wrong, table, promise=sf.LDiversity(1))
    assert verdict.broken == ("1 sensitive values are listed more often than the original holds them",)


def sizes_of(release):
    return release.data.frame.group_by("group").agg(pl.len().cast(pl.Int64).alias("count"))


def test_rows_that_are_not_their_records(table, release):
    frame = release.data.frame
    older = frame.with_columns(age=pl.col("age") + (pl.int_range(pl.len()) == 7).cast(pl.Int64))
    exchanged = frame.with_columns(pl.col("group").reverse())
    for changed in (older, exchanged):
        wrong = replace(release, data=sf.Table(changed, release.data.schema))
        assert not sf.verify(wrong, table, promise=sf.LDiversity(1))
        assert not sf.verify(without_owner(wrong), table, promise=sf.LDiversity(1))
    secret = frame.with_columns(diagnosis=table.frame["diagnosis"].gather(release.owner.rows))
    wrong = replace(release, data=sf.Table(secret, release.data.schema))
    assert any("beside the quasi-identifiers" in said for said in sf.verify(wrong).broken)
    stranger = replace(release, data=sf.Table(frame.with_columns(more=pl.lit(1)), release.data.schema))
    assert any("'more' is published" in said for said in sf.verify(stranger).broken)
    lacking = replace(release, data=sf.Table(frame.drop("age"), sf.Schema(quasi=["sex"], rest="plain")))
    assert any("'age' is missing" in said for said in sf.verify(lacking).broken)


def test_equal_rows_are_taken_as_one_kind_without_the_map():
    """Whoever has no row map cannot tell equal rows apart, and must not call a true release wrong."""
    frame = pl.DataFrame({"x": [1, 1, 1, 2, 2, 2], "s": list("abcabc")})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    release = sf.publish(table, sf.Anatomy(), L3, seed=2)
    assert sf.verify(without_owner(release), table)


def test_what_cannot_be_read_says_so(release):
    with pytest.raises(DataError, match="the two tables do not fit each other: the table 'sensitive' is missing"):
        read_two_tables(release.data.frame, {}, release.public)
    assert read_two_tables(release.data.frame, {}, {}) is None
    for told in ({}, {"group": "group"}, None, {"group": 1, "count": "count", "table": "sensitive"}):
        assert two_tables_flaws(release.data.frame, release.files, {"permutation": told})
    with pytest.raises(DataError, match="do not fit"):
        sf.measure(replace(release, files={}))


def test_shares_and_weights(release):
    permuted = read_two_tables(release.data.frame, release.files, release.public)
    listed = release.files["sensitive"].rows(named=True)
    sizes = Counter(release.data.frame["group"].to_list())
    share = {(row["group"], row["diagnosis"]): row["count"] / sizes[row["group"]] for row in listed}
    for value in ("influenza", "asthma", "nobody has it"):
        weights = permuted.row_weights("diagnosis", value)
        assert weights.tolist() == [share.get((g, value), 0.0) for g in release.data.frame["group"]]
    spread = permuted.shares("diagnosis")
    found = {
        (int(permuted.numbers[g]), spread.values[int(v)]): s
        for g, v, s in zip(spread.group, spread.value, spread.share, strict=True)
    }
    assert found == pytest.approx(share)
    assert permuted.sizes.tolist() == [sizes[int(number)] for number in permuted.numbers]
    assert (permuted.numbers[permuted.group_of_row] == release.data.frame["group"].to_numpy()).all()
    with pytest.raises(SchemaError, match="no sensitive column is called 'diagnose'; did you mean 'diagnosis'"):
        permuted.row_weights("diagnose", "x")
    with pytest.raises(ParameterError, match="column 'diagnosis' holds String"):
        permuted.row_weights("diagnosis", 3)


def test_weights_of_one_of_several_columns():
    frame = pl.DataFrame({"x": [1, 2, 3, 4], "s": ["a", "a", "b", None], "n": [1, 2, 2, 3]})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s", "n"]))
    release = sf.publish(table, PERMUTED, sf.TCloseness(0.0), seed=1)
    permuted = read_two_tables(release.data.frame, release.files, release.public)
    assert permuted.n_groups == 1
    assert permuted.row_weights("s", "a").tolist() == [0.5] * 4
    assert permuted.row_weights("s", None).tolist() == [0.25] * 4
    assert permuted.row_weights("n", 2).tolist() == [0.5] * 4
    assert sorted(permuted.shares("n").share.tolist()) == [0.25, 0.25, 0.5]
    found = sf.measure(release)
    assert found["attribute_max"] == 0.5
    assert found.by_column["attribute_max"] == {"s": 0.5, "n": 0.5}
    assert found["classification"] == 0.5


@pytest.mark.parametrize("format", ["parquet", "csv", "arrow"])
def test_saved_and_loaded(tmp_path, table, release, format):
    release.save(tmp_path / "out", format=format, report=False)
    assert (tmp_path / "out" / "sensitive.parquet").is_file()
    loaded = sf.load_release(tmp_path / "out")
    assert loaded.data.frame.equals(release.data.frame)
    assert loaded.files["sensitive"].equals(release.files["sensitive"])
    assert loaded.schema == release.schema
    assert sf.verify(loaded)
    assert sf.verify(loaded, table)
    assert sf.measure(loaded, table)["query_error_mean"] == release_error(release)
    file = tmp_path / "out" / "sensitive.parquet"
    swapped(pl.read_parquet(file)).write_parquet(file)
    with pytest.raises(ReleaseError, match=r"'sensitive.parquet' has changed"):
        sf.load_release(tmp_path / "out")
    assert not sf.verify(sf.load_release(tmp_path / "out", check=False))


def release_error(release):
    return sf.measure(release)["query_error_mean"]


def test_types_survive_a_text_file(tmp_path):
    import datetime as dt

    frame = pl.DataFrame({
        "when": [dt.datetime(2024, 1, d, 8, 30) for d in range(1, 7)], "x": [0.1, 1 / 3, 2.0, 3.5, 1e-9, None],
        "day": [dt.date(2024, 1, d) for d in range(1, 7)], "flag": [True, False, None, True, False, True],
        "n": [1, 2, 3, None, 5, 6], "s": list("abcabc"), "note": ["null", "x", "1", "2.50", None, "a,b"],
    })  # fmt: skip
    schema = sf.Schema(quasi=["when", "x", "day", "flag", "n"], sensitive=["s"], plain=["note"])
    table = sf.Table(frame, schema)
    release = sf.publish(table, PERMUTED, L3, seed=1)
    release.save(tmp_path / "out", format="csv", report=False)
    loaded = sf.load_release(tmp_path / "out")
    assert loaded.data.frame.equals(release.data.frame)
    assert sf.verify(loaded, table)


def test_the_order_of_the_listed_values_tells_nothing(release):
    """Sorted it tells nothing; in another order it could tell who of a group has which value."""
    verdict = sf.verify(with_listed(without_owner(release), lambda listed: listed.reverse()))
    assert verdict.word == "broken"
    assert "are not in order" in verdict.broken[0]


def test_listed_values_are_single_ones(release):
    lists = with_listed(without_owner(release), lambda listed: listed.with_columns(pl.concat_list("diagnosis")))
    coded = with_listed(without_owner(release), lambda listed: listed.with_columns(pl.col("diagnosis").cast(pl.Binary)))
    for forged in (lists, coded):
        verdict = sf.verify(forged)
        assert verdict.word == "broken"
        assert "not single values" in str(verdict)
