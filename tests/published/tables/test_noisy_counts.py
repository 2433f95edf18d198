"""Releases of counts that somebody forged: whatever was changed is found, or was never promised."""

import json
import shutil
from dataclasses import replace

import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import DamagedReleaseError, ParameterError
from sfumato.published.shape import shape_of
from support.counted_tables import counted, people, told, with_cells
from support.tampering import rehash


def scaled(release, scale):
    marginals = [{**each, "scale": scale} for each in release.public["noisy_counts"]["marginals"]]
    return told(release, marginals=marginals)


def words(release):
    """The verdicts for a stranger and for the owner."""
    return sf.verify(replace(release, owner=None)).word, sf.verify(release, people()).word


def test_as_it_was_made_it_is_declared_and_never_holds():
    for given in (
        {},
        {"by": [["sex"], []], "values": {"sex": ["f", "m"]}},
        {"values": {"sex": ["f"]}, "delta": 1e-3},
        {"neighbours": "changed"},
    ):
        release = counted(**given)
        assert words(release) == ("declared", "declared")
        assert not release.verdict.holds
        assert "the draw itself cannot be proved" in str(release.verdict)
        assert words(replace(release, promise=None)) == ("declared", "declared")


def test_a_smaller_scale_spends_more_than_is_promised():
    release = counted(epsilon=1)
    frame = release.data.frame.with_columns(low=pl.col("count") - 1, high=pl.col("count") + 1)
    forged = scaled(with_cells(release, frame), 0.5)
    verdict = sf.verify(forged)
    assert verdict.word == "broken"
    assert "epsilon 2, recomputed from the published scale: more than is promised" in verdict.broken[0]


def test_a_larger_scale_does_not_fit_the_intervals():
    verdict = sf.verify(scaled(counted(epsilon=1), 2.0))
    assert verdict.word == "broken"
    assert "some interval is not that of the published scale" in verdict.broken[0]


def test_a_promise_stronger_than_the_parameters_is_broken():
    release = counted(epsilon=1)
    for promise in (sf.DifferentialPrivacy(0.5), sf.DifferentialPrivacy(1, neighbours="changed")):
        assert sf.verify(release, promise=promise).word == "broken"
        assert sf.verify(replace(release, promise=promise)).word == "broken"
    for promise in (
        sf.DifferentialPrivacy(1),
        sf.DifferentialPrivacy(2, neighbours="changed"),
        sf.DifferentialPrivacy(3),
    ):
        assert sf.verify(release, promise=promise).word == "declared"
    found = counted(values={"sex": ["f", "m"]}, delta=1e-3)
    assert sf.verify(found, promise=sf.DifferentialPrivacy(1)).word == "broken"
    assert sf.verify(found, promise=sf.DifferentialPrivacy(1) & sf.DifferentialPrivacy(1, 0.001)).word == "broken"


