import numpy as np
import polars as pl
import pytest
from republished_tables import people, published, table

import sfumato as sf
from sfumato.ground.errors import ParameterError, ReleaseError
from sfumato.privacy.promise import promise_from_dict


def checked(groups, m, sensitive="illness"):
    rows = [(name, value) for name, values in groups.items() for value in values]
    frame = pl.DataFrame(rows, schema=["group", sensitive], orient="row")
    return sf.verify(frame, promise=sf.MInvariance(m), quasi=["group"], sensitive=[sensitive])


def test_classes_of_m_different_values_hold():
    verdict = checked({"a": ["flu", "gout", "cold"], "b": ["flu", "gout", "cold", "HIV"]}, 3)
    assert verdict.holds
    assert verdict.found == ("smallest class 3 in 2, all values of 'illness' in it different",)
    assert verdict.reached == {"MInvariance(m=3)": 3.0}


def test_a_class_that_is_too_small_does_not():
    verdict = checked({"a": ["flu", "gout"], "b": ["flu", "gout", "cold"]}, 3)
    assert not verdict.holds
    assert "smallest class 2 in 2" in verdict.broken[0]
    assert "group=a" in verdict.broken[0]


def test_a_value_twice_is_no_class_however_large():
    verdict = checked({"a": ["flu", "flu", "gout", "cold", "HIV", "mumps"], "b": ["flu", "gout"]}, 2)
    assert not verdict.holds
    assert verdict.reached == {"MInvariance(m=2)": 0.0}
    assert "1 of 2 classes show a value of 'illness' more than once" in verdict.broken[0]
    assert "group=a" in verdict.broken[0]


def test_a_missing_value_is_a_value():
    assert checked({"a": ["flu", None]}, 2).holds
    assert not checked({"a": ["flu", None, None]}, 2).holds


@pytest.mark.parametrize("m", [1, 0, 2.0, True, "2"])
def test_m_is_a_whole_number_from_two(m):
    with pytest.raises(ParameterError, match="m must be a whole number >= 2"):
        sf.MInvariance(m)


def test_it_speaks_of_one_sensitive_column():
    frame = pl.DataFrame({"q": [1, 1], "s": ["a", "b"], "t": ["a", "b"]})
    with pytest.raises(ParameterError, match="one sensitive column, and there are 2"):
        sf.verify(frame, promise=sf.MInvariance(2), quasi=["q"], sensitive=["s", "t"])


def test_other_methods_refuse_it():
    data = table(people(12, ["flu", "gout", "cold"] * 4), range(12))
    with pytest.raises(ParameterError, match="kept by Republishing alone"):
        sf.publish(data, sf.Mondrian(), sf.MInvariance(2))


def test_it_is_written_and_read():
    assert promise_from_dict(sf.MInvariance(4).to_dict()) == sf.MInvariance(4)
    assert promise_from_dict({"name": "MInvariance", "m": 3}) == sf.MInvariance(3)


def test_the_limit_counts_values():
    data = table(people(4, ["flu", "gout", "flu", "gout"]), range(4))
    with pytest.raises(sf.errors.InfeasibleError, match="3 different values of column 'illness', and 2 are known"):
        sf.publish(data, sf.Republishing(), sf.MInvariance(3))


# -- over releases ---------------------------------------------------------------------------------------------------


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
    alone = sf.release.replace(three[2], owner=None)
    verdict = sf.verify(alone)
    assert verdict.word == "not decided"  # whether people keep their values was not seen
    assert verdict.undecided == ("MInvariance(m=2) over the sequence",)
    assert "release 3 of its sequence, decided alone" in verdict.decisions[0]
    assert sf.verify(three[0]).holds
    assert "the first of its sequence" in sf.verify(three[0]).decisions[0]


def test_a_sequence_without_the_owners_parts_is_not_decided(three):
    verdict = sf.verify(three[2], previous=[sf.release.replace(three[0], owner=None), three[1]])
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
    merged = sf.release.replace(three[0], data=sf.Table(frame, three[0].data.schema))
    verdict = sf.verify(three[1], previous=[merged])
    assert not verdict.holds


def test_an_earlier_release_with_smaller_classes_breaks_it(pool):
    small, large = published(pool, [range(12)], 2)[0], published(pool, [range(20, 40)], 3)[0]
    assert sf.verify(large, previous=[]).holds
    verdict = sf.verify(large, previous=[small])
    assert verdict.broken == (
        "release 1 of the sequence: smallest class 2 in 6, all values of 'illness' in it different",
    )


def test_whoever_comes_back_among_other_values_breaks_it():
    pool = people(8, ["flu", "gout", "cold", "HIV"] * 2)
    one = published(pool, [range(4)], 4)[0]
    two, three = published(pool, [range(4, 8), range(4)], 2)  # which know nothing of the first
    verdict = sf.verify(three, promise=sf.MInvariance(2), previous=[one, two])
    assert "4 people of release 3 were shown among other values before" in verdict.broken[0]


def with_people(release, people, original):
    kept = {**release.owner.files, "people": people}
    return sf.release.replace(release, owner=sf.release.replace(release.owner, files=kept, original=original))


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
    allows = sf.release.replace(forged, method={**forged.method, "changed": "new"})
    assert sf.verify(allows, previous=three[:1]).holds


def test_a_number_that_no_sequence_has_is_found(three):
    for number in (0, 10**30, True, "2"):
        told = {**three[1].public["republication"], "release": number}
        forged = sf.release.replace(three[1], public={**three[1].public, "republication": told})
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
