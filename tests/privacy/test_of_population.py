"""Promises about a population: what they ask for, whom they mean, and how its people are known."""

import json
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.cli import run
from sfumato.ground.errors import (
    InfeasibleError,
    ParameterError,
    PromiseBrokenError,
    ReleaseError,
    SchemaError,
)
from sfumato.privacy.of_population import Register, population_schema, register_of
from sfumato.privacy.promise import promise_from_dict
from support.populations import QUASI, sample_of_population, table_of

shares = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9)), min_size=1, max_size=5)


@settings(max_examples=200)
@given(shares, st.integers(0, 10), st.integers(0, 10), st.integers(0, 6))
def test_both_rules_equal_their_definition_and_survive_joining(classes, a, b, k):
    classes = [(min(size, count), count) for size, count in classes]  # the table is part of the population
    low, high = min(a, b) / 10, max(a, b) / 10
    sizes, counts = (np.array(each, dtype=np.int64) for each in zip(*classes, strict=True))
    for promise, rule in (
        (
            sf.DeltaPresence(low, high),
            lambda s, c: c == 0 or Fraction(str(low)) <= Fraction(s, c) <= Fraction(str(high)),
        ),
        (sf.KMap(k + 1), lambda s, c: s == 0 or c > k),
    ):
        found = promise.allowed(sizes, counts)
        assert found.tolist() == [rule(size, count) for size, count in classes]
        joined = promise.allowed(np.array([sizes.sum()]), np.array([counts.sum()]))
        assert not found.all() or joined.all()


def test_a_method_that_counts_nobody_refuses_unless_k_anonymity_suffices():
    table, people = sample_of_population()
    way_out = "use BestFirst, Samarati or Incognito"
    for promise in (sf.KMap(5, people), sf.KAnonymity(4) & sf.KMap(5, people),
                    sf.KAnonymity(5) & sf.DeltaPresence(0, 1, people)):  # fmt: skip
        with pytest.raises(ParameterError, match=way_out):
            sf.publish(table, sf.Mondrian(), promise)
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(5) & sf.KMap(5, people), seed=1)
    assert release.verdict.holds
    plain = sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=1)
    shown = [each.data.to_polars().sort(each.data.columns) for each in (release, plain)]
    assert shown[0].equals(shown[1])


def test_k_anonymity_does_not_suffice_where_the_population_lacks_the_people():
    table, people = sample_of_population()
    others = people.rows(slice(300, 600))
    with pytest.raises(PromiseBrokenError, match="the fewest that fit a class are"):
        sf.publish(table, sf.Mondrian(), sf.KAnonymity(5) & sf.KMap(5, others))


def test_the_certificate_has_the_fingerprint_and_no_record(tmp_path):
    table, people = sample_of_population()
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(5) & sf.KMap(5, people), seed=1)
    folder = release.save(tmp_path / "out")
    told = json.loads((folder / "release.json").read_text())["promise"]["promises"][1]
    assert told == {"name": "KMap", "k": 5, "population": register_of(people).to_dict()}
    assert set(told["population"]) == {"sha256", "rows", "columns"}
    assert "people of the population" in (folder / "report.html").read_text()
    loaded = sf.load_release(folder)
    assert loaded.promise == release.promise
    assert isinstance(loaded.promise.parts[1].population, Register)
    assert loaded.promise.to_dict() == release.promise.to_dict()

    alone = sf.verify(loaded)
    assert not alone.holds
    assert alone.undecided == ("KMap(k=5)",)
    assert alone.found[1].endswith("it is not known who fits which class; give the population to verify")
    assert alone.said == "is NOT decided"
    with pytest.raises(ReleaseError, match="cannot be decided without the population"):
        loaded.save(tmp_path / "again")

    shuffled = people.rows(np.arange(len(people))[::-1])
    assert sf.verify(loaded, population=shuffled.with_schema(population_schema(table.schema))).holds
    with pytest.raises(ParameterError, match="the population of 599 records is another than that of KMap"):
        sf.verify(loaded, population=people.rows(slice(1, 600)))
    with pytest.raises(SchemaError, match="the population lacks the column 'age'"):
        sf.verify(loaded, population=sf.Table(people.frame.drop("age"), sf.Schema(quasi=["sex"])))


