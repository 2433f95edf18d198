"""Two tables joined by the number of a group: made, verified, saved, measured and reported."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.cli import run
from sfumato.data.encoding import encode
from sfumato.datasets import hospital
from sfumato.ground.errors import DataError, InfeasibleError, ParameterError, ReleaseError, SchemaError
from sfumato.published.tables.two_tables import flaws, read_permuted
from sfumato.tables.measures.queries import Workload, draw_queries
from tables_strategies import tables

L3 = sf.LDiversity(3)
PERMUTED = sf.Mondrian(show="permutation")


@pytest.fixture(scope="module")
def table():
    return hospital(300)


@pytest.fixture(scope="module")
def release(table):
    return sf.publish(table, PERMUTED, L3, seed=5)


def published(table, promise, method=PERMUTED, seed=1):
    try:
        return sf.publish(table, method, promise, seed=seed)
    except InfeasibleError:
        return None


def without_owner(release):
    return replace(release, owner=None)


def with_listed(release, change):
    """The release with another second table."""
    return replace(release, files={"sensitive": change(release.files["sensitive"])})


# -- what is published ---------------------------------------------------------------------------------------------
@settings(max_examples=60)
@given(
    tables(min_rows=2),
    st.sampled_from([sf.LDiversity(1), sf.LDiversity(2), sf.TCloseness(0.5), sf.LDiversity(1.5, columns=("disease",))]),
)
def test_every_release_is_true_and_verified(table, promise):
    release = published(table, promise)
    if release is None:
        return
    rows, frame, listed = release.owner.rows, release.data.frame, release.files["sensitive"]
    quasi, secret = table.schema.quasi, ["disease", "score"]
    assert frame.columns == [*quasi, "group"]
    assert frame.select(quasi).equals(table.frame.select(quasi)[rows])
    assert frame.select(quasi).schema == table.frame.select(quasi).schema
    assert listed.columns == ["group", *secret, "count"]
    assert listed.rows() == sorted(listed.rows())
    true = Counter(
        zip(frame["group"].to_list(), *(table.frame[name].gather(rows).to_list() for name in secret), strict=True)
    )
    assert {row[:-1]: row[-1] for row in listed.rows()} == dict(true)
    assert sorted(frame["group"].unique().to_list()) == list(range(listed["group"].n_unique()))
    for seen in (release, without_owner(release)):
        assert sf.verify(seen), sf.verify(seen)
        assert sf.verify(seen, table), sf.verify(seen, table)
        assert sf.measure(replace(seen, owner=None), n_queries=5)["attribute_max"] > 0
        assert sf.measure(seen, table, n_queries=5)["gcp"] == 0.0
    singles = frame.select(quasi).is_unique().any()
    assert sf.verify(release, promise=sf.KAnonymity(2)).holds == (not singles)


@pytest.mark.parametrize(
    "method", [sf.Hilbert(show="permutation"), sf.Mondrian(strict=False, show="permutation"), sf.Anatomy()]
)
def test_every_grouping_can_be_shown_so(table, method):
    release = sf.publish(table, method, L3, seed=2)
    assert sf.verify(release, table)
    assert release.files["sensitive"]["group"].n_unique() <= len(table) / 3
    assert sf.measure(release)["attribute_max"] <= 1 / 3


def test_missing_sensitive_values_are_values():
    frame = pl.DataFrame({"x": range(8), "s": [None, "a", None, "b", "c", None, "d", "e"]})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    release = sf.publish(table, PERMUTED, sf.LDiversity(2), seed=1)
    assert release.files["sensitive"].filter(pl.col("s").is_null())["count"].sum() == 3
    assert sf.verify(release, table)
    wrong = with_listed(release, lambda st: st.with_columns(pl.col("s").fill_null("a")))
    assert not sf.verify(wrong, table)


def test_names_that_are_taken():
    frame = pl.DataFrame({
        "group": range(6), "group_2": range(6), "count": list("abcabc"), "low": range(6), "secret": range(6),
    })  # fmt: skip
    schema = sf.Schema(quasi=["group"], sensitive=["count"], plain=["low"], identifier=["group_2"])
    release = sf.publish(sf.Table(frame, schema), PERMUTED, L3, seed=3)
    assert release.public["permutation"] == {"group": "group_3", "count": "count_2", "table": "sensitive"}
    assert release.data.columns == ["group", "low", "group_3"]
    assert release.files["sensitive"].columns == ["group_3", "count", "count_2"]
    assert release.schema.sensitive == ["count"]
    assert release.schema.quasi == ["group"]
    assert sf.verify(release, sf.Table(frame, schema))


def test_columns_that_are_sensitive_by_default_are_not_published_with_the_rows():
    frame = pl.DataFrame({"x": range(6), "s": list("abcabc"), "other": range(6)})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"], rest="sensitive"))
    release = sf.publish(table, PERMUTED, L3, seed=3)
    assert release.data.columns == ["x", "group"]
    assert release.files["sensitive"].columns == ["group", "s", "other", "count"]


def test_numbers_of_groups_are_random():
    frame = pl.DataFrame({"x": range(40), "s": ["a", "b"] * 20})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    firsts, falls = [], []
    for seed in range(60):
        data = sf.publish(table, PERMUTED, sf.LDiversity(2), seed=seed).data.frame.sort("x")
        n = data["group"].n_unique()
        along = data["group"].to_numpy()
        firsts.append(along[0] / (n - 1))
        falls.append(np.mean(np.diff(along[np.flatnonzero(np.append(True, np.diff(along) != 0))]) < 0))
    assert 0.35 < np.mean(firsts) < 0.65
    assert 0.4 < np.mean(falls) < 0.6
    assert len(set(firsts)) > 5


def test_a_seed_repeats_it(table, release):
    again = sf.publish(table, PERMUTED, L3, seed=5)
    assert again.data.frame.equals(release.data.frame)
    assert again.files["sensitive"].equals(release.files["sensitive"])
    other = sf.publish(table, PERMUTED, L3, seed=6)
    assert not other.files["sensitive"].equals(release.files["sensitive"])


def test_withheld_rows_are_in_neither_table():
    frame = pl.DataFrame({"x": [1, 2, 3, 4, None], "s": ["a", "b", "a", "b", "c"]})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"], missing="withhold"))
    release = sf.publish(table, PERMUTED, sf.LDiversity(2), seed=1)
    assert "c" not in release.files["sensitive"]["s"].to_list()
    assert sf.verify(release, table)
    assert sf.verify(without_owner(release), table)
    found = sf.measure(release, table)
    assert found["withheld_rows"] == 1
    assert found["gcp"] == pytest.approx(0.2)
    assert found.by_column["ncp"] == {"x": pytest.approx(0.2)}


# -- what is refused -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "promise", [sf.KAnonymity(3), sf.Exchangeable(2), sf.MatchRank(2), sf.LDiversity(2) & sf.KAnonymity(2)]
)
def test_promises_on_who_is_who_are_refused_before_any_work(table, promise, monkeypatch):
    monkeypatch.setattr(sf.Mondrian, "groups", lambda *_: pytest.fail("work was done"))
    with pytest.raises(ParameterError, match="publishes the quasi-identifiers as they are, so nobody hides among k"):
        sf.publish(table, PERMUTED, promise)


def test_a_table_without_a_sensitive_column_is_refused(table):
    with pytest.raises(SchemaError, match="no column is declared sensitive; declare one, or show ranges"):
        sf.publish(sf.Table(table.frame, sf.Schema(quasi=["age"])), PERMUTED, sf.LDiversity(2))


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


# -- what is changed is found --------------------------------------------------------------------------------------
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
    assert flaws(wrong.data.frame, wrong.files, wrong.public, wrong.schema) == []
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
        without_owner(release), lambda st: st.with_columns(pl.lit(rare).alias("diagnosis")).unique("group")
    )
    wrong = with_listed(wrong, lambda st: st.drop("count").join(sizes_of(release), on="group"))
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
        read_permuted(release.data.frame, {}, release.public)
    assert read_permuted(release.data.frame, {}, {}) is None
    for told in ({}, {"group": "group"}, None, {"group": 1, "count": "count", "table": "sensitive"}):
        assert flaws(release.data.frame, release.files, {"permutation": told})
    with pytest.raises(DataError, match="do not fit"):
        sf.measure(replace(release, files={}))


# -- reading and measuring -----------------------------------------------------------------------------------------
def test_shares_and_weights(release):
    permuted = read_permuted(release.data.frame, release.files, release.public)
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
    permuted = read_permuted(release.data.frame, release.files, release.public)
    assert permuted.n_groups == 1
    assert permuted.row_weights("s", "a").tolist() == [0.5] * 4
    assert permuted.row_weights("s", None).tolist() == [0.25] * 4
    assert permuted.row_weights("n", 2).tolist() == [0.5] * 4
    assert sorted(permuted.shares("n").share.tolist()) == [0.25, 0.25, 0.5]
    found = sf.measure(release)
    assert found["attribute_max"] == 0.5
    assert found.by_column["attribute_max"] == {"s": 0.5, "n": 0.5}
    assert found["classification"] == 0.5


def test_counts_are_estimated_from_rows_and_shares(table, release):
    """The error of the workload, computed again record by record."""
    quasi, secret = encode(table, table.schema.quasi), encode(table, ["diagnosis"])
    queries = draw_queries(table, quasi, secret, Workload(n_queries=40))
    known = {coded.name: coded for coded in (*quasi, *secret)}
    rows = release.owner.rows
    listed = Counter()
    for group, value, count in release.files["sensitive"].rows():
        listed[group, value] = count
    groups = release.data.frame["group"].to_list()
    sizes = Counter(groups)
    errors = []
    for query in queries:
        *conditions, last = query
        meets = np.ones(len(table), dtype=bool)
        for condition in conditions:
            meets &= condition.holds(known[condition.column].codes)
        (value,) = secret[0].values.filter(pl.Series(last.wanted)).to_list()
        estimate = sum(listed[g, value] / sizes[g] for g, here in zip(groups, meets[rows], strict=True) if here)
        true = int((meets & last.holds(secret[0].codes)).sum())
        errors.append(abs(estimate - true) / max(true, 0.001 * len(table)))
    found = sf.measure(release, table, n_queries=40)
    assert found["query_error_mean"] == pytest.approx(np.mean(errors))
    assert found["query_error_median"] == pytest.approx(np.median(errors))


def test_counts_over_quasi_identifiers_alone_are_exact(table, release):
    from sfumato.tables.measures.queries import query_error

    permuted = read_permuted(release.data.frame, release.files, release.public)
    found = query_error(release.data.frame, release.forms, table, Workload(sensitive=False), permuted=permuted)
    assert found["query_error_mean"] == 0.0


def test_risks_are_those_of_the_rows_as_they_are():
    frame = pl.DataFrame({"x": [1, 1, 2, 3], "s": ["a", "b", "a", "b"]})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    release = sf.publish(table, PERMUTED, sf.LDiversity(2), seed=1)
    found = sf.measure(release)
    assert found["prosecutor_max"] == 1.0
    assert found["prosecutor_average"] == 0.75
    assert found["prosecutor_above_0.2"] == 1.0
    assert found["attribute_max"] == 0.5
    assert found["attribute_average"] == 0.5
    assert "c_avg" not in found
    assert any("published as recorded" in note for note in found.notes)
    people = sf.Table(pl.DataFrame({"x": [1] * 8 + [2] * 4 + [3] * 2}), sf.Schema(quasi=["x"]))
    found = sf.measure(release, population=people)
    assert found["journalist_max"] == 0.5
    assert found["marketer"] == pytest.approx((2 / 8 + 1 / 4 + 1 / 2) / 4)
    with pytest.raises(SchemaError, match="label names the column 'z', which is not published"):
        sf.measure(release, label="z")


def test_a_star_is_a_value_like_any_other():
    frame = pl.DataFrame({"x": ["*", "a", "b", "*"], "s": ["a", "b", "a", "b"]})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    release = sf.publish(table, PERMUTED, sf.LDiversity(2), seed=1)
    assert sf.verify(release, table).decisions == ("2 groups: quasi-identifiers are published as recorded, sensitive values by group",)  # fmt: skip
    assert sf.measure(release)["prosecutor_average"] == 0.75


# -- on disk, on the command line, on paper ------------------------------------------------------------------------
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


def test_the_command_line(tmp_path, monkeypatch, capsys, table):
    monkeypatch.chdir(tmp_path)
    table.frame.write_csv("patients.csv")
    (tmp_path / "schema.toml").write_text(table.schema.to_toml())
    recipe = (
        '[input]\npath = "patients.csv"\nschema = "schema.toml"\n[method]\nname = "Mondrian"\nshow = "permutation"\n'
        '[promise]\nname = "LDiversity"\nl = 3\n[output]\nfolder = "out"\n'
    )
    (tmp_path / "recipe.toml").write_text(recipe)
    assert run(["publish", "recipe.toml"]) == 0
    assert "sensitive.parquet has the sensitive values by 'group'" in capsys.readouterr().out
    original = ["patients.csv", "--schema", "schema.toml"]
    assert run(["verify", "out"]) == 0
    assert run(["verify", "out", "--original", *original]) == 0
    assert "each row with its own record" in capsys.readouterr().out
    assert run(["verify", "out", "--k", "2"]) == 1
    assert run(["measure", "out", *original]) == 0
    capsys.readouterr()
    assert run(["measure", "out", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["values"]["attribute_max"] <= 1 / 3
    assert run(["publish", *original, "--method", "anatomy", "--l", "4", "-o", "two", "--no-report"]) == 0
    assert run(["publish", *original, "--show", "permutation", "--k", "4", "-o", "three"]) == 2
    assert "promise LDiversity, or show ranges" in capsys.readouterr().err
    listed = pl.read_parquet("out/sensitive.parquet")
    listed.slice(1).write_parquet("out/sensitive.parquet")
    assert run(["verify", "out"]) == 1


def test_an_original_without_its_schema(tmp_path, monkeypatch, capsys):
    """The release says what its columns are, and the number of the group is not one of the original's."""
    monkeypatch.chdir(tmp_path)
    frame = pl.DataFrame({"x": range(6), "s": list("abcabc")})
    frame.write_csv("d.csv")
    sf.publish(sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"])), PERMUTED, L3, seed=1).save("out", report=False)
    assert run(["verify", "out", "--original", "d.csv"]) == 0
    assert run(["measure", "out", "d.csv"]) == 0


def test_the_report(tmp_path, release):
    release.save(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    for said in (
        "How to read the two tables", "Group sizes", "groups whose sensitive values are told together",
        "This release keeps its promise of 3-diversity", "Among the records of a group", "number of the group",
        "as recorded, by group", "Distribution of diagnosis", "whoever knows them finds",
    ):  # fmt: skip
        assert said in page, said
    for never in ("Class sizes", "made coarser", "mean of the class", "Loss per column"):
        assert never not in page, never
    sizes = Counter(release.data.frame["group"].to_list())
    assert f"{len(sizes):,} groups of {min(sizes.values())} to {max(sizes.values())} rows" in page
    owners = (tmp_path / "owner" / "out" / "report.html").read_text()
    assert "there is nothing to show before and after" in owners
    assert "<code>diagnosis</code> identifier" not in owners
    assert "Smallest and largest" not in owners
    for text in (page, owners):
        assert release.owner.seed.hex() not in text


def test_what_pandas_gave_comes_back_as_pandas(table):
    given = sf.Table(table.to_pandas(), table.schema)
    release = sf.publish(given, PERMUTED, L3, seed=1)
    assert list(release.data.to_native()["group"]) == release.data.frame["group"].to_list()