EDITS = {
    "halves": lambda f: f.with_columns(pl.col("count") + 0.5),
    "counts that are text": lambda f: f.with_columns(pl.col("count").cast(pl.String)),
    "a count that is missing": lambda f: f.with_columns(pl.Series("count", [None, *f["count"][1:]], dtype=pl.Int64)),
    "a row less": lambda f: f.head(f.height - 1),
    "another row less": lambda f: f.tail(f.height - 1),
    "a row twice": lambda f: pl.concat([f.head(1), f]),
    "another order": lambda f: f.reverse(),
    "a key that is none": lambda f: f.with_columns(pl.col("sex").replace("f", "x")),
    "a key that is missing": lambda f: f.with_columns(pl.col("sex").replace("f", None)),
    "a column more": lambda f: f.with_columns(note=pl.lit("x")),
    "a column less": lambda f: f.drop("low"),
    "another interval": lambda f: f.with_columns(pl.col("high") + 1),
    "a count edited alone": lambda f: f.with_columns(pl.col("count") + 1),
    "no rows": lambda f: f.clear(),
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("given", [{}, {"by": [["sex"], ["region", "sex"]]}], ids=["one", "two"])
def test_edited_cells_are_found(edit, given):
    release = counted(**given)
    assert words(with_cells(release, EDITS[edit](release.data.frame))) == ("broken", "broken")


@pytest.mark.parametrize("edit", [
    lambda f: f.with_columns(pl.lit(1).alias("count"), pl.lit(-2).alias("low"), pl.lit(4).alias("high")),
    lambda f: pl.concat([f, f]), lambda f: f.reverse(), lambda f: f.with_columns(pl.col("sex").replace("f", "x")),
    lambda f: f.with_columns(pl.col("sex").replace("f", "everything else")),
])  # fmt: skip
def test_edited_cells_of_found_keys_are_found(edit):
    release = counted(values={"sex": ["f", "m"]}, delta=1e-2, epsilon=3)
    assert release.data.frame.height >= 3
    assert words(with_cells(release, edit(release.data.frame)))[0] == "broken"


def shifted(release, by):
    frame = release.data.frame
    return with_cells(release, frame.with_columns(pl.col("count", "low", "high") + by))


def test_the_original_contradicts_counts_that_no_noise_makes():
    release = counted(epsilon=1)
    assert words(shifted(release, 60)) == ("declared", "broken")
    verdict = sf.verify(shifted(release, 60), people())
    assert verdict.broken[0] == "some count lies further from the true one than noise of the published scale takes it"
    other = sf.Table(people().frame.rename({"region": "place"}), sf.Schema(quasi=["sex"]))
    assert "which the original lacks" in sf.verify(release, other).broken[0]


def test_the_original_contradicts_counts_without_noise():
    pytest.importorskip("opendp")
    keys = [f"k{i}" for i in range(60)]
    table = sf.Table(pl.DataFrame({"key": keys * 3}), sf.Schema(quasi=["key"]))
    release = sf.publish(table, sf.NoisyCounts(by=["key"], values={"key": keys}, epsilon=0.5))
    true = release.data.frame.with_columns(pl.Series("count", [3] * 60 + [0]))
    forged = with_cells(release, true.with_columns(low=pl.col("count") - 6, high=pl.col("count") + 6))
    assert sf.verify(forged, table).broken == (
        "more counts are the true ones than noise of the published scale would leave",
    )


@pytest.mark.parametrize("statement", [
    {"neighbours": "none"}, {"marginals": []}, {"marginals": [{"by": ["sex"], "scale": 1.0}]}, {"values": {}},
    {"values": {"sex": ["f", "m", "d"], "region": ["north", "south"]}}, {"bins": {"sex": [0, 1]}}, {"marginals": "x"},
])  # fmt: skip
def test_other_statements_are_found(statement):
    assert words(told(counted(), **statement)) == ("broken", "broken")


def test_tables_beside_the_counts_are_found():
    release = replace(counted(), files={"records": pl.DataFrame({"a": [1]})})
    assert "the table 'records' is published" in sf.verify(release).broken[0]


def test_counts_promise_nothing_else():
    with pytest.raises(ParameterError, match="noisy counts promise DifferentialPrivacy, not KAnonymity"):
        sf.verify(counted(), promise=sf.KAnonymity(2))
    with pytest.raises(ParameterError, match="noisy counts are of a table"):
        sf.verify(counted(), sf.Graph.from_edges([0], [1], 2))


def test_it_is_no_release_of_records():
    release = counted()
    assert shape_of(release).name == "noisy counts"
    with pytest.raises(ParameterError, match="noisy counts hold no records, so that nobody is looked for among them"):
        sf.attack(release, sf.HomogeneityAttack(), people())
    with pytest.raises(ParameterError, match="about releases of tables"):
        sf.threats(release)
    with pytest.raises(ParameterError):
        release.sql()


@pytest.mark.parametrize("format", ["csv", "parquet", "arrow"])
def test_it_is_read_as_it_was_written(format, tmp_path):
    release = counted(by=[["sex"], ["region"]])
    release.save(tmp_path / "out", format=format, report=False)
    loaded = sf.load_release(tmp_path / "out")
    assert loaded.data.frame.equals(release.data.frame)
    assert sf.verify(loaded).word == "declared"


def test_files_that_were_edited_are_damaged_or_broken(tmp_path):
    counted(epsilon=1).save(tmp_path / "out", format="csv", report=False)
    path = tmp_path / "out" / "data.csv"
    lines = path.read_text().splitlines()
    for edit in (
        [lines[0], *lines[2:]],
        [*lines, lines[1]],
        [lines[0], lines[1].replace("f,north,", "f,north,1.5"), *lines[2:]],
    ):
        path.write_text("\n".join(edit) + "\n")
        rehash(tmp_path / "out")
        try:
            word = sf.verify(sf.load_release(tmp_path / "out", check=False)).word
        except DamagedReleaseError:
            word = "broken"
        assert word == "broken"


def test_a_certificate_that_promises_more_is_broken(tmp_path):
    counted(epsilon=1).save(tmp_path / "out", report=False)
    said = json.loads((tmp_path / "out" / "release.json").read_text())
    rehash(tmp_path / "out", promise={**said["promise"], "epsilon": 0.1})
    shutil.rmtree(tmp_path / "owner")
    assert sf.verify(sf.load_release(tmp_path / "out")).word == "broken"


def test_nothing_that_repeats_the_draw_is_kept(tmp_path):
    release = counted(epsilon=1)
    release.save(tmp_path / "out", report=False)
    kept = {path.name for path in (tmp_path / "owner" / "out").iterdir()}
    assert kept == {"owner.json", "rows.parquet"}
    assert pl.read_parquet(tmp_path / "owner" / "out" / "rows.parquet").height == 0


# -- what nobody reads, and numbers that wrap around -----------------------------------------------------------------


def test_what_nobody_reads_is_named():
    release = counted()
    marginals = [{**each, "true": {"f": 12}} for each in release.public["noisy_counts"]["marginals"]]
    for forged in (told(release, true={"f": 12}), told(release, marginals=marginals)):
        verdict = sf.verify(forged)
        assert verdict.word == "broken"
        assert "the release tells something that is not read: 'true'" in verdict.broken[0]


@pytest.mark.parametrize("dtype", [pl.Int8, pl.Int32, pl.UInt64, pl.Int128])
def test_counts_are_whole_numbers_of_64_bits(dtype):
    release = counted(epsilon=1)
    frame = release.data.frame.with_columns(pl.lit(n).alias(name) for name, n in (("count", 125), ("low", 119)))
    wrapped = frame.with_columns(high=pl.lit(-125 if dtype == pl.Int8 else 127)).cast(
        dict.fromkeys(("count", "low", "high"), dtype)
    )
    assert sf.verify(with_cells(release, wrapped)).broken == ("some count is no whole number of 64 bits",)


def test_intervals_do_not_wrap_around():
    release = counted(epsilon=1)
    margin = release.data.frame["count"][0] - release.data.frame["low"][0]
    most = 2**63 - 1
    frame = release.data.frame.with_columns(
        count=pl.lit(most), low=pl.lit(most - margin), high=pl.lit(margin - 2**63 - 1)
    )
    assert bool((frame["high"] - frame["count"] == margin).all())
    assert sf.verify(with_cells(release, frame)).broken == ("some count is larger than any count can be",)


def test_the_neighbours_of_the_promise_are_those_of_the_noise():
    release = counted(epsilon=1)
    verdict = sf.verify(told(release, neighbours="changed"))
    assert verdict.word == "broken"
    assert "is about a record added or removed, and the noise is told to be for one changed" in verdict.broken[0]
    assert "epsilon 2" in verdict.broken[0]
    changed = counted(epsilon=1, neighbours="changed")
    assert sf.verify(changed, promise=sf.DifferentialPrivacy(0.5)).word == "declared"
    assert sf.verify(replace(changed, promise=sf.DifferentialPrivacy(1))).word == "declared"


def test_more_cells_than_can_be_published_are_not_listed():
    release = counted()
    many = {name: [f"k{i}" for i in range(20_000)] for name in ("sex", "region")}
    assert sf.verify(told(release, values=many)).broken == (
        "the release tells of more than 1,000,000 cells of a marginal",
    )


def test_keys_that_no_file_can_hold_are_refused():
    release = counted()
    for key, given in (("values", {"sex": ["f\ud800"], "region": ["north"]}), ("bins", {"sex": [0, 10**30]})):
        forged = told(release, **{"values": {"region": ["north"]}, key: given})
        assert sf.verify(forged).word == "broken"
        assert sf.verify(forged, people()).word == "broken"