def test_limits_say_what_can_be_met():
    table, people = sample_of_population(240, 600)
    with pytest.raises(InfeasibleError, match="k=601 needs a population of at least 601 people and this one has 600"):
        sf.publish(table, sf.Mondrian(), sf.KMap(601, people))
    assert sf.DeltaPresence(0.4, 0.4, people).limit(240, []) is None
    assert "a share of 0.4, which is above high" in sf.DeltaPresence(0, 0.39, people).limit(240, [])
    assert "below low" in sf.DeltaPresence(0.41, 1, people).limit(240, [])
    for promise in (sf.KMap(3), promise_from_dict(sf.KMap(3, people).to_dict())):
        with pytest.raises(
            ParameterError, match=r"KMap\(k=3\) needs the population; give it as in KMap\(k=3, population=table\)"
        ):
            sf.publish(table, sf.Mondrian(), promise)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sf.KMap(0), "k must be a whole number >= 1"),
        (lambda: sf.KMap(2.5), "k must be a whole number >= 1"),
        (lambda: sf.KMap(2, "voters.csv"), "population must be a Table of everybody's quasi-identifiers, .* got str"),
        (lambda: sf.KMap(2, {"rows": 3}), "told by sha256, rows and columns"),
        (lambda: sf.DeltaPresence(-0.1, 1), "low must be a number from 0 to 1, got -0.1"),
        (lambda: sf.DeltaPresence(0, 1.1), "high must be a number from 0 to 1"),
        (lambda: sf.DeltaPresence(0.3, 0.2), "low must be at most high, got 0.3 and 0.2"),
        (lambda: sf.KMap(2).with_population(3), "population must be a Table, got int"),
        (lambda: sf.verify(pl.DataFrame({"a": [1]}), promise=sf.KAnonymity(1), quasi=["a"], population=table_of([(1, "f")])),
         "no promise speaks of a population"),
        (lambda: promise_from_dict({"name": "DeltaPresence", "low": 0}), "high"),
    ],
)  # fmt: skip
def test_bad_parameters_are_refused(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def test_a_promise_hides_its_population():
    people = table_of([(20, "f")])
    promise = sf.KMap(2, people)
    assert repr(promise) == "KMap(k=2)"
    assert promise == sf.KMap(2)
    assert repr(sf.DeltaPresence(0.1, 0.5, people)) == "DeltaPresence(low=0.1, high=0.5)"
    assert repr(sf.KAnonymity(2) & promise) == "KAnonymity(k=2) & KMap(k=2)"


def test_the_fingerprint_is_of_the_people_and_not_of_how_they_are_stored():
    frame = pl.DataFrame({"age": [30, None, 20], "sex": ["f", "m", "f"], "name": ["a", "b", "c"]})
    known = register_of(sf.Table(frame, QUASI))
    assert known.columns == ("age", "sex")
    other = frame.reverse().with_columns(pl.col("age").cast(pl.Float64)).drop("name")
    assert register_of(sf.Table(other, QUASI)) == known
    for changed in (frame.with_columns(age=pl.Series([30, 0, 20])), frame.vstack(frame[:1]),
                    frame.with_columns(sex=pl.Series(["m", "f", "f"]))):  # fmt: skip
        assert register_of(sf.Table(changed, QUASI)).sha256 != known.sha256


TWO_COLUMNS = sf.Schema(quasi=["a", "b"])


@pytest.mark.parametrize("columns", [[], ["sex", "sex"]])
def test_a_population_told_by_no_columns_is_one_sentence(tmp_path, columns, capsys):
    frame = pl.DataFrame({"sex": ["f", "m"] * 10, "d": ["flu", "gout"] * 10})
    table = sf.Table(frame, sf.Schema(quasi=["sex"], sensitive=["d"]))
    population = sf.Table(frame.select("sex"), sf.Schema(quasi=["sex"]))
    sf.publish(table, sf.BestFirst(), sf.KMap(5, population), seed=1).save(tmp_path / "out", report=False)
    certificate = json.loads((tmp_path / "out" / "release.json").read_text())
    certificate["promise"]["population"]["columns"] = columns
    (tmp_path / "out" / "release.json").write_text(json.dumps(certificate))
    assert run(["verify", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_a_population_without_columns_has_no_fingerprint():
    people = sf.Table(pl.DataFrame({"sex": ["f"]}), sf.Schema(quasi=["sex"]))
    with pytest.raises(SchemaError, match="known by its columns, and has none"):
        register_of(people, [])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([("x\0y", "z")], [("x", "y\0z")]), ([("\1", "z"), ("x", "z")], [(None, "z"), ("x", "z")]),
        ([("-", "z"), ("x", "z")], [(None, "z"), ("x", "z")]),
        ([("x:y", "z")], [("x", "y:z")]), ([("1:a", "b")], [("1", "a1:b")]), ([("a", "b"), ("c", "d")], [("a", "b1:c1:d"), ("", "")]),
    ],
)  # fmt: skip
def test_other_populations_have_other_fingerprints(one, other):
    known = [
        register_of(sf.Table(pl.DataFrame(rows, schema={"a": pl.String, "b": pl.String}, orient="row"), TWO_COLUMNS))
        for rows in (one, other)
    ]
    assert known[0].sha256 != known[1].sha256


def test_the_names_of_columns_are_in_the_fingerprint():
    one = sf.Table(pl.DataFrame({"a\0b": ["x"], "c": ["y"]}), sf.Schema(quasi=["a\0b", "c"]))
    other = sf.Table(pl.DataFrame({"a": ["x"], "b\0c": ["y"]}), sf.Schema(quasi=["a", "b\0c"]))
    assert register_of(one).sha256 != register_of(other).sha256
