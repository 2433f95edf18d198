"""Samples of a large table: how many rows, which ones, with the domain of the whole, and what has no room."""

import datetime as dt

import polars as pl
import pytest

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.datasets import hospital
from sfumato.errors import ParameterError
from sfumato.verbs.comparing import samples
from sfumato.verbs.comparing.samples import check_room, drawn, n_sampled, sizes_of

TABLE = hospital(1000)


def large(n):
    return sf.Table(pl.DataFrame({"a": pl.int_range(n, eager=True)}), sf.Schema(quasi=["a"]))


def test_small_tables_are_looked_at_whole_and_large_ones_sampled():
    assert n_sampled(TABLE, None) is None
    assert n_sampled(large(200_000), None) is None
    assert n_sampled(large(200_001), None) == 60_000
    assert n_sampled(large(1_600_001), None) == 100_001  # no farther than by a factor of 16
    assert n_sampled(large(200_001), 200_001) is None
    assert n_sampled(large(200_001), 10**9) is None
    assert n_sampled(TABLE, 999) == 999
    assert n_sampled(TABLE, 1000) is None
    assert sizes_of(999) == (999, 499, 249)


def test_samples_are_repeated_by_the_seed_and_lie_within_each_other():
    one, two = drawn(TABLE, 800, b"1"), drawn(TABLE, 400, b"1")
    assert one.frame.head(400).equals(two.frame)
    assert one.frame.n_unique() == 800
    assert not drawn(TABLE, 400, b"2").frame.equals(two.frame)
    assert one.frame.join(TABLE.frame, on=TABLE.columns, how="semi", nulls_equal=True).height == 800


def test_losses_are_shares_of_what_the_whole_table_has():
    frame = pl.DataFrame({
        "n": [0.0, 1000.0, *(float(i) for i in range(98))], "c": [f"v{i}" for i in range(100)],
        "day": [dt.date(2020, 1, 1) + dt.timedelta(days=i) for i in range(100)],
        "bounded": list(range(100)), "one": [1] * 100,
    })  # fmt: skip
    schema = sf.Schema(quasi=frame.columns).with_columns(sf.Column(name="bounded", role="quasi", low=-5, high=500))
    table = sf.Table(frame, schema)
    part = drawn(table, 50, b"1")
    column = part.schema.column
    assert (column("n").low, column("n").high) == (0.0, 1000.0)
    assert (column("day").low, column("day").high) == (dt.date(2020, 1, 1), dt.date(2020, 4, 9))
    assert (column("bounded").low, column("bounded").high) == (-5, 500)
    assert column("one").low is None
    assert next(each for each in encode(part, ["c"])).n_codes == 100
    assert drawn(table, 100, b"1").schema.column("c").order == tuple(sorted(frame["c"]))


def test_the_domain_of_the_whole_changes_no_release_of_it():
    whole = drawn(TABLE, 1000, b"1")
    plain = TABLE.rows(samples.Randomness(b"1").spawn("compare: samples").permutation(1000))
    one, two = (sf.publish(each, sf.Mondrian(), sf.KAnonymity(5), seed=1) for each in (whole, plain))
    assert one.data.frame.equals(two.data.frame)


@pytest.mark.parametrize(
    ("data", "sample", "message"),
    [
        (TABLE, 0, "sample must be"),
        (TABLE, 2.5, "sample must be"),
        (TABLE, True, "sample must be"),
        (TABLE, "all", "sample must be"),
        (TABLE, 399, "sample must be 400 rows or more, got 399; leave it out"),
        (sf.Baskets.from_lists([["a"]]), 500, "only tables are compared on samples, and the data are Baskets; leave"),
        (sf.Graph.from_edges([0], [1]), 500, "only tables are compared on samples, and the data are Graph; leave"),
    ],
)
def test_a_bad_sample_is_told(data, sample, message):
    with pytest.raises(ParameterError, match=message):
        n_sampled(data, sample)


def test_a_sample_has_room_for_the_classes_of_its_quarter():
    check_room(800, [sf.KAnonymity(10), sf.KAnonymity(5) & sf.LDiversity(3)])
    with pytest.raises(ParameterError, match=r"sample must be 800 rows or more for KAnonymity\(k=10\), got 799; give"):
        check_room(799, [sf.KAnonymity(2), sf.KAnonymity(10)])
