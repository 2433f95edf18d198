"""What a group's draws keep: frequencies, missing values, means; and what they do not depend on."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.randomness import Randomness
from sfumato.tables.condensing.drawing import Drawing, condense
from sfumato.tables.grouping.groups import Groups
from support.condensed_tables import stays


def small_table():
    frame = pl.DataFrame({
        "x": [1.0, 2.0, 4.0, None, 50.0, 51.0, 55.0, 60.0],
        "n": [10, 11, 15, 12, 90, 91, 92, 99],
        "day": [dt.date(2024, 1, d) for d in (1, 2, 5, 9, 20, 21, 25, 31)],
        "c": ["a", "a", None, "b", "c", "c", "c", "d"],
        "s": ["p", "q", "r", "p", "q", "r", "p", "q"],
    })  # fmt: skip
    return sf.Table(frame, sf.Schema(quasi=["x", "n", "day", "c"], sensitive=["s"]))


def drawn_from(table, groups, drawing=None, seed=0, rows=None):
    rows = np.random.default_rng(1).permutation(len(table)) if rows is None else rows
    from sfumato.data.encoding import encode

    quasi = encode(table, table.schema.quasi)
    return condense(table, quasi, groups, rows, Randomness(seed), drawing or Drawing()), rows


def test_group_frequencies_and_missing_values_are_kept_exactly():
    table = small_table()
    groups = Groups(np.arange(8), np.array([0, 4, 8]))
    shown, rows = drawn_from(table, groups)
    columns = {column.name: column for column in shown.columns}
    for g, members in enumerate((range(4), range(4, 8))):
        here = np.flatnonzero(groups.of_row[rows] == g)
        assert sorted(columns["c"].gather(here).fill_null("").to_list()) == sorted(
            table.frame["c"].gather(list(members)).fill_null("").to_list()
        )
        assert columns["x"].gather(here).null_count() == (1 if g == 0 else 0)
    assert columns["n"].dtype == pl.Int64
    assert columns["day"].dtype == pl.Date


def test_draws_do_not_depend_on_which_member_is_which():
    table = small_table()
    groups = Groups(np.arange(8), np.array([0, 4, 8]))
    swapped = table.frame.with_columns(table.frame[name].gather([2, 0, 3, 1, 7, 6, 4, 5]) for name in ("x", "n", "day"))
    one, rows = drawn_from(table, groups, seed=8)
    other, _ = drawn_from(sf.Table(swapped, table.schema), groups, seed=8, rows=rows)
    for a, b in zip(one.columns[1:3], other.columns[1:3], strict=True):
        assert a.to_list() == b.to_list()


def test_means_of_groups_are_kept_when_asked():
    table = stays(200)
    release = sf.publish(table, sf.Condensation(keep_means=True), sf.KAnonymity(10), seed=1)
    kept = release.owner.files
    frame = release.data.frame.with_columns(kept["synthetic"]["group"])
    behind = table.frame.with_columns(kept["groups"]["group"])
    ours, theirs = (f.group_by("group").agg(pl.col("stay_days").sum()).sort("group") for f in (frame, behind))
    assert ours["stay_days"].to_list() == theirs["stay_days"].to_list()
    assert frame["age"].sum() == pytest.approx(behind["age"].sum(), abs=0.5 * len(ours))  # some groups are joined
    plain = sf.publish(table, sf.Condensation(), sf.KAnonymity(10), seed=1)
    assert plain.data.frame["stay_days"].sum() != table.frame["stay_days"].sum()


def test_more_or_fewer_rows_stand_for_no_record_of_their_own():
    table = stays(100)
    for alpha in (0.05, 2.0, 3.3):
        release = sf.publish(table, sf.Condensation(alpha=alpha), sf.KAnonymity(10), seed=2)
        sizes = np.bincount(release.owner.files["groups"]["group"].to_numpy())
        drawn = np.bincount(release.owner.files["synthetic"]["group"].to_numpy())
        assert drawn.tolist() == np.maximum(1, np.rint(alpha * sizes)).astype(int).tolist()
        assert (release.owner.rows == -1).all()
        assert len(release.owner.rows) == len(release.data) == drawn.sum()
    assert (sf.publish(table, sf.Condensation(), sf.KAnonymity(10)).owner.rows >= 0).all()


def test_noise_moves_values_by_no_more_than_its_share_of_the_range():
    frame = pl.DataFrame({"x": [0.0] * 20 + [10.0] * 20, "s": ["a", "b"] * 20})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    release = sf.publish(table, sf.Condensation(noise=0.1), sf.KAnonymity(20), seed=1)
    away = np.minimum(np.abs(release.data.frame["x"].to_numpy()), np.abs(release.data.frame["x"].to_numpy() - 10))
    assert 0.5 < away.max() <= 1.0


def test_codes_under_a_hierarchy_are_dealt_and_not_averaged():
    zips = [10115 + i for i in range(40)]
    table = sf.Table(
        pl.DataFrame({"zip": zips, "x": np.arange(40.0)}),
        sf.Schema(quasi=["zip", "x"], hierarchies={"zip": sf.Hierarchy.prefixes(5)}),
    )
    release = sf.publish(table, sf.Hilbert(show="condensed"), sf.KAnonymity(4), seed=1)
    assert sorted(map(str, release.data.frame["zip"].to_list())) == sorted(map(str, zips))
    assert sf.verify(release, table).holds
