import json
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from republished_tables import (
    SCHEMA,
    classes_of,
    least_counterfeits,
    people,
    posteriors,
    published,
    signatures,
    table,
)

import sfumato as sf
from sfumato.ground.errors import DataError, InfeasibleError, ParameterError, ReleaseError, SchemaError
from sfumato.tables.republishing.assignment import assign, most_often
from sfumato.tables.republishing.buckets import Bucket
from sfumato.tables.republishing.split import split

ILLS = ["flu", "gout", "cold", "HIV", "mumps"]


@st.composite
def sequences(draw, most=14, n_values=5):
    """A pool of people with values, and who is in each release."""
    n = draw(st.integers(1, most))
    values = draw(st.lists(st.sampled_from(ILLS[:n_values]), min_size=n, max_size=n))
    stays = draw(st.lists(st.sets(st.integers(0, n - 1), min_size=1), min_size=1, max_size=4))
    return people(n, values), [sorted(stay) for stay in stays], draw(st.integers(2, 3))


def known_values(pool, stays):
    return {value for stay in stays for value in pool["illness"].gather(stay)}


# -- every release, and the sequence ---------------------------------------------------------------------------------


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


def test_a_value_that_everybody_left_is_shown_by_counterfeits():
    pool = people(4, ["flu", "gout", "flu", "gout"])
    one, two = published(pool, [[0, 1, 2, 3], [0, 2]], 2)
    assert Counter(two.data.frame["illness"]) == {"flu": 2, "gout": 2}
    assert two.files["counterfeits"]["count"].to_list() == [1, 1]
    assert signatures(two) == {"p000": frozenset({"flu", "gout"}), "p002": frozenset({"flu", "gout"})}
    assert "2 of 4 rows are counterfeits" in two.verdict.found
    assert "0 of 4 rows are counterfeits" in one.verdict.found


def test_new_people_stand_in_before_counterfeits_do():
    pool = people(6, ["flu", "gout", "flu", "gout", "gout", "gout"])
    _, two = published(pool, [[0, 1, 2, 3], [0, 2, 4, 5]], 2)
    assert not (two.owner.rows < 0).any()


def test_whoever_comes_back_has_the_old_signature():
    pool = people(12, [ILLS[i % 4] for i in range(12)])
    one, _, three = published(pool, [range(12), range(4, 12), range(12)], 2)
    assert signatures(three) == signatures(one)


def test_the_latest_release_alone_tells_everybodys_signature():
    pool = people(12, [ILLS[i % 4] for i in range(12)])
    one, two = published(pool, [range(12), range(4, 12)], 2)
    three = sf.publish(table(pool, range(12)), sf.Republishing(), sf.MInvariance(2), previous=[two], seed=9)
    assert signatures(three) == signatures(one)
    assert three.public["republication"]["release"] == 3
    assert sf.verify(three, previous=[one, two]).holds


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


def test_near_people_share_a_class():
    """Two clusters: no class may span both."""
    pool = pl.DataFrame(
        {"id": range(24), "age": [20 + i % 6 for i in range(12)] + [70 + i % 6 for i in range(12)],
         "town": ["a"] * 24, "illness": [ILLS[i % 3] for i in range(24)]}
    )  # fmt: skip
    release = sf.publish(sf.Table(pool, SCHEMA), sf.Republishing(), sf.MInvariance(3), seed=1)
    ages = release.owner.original.frame["age"]
    for number in set(release.data.frame["group"]):
        behind = ages.gather(release.owner.rows[(release.data.frame["group"] == number).to_numpy()])
        assert behind.max() - behind.min() < 10


# -- what is refused -------------------------------------------------------------------------------------------------


def refused(data, error, match, method=None, promise=None, previous=()):
    with pytest.raises(error, match=match) as caught:
        sf.publish(data, method or sf.Republishing(), promise or sf.MInvariance(2), previous=previous)
    assert "\n" not in str(caught.value)


