"""AccuracyBound: the promise itself, what is published under it, and how it is checked."""

import json
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.cli import run
from sfumato.data.encoding import encode
from sfumato.datasets import hospital
from sfumato.ground.errors import InfeasibleError, ParameterError, SchemaError
from sfumato.ground.randomness import Randomness
from sfumato.privacy.promise import promise_from_dict
from sfumato.published.equivalence import Cells, PublishedClasses
from sfumato.published.tables.class_loss import class_losses, shown_losses
from support.cut_lines import labelled
from support.naive import ncp
from support.tables_strategies import tables


@pytest.fixture(scope="module")
def table():
    return hospital(300)


@pytest.fixture(scope="module")
def release(table):
    return sf.publish(table, sf.Hilbert(), sf.AccuracyBound(0.5), seed=3)


# The promise


@pytest.mark.parametrize(
    ("given_parameters", "message"),
    [
        ({"max_ncp": -0.1}, r"max_ncp must lie between 0 \(nothing lost\) and 1, got -0\.1"),
        ({"max_ncp": 1.01}, r"max_ncp must lie between 0 \(nothing lost\) and 1, got 1\.01"),
        ({"max_ncp": float("nan")}, "max_ncp must lie between .* got nan"),
        ({"max_ncp": "0.3"}, "max_ncp must lie between .* got '0.3'"),
        ({"max_ncp": True}, "max_ncp must lie between .* got True"),
        ({"max_ncp": None}, "max_ncp must lie between .* got None"),
        ({"max_ncp": 0.3, "maximise": "t"}, "maximise must be 'k' or 'l', got 't'"),
        ({"max_ncp": 0.3, "column": 3}, "column names the sensitive column whose l is maximised, got 3"),
        ({"max_ncp": 0.3, "maximise": "k", "column": "s"}, "column names the sensitive column whose l is maximised"),
    ],
)
def test_bad_bounds_are_refused_when_made(given_parameters, message):
    with pytest.raises(ParameterError, match=message):
        sf.AccuracyBound(**given_parameters)


@pytest.mark.parametrize(
    ("bound", "sensitive", "expected"),
    [
        (sf.AccuracyBound(0.3), [], None),
        (sf.AccuracyBound(0.3), ["s"], "s"),
        (sf.AccuracyBound(0.3, maximise="k"), ["s"], None),
        (sf.AccuracyBound(0.3, maximise="k"), ["s", "t"], None),
        (sf.AccuracyBound(0.3, maximise="l"), ["s"], "s"),
        (sf.AccuracyBound(0.3, column="t"), ["s", "t"], "t"),
        (sf.AccuracyBound(0.3, maximise="l", column="t"), ["s", "t"], "t"),
    ],
)
def test_what_is_made_as_large_as_can_be(bound, sensitive, expected):
    assert bound.target(sensitive) == expected


def test_a_target_that_is_not_there_or_not_clear():
    with pytest.raises(SchemaError) as refusal:
        sf.AccuracyBound(0.3).target(["s", "t"])
    assert str(refusal.value) == (
        "AccuracyBound(max_ncp=0.3) can maximise l for one column, and s, t are sensitive; name one as in "
        "AccuracyBound(0.3, column='s'), or say maximise='k'"
    )
    with pytest.raises(ParameterError, match=r"names 'disease', which is not sensitive; did you mean 'diseases'"):
        sf.AccuracyBound(0.3, column="disease").target(["diseases", "t"])
    for bound in (sf.AccuracyBound(0.3, maximise="l"), sf.AccuracyBound(0.3, column="s")):
        with pytest.raises(ParameterError, match="needs a sensitive column; declare one in the schema"):
            bound.target([])


@pytest.mark.parametrize(
    "bound",
    [sf.AccuracyBound(0.3), sf.AccuracyBound(1, maximise="k"), sf.AccuracyBound(0.25, maximise="l", column="s")],
)
def test_bounds_travel_as_data(bound):
    assert promise_from_dict(json.loads(json.dumps(bound.to_dict()))) == bound
    both = bound & sf.KAnonymity(2)
    assert promise_from_dict(json.loads(json.dumps(both.to_dict()))) == both
    assert eval(repr(bound), {"AccuracyBound": sf.AccuracyBound}) == bound
    assert bound.min_size() == 1
    assert bound.conditions([]) == []


def test_several_sensitive_columns_take_one_name():
    frame = pl.DataFrame({"x": range(12), "s": list("abcdef") * 2, "t": list("uuvvww") * 2})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s", "t"]))
    with pytest.raises(SchemaError, match=r"can maximise l for one column, and s, t are sensitive; name one as in"):
        sf.publish(table, sf.Hilbert(), sf.AccuracyBound(0.5))
    release = sf.publish(table, sf.Hilbert(), sf.AccuracyBound(0.5, column="t"), seed=1)
    assert release.verdict.found[0].startswith(
        "least diverse class reaches l=3 on 't' in 4 classes; no class loses more than"
    )
    release = sf.publish(table, sf.Hilbert(), sf.AccuracyBound(0.5, maximise="k"), seed=1)
    assert release.verdict.found[0] == "smallest class 6 in 2 classes; no class loses more than 0.5 (NCP)"


