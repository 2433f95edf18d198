from dataclasses import replace

import polars as pl
import pytest

import sfumato as sf
from sfumato.contracts.attack import attack_from_dict
from sfumato.ground.errors import DataError, ParameterError, SchemaError
from support.republished_tables import SCHEMA, people, published, table

ILLS = ["flu", "gout", "cold", "HIV", "mumps", "croup", "stroke", "ulcer", "asthma", "burns", "sprain", "fever"]


@pytest.fixture(scope="module")
def pool():
    return people(600, [ILLS[(i * i + i // 7) % 12] for i in range(600)], seed=3)


@pytest.fixture(scope="module")
def naive(pool):
    stays = (range(500), range(50, 550), range(100, 600))
    return [sf.publish(table(pool, stay), sf.Mondrian(), sf.LDiversity(3), seed=1) for stay in stays]


@pytest.fixture(scope="module")
def invariant(pool):
    return published(pool, [range(500), range(50, 550), range(100, 600)], 3)


def plain(releases, originals):
    """The values left of everybody in all releases, by comparing each person with each row."""
    left = {}
    for release, original in zip(releases, originals, strict=True):
        for person in original.frame.iter_rows(named=True):
            values = {
                row["illness"]
                for row in release.data.frame.iter_rows(named=True)
                if _covers(row["age"], person["age"]) and (row["town"] == "*" or person["town"] in row["town"])
            }
            left.setdefault(person["id"], []).append(values)
    return {person: set.intersection(*sets) for person, sets in left.items() if len(sets) == len(releases)}


def _covers(shown, age):
    if shown == "*":
        return True
    low, high = shown.strip("[]").split(", ") if "[" in shown else (shown, shown)
    return int(low) <= age <= int(high)


def test_it_agrees_with_comparing_everybody_with_every_row():
    pool = people(60, [ILLS[(i * i + i // 7) % 12] for i in range(60)], seed=4)
    tables = [table(pool, range(50)), table(pool, range(10, 60))]
    releases = [sf.publish(each, sf.Mondrian(), sf.LDiversity(2), seed=1) for each in tables]
    left = plain(releases, tables)
    found = sf.attack(releases[1], sf.IntersectionAttack(previous=releases[:1]))
    assert found["left"].value == pytest.approx(sum(map(len, left.values())) / len(left))
    true = dict(pool.select("id", "illness").iter_rows())
    assert all(true[person] in values for person, values in left.items())
    assert found["certain"].value == pytest.approx(sum(len(values) == 1 for values in left.values()) / len(left))
    assert found["fewest"].value == min(map(len, left.values()))


def test_naive_publication_gives_people_away(naive):
    found = sf.attack(naive[2], sf.IntersectionAttack(previous=naive[:2]))
    assert found["certain_latest"].value == 0
    assert found["posterior_latest"].value <= 1 / 3
    assert found["certain"].value > 0.01
    assert found["certain"].low > found["certain"].baseline == 0
    assert found["posterior"].low > found["posterior_latest"].high
    assert found["posterior_latest"].value > found["posterior"].baseline > 0.05
    assert found["fewest"].value == 1


@pytest.mark.parametrize("knows_class", [False, True])
def test_m_invariance_does_not(invariant, knows_class):
    found = sf.attack(invariant[2], sf.IntersectionAttack(previous=invariant[:2], knows_class=knows_class))
    assert found["certain"].value == 0
    assert found["posterior"].value <= 1 / 3 + 1e-9
    assert found["likeliest"].value <= 1 / 3 + 1e-9
    assert found["fewest"].value >= 3
    if knows_class:
        assert found["posterior"].value == pytest.approx(found["posterior_latest"].value)


def test_two_sequences_that_know_nothing_of_each_other_do(pool, invariant):
    """m-unique releases of the same people, and no common signatures."""
    again = sf.publish(table(pool, range(50, 550)), sf.Republishing(), sf.MInvariance(3), seed=77)
    found = sf.attack(again, sf.IntersectionAttack(previous=invariant[:1], knows_class=True))
    assert found["certain"].value > 0
    assert found["posterior"].value > 1 / 3


def test_a_person_of_two_classes_with_one_value_in_common_is_known():
    pool = people(3, ["flu", "gout", "cold"])
    one, two = published(pool, [[0, 1]], 2)[0], published(pool, [[0, 2]], 2)[0]
    found = sf.attack(two, sf.IntersectionAttack(previous=[one]))
    assert found["certain"].value == found["posterior"].value == found["likeliest"].value == 1
    assert found["posterior_latest"].value == 0.5
    assert "1 of 2 people of the release are in an earlier one" in found.notes[1]


def test_releases_from_disk_need_the_originals_or_the_owners_people(tmp_path, pool, naive, invariant):
    loaded = [sf.load_release(each.save(tmp_path / f"n{i}", report=False)) for i, each in enumerate(naive)]
    data = table(pool, range(50, 550))
    with pytest.raises(ParameterError, match="give its original in originals"):
        sf.attack(loaded[1], sf.IntersectionAttack(previous=loaded[:1]), data)
    known = sf.IntersectionAttack(previous=loaded[:1], originals=[table(pool, range(500))])
    whole = sf.attack(naive[1], sf.IntersectionAttack(previous=naive[:1]))
    assert sf.attack(loaded[1], known, data)["certain"] == whole["certain"]
    kept = [sf.load_release(each.save(tmp_path / f"m{i}", report=False)) for i, each in enumerate(invariant[:2])]
    found = sf.attack(kept[1], sf.IntersectionAttack(previous=kept[:1]), data)
    assert found["posterior"] == sf.attack(invariant[1], sf.IntersectionAttack(previous=invariant[:1]))["posterior"]


def test_two_tables_can_be_intersected(pool):
    dealt = [sf.publish(table(pool, r), sf.Anatomy(), sf.LDiversity(3), seed=1) for r in (range(500), range(50, 550))]
    found = sf.attack(dealt[1], sf.IntersectionAttack(previous=dealt[:1], people=200))
    assert found["certain"].value > 0
    assert found["certain_latest"].value == 0


def test_what_cannot_be_attacked_is_refused(pool, naive):
    for given, match in (
        ({}, "needs earlier releases"), ({"previous": ["out1"]}, "previous takes releases of tables, got 'out1'"),
        ({"previous": naive, "originals": [1]}, "3 earlier releases and 1 originals"),
        ({"previous": naive, "people": 0}, "people must be"), ({"previous": naive, "knows_class": 1}, "true or false"),
    ):  # fmt: skip
        with pytest.raises(ParameterError, match=match):
            sf.IntersectionAttack(**given)
    with pytest.raises(ParameterError, match="'town' is not sensitive"):
        sf.attack(naive[1], sf.IntersectionAttack(previous=naive[:1], sensitive="town"))
    stranger = sf.Table(pool.head(500).with_columns(id=pl.col("id") + "x"), SCHEMA)
    other = sf.publish(stranger, sf.Mondrian(), sf.LDiversity(3), seed=1)
    with pytest.raises(DataError, match="nobody in the release is in an earlier one"):
        sf.attack(naive[1], sf.IntersectionAttack(previous=[other]))
    nameless = sf.Table(pool.head(500), sf.Schema(quasi=["age", "town"], sensitive=["illness"]))
    with pytest.raises(SchemaError, match="no column is declared identifier"):
        sf.attack(naive[1], sf.IntersectionAttack(previous=naive[:1], originals=[nameless]))
    with pytest.raises(ParameterError, match="owner's row map, which is not here"):
        sf.attack(naive[1], sf.IntersectionAttack(previous=[replace(naive[0], owner=None)]))


def test_it_is_known_by_name_and_says_no_release(naive):
    made = attack_from_dict({"name": "IntersectionAttack", "previous": naive[:1]})
    assert isinstance(made, sf.IntersectionAttack)
    assert made.to_dict() == {
        "name": "IntersectionAttack", "previous": 1, "knows_class": False, "sensitive": None, "people": 1000,
    }  # fmt: skip
