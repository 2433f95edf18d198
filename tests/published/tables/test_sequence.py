"""A release of a sequence: decided alone and over all releases, and counterfeits hide nobody."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError, ReleaseError
from support.republished_tables import SCHEMA, half_counterfeits, people, published, table


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


@pytest.fixture(scope="module")
def half():
    return half_counterfeits()


@pytest.mark.parametrize("quasi", [None, ["age"], ["group"]])
def test_counterfeits_hide_nobody(half, quasi):
    assert half.files["counterfeits"]["count"].to_list() == [1, 1, 1]
    verdict = sf.verify(half, promise=sf.KAnonymity(2), quasi=quasi)
    assert verdict.reached == {"KAnonymity(k=2)": 1.0}
    assert "smallest class 1 in 3 classes" in verdict.broken[0]
    assert "3 of 6 rows are counterfeits, which hide nobody" in verdict.found[-1]
    assert sf.verify(half, promise=sf.KAnonymity(1), quasi=quasi).holds
    assert not sf.verify(half, promise=sf.KAnonymity(4), quasi=["town"]).holds
    assert sf.verify(half, promise=sf.KAnonymity(3), quasi=["town"]).holds


def test_classes_by_a_column_that_tells_no_counterfeits_are_not_counted(half):
    verdict = sf.verify(half, promise=sf.KAnonymity(1), quasi=["illness"])
    assert verdict.broken == ("who shares a value of 'illness' is not decided where some rows are counterfeits",)


@pytest.fixture(scope="module")
def pool():
    return people(40, [["flu", "gout", "cold", "HIV"][i % 4] for i in range(40)])


@pytest.fixture(scope="module")
def three(pool):
    return published(pool, [range(24), range(4, 30), range(8, 40)], 2)


def test_a_sequence_holds_and_says_nothing_of_how_many_came_again(three):
    verdict = sf.verify(three[2], three[2].owner.original, previous=three[:2])
    assert verdict.holds
    assert verdict.found[-1] == "over 2 earlier releases: whoever was published again is among the same values"


def test_damage_of_an_earlier_release_breaks_the_sequence(tmp_path):
    """Two releases that know nothing of each other; the first is altered so that somebody's values seem to stay."""
    a, b = people(2, ["flu", "gout"]), people(2, ["flu", "cold"]).with_columns(id=pl.Series(["p000", "p009"]))
    folders = []
    for i, frame in enumerate((a, b)):
        release = sf.publish(table(frame, range(2)), sf.Republishing(), sf.MInvariance(2), seed=i)
        folders.append(release.save(tmp_path / f"out{i}" / "release", report=False))
    loaded = [sf.load_release(folder) for folder in folders]
    assert "1 person of release 2 was shown among other values before" in sf.verify(
        loaded[1], previous=loaded[:1]
    ).broken[0]  # fmt: skip
    data = folders[0] / "data.parquet"
    pl.read_parquet(data).with_columns(pl.col("illness").replace("gout", "cold")).write_parquet(data)
    verdict = sf.verify(loaded[1], previous=[sf.load_release(folders[0], check=False)])
    assert not verdict.holds
    assert verdict.broken[0].startswith("release 1 of the sequence: ")
    assert "data.parquet" in verdict.broken[0]
    assert not any("over 1 earlier release" in text for text in verdict.found)


def test_one_release_is_decided_alone_and_says_so(three):
    alone = replace(three[2], owner=None)
    verdict = sf.verify(alone)
    assert verdict.word == "not decided"  # whether people keep their values was not seen
    assert verdict.undecided == ("MInvariance(m=2) over the sequence",)
    assert "release 3 of its sequence, decided alone" in verdict.decisions[0]
    assert sf.verify(three[0]).holds
    assert "the first of its sequence" in sf.verify(three[0]).decisions[0]


def test_earlier_releases_that_are_not_those_before_it_decide_nothing(three):
    one, two, last = three
    for given in ([one], [two, one], [one, one, two], [last], [one, last]):
        verdict = sf.verify(last, previous=given)
        assert verdict.word == "not decided"
        assert verdict.undecided == ("MInvariance(m=2) over the sequence",)
        assert "release 3 of its sequence, and the earlier ones given are not those before it" in verdict.found[-1]
    assert sf.verify(one, previous=[two]).word == "not decided"
    latest = sf.verify(last, previous=[two])
    assert latest.holds
    assert latest.not_covered == ("1 earlier release of the sequence, not given here",)


def test_a_later_release_that_says_it_is_the_first(three):
    """Readers have its word alone; what the owner kept knows of people who were published before."""
    told = {**three[1].public["republication"], "release": 1}
    forged = replace(three[1], public={**three[1].public, "republication": told})
    forged = replace(forged, owner=replace(forged.owner, previous=()))
    assert "the first of its sequence, and what its owner kept knows of earlier ones" in sf.verify(forged).broken[0]
    reader = sf.verify(replace(forged, owner=None))
    assert reader.decisions[0] == "the first of its sequence, by its own word"
    assert not sf.verify(three[0]).broken


def test_a_sequence_without_the_owners_parts_is_not_decided(three):
    verdict = sf.verify(three[2], previous=[replace(three[0], owner=None), three[1]])
    assert not verdict.holds
    assert verdict.undecided == ("MInvariance(m=2) over the sequence",)
    assert not verdict.broken