def test_two_bounds_are_one_too_many():
    with pytest.raises(ParameterError, match="names two bounds on the loss; name one"):
        sf.publish(labelled(range(6), [0, 1] * 3), sf.Hilbert(), sf.AccuracyBound(0.5) & sf.AccuracyBound(0.2))


# What is published


METHODS = [
    sf.Hilbert(),
    sf.Hilbert(polish=True),
    sf.IDistance(centres=3),
    sf.Ordered(best_of=("snake", "hilbert"), trials=2),
    sf.IPCSD(),
]


@settings(max_examples=60)
@given(
    tables(min_rows=1, max_rows=26),
    st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.8, 1.0]),
    st.booleans(),
    st.sampled_from(METHODS),
)
def test_every_release_is_within_its_bound_or_refused(table, max_ncp, of_k, method):
    bound = sf.AccuracyBound(max_ncp, maximise="k") if of_k else sf.AccuracyBound(max_ncp, column="disease")
    try:
        release = sf.publish(table, method, bound, seed=1)
    except InfeasibleError as refusal:
        assert f"the best {'k' if of_k else 'l'} found is 1" in str(refusal)  # noqa: PT017
        assert max_ncp < 1 or len(table) == 1 or (not of_k and table.frame["disease"].n_unique() == 1)
        return
    assert release.verdict.holds
    assert release.verdict.reached[repr(bound)] > 1
    losses, classes = class_losses(release.data.frame, release.forms, table, release.owner.rows), classes_of(release)
    coded = encode(table, table.schema.quasi)
    expected = [ncp(coded, release.owner.rows[classes.of_row == c].tolist()) for c in range(classes.n_classes)]
    assert losses == pytest.approx(expected, abs=1e-9)
    assert max(expected) <= max_ncp + 1e-6
    alone = shown_losses(release.data.frame, release.forms, release.schema, classes)
    assert alone is None or alone == pytest.approx(expected, abs=1e-9)


def classes_of(release):
    return PublishedClasses(release.data.frame, release.schema.quasi, cells=Cells(suppressed_rows="class"))


def test_a_bound_of_everything_publishes_one_class():
    table = labelled(range(10), [0, 1] * 5)
    release = sf.publish(table, sf.Hilbert(), sf.AccuracyBound(1.0, maximise="k"), seed=1)
    assert release.data.frame["x"].unique().to_list() == ["[0, 9]"]
    assert release.verdict.reached == {"AccuracyBound(max_ncp=1, maximise='k')": 10.0}


def test_refusals_say_what_was_found_and_what_to_do():
    spread = labelled(range(8), [0, 1] * 4)
    with pytest.raises(InfeasibleError) as refusal:
        sf.publish(spread, sf.Hilbert(), sf.AccuracyBound(0.01), seed=1)
    assert str(refusal.value) == (
        "max_ncp=0.01 leaves no room for any privacy: the best l found is 1, a record that stays as it is; "
        "allow a larger loss"
    )
    with pytest.raises(InfeasibleError, match=r"max_ncp=0 leaves no room .* the best k found is 1, a record that"):
        sf.publish(spread, sf.Hilbert(), sf.AccuracyBound(0.0, maximise="k"), seed=1)
    with pytest.raises(InfeasibleError, match="an empty table has no privacy to speak of"):
        sf.publish(sf.Table(spread.frame.head(0), spread.schema), sf.Hilbert(), sf.AccuracyBound(0.5))
    with pytest.raises(InfeasibleError, match="the best l found is 1"):
        sf.publish(labelled(range(8), [0] * 8), sf.Hilbert(), sf.AccuracyBound(1.0), seed=1)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_another_promise_beside_the_bound(method):
    random = Randomness("beside")
    table = labelled(random.integers(100, size=60), random.integers(5, size=60))
    kept = sf.publish(table, method, sf.AccuracyBound(0.6) & sf.LDiversity(2) & sf.KAnonymity(2), seed=1)
    assert kept.verdict.holds
    assert len(kept.verdict.found) == 3
    for other in (sf.LDiversity(5), sf.KAnonymity(30), sf.TCloseness(0.0)):
        try:
            sf.publish(table, method, sf.AccuracyBound(0.2) & other, seed=1)
        except InfeasibleError as refusal:
            said = str(refusal)
            if not said.startswith("LDiversity(5) cannot be met"):
                assert said.startswith("within max_ncp=0.2 the best l found is ")
                assert f"{other!r} is not met; allow a larger loss or promise less" in said
        else:
            pytest.fail(f"{other!r} cannot hold within so small a loss")


