"""Linking a release to an outside table."""

import itertools

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.data.shown import parse
from sfumato.ground.errors import DataError, ParameterError, SchemaError

PATIENTS = sf.Table(
    pl.DataFrame(
        {
            "SSN": ["012-345-6789", "823-627-9231", "987-654-3210", "382-827-8264", "847-872-7276", "422-061-0089"],
            "Age": [24, 37, 26, 38, 36, 25],
            "ZIP": ["10598", "90210", "10547", "90345", "89119", "02139"],
            "Disease": ["HIV", "Hepatitis C", "HIV", "Hepatitis C", "Diabetes", "HIV"],
        }
    ),
    sf.Schema(identifier=["SSN"], quasi=["Age", "ZIP"], sensitive=["Disease"]),
)
VOTERS = sf.Table(
    pl.DataFrame(
        {
            "Name": ["Mary A.", "John S.", "Ann L.", "Jack M.", "Joy M.", "Victor B.", "Peter P.", "Diana X.",
                     "William W.", "Sue G."],
            "Age": [38, 36, 31, 57, 26, 46, 25, 24, 37, 26],
            "ZIP": ["90345", "89119", "02139", "10562", "10547", "90345", "02139", "10598", "90210", "10547"],
        }
    ),
    sf.Schema(identifier=["Name"], quasi=["Age", "ZIP"]),
)  # fmt: skip


def test_the_example_of_patients_and_voters():
    release = sf.publish(PATIENTS, sf.Mondrian(), sf.KAnonymity(3), seed=1)
    found = sf.attack(release, sf.LinkageAttack(VOTERS), PATIENTS)
    raw = {row["Name"]: row for row in found.links_before.iter_rows(named=True)}
    assert {name: row["value"] for name, row in raw.items() if row["chance"] == 1} == {
        "Diana X.": "HIV", "Peter P.": "HIV", "William W.": "Hepatitis C", "Mary A.": "Hepatitis C",
        "John S.": "Diabetes",
    }  # fmt: skip
    assert [raw[name]["chance"] for name in ("Joy M.", "Sue G.")] == [0.5, 0.5]
    assert {name for name, row in raw.items() if row["rows"] == 0} == {"Ann L.", "Jack M.", "Victor B."}
    assert found["linked_before"].value == 0.5
    assert found["linked"].value == 0
    assert found["most"].value == pytest.approx(1 / 3)
    assert "found" not in found  # nobody can tell which voter is which patient
    assert "name a key" in str(found)
    assert found.links["rows"].max() == 3


def random_table(rng, n):
    hierarchy = sf.Hierarchy.from_paths([[f"{a}{b}", a, "*"] for a in "xyz" for b in "123"])
    frame = pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(n)],
            "age": rng.integers(20, 40, n),
            "job": rng.choice(list("abcde"), n),
            "place": rng.choice([f"{a}{b}" for a in "xyz" for b in "123"], n),
            "ill": rng.choice(list("PQRS"), n),
        }
    ).with_columns(
        age=pl.when(pl.col("age") != 25).then(pl.col("age")), job=pl.when(pl.col("age") != 30).then(pl.col("job"))
    )
    return sf.Table(
        frame,
        sf.Schema(
            identifier=["id"], quasi=["age", "job", "place"], sensitive=["ill"], hierarchies={"place": hierarchy}
        ),
    )


def covers(cell, form, value):
    shown = parse(cell, form)
    if value is None:
        return shown.missing
    if shown.everything:
        return True
    if form == "range":
        return shown.low is not None and float(shown.low) <= value <= float(shown.high)
    if form == "set":
        return value in shown.members
    return shown.node in (value, value[0], "*")


