"""Any sequence is m-invariant with no more counterfeits than it needs; and what is refused."""

from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.ground.errors import DataError, InfeasibleError, ParameterError, SchemaError
from support.republished_tables import (
    ILLS,
    SCHEMA,
    assert_refused,
    classes_of,
    least_counterfeits,
    people,
    posteriors,
    published,
    signatures,
    table,
)


@st.composite
def sequences(draw, most=14, n_values=5):
    """A pool of people with values, and who is in each release."""
    n = draw(st.integers(1, most))
    values = draw(st.lists(st.sampled_from(ILLS[:n_values]), min_size=n, max_size=n))
    stays = draw(st.lists(st.sets(st.integers(0, n - 1), min_size=1), min_size=1, max_size=4))
    return people(n, values), [sorted(stay) for stay in stays], draw(st.integers(2, 3))


def known_values(pool, stays):
    return {value for stay in stays for value in pool["illness"].gather(stay)}


@settings(max_examples=25, deadline=None)
@given(sequences())
def test_any_sequence_is_m_invariant(case):
    pool, stays, m = case
    if len(known_values(pool, stays[:1])) < m:
        return
    releases = published(pool, stays, m)
    before = {}
    for release, stay in zip(releases, stays, strict=True):
        assert release.verdict.holds
        rows = release.owner.rows
        assert sorted(rows[rows >= 0].tolist()) == list(range(len(stay)))
        for members, values in classes_of(release).values():
            assert len(values) >= m
            assert len(set(values)) == len(values)
            assert members
        now = signatures(release)
        assert all(before.get(person, signature) == signature for person, signature in now.items())
        before |= now
        told = release.files["counterfeits"]
        assert told["count"].sum() == int((rows < 0).sum())


@settings(max_examples=25, deadline=None)
@given(sequences(most=8, n_values=4))
def test_no_fewer_counterfeits_would_do(case):
    pool, stays, m = case
    known = known_values(pool, stays[:1])
    if len(known) < m:
        return
    before = {}
    for release, stay in zip(published(pool, stays, m), stays, strict=True):
        own = dict(pool[stay].select("id", "illness").iter_rows())
        known |= set(own.values())
        old = [(value, before[person]) for person, value in own.items() if person in before]
        new = [value for person, value in own.items() if person not in before]
        if len(new) <= 4:
            assert int((release.owner.rows < 0).sum()) == least_counterfeits(old, new, sorted(known), m)
        before |= signatures(release)


@settings(max_examples=25, deadline=None)
@given(sequences(most=8, n_values=4))
def test_nobody_is_known_better_than_one_in_m(case):
    """The paper's lemma, by listing every assignment of values to people that agrees with all releases."""
    pool, stays, m = case
    if len(known_values(pool, stays[:1])) < m:
        return
    releases = published(pool, stays, m)
    chances = posteriors(releases)
    assert max(chances.values()) <= 1 / m + 1e-12
    everybody = {person: signature for release in releases for person, signature in signatures(release).items()}
    assert {person for person, _ in chances} == set(everybody)
    assert all(chances[person, value] == pytest.approx(1 / len(s)) for person, s in everybody.items() for value in s)


def test_the_listing_of_worlds_sees_through_naive_publication():
    """Two releases that are 2-unique each; Bob's classes share one value."""
    pool = people(4, ["flu", "gout", "cold", "flu"])
    one, two = published(pool, [[0, 1], [0, 2]], 2)[0], published(pool, [[0, 2]], 2)[0]
    chances = posteriors([one, two])
    assert chances["p000", "flu"] == 1.0