def test_one_class_for_all_is_within_reach_of_every_promise():
    """What nothing finer keeps, the whole table may: t = 0, or as many records as there are."""
    table = labelled([0, 1, 2, 3, 50, 97, 98, 99], [0, 0, 0, 1, 1, 2, 2, 2])
    for other in (sf.TCloseness(0.0), sf.KAnonymity(8), sf.LDiversity(3, kind="distinct") & sf.KAnonymity(5)):
        for bound in (sf.AccuracyBound(1.0), sf.AccuracyBound(1.0, maximise="k")):
            release = sf.publish(table, sf.Hilbert(), bound & other, seed=1)
            assert release.verdict.holds
            assert release.data.frame["x"].n_unique() == 1


@pytest.mark.parametrize("max_ncp", [0.1, 0.2, 0.4])
def test_a_less_private_cut_wins_that_keeps_the_other_promise(max_ncp):
    """The most private groups are smaller than ten; larger ones within the bound are less private, and do."""
    random = Randomness("twelve")
    table, bound = labelled(random.integers(1000, size=240), random.integers(6, size=240)), sf.AccuracyBound(max_ncp)
    alone = sf.publish(table, sf.Hilbert(), bound, seed=1)
    both = sf.publish(table, sf.Hilbert(), bound & sf.KAnonymity(10), seed=1)
    assert alone.data.frame["x"].value_counts()["count"].min() < 10 <= both.verdict.reached["KAnonymity(k=10)"]
    assert alone.verdict.reached[repr(bound)] > both.verdict.reached[repr(bound)] > 2


@pytest.mark.parametrize("maximise", ["k", "l"])
def test_what_the_other_promise_asks_for_may_be_within_the_bound(maximise):
    """Groups made as private as can be on `s` are not balanced on `t`; pairs of neighbours are, and are diverse."""
    frame = labelled(range(30), [i % 5 for i in range(30)]).frame
    frame = frame.with_columns(t=pl.Series(["even", "odd"] * 15))
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s", "t"]))
    bound = sf.AccuracyBound(0.25, maximise=maximise, column="s" if maximise == "l" else None)
    balanced = sf.TCloseness(0.0, columns=("t",))
    alone = sf.publish(table, sf.Hilbert(), bound, seed=1)
    assert not sf.verify(alone, promise=balanced).holds
    both = sf.publish(table, sf.Hilbert(), bound & balanced, seed=1)
    assert both.verdict.holds
    assert both.verdict.reached[repr(bound)] >= 2


@pytest.mark.parametrize(
    ("show", "message"),
    [("means", "show='means' hides them; show ranges"), ("permutation", "everybody could retrace it; show ranges")],
)
def test_only_ranges_keep_a_bound(show, message):
    """Groups with the same centre would be one class, which loses more than either; permuted values show no class."""
    pairs = ["ab", "bb", "ab", "db", "ad", "ea", "dc", "da"]
    frame = pl.DataFrame({"a": [pair[0] for pair in pairs], "b": [pair[1] for pair in pairs], "s": list("uvwxuvwx")})
    table = sf.Table(frame, sf.Schema(quasi=["a", "b"], sensitive=["s"]))
    for method in (sf.Hilbert(show=show), sf.IPCSD(show=show)):
        for promise in (sf.AccuracyBound(0.3), sf.LDiversity(2) & sf.AccuracyBound(0.3)):
            with pytest.raises(ParameterError, match=message):
                sf.publish(table, method, promise, seed=1)


# How it is checked


@pytest.mark.parametrize("format", ["parquet", "csv", "arrow"])
def test_saved_loaded_and_verified(tmp_path, table, release, format):
    release.save(tmp_path / "out", format=format)
    loaded = sf.load_release(tmp_path / "out")
    assert loaded.promise == release.promise
    assert loaded.verdict.found == release.verdict.found
    assert loaded.method == release.method
    verdict = sf.verify(loaded, original=table)
    assert verdict.holds
    assert verdict.reached == release.verdict.reached
    assert "no class loses more than 0.5 (NCP)" in verdict.found[0]


def test_without_the_original_it_is_checked_where_it_can_be():
    random = Randomness("alone")
    plain = labelled(random.integers(100, size=60), random.integers(5, size=60))
    release = sf.publish(plain, sf.Hilbert(), sf.AccuracyBound(0.3), seed=1)
    assert "no class loses more than 0.3" in sf.verify(release).found[0]
    assert not sf.verify(release, promise=sf.AccuracyBound(0.05)).holds
    alone = sf.verify(release.data.frame, promise=sf.AccuracyBound(0.3), quasi=["x"], sensitive=["s"])
    assert "what is lost cannot be checked without the original" in alone.found[0]