@pytest.mark.parametrize("method", [sf.Mondrian(), sf.Hilbert(), sf.TopDown()])
@pytest.mark.parametrize("on", [("age", "job", "place"), ("age", "place"), ("job",)])
def test_links_equal_those_by_hand(method, on):
    rng = np.random.default_rng(3)
    table, outside = random_table(rng, 60), random_table(rng, 80)
    release = sf.publish(table, method, sf.KAnonymity(3), seed=2)
    found = sf.attack(release, sf.LinkageAttack(outside, on=on), table)
    rows = release.data.frame.to_dicts()
    people = outside.frame.to_dicts()
    fit = np.array([
        [all(covers(row[c], release.forms[c], person[c]) for c in on) for row in rows] for person in people
    ])  # fmt: skip
    f, F = fit.sum(axis=1), fit.sum(axis=0)
    assert found.links["rows"].to_list() == f.tolist()
    chance = [max((1 / max(f[p], F[r]) for r in np.flatnonzero(fit[p])), default=0.0) for p in range(len(people))]
    assert found.links["chance"].to_list() == pytest.approx(chance)
    ills = np.array([row["ill"] for row in rows])
    only = [next(iter(set(ills[fit[p]]))) if len(set(ills[fit[p]])) == 1 else None for p in range(len(people))]
    assert found.links["value"].to_list() == only
    assert found["chance"].value == pytest.approx(np.mean(chance))
    assert found["linked"].value == pytest.approx(
        np.mean([f[p] == 1 and F[np.flatnonzero(fit[p])[0]] == 1 for p in range(len(people))])
    )


def test_right_links_are_told_by_a_key():
    rng = np.random.default_rng(5)
    table = random_table(rng, 40)
    outside = sf.Table(
        pl.concat([table.frame.head(10), random_table(rng, 5).frame.with_columns(id=pl.lit("x") + pl.col("id"))]),
        table.schema,
    )
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(2), seed=2)
    found = sf.attack(release, sf.LinkageAttack(outside), table)
    rows = found.links["rows"].to_numpy()[:10]
    assert found["found"].value == pytest.approx((1 / rows).mean())
    assert found["mistaken"].value == found["linked"].value == 0
    named = sf.attack(release, sf.LinkageAttack(outside, key="id"), table)
    assert named["found"].value == found["found"].value


def test_everybody_of_the_original_is_the_usual_outside():
    table = random_table(np.random.default_rng(6), 50)
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(4), seed=2)
    found = sf.attack(release, sf.LinkageAttack(), table)
    assert found["most"].value <= 0.25
    assert found["found"].value <= 0.25 < found["found_before"].value
    assert found["singled"].value == 0


def two_numbers(rng, n, most=12):
    frame = pl.DataFrame({"x": rng.integers(0, most, n), "y": rng.integers(0, most, n)})
    return sf.Table(frame, sf.Schema(quasi=["x", "y"]))


def likeliest_over_all_worlds(release, table):
    """For each person, the greatest share of a row over all ways to give everybody one row that fits."""
    rows, people = release.data.frame.to_dicts(), table.frame.to_dicts()
    fit = [[all(covers(row[c], release.forms[c], person[c]) for c in ("x", "y")) for row in rows] for person in people]
    n, counts = len(people), np.zeros((len(people), len(rows)))
    for world in itertools.permutations(range(n)):
        if all(fit[p][world[p]] for p in range(n)):
            counts[np.arange(n), world] += 1
    return (counts / counts.sum(axis=1, keepdims=True)).max(axis=1), np.array(fit).sum(axis=1)


def test_the_chance_never_lies_above_that_over_all_worlds_nor_below_one_of_the_rows_that_fit():
    overlaps = 0
    for seed in range(12):
        table = two_numbers(np.random.default_rng(seed), 7, most=4)
        release = sf.publish(table, sf.Hilbert(), sf.KAnonymity(2), seed=1)
        truly, fitting = likeliest_over_all_worlds(release, table)
        chance = sf.attack(release, sf.LinkageAttack(), table).links["chance"].to_numpy()
        assert (chance <= truly + 1e-12).all()
        assert chance.tolist() == pytest.approx((1 / fitting).tolist())
        assert (truly <= 0.5).all()  # the rows of a class of two are told apart by nothing
        overlaps += bool((fitting > 3).any())
    assert overlaps


def test_the_expected_chance_is_not_below_what_is_found_where_classes_overlap():
    table = two_numbers(np.random.default_rng(1), 200)
    release = sf.publish(table, sf.Hilbert(), sf.KAnonymity(5), seed=1)
    found = sf.attack(release, sf.LinkageAttack(), table)
    assert found.links["persons"].max() > found.links["rows"].min()
    assert found["chance"].value >= found["found"].value - 1e-12
    assert found["chance"].meaning == "probability of the likeliest link of a person, at least, on average"
    assert found["most"].value <= 0.2


