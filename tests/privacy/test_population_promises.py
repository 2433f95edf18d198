import functools
import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.cli import run
from sfumato.datasets import hospital
from sfumato.ground.errors import InfeasibleError, ParameterError, PromiseBrokenError, ReleaseError, SchemaError
from sfumato.privacy.of_population import Register, population_schema, register_of
from sfumato.privacy.promise import promise_from_dict

QUASI = sf.Schema(quasi=["age", "sex"])


def table_of(rows, schema=QUASI):
    return sf.Table(pl.DataFrame(rows, schema=["age", "sex"], orient="row"), schema)


@functools.cache
def bare_release():
    return sf.publish(table_of([(20, "f"), (26, "m")]), sf.Mondrian(), sf.KAnonymity(1), seed=1)


def published(shown):
    """A release that shows these cells, as if a method had: ranges of ages and sets of sexes."""
    release = bare_release()
    frame = pl.DataFrame(shown, schema=["age", "sex"], orient="row").cast(pl.String)
    forms = {"age": "range", "sex": "set"}
    public = {**release.public, "forms": forms}
    return replace(release, data=sf.Table(frame, sf.Schema(quasi=["age", "sex"])), public=public, owner=None)


def fits(cell, row):
    (age, sex), (low_high, sexes) = row, cell
    return (low_high == "*" or low_high[0] <= age <= low_high[1]) and (sexes == "*" or sex in sexes)


def as_text(cell):
    ages, sexes = cell
    shown = ages if ages == "*" else f"[{ages[0]}, {ages[1]}]" if ages[0] < ages[1] else f"{ages[0]}"
    return shown, sexes if sexes == "*" else f"{{{', '.join(sorted(sexes))}}}" if len(sexes) > 1 else sexes


# -- the two rules -------------------------------------------------------------------------------------------------


def test_k_map_asks_for_people_where_a_record_is_published():
    sizes, counts = np.array([1, 3, 0, 2]), np.array([4, 3, 1, 5])
    assert sf.KMap(4).allowed(sizes, counts).tolist() == [True, False, True, True]
    assert sf.KMap(1).allowed(sizes, counts).all()
    assert sf.KMap.monotone


def test_delta_presence_bounds_the_share_of_everybody():
    sizes, counts = np.array([1, 2, 3, 0, 5, 2]), np.array([10, 10, 10, 7, 0, 1])
    assert sf.DeltaPresence(0.1, 0.2).allowed(sizes, counts).tolist() == [True, True, False, False, True, False]
    assert sf.DeltaPresence(0, 0.2).allowed(sizes, counts).tolist() == [True, True, False, True, True, False]
    assert sf.DeltaPresence(0, 1).allowed(sizes, counts).all()
    third = sf.DeltaPresence(1 / 3, 1 / 3)
    assert third.allowed(np.array([1, 10**9]), np.array([3, 3 * 10**9])).all()
    assert not third.allowed(np.array([10**9 + 1]), np.array([3 * 10**9])).any()


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


def test_records_that_show_nothing_raise_everybodys_chance():
    """4 of 10 people shown in one class of 8; 1 record hidden among the 6 others: 1 - (1/2)(5/6), and 1/6 outside."""
    people = table_of([(20 + i, "f") for i in range(10)])
    sizes, counts = np.array([4, 0]), np.array([8, 2])
    for promise, expected in (
        (sf.DeltaPresence(1 / 6, 7 / 12, people), [True, True]),
        (sf.DeltaPresence(0.17, 7 / 12, people), [True, False]),
        (sf.DeltaPresence(0, 0.58, people), [False, True]),
    ):
        assert promise.allowed(sizes, counts, hidden=1).tolist() == expected
    assert sf.DeltaPresence(0.5, 0.5, people).allowed(sizes[:1], counts[:1]).all()


# -- against brute force ---------------------------------------------------------------------------------------------

ages = st.integers(20, 26)
cells = st.tuples(
    st.one_of(st.just("*"), st.tuples(ages, ages).map(lambda pair: (min(pair), max(pair)))),
    st.sampled_from(["*", "f", "m", "fm"]),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(ages, st.sampled_from("fm")), min_size=1, max_size=12), st.lists(cells, min_size=1, max_size=6),
       st.integers(1, 4), st.sampled_from([(0, 0.5), (0.1, 0.6), (0, 1)]))  # fmt: skip