def test_what_it_cannot_publish_is_refused():
    pool = people(6, ["flu", "gout"] * 3)
    data = table(pool, range(6))
    refused(
        data.with_schema(sf.Schema(quasi=["age"], sensitive=["illness"])), SchemaError, "no column is declared ident"
    )
    refused(data.with_schema(sf.Schema(identifier=["id"], sensitive=["illness"])), SchemaError, "declared quasi")
    refused(data.with_schema(sf.Schema(identifier=["id"], quasi=["age"])), SchemaError, "one sensitive column, and 0")
    two = sf.Schema(identifier=["id"], quasi=["age"], sensitive=["illness", "town"])
    refused(data.with_schema(two), SchemaError, "one sensitive column, and 2")
    plain = sf.Schema(identifier=["id"], quasi=["age"], sensitive=["illness"], plain=["town"])
    refused(data.with_schema(plain), SchemaError, "column 'town' is plain")
    twice = sf.Table(pool.with_columns(id=pl.Series(["a", "a", "b", "c", "d", "e"])), SCHEMA)
    refused(twice, DataError, "column 'id' identifies people, and 1 rows repeat")
    lacking = sf.Table(pool.with_columns(id=pl.Series(["a", None, "b", "c", "d", "e"])), SCHEMA)
    refused(lacking, DataError, "column 'id' identifies people, and 1 rows have no value")
    refused(data, ParameterError, "keeps MInvariance and nothing else", promise=sf.KAnonymity(2))
    refused(data, ParameterError, "keeps MInvariance and nothing else", promise=sf.MInvariance(2) & sf.KAnonymity(2))
    with pytest.raises(ParameterError, match="keeps MInvariance and nothing else, got None"):
        sf.publish(data, sf.Republishing())
    refused(sf.Table(pool.head(0), SCHEMA), DataError, "no row can be published")


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
    refused(data, InfeasibleError, "takes 8 counterfeits beside 10 records, more than counterfeits=0.25 allows")
    assert sf.publish(data, sf.Republishing(counterfeits=0.8), sf.MInvariance(2)).verdict.holds


def test_a_value_that_changed_is_refused_or_a_new_person():
    pool = people(8, ["flu", "gout", "cold", "HIV"] * 2)
    first = published(pool, [range(8)], 2)
    changed = sf.Table(pool.with_columns(illness=pl.Series(["HIV", *pool["illness"][1:]])), SCHEMA)
    refused(changed, DataError, "column 'illness': 1 person has a value that is not among", previous=first)
    method = sf.Republishing(changed="new", counterfeits=10)
    second = sf.publish(changed, method, sf.MInvariance(2), previous=first, seed=1)
    assert second.verdict.holds
    assert second.verdict.found[-1] == (
        "over 1 earlier release: whoever was published again is among the same values, unless their value had changed"
    )
    stripped = [
        sf.release.replace(each, owner=sf.release.replace(each.owner, original=None)) for each in (*first, second)
    ]
    assert sf.verify(stripped[1], previous=stripped[:1]).found == second.verdict.found


def test_the_certificate_does_not_tell_how_many_changed_or_came_again(tmp_path):
    """What it tells of the sequence is the same whether somebody changed or not, and whoever came again."""
    pool = people(8, ["flu", "gout", "cold", "HIV"] * 2)
    first = published(pool, [range(8)], 2)
    method = sf.Republishing(changed="new", counterfeits=10)
    changed = pool.with_columns(illness=pl.Series(["HIV", *pool["illness"][1:]]))
    told = set()
    for i, frame in enumerate((pool, changed, pool.tail(5))):
        release = sf.publish(sf.Table(frame, SCHEMA), method, sf.MInvariance(2), previous=first, seed=1)
        folder = release.save(tmp_path / f"out{i}", report=False)
        told.add(json.loads((folder / "release.json").read_text())["verdict"]["found"][-1])
    assert len(told) == 1