def test_people_shown_among_other_values_break_the_sequence(pool):
    first = published(pool, [range(24)], 2)[0]
    again = published(pool, [range(40)], 3)[0]  # other signatures, as it does not go on from the first
    verdict = sf.verify(again, promise=sf.MInvariance(2), previous=[first])
    assert not verdict.holds
    assert "people of release 2 were shown among other values before" in verdict.broken[0]


def test_an_earlier_release_that_is_not_m_unique_breaks_it(three):
    group = three[0].data.frame["group"].to_numpy()
    frame = three[0].data.frame.with_columns(pl.Series("group", np.where(group == group.max(), 0, group)))
    merged = replace(three[0], data=sf.Table(frame, three[0].data.schema))
    verdict = sf.verify(three[1], previous=[merged])
    assert not verdict.holds


def test_an_earlier_release_with_smaller_classes_breaks_it(pool):
    small, large = published(pool, [range(12)], 2)[0], published(pool, [range(20, 40)], 3)[0]
    assert sf.verify(large, previous=[]).holds
    verdict = sf.verify(large, previous=[small])
    assert verdict.broken == (
        "release 1 of the sequence: smallest class 2 in 6 classes, all values of 'illness' in it different",
    )


def test_whoever_comes_back_among_other_values_breaks_it():
    pool = people(8, ["flu", "gout", "cold", "HIV"] * 2)
    one = published(pool, [range(4)], 4)[0]
    two, three = published(pool, [range(4, 8), range(4)], 2)  # which know nothing of the first
    verdict = sf.verify(three, promise=sf.MInvariance(2), previous=[one, two])
    assert "4 people of release 3 were shown among other values before" in verdict.broken[0]


def with_people(release, people, original):
    kept = {**release.owner.files, "people": people}
    return replace(release, owner=replace(release.owner, files=kept, original=original))


def test_an_owners_table_that_does_not_fit_breaks_it(three):
    people, original = three[1].owner.files["people"], three[1].owner.original
    here = people.with_columns(pl.col("person").shuffle(seed=1))
    for table_, known, match in (
        (people.tail(-8), original, "does not have as many in each class"),
        (people.drop("since"), original, "is damaged"),
        (here, original, "does not name those of the original"),
        (people, None, None),
    ):
        verdict = sf.verify(three[2], previous=[three[0], with_people(three[1], table_, known)])
        assert verdict.holds == (match is None)
        assert match is None or match in verdict.broken[0]


def test_nobody_is_said_to_be_new_whose_value_stays(three):
    new = three[1].owner.files["people"].with_columns(since=pl.lit(2, dtype=pl.Int64))
    verdict = sf.verify(three[1], previous=three[:1])
    assert verdict.holds
    verdict = sf.verify(with_people(three[1], new, three[1].owner.original), previous=three[:1])
    assert "20 people of release 2 were shown among other values before" in verdict.broken[0]


def test_nobody_is_new_in_a_release_that_refuses_changed_values(three):
    """Without the originals: a release made with changed='refuse' takes nobody for somebody new."""
    new = three[1].owner.files["people"].with_columns(since=pl.lit(2, dtype=pl.Int64))
    forged = with_people(three[1], new, None)
    assert "20 people of release 2 were shown among other values before" in sf.verify(
        forged, previous=three[:1]
    ).broken[0]  # fmt: skip
    allows = replace(forged, method={**forged.method, "changed": "new"})
    assert sf.verify(allows, previous=three[:1]).holds


def test_a_number_that_no_sequence_has_is_found(three):
    for number in (0, 10**30, True, "2"):
        told = {**three[1].public["republication"], "release": number}
        forged = replace(three[1], public={**three[1].public, "republication": told})
        assert "does not say which of the sequence it is" in sf.verify(forged, previous=three[:1]).broken[0]


@pytest.mark.parametrize("column", ["signature", "since"])
def test_a_damaged_table_of_people_is_one_sentence(pool, three, column):
    people_ = three[0].owner.files["people"].with_columns(pl.lit("[").alias(column))
    damaged = with_people(three[0], people_, None)
    with pytest.raises(ReleaseError, match="table of people in the owner's part of an earlier release is damaged"):
        sf.publish(table(pool, range(4, 30)), sf.Republishing(), sf.MInvariance(2), previous=[damaged])
    if column == "since":
        assert "is damaged" in sf.verify(three[1], previous=[damaged]).broken[0]


def test_previous_is_for_sequences(pool, three):
    data = table(pool, range(24))
    naive = sf.publish(data, sf.Mondrian(), sf.LDiversity(2), seed=1)
    with pytest.raises(ParameterError, match="previous is for releases that Republishing made"):
        sf.verify(naive, previous=[three[0]])
    with pytest.raises(ParameterError, match="takes no account of earlier releases"):
        sf.publish(data, sf.Mondrian(), sf.LDiversity(2), previous=[naive])
    with pytest.raises(ParameterError, match="previous takes releases that Republishing made"):
        sf.publish(data, sf.Republishing(), sf.MInvariance(2), previous=[naive])
    with pytest.raises(ParameterError, match="previous takes a list of releases"):
        sf.publish(data, sf.Republishing(), sf.MInvariance(2), previous=three[0])
    with pytest.raises(ParameterError, match="previous takes releases, got str"):
        sf.verify(three[1], previous=["out1"])