def test_verify_counts_people_as_brute_force_does(people, shown, k, bounds):
    population = table_of(people)
    release = published([as_text(cell) for cell in shown])
    classes = {}
    for cell in shown:
        classes.setdefault(as_text(cell), []).append(cell)
    fitting = {text: [row for row in people if fits(same[0], row)] for text, same in classes.items()}
    verdict = sf.verify(release, promise=sf.KMap(k), population=population)
    fewest = min(len(each) for each in fitting.values())
    assert verdict.holds == (fewest >= k)
    assert verdict.reached == {f"KMap(k={k})": fewest}

    hidden = len(classes.pop(("*", "*"), []))
    several = sum(sum(fits(same[0], row) for same in classes.values()) > 1 for row in people)
    verdict = sf.verify(release, promise=sf.DeltaPresence(*bounds), population=population)
    if several:
        assert verdict.undecided
        assert not verdict.holds
        return
    shown_people = sum(min(len(same), len(fitting[text])) for text, same in classes.items())
    rest = max(len(people) - shown_people, hidden)
    chances = []
    for row in people:
        mine = [text for text, same in classes.items() if fits(same[0], row)]
        share = (
            Fraction(min(len(classes[mine[0]]), len(fitting[mine[0]])), len(fitting[mine[0]])) if mine else Fraction(0)
        )
        chances.append(1 - (1 - share) * (1 - Fraction(hidden, rest)) if hidden else share)
    low, high = (Fraction(str(bound)) for bound in bounds)
    assert verdict.holds == all(low <= chance <= high for chance in chances)


def test_people_no_record_fits_have_no_chance_and_a_low_bound_forbids_that():
    people = table_of([(20, "f"), (21, "f"), (22, "f"), (40, "m")])
    release = published([("[20, 22]", "f")] * 2)
    assert sf.verify(release, promise=sf.DeltaPresence(0, 0.7), population=people).holds
    verdict = sf.verify(release, promise=sf.DeltaPresence(0.1, 0.7), population=people)
    assert not verdict.holds
    assert verdict.found == ("the chance that somebody of the 4 is in the table is 0.0000 to 0.6667",)
    broken = sf.verify(release, promise=sf.DeltaPresence(0, 0.6), population=people)
    assert broken.broken[0].endswith("class (age=[20, 22], sex=f)")


def test_withheld_records_may_be_anybodys():
    """2 of the 3 who fit are shown, and one more record of the table is withheld: of those left, anybody's."""
    people = table_of([(20, "f"), (21, "f"), (22, "f"), (40, "m")])
    release = published([("[20, 22]", "f")] * 2)
    release = replace(release, public={**release.public, "withheld_rows": 1})
    verdict = sf.verify(release, promise=sf.DeltaPresence(0.1, 0.9), population=people)
    assert verdict.holds
    assert verdict.found[0].endswith("0.5000 to 0.8333")  # 1/2, and 1 - 1/3 * 1/2
    assert not sf.verify(release, promise=sf.DeltaPresence(0.1, 0.8), population=people).holds


def test_classes_that_nobody_fits_are_told():
    people = table_of([(20, "f"), (21, "f")])
    release = published([("[20, 21]", "f"), ("30", "m")])
    verdict = sf.verify(release, promise=sf.DeltaPresence(0, 0.5), population=people)
    assert verdict.holds
    assert verdict.found[0].endswith("0.5000 to 0.5000; 1 of 2 classes fit nobody of the population")
    assert not sf.verify(release, promise=sf.KMap(1), population=people).holds


# -- releases, certificates and populations ----------------------------------------------------------------------------


def sample(rows=240, of=600):
    """A table and the population that it is a part of."""
    everybody = hospital(of)
    schema = sf.Schema(quasi=everybody.schema.quasi)
    people = sf.Table(everybody.frame.select(everybody.schema.quasi), schema)
    return everybody.rows(slice(0, rows)), people


def test_a_method_that_counts_nobody_refuses_unless_k_anonymity_suffices():
    table, people = sample()
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
    table, people = sample()
    others = people.rows(slice(300, 600))
    with pytest.raises(PromiseBrokenError, match="the fewest that fit a class are"):
        sf.publish(table, sf.Mondrian(), sf.KAnonymity(5) & sf.KMap(5, others))


def test_the_certificate_has_the_fingerprint_and_no_record(tmp_path):
    table, people = sample()
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