def test_the_example_of_the_paper_needs_two_counterfeits_at_most():
    """Tables 1 and 2 of Xiao & Tao: people leave and join, and everybody who stays keeps the signature."""
    first = pl.DataFrame(
        {
            "id": ["Bob", "Alice", "Andy", "David", "Gary", "Helen", "Jane", "Ken", "Linda", "Paul", "Steve"],
            "age": [21, 22, 24, 23, 41, 36, 37, 40, 43, 52, 56],
            "town": ["a"] * 11,
            "illness": ["dyspepsia", "bronchitis", "flu", "gastritis", "flu", "gastritis", "dyspepsia", "flu",
                        "gastritis", "dyspepsia", "gastritis"],
        }
    )  # fmt: skip
    second = pl.DataFrame(
        {
            "id": ["Bob", "David", "Emily", "Jane", "Linda", "Gary", "Mary", "Ray", "Steve", "Tom", "Vince"],
            "age": [21, 23, 25, 37, 43, 41, 46, 54, 56, 60, 65],
            "town": ["a"] * 11,
            "illness": ["dyspepsia", "gastritis", "flu", "dyspepsia", "gastritis", "flu", "gastritis", "dyspepsia",
                        "gastritis", "gastritis", "flu"],
        }
    )  # fmt: skip
    one = sf.publish(sf.Table(first, SCHEMA), sf.Republishing(), sf.MInvariance(2), seed=3)
    two = sf.publish(sf.Table(second, SCHEMA), sf.Republishing(), sf.MInvariance(2), previous=[one], seed=4)
    assert not (one.owner.rows < 0).any()
    assert (two.owner.rows < 0).sum() <= 2
    now, before = signatures(two), signatures(one)
    assert all(now[person] == before[person] for person in now.keys() & before.keys())


def test_whoever_comes_back_has_the_old_signature():
    pool = people(12, [ILLS[i % 4] for i in range(12)])
    one, _, three = published(pool, [range(12), range(4, 12), range(12)], 2)
    assert signatures(three) == signatures(one)


def test_counterfeits_cannot_be_told_from_their_class():
    pool = people(4, ["flu", "gout", "flu", "gout"])
    _, two = published(pool, [[0, 1, 2, 3], [0, 2]], 2)
    for _, rows in two.data.frame.group_by("group"):
        assert rows.select("age", "town").n_unique() == 1
    assert two.data.frame.columns == ["age", "town", "illness", "group"]


def test_a_seed_repeats_a_release_and_no_seed_does_not():
    data = table(people(60, [ILLS[i % 5] for i in range(60)]), range(60))
    same = [sf.publish(data, sf.Republishing(), sf.MInvariance(2), seed=5).data.frame for _ in range(2)]
    assert same[0].equals(same[1])
    assert not same[0].equals(sf.publish(data, sf.Republishing(), sf.MInvariance(2)).data.frame)


def test_what_it_cannot_publish_is_refused():
    pool = people(6, ["flu", "gout"] * 3)
    data = table(pool, range(6))
    assert_refused(
        data.with_schema(sf.Schema(quasi=["age"], sensitive=["illness"])), SchemaError, "no column is declared ident"
    )
    assert_refused(data.with_schema(sf.Schema(identifier=["id"], sensitive=["illness"])), SchemaError, "declared quasi")
    assert_refused(
        data.with_schema(sf.Schema(identifier=["id"], quasi=["age"])), SchemaError, "one sensitive column, and 0"
    )
    two = sf.Schema(identifier=["id"], quasi=["age"], sensitive=["illness", "town"])
    assert_refused(data.with_schema(two), SchemaError, "one sensitive column, and 2")
    plain = sf.Schema(identifier=["id"], quasi=["age"], sensitive=["illness"], plain=["town"])
    assert_refused(data.with_schema(plain), SchemaError, "column 'town' is plain")
    twice = sf.Table(pool.with_columns(id=pl.Series(["a", "a", "b", "c", "d", "e"])), SCHEMA)
    assert_refused(twice, DataError, "the identifier 'id' repeats: 2 rows have 1 of them")
    said = twice.with_schema(
        sf.Schema(identifier=["id"], quasi=["age", "town"], sensitive=["illness"], rows_are_persons=True)
    )
    assert_refused(said, DataError, "column 'id' identifies people, and 1 rows repeat")
    lacking = sf.Table(pool.with_columns(id=pl.Series(["a", None, "b", "c", "d", "e"])), SCHEMA)
    assert_refused(lacking, DataError, "column 'id' identifies people, and 1 rows have no value")
    assert_refused(data, ParameterError, "keeps MInvariance and nothing else", promise=sf.KAnonymity(2))
    assert_refused(
        data, ParameterError, "keeps MInvariance and nothing else", promise=sf.MInvariance(2) & sf.KAnonymity(2)
    )
    with pytest.raises(ParameterError, match="keeps MInvariance and nothing else, got None"):
        sf.publish(data, sf.Republishing())
    assert_refused(sf.Table(pool.head(0), SCHEMA), DataError, "no row can be published")