def widened(release, column, cell):
    """The release with one class shown wider in one column."""
    frame = release.data.frame
    first = frame.row(0, named=True)
    same = pl.all_horizontal(pl.col(name) == first[name] for name in release.schema.quasi)
    wide = pl.when(same).then(pl.lit(cell)).otherwise(pl.col(column)).alias(column)
    return replace(release, data=sf.Table(frame.with_columns(wide), release.data.schema)), first


def test_a_class_that_was_widened_by_hand_breaks_the_bound():
    random = Randomness("widened")
    frame = labelled(random.integers(100, size=80), random.integers(4, size=80)).frame
    frame = frame.with_columns(y=pl.Series(random.integers(100, size=80)))
    table = sf.Table(frame, sf.Schema(quasi=["x", "y"], sensitive=["s"]))
    made = sf.publish(table, sf.Hilbert(), sf.AccuracyBound(0.3), seed=1)
    assert sf.verify(made, table).holds
    low, high = frame["x"].min(), frame["x"].max()
    wide, first = widened(made, "x", f"[{low}, {high}]")
    for verdict in (sf.verify(wide, table), sf.verify(replace(wide, owner=None), table), sf.verify(wide)):
        assert not verdict.holds
        (broken,) = verdict.broken
        assert "(NCP), more than 0.3, class" in broken
        assert f"x=[{low}, {high}], y={first['y']}" in broken  # the class is named, by what it shows
    assert sf.verify(wide, table, promise=sf.AccuracyBound(0.9)).holds
    assert sf.verify(wide, table, promise=sf.KAnonymity(1)).holds
    untrue, _ = widened(made, "x", "[-5, -4]")
    assert not sf.verify(untrue, table).holds


def test_what_was_reached_is_told_as_other_promises_tell_it():
    table = labelled([1] * 23, [0] * 10 + list(range(1, 14)))
    release = sf.publish(table, sf.Hilbert(), sf.AccuracyBound(0.5), seed=1)
    assert "reaches l=2.3 on 's'" in sf.verify(release, promise=sf.LDiversity(2)).found[0]
    assert "reaches l=2.3 on 's'" in release.verdict.found[0]


def test_a_broken_bound_can_be_told_of_fewer_columns(release, table):
    verdict = sf.verify(release, table, promise=sf.AccuracyBound(0.01), quasi=["sex"])
    assert not verdict.holds


# The command line


RECIPE = """
seed = 5

[input]
path = "patients.csv"
schema = "schema.toml"

[method]
name = "{method}"

[[promise]]
name = "AccuracyBound"
max_ncp = {max_ncp}
{more}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch, table):
    table.frame.write_csv(tmp_path / "patients.csv")
    (tmp_path / "schema.toml").write_text(table.schema.to_toml())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("method", ["Hilbert", "Ordered", "IPCSD"])
def test_a_recipe_with_a_bound(folder, capsys, method):
    (folder / "r.toml").write_text(RECIPE.format(method=method, max_ncp=0.6, more='column = "diagnosis"'))
    assert run(["publish", "r.toml", "-o", "out", "--no-report"]) == 0
    assert "no class loses more than 0.6 (NCP)" in " ".join(capsys.readouterr().out.split())
    assert run(["verify", "out", "--original", "patients.csv", "--schema", "schema.toml"]) == 0
    loaded = sf.load_release(folder / "out")
    assert loaded.promise == sf.AccuracyBound(0.6, column="diagnosis")
    assert loaded.verdict.reached[repr(loaded.promise)] >= 2


@pytest.mark.parametrize(
    ("method", "max_ncp", "more", "message"),
    [
        ("Mondrian", 0.6, "", "Mondrian keeps no bound on the loss; use Hilbert, or IPCSD over a method"),
        ("Hilbert", 1.6, "", "max_ncp must lie between 0 (nothing lost) and 1, got 1.6"),
        ("Hilbert", 0.6, 'maximise = "m"', "maximise must be 'k' or 'l', got 'm'"),
        ("Hilbert", 0.6, "columns = ['diagnosis']", "AccuracyBound has no parameter 'columns'; did you mean 'column'"),
        ("Hilbert", 0.001, "", "max_ncp=0.001 leaves no room for any privacy"),
    ],
)
def test_mistakes_in_a_recipe_with_a_bound(folder, capsys, method, max_ncp, more, message):
    (folder / "r.toml").write_text(RECIPE.format(method=method, max_ncp=max_ncp, more=more))
    assert run(["publish", "r.toml", "-o", "out"]) != 0
    assert message in " ".join(capsys.readouterr().err.split())
    assert not (folder / "out").exists()