def test_a_value_that_changed_within_the_signature_changes_nothing():
    pool = people(4, ["flu", "gout", "flu", "gout"])
    first = published(pool, [range(4)], 2)
    changed = sf.Table(pool.with_columns(illness=pl.Series(["gout", "gout", "flu", "gout"])), SCHEMA)
    second = sf.publish(changed, sf.Republishing(counterfeits=1), sf.MInvariance(2), previous=first, seed=1)
    assert signatures(second) == signatures(first[0])


def test_the_owner_does_not_keep_whose_value_is_whose():
    kept = published(people(8, ["flu", "gout"] * 4), [range(8)], 2)[0].owner.files
    assert kept["people"].columns == ["person", "group", "signature", "since"]
    assert set(kept["people"]["signature"]) == {'["flu", "gout"]'}
    assert kept["values"]["text"].to_list() == ["flu", "gout"]


def test_a_larger_m_than_before_is_refused():
    pool = people(8, ["flu", "gout", "cold", "HIV"] * 2)
    first = published(pool, [range(8)], 2)
    refused(
        table(pool, range(8)),
        ParameterError,
        "people were published among 2 values, and keep these",
        promise=sf.MInvariance(4),
        previous=first,
    )
    third = sf.publish(table(pool, range(8)), sf.Republishing(), sf.MInvariance(2), previous=first, seed=1)
    assert third.verdict.holds


def test_earlier_releases_must_have_their_owners_part_and_column():
    pool = people(8, ["flu", "gout", "cold", "HIV"] * 2)
    (first,) = published(pool, [range(8)], 2)
    stripped = sf.release.replace(first, owner=None)
    refused(table(pool, range(8)), ReleaseError, "has no owner's part", previous=[stripped])
    other = sf.Schema(identifier=["id"], quasi=["age"], sensitive=["town"])
    refused(table(pool, range(8), other), SchemaError, "earlier releases protect 'illness'", previous=[first])


# -- truth -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def two():
    pool = people(20, [ILLS[i % 4] for i in range(16)] + ["flu"] * 4)
    return published(pool, [range(16), [*range(10), 16, 17, 18, 19]], 2)[1]


def altered(release, **columns):
    frame = release.data.frame.with_columns(**columns)
    return sf.release.replace(release, data=sf.Table(frame, release.data.schema))


def test_the_release_is_true(two):
    assert (two.owner.rows < 0).any()
    assert sf.verify(two, two.owner.original).holds
    alone = sf.verify(sf.release.replace(two, owner=None), two.owner.original)
    assert (alone.word, alone.broken) == ("not decided", ())  # the first release is not here


def test_wrong_values_are_found(two):
    real = int(np.flatnonzero(two.owner.rows >= 0)[0])
    shown = two.data.frame["illness"].to_list()
    shown[real] = "plague"
    verdict = sf.verify(altered(two, illness=pl.Series(shown)), two.owner.original)
    assert any("differs from the original in 1 rows" in text for text in verdict.broken)
    shown[:] = ["plague" if i < 12 else value for i, value in enumerate(two.data.frame["illness"])]
    without = sf.release.replace(altered(two, illness=pl.Series(shown)), owner=None)
    assert any("values more than the original holds" in text for text in sf.verify(without, two.owner.original).broken)


def test_counterfeits_that_are_not_told_are_found(two):
    none = sf.release.replace(two, files={"counterfeits": two.files["counterfeits"].head(0)})
    verdict = sf.verify(none, two.owner.original)
    assert any("another number of counterfeits than is told" in text for text in verdict.broken)


@pytest.mark.parametrize(
    ("files", "match"),
    [
        ({}, "the table 'counterfeits' is missing"),
        ({"counterfeits": pl.DataFrame({"group": [0]})}, "column 'count' is missing"),
        ({"counterfeits": pl.DataFrame({"group": [0], "count": [99]})}, "leave no person in their class"),
        ({"counterfeits": pl.DataFrame({"group": [999], "count": [1]})}, "leave no person in their class"),
        ({"counterfeits": pl.DataFrame({"group": [1, 0], "count": [1, 1]})}, "not in order"),
        ({"counterfeits": pl.DataFrame({"group": ["0"], "count": [1]})}, "must hold whole numbers"),
    ],
)  # fmt: skip
def test_tables_that_do_not_fit_are_found(two, files, match):
    verdict = sf.verify(sf.release.replace(two, files=files))
    assert not verdict.holds
    assert any(match in text for text in verdict.broken)