def test_where_rows_are_withheld_nobody_is_known_to_be_there():
    table = sf.Table(pl.DataFrame({"x": [1, 1, 1, 1, 9]}), sf.Schema(quasi=["x"]))
    release = sf.publish(table, sf.BestFirst(max_suppressed=0.2), sf.KAnonymity(2), seed=1)
    assert len(release.data) == 4
    found = sf.attack(release, sf.LinkageAttack(), table)
    assert found["chance"].value == pytest.approx(0.2)  # one of four, for four of five
    assert "at least" in found["chance_before"].meaning
    assert "at least" not in found["chance"].meaning


def test_persons_without_a_name_are_numbered():
    table = sf.Table(
        random_table(np.random.default_rng(6), 20).frame.drop("id", "ill", "place"), sf.Schema(quasi=["age", "job"])
    )
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(4), seed=2)
    found = sf.attack(release, sf.LinkageAttack(people=7), table)
    assert found.links.columns == ["person", "rows", "persons", "chance", "value"]
    assert found.links.height == 7
    assert "value_certain" not in found


def test_two_tables_hide_nobody_and_values_all_the_same():
    table = random_table(np.random.default_rng(7), 50)
    release = sf.publish(table, sf.Anatomy(), sf.LDiversity(2), seed=2)
    found = sf.attack(release, sf.LinkageAttack(), table)
    assert found["found"].value == found["found_before"].value > 0.8
    assert found["value_certain"].value == 0


def test_what_cannot_be_linked_is_refused():
    table = random_table(np.random.default_rng(8), 40)
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(4), seed=2)
    means = sf.publish(table, sf.Mondrian(show="means"), sf.KAnonymity(4), seed=2)
    with pytest.raises(ParameterError, match="use DistanceLinkage"):
        sf.attack(means, sf.LinkageAttack(), table)
    with pytest.raises(ParameterError, match=r"'jop'.*'job'"):
        sf.attack(release, sf.LinkageAttack(on=("jop",)), table)
    with pytest.raises(SchemaError, match="none of the published"):
        sf.attack(release, sf.LinkageAttack(sf.Table(pl.DataFrame({"x": [1]}))), table)
    with pytest.raises(DataError, match="not the one"):
        sf.attack(release, sf.LinkageAttack(), random_table(np.random.default_rng(9), 40))
    with pytest.raises(ParameterError, match="outside must be"):
        sf.LinkageAttack(7)
    with pytest.raises(ParameterError, match="on must name columns"):
        sf.LinkageAttack(on=(1,))
    assert sf.LinkageAttack(on="age").on == ("age",)


def test_a_path_is_read(tmp_path):
    table = random_table(np.random.default_rng(10), 40)
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(4), seed=2)
    table.frame.select("id", "age", "job").write_csv(tmp_path / "register.csv")
    found = sf.attack(release, sf.LinkageAttack(str(tmp_path / "register.csv")), table)
    assert found.links.columns == ["id", "rows", "persons", "chance", "value"]
    assert "age, job" in str(found)


@pytest.mark.data
@pytest.mark.parametrize("method", [sf.Mondrian(), sf.Hilbert(fast=True), sf.TopDown()])
def test_nobody_on_adult_is_linked_beyond_one_in_k(data_folder, method):
    adult = pl.read_csv(data_folder / "relational" / "adult.csv.gz", null_values="?").head(6_000).drop_nulls()
    quasi = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
    table = sf.Table(adult, sf.Schema(quasi=quasi, sensitive=["occupation"]))
    release = sf.publish(table, method, sf.KAnonymity(5), seed=1)
    found = sf.attack(release, sf.LinkageAttack(), table)
    assert found["most_before"].value == 1
    assert found["singled_before"].value > 0.4
    assert found["singled"].value == 0
    assert found["most"].value <= 0.2
    assert found["found"].value <= 0.2 < found["found_before"].value