def test_the_command_line_verifies_with_the_population(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r").mkdir()
    rows = [(20 + i // 2, "fm"[i % 2], f"s{i % 3}") for i in range(24)]
    pl.DataFrame(rows[:12], schema=["age", "sex", "s"], orient="row").write_csv("r/data.csv")
    pl.DataFrame(rows, schema=["age", "sex", "name"], orient="row").write_csv("r/voters.csv")
    (tmp_path / "r" / "recipe.toml").write_text(
        '[input]\npath = "data.csv"\n[schema.columns.age]\nrole = "quasi"\nhigh = 30\n[schema.columns.sex]\nrole = "quasi"\n'
        '[schema.columns.s]\nrole = "sensitive"\n[method]\nname = "Mondrian"\n[[promise]]\nname = "KAnonymity"\nk = 3\n'
        '[[promise]]\nname = "KMap"\nk = 3\npopulation = "voters.csv"\n[output]\nfolder = "out"\nreport = false\n'
    )
    assert run(["publish", "r/recipe.toml"]) == 0
    assert "people of 24" in capsys.readouterr().out
    assert run(["verify", "r/out"]) == 1
    assert "is NOT decided" in capsys.readouterr().out
    assert run(["verify", "r/out", "--population", "r/voters.csv"]) == 0
    assert run(["verify", "r/out", "--population", "r/data.csv"]) == 2
    assert "is another than that of KMap(k=3)" in capsys.readouterr().err
    assert run(["verify", "r/out", "--k", "3", "--population", "r/voters.csv"]) == 2
    assert "no promise speaks of a population" in capsys.readouterr().err
    assert run(["verify", "r/data.csv", "--quasi", "age", "--k", "1", "--population", "r/voters.csv"]) == 2


def test_a_recipe_says_what_is_wrong_with_its_population(tmp_path):
    from sfumato.ground.errors import RecipeError
    from sfumato.recipe import read_recipe

    (tmp_path / "recipe.toml").write_text(
        '[input]\npath = "data.csv"\n[schema.columns.age]\nrole = "quasi"\n[method]\nname = "Mondrian"\n'
        '[promise]\nname = "KMap"\nk = 3\npopulation = "nobody.csv"\n'
    )
    with pytest.raises(RecipeError, match=r"nobody.csv"):
        read_recipe(tmp_path / "recipe.toml")


def test_nodes_of_a_hierarchy_are_counted_by_what_is_known_of_it(tmp_path):
    paths = [("1010", "10", "*"), ("1011", "10", "*"), ("2020", "20", "*"), ("2021", "20", "*"), ("3030", "30", "*")]
    tree = sf.Hierarchy.from_paths(paths)
    schema = sf.Schema(quasi=["zip"], hierarchies={"zip": tree})
    table = sf.Table(pl.DataFrame({"zip": ["1010", "1011", "2020", "2021"]}), schema)
    everybody = pl.DataFrame({"zip": ["1010", "1011", "2020", "2021", "2021", "3030"]})
    people = sf.Table(everybody, schema)
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(2) & sf.KMap(2, people), seed=1)
    assert sorted(release.data.to_polars()["zip"].unique()) == ["10", "20"]
    loaded = sf.load_release(release.save(tmp_path / "out", report=False))
    assert sf.verify(loaded, population=people).holds
    flat = sf.verify(loaded, population=sf.Table(everybody, sf.Schema(quasi=["zip"])))
    assert flat.undecided
    assert "declare it in the schema of the population" in flat.found[1]
    presence = sf.verify(loaded, promise=sf.DeltaPresence(0, 1), population=people)
    assert presence.found == ("the chance that somebody of the 6 is in the table is 0.0000 to 1.0000",)


def test_what_shows_single_values_is_not_decided():
    table, people = sample()
    with pytest.raises(PromiseBrokenError, match="cover nobody else; show ranges"):
        sf.publish(table, sf.Mondrian(show="means"), sf.KAnonymity(5) & sf.KMap(5, people))
    frame = pl.DataFrame({"age": ["20", "20"], "sex": ["f", "f"]})
    verdict = sf.verify(frame, promise=sf.KMap(2, table_of([(20, "f")] * 3)), quasi=["age", "sex"])
    assert verdict.undecided
    assert "only a release says how its cells are to be read" in verdict.found[0]


def test_two_tables_are_counted_by_what_was_recorded():
    rows = [(20, "f"), (20, "f"), (21, "m"), (21, "m")]
    frame = pl.DataFrame(rows, schema=["age", "sex"], orient="row").with_columns(s=pl.Series(["a", "b", "a", "b"]))
    table = sf.Table(frame, sf.Schema(quasi=["age", "sex"], sensitive=["s"]))
    release = sf.publish(table, sf.Anatomy(), sf.LDiversity(2), seed=1)
    people = table_of([*rows, (20, "f"), (22, "m")])
    assert sf.verify(release, promise=sf.KMap(2), population=people).holds
    assert not sf.verify(release, promise=sf.KMap(3), population=people).holds
    assert sf.verify(release, promise=sf.DeltaPresence(0, 1), population=people).found == (
        "the chance that somebody of the 6 is in the table is 0.0000 to 1.0000",
    )
    assert not sf.verify(release, promise=sf.DeltaPresence(0, 0.9), population=people).holds


def test_limits_say_what_can_be_met():
    table, people = sample(240, 600)
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