def test_one_number_for_two_classes_is_found(two):
    verdict = sf.verify(altered(two, group=pl.lit(0)))
    assert any("some number stands for rows that show different things" in text for text in verdict.broken)


# -- saved, measured, asked ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["parquet", "csv", "arrow"])
def test_a_saved_sequence_goes_on_without_the_originals(tmp_path, format):
    pool = people(24, list(range(4)) * 6).with_columns(illness=pl.Series(list(range(4)) * 6))
    pool = pool.with_columns(day=pl.lit("2024-02-01").str.to_date())
    schema = sf.Schema(identifier=["id"], quasi=["age", "day"], sensitive=["illness"])
    stays, folders = [range(16), range(6, 20), range(24)], []
    for i, stay in enumerate(stays):
        previous = [sf.load_release(folder) for folder in folders]
        data = table(pool, stay, schema)
        release = sf.publish(data, sf.Republishing(counterfeits=9), sf.MInvariance(3), previous=previous, seed=i)
        folders.append(release.save(tmp_path / f"out{i}", format=format, report=format == "parquet" and i == 2))
        loaded = sf.load_release(folders[-1])
        assert loaded.verdict.found == release.verdict.found
        assert sf.verify(loaded, data, previous=previous).holds
    text = (tmp_path / "out2" / "release.json").read_text()
    assert "p001" not in text
    assert "p001" not in "".join(path.read_bytes().decode("latin-1") for path in (tmp_path / "out2").iterdir())
    assert "over 2 earlier releases" in text


def test_the_report_says_that_some_rows_stand_for_nobody(tmp_path, two):
    page = (two.save(tmp_path / "out") / "report.html").read_text()
    assert "This release keeps its promise of 2-invariance" in page
    assert "among the same values in all of them" in page
    assert "Some rows may be counterfeits" in page
    assert "number of the class" in page


def test_losses_and_risks_are_measured(two):
    found = sf.measure(two)
    assert 0 < found["gcp"] < 1
    assert found["withheld_rows"] == 0
    assert found["counterfeits"] == int((two.owner.rows < 0).sum())
    assert sf.measure(sf.release.replace(two, owner=None))["counterfeits"] == found["counterfeits"]


@pytest.fixture(scope="module")
def half():
    """Three classes of one person and one counterfeit each."""
    pool = people(6, ["flu", "gout"] * 3).with_columns(age=pl.Series([20, 21, 40, 41, 60, 61]), town=pl.lit("Pisa"))
    return published(pool, [range(6), [0, 2, 4]], 2)[1]


@pytest.mark.parametrize("quasi", [None, ["age"], ["group"]])
def test_counterfeits_hide_nobody(half, quasi):
    assert half.files["counterfeits"]["count"].to_list() == [1, 1, 1]
    verdict = sf.verify(half, promise=sf.KAnonymity(2), quasi=quasi)
    assert verdict.reached == {"KAnonymity(k=2)": 1.0}
    assert "smallest class 1 in 3" in verdict.broken[0]
    assert "3 of 6 rows are counterfeits, which hide nobody" in verdict.found[-1]
    assert sf.verify(half, promise=sf.KAnonymity(1), quasi=quasi).holds
    assert not sf.verify(half, promise=sf.KAnonymity(4), quasi=["town"]).holds
    assert sf.verify(half, promise=sf.KAnonymity(3), quasi=["town"]).holds


def test_classes_by_a_column_that_tells_no_counterfeits_are_not_counted(half):
    verdict = sf.verify(half, promise=sf.KAnonymity(1), quasi=["illness"])
    assert verdict.broken == ("who shares a value of 'illness' is not decided where some rows are counterfeits",)