@pytest.mark.parametrize(
    ("parameters", "match"),
    [({"counterfeits": -0.1}, "counterfeits must be a share"), ({"counterfeits": True}, "counterfeits must be"),
     ({"changed": "neu"}, "changed must be one of refuse, new, got 'neu'")],
)  # fmt: skip
def test_parameters_are_checked(parameters, match):
    with pytest.raises(ParameterError, match=match):
        sf.Republishing(**parameters)


def test_more_counterfeits_than_allowed_are_refused():
    data = table(people(10, ["flu"] * 9 + ["gout"]), range(10))
    assert_refused(data, InfeasibleError, "takes 8 counterfeits beside 10 records, more than counterfeits=0.25 allows")
    assert sf.publish(data, sf.Republishing(counterfeits=0.8), sf.MInvariance(2)).verdict.holds


def test_a_value_that_changed_is_refused_or_a_new_person():
    pool = people(8, ["flu", "gout", "cold", "HIV"] * 2)
    first = published(pool, [range(8)], 2)
    changed = sf.Table(pool.with_columns(illness=pl.Series(["HIV", *pool["illness"][1:]])), SCHEMA)
    assert_refused(changed, DataError, "column 'illness': 1 person has a value that is not among", previous=first)
    method = sf.Republishing(changed="new", counterfeits=10)
    second = sf.publish(changed, method, sf.MInvariance(2), previous=first, seed=1)
    assert second.verdict.holds
    assert second.verdict.found[-1] == (
        "over 1 earlier release: whoever was published again is among the same values, unless their value had changed"
    )
    stripped = [replace(each, owner=replace(each.owner, original=None)) for each in (*first, second)]
    assert sf.verify(stripped[1], previous=stripped[:1]).found == second.verdict.found


def test_a_value_that_changed_within_the_signature_changes_nothing():
    pool = people(4, ["flu", "gout", "flu", "gout"])
    first = published(pool, [range(4)], 2)
    changed = sf.Table(pool.with_columns(illness=pl.Series(["gout", "gout", "flu", "gout"])), SCHEMA)
    second = sf.publish(changed, sf.Republishing(counterfeits=1), sf.MInvariance(2), previous=first, seed=1)
    assert signatures(second) == signatures(first[0])


def test_a_larger_m_than_before_is_refused():
    pool = people(8, ["flu", "gout", "cold", "HIV"] * 2)
    first = published(pool, [range(8)], 2)
    assert_refused(
        table(pool, range(8)),
        ParameterError,
        "people were published among 2 values, and keep these",
        promise=sf.MInvariance(4),
        previous=first,
    )
    third = sf.publish(table(pool, range(8)), sf.Republishing(), sf.MInvariance(2), previous=first, seed=1)
    assert third.verdict.holds


def test_rows_that_lack_a_value_are_withheld():
    pool = people(9, ["flu", "gout", "cold"] * 3).with_columns(age=pl.Series([None, *range(31, 39)]))
    schema = sf.Schema(identifier=["id"], quasi=["age"], sensitive=["illness"], missing="withhold")
    release = sf.publish(table(pool, range(9), schema), sf.Republishing(counterfeits=1), sf.MInvariance(3), seed=1)
    assert release.public["withheld_rows"] == 1
    assert (release.owner.rows < 0).sum() == 1
    assert sf.measure(release)["withheld_rows"] == 1
    assert "p000" not in signatures(release)