@pytest.mark.parametrize("owner", [True, False])
def test_risks_are_those_of_people(half, owner):
    """Everybody is alone among three; with the counterfeits it would be half of that."""
    found = sf.measure(half if owner else sf.release.replace(half, owner=None))
    assert found["prosecutor_max"] == found["prosecutor_average"] == found["marketer"] == 1.0
    assert found["average_class_size"] == 2.0
    assert sum("marketer's risk" in note for note in found.notes) == 1


def test_risks_in_a_population_are_those_of_people(half):
    population = half.owner.original.frame.select("age", "town")
    people_ = sf.Table(pl.concat([population] * 4), sf.Schema(quasi=["age", "town"]))
    found = sf.measure(half, population=people_)
    assert found["journalist_max"] == found["marketer"] == 0.25


def test_rows_that_lack_a_value_are_withheld():
    pool = people(9, ["flu", "gout", "cold"] * 3).with_columns(age=pl.Series([None, *range(31, 39)]))
    schema = sf.Schema(identifier=["id"], quasi=["age"], sensitive=["illness"], missing="withhold")
    release = sf.publish(table(pool, range(9), schema), sf.Republishing(counterfeits=1), sf.MInvariance(3), seed=1)
    assert release.public["withheld_rows"] == 1
    assert (release.owner.rows < 0).sum() == 1
    assert sf.measure(release)["withheld_rows"] == 1
    assert "p000" not in signatures(release)


def test_questions_have_answers_where_nobody_is_made_up(two):
    with pytest.raises(ParameterError, match="rows of this release are counterfeits"):
        sf.ask(two, "SELECT COUNT(*) FROM release")
    with pytest.raises(ParameterError, match="rows of this release are counterfeits"):
        two.sql()
    whole = published(people(8, ["flu", "gout"] * 4), [range(8)], 2)[0]
    assert sf.ask(whole, "SELECT COUNT(*) FROM release").value == 8


# -- steps -----------------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 9), min_size=2, max_size=6), st.integers(2, 4), st.data())
def test_as_many_are_taken_as_leave_the_rest_eligible(given_counts, m, data):
    counts = {value: count for value, count in enumerate(given_counts) if count}
    n = sum(counts.values())
    if len(counts) < m or m * max(counts.values()) > n:
        return
    size = data.draw(st.integers(m, len(counts)))
    signature = tuple(sorted(data.draw(st.permutations(sorted(counts)))[:size]))

    def eligible(times):
        left = {value: count - times * (value in signature) for value, count in counts.items()}
        return min(left.values()) >= 0 and m * max(left.values()) <= n - times * size

    times = most_often(counts, signature, m)
    assert eligible(times)
    assert not eligible(times + 1)


def test_everybody_new_is_dealt_out():
    fresh = {0: list(range(5)), 1: list(range(5, 9)), 2: list(range(9, 12)), 3: [12]}
    buckets = {}
    assign(buckets, fresh, 2, [0, 1, 2, 3])
    assert sorted(row for bucket in buckets.values() for rows in bucket.rows.values() for row in rows) == list(
        range(13)
    )
    assert sum(bucket.n_lacking for bucket in buckets.values()) == 0


def test_new_people_join_the_signatures_that_exist():
    buckets = {(0, 3): Bucket({0: [10], 3: [11]}), (1, 2): Bucket({1: [12], 2: [13]})}
    assign(buckets, {value: [value] for value in range(4)}, 2, [0, 1, 2, 3])
    assert {signature: bucket.height for signature, bucket in buckets.items()} == {(0, 3): 2, (1, 2): 2}


def test_the_split_cuts_where_extents_are_smallest():
    position = np.array([[0.0, 0.1, 0.9, 1.0, 0.05, 0.15, 0.95, 0.85], [0.3, 0.4, 0.5, 0.2, 0.3, 0.4, 0.5, 0.2]])
    members = np.array([[2, 0, 3, 1], [4, 6, 5, 7]])
    split(position, np.ones(2), members)
    for column in members.T:
        assert np.ptp(position[0, column]) < 0.2
