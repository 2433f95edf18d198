"""`publish`: what is published of what was given, by a seed or none, and what is refused."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.contracts.method import Outcome
from sfumato.data.hierarchy_rules import Automatic
from sfumato.ground.errors import DataError, ParameterError, PromiseBrokenError, SchemaError
from sfumato.tables.grouping.groups import GroupingMethod, Groups
from support.forty_people import METHODS, forty_people
from support.tables_strategies import tables


@settings(max_examples=60)
@given(tables(max_rows=25), st.sampled_from(METHODS), st.integers(1, 4), st.sampled_from(["ranges", "means"]))
def test_every_release_is_verified_against_the_original(table, method, k, show):
    if k > len(table):
        return
    release = sf.publish(table, replace(method, show=show), sf.KAnonymity(k), seed=1)
    assert release.verdict.holds
    assert sf.verify(release, original=table).holds
    assert len(release.data) == len(table)
    assert sorted(release.owner.rows.tolist()) == list(range(len(table)))
    assert sf.verify(replace(release, owner=None), original=table).holds


def test_a_method_that_breaks_its_promise_publishes_nothing():
    class Careless(GroupingMethod, register=False):
        show = "ranges"

        def to_dict(self):
            return {"name": "Careless"}

        def groups(self, job):
            return Groups(np.arange(job.n_rows), np.array([0, 1, job.n_rows]))

    with pytest.raises(PromiseBrokenError, match=r"Careless broke its promise: KAnonymity\(k=4\): smallest class 1"):
        sf.publish(forty_people(), Careless(), sf.KAnonymity(4))


def test_a_method_that_lies_about_a_record_publishes_nothing():
    class Liar(sf.Mondrian, register=False):
        def run(self, table, promise, random, progress):
            outcome = super().run(table, promise, random, progress)
            return Outcome(frame=outcome.frame, rows=np.roll(outcome.rows, 1), public=outcome.public)

    with pytest.raises(PromiseBrokenError, match="differs from the original"):
        sf.publish(forty_people(), Liar(), sf.KAnonymity(4))


def test_identifiers_and_undeclared_columns_are_not_published():
    frame = forty_people().frame.with_columns(diary=pl.lit("secret"))
    schema = forty_people().schema
    release = sf.publish(sf.Table(frame, schema), sf.Mondrian(), sf.KAnonymity(4))
    assert release.data.columns == ["age", "zip", "job", "disease", "note"]
    kept = sf.Schema.of(schema.columns.values(), rest="plain")
    assert "diary" in sf.publish(sf.Table(frame, kept), sf.Mondrian(), sf.KAnonymity(4)).data.columns


def test_a_seed_repeats_the_release_and_none_does_not():
    first, again, other = (sf.publish(forty_people(), sf.Mondrian(), sf.KAnonymity(3), seed=s) for s in (7, 7, 8))
    assert first.data.frame.equals(again.data.frame)
    assert first.owner.rows.tolist() == again.owner.rows.tolist()
    assert first.owner.rows.tolist() != other.owner.rows.tolist()
    unseeded = [sf.publish(forty_people(), sf.Mondrian(), sf.KAnonymity(3)).owner.rows.tolist() for _ in range(2)]
    assert unseeded[0] != unseeded[1]


def test_published_rows_come_in_random_order():
    table = forty_people()
    places = np.array([sf.publish(table, sf.Hilbert(), sf.KAnonymity(3), seed=i).owner.rows for i in range(300)])
    first = np.bincount(places[:, 0], minlength=40)
    chi2 = ((first - 7.5) ** 2 / 7.5).sum()
    assert chi2 < 75  # 39 degrees of freedom, p below 1e-3


def test_row_order_and_the_input_do_not_matter():
    table = forty_people()
    before = table.frame.clone()
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(4), seed=1)
    assert table.frame.equals(before)
    turned = sf.Table(table.frame.reverse(), table.schema)
    again = sf.publish(turned, sf.Mondrian(), sf.KAnonymity(4), seed=1)
    key = ["age", "zip", "job", "disease", "note"]
    assert release.data.frame.sort(key).equals(again.data.frame.sort(key))


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
def test_the_release_comes_in_the_type_the_data_came_in(kind):
    frame = forty_people().frame
    native = {"polars": frame, "pandas": frame.to_pandas(), "pyarrow": frame.to_arrow()}[kind]
    release = sf.publish(sf.Table(native, forty_people().schema), sf.Mondrian(), sf.KAnonymity(4), seed=1)
    assert type(release.data.to_native()) is type(native)
    assert release.data.to_pandas().shape == (40, 5)
    assert release.data.to_arrow().num_rows == 40


def test_missing_values_are_values_or_refused_or_withheld():
    frame = pl.DataFrame({"age": [30, 31, None, None, 33, 34], "s": list("ababab")})
    value = sf.publish(sf.Table(frame, sf.Schema(quasi=["age"])), sf.Mondrian(), sf.KAnonymity(2), seed=1)
    shown = value.data.frame["age"].to_list()
    assert shown.count(None) == 2
    assert not any(text and "missing" in text for text in shown)
    mixed = sf.publish(sf.Table(frame, sf.Schema(quasi=["age"])), sf.Mondrian(), sf.KAnonymity(6), seed=1)
    assert set(mixed.data.frame["age"].to_list()) == {"[30, 34] or missing"}
    withheld = sf.publish(
        sf.Table(frame, sf.Schema(quasi=["age"], missing="withhold")), sf.Mondrian(), sf.KAnonymity(2)
    )
    assert len(withheld.data) == 4
    assert withheld.public["withheld_rows"] == 2
    assert sorted(withheld.owner.rows.tolist()) == [0, 1, 4, 5]
    with pytest.raises(DataError, match="2 missing values, first at row 3"):
        sf.Table(frame, sf.Schema(quasi=["age"], missing="refuse"))
    nothing = pl.DataFrame({"a": [1, None], "b": [None, 2]})
    with pytest.raises(DataError, match="every row lacks a value that the schema insists on"):
        sf.publish(sf.Table(nothing, sf.Schema(quasi=["a", "b"], missing="withhold")), sf.Mondrian(), sf.KAnonymity(1))


def test_bad_calls():
    table = forty_people()
    with pytest.raises(ParameterError, match="publish takes a Table, got DataFrame"):
        sf.publish(table.frame, sf.Mondrian(), sf.KAnonymity(2))
    with pytest.raises(ParameterError, match="method must be a method"):
        sf.publish(table, 7, sf.KAnonymity(2))
    with pytest.raises(ParameterError, match="promise must be a promise"):
        sf.publish(table, sf.Mondrian(), 5)
    with pytest.raises(ParameterError, match="Mondrian needs a promise"):
        sf.publish(table, sf.Mondrian())
    with pytest.raises(SchemaError, match="no column is declared quasi"):
        sf.publish(sf.Table(table.frame), sf.Mondrian(), sf.KAnonymity(2))
    with pytest.raises(ParameterError, match="show must be one of ranges, means"):
        sf.Mondrian(show="range")
    with pytest.raises(ParameterError, match="needs a sensitive column"):
        sf.publish(sf.Table(table.frame, sf.Schema(quasi=["age"])), sf.Mondrian(), sf.LDiversity(2))


def test_a_withheld_record_shows_in_no_figure():
    frame = pl.DataFrame({"age": [30, 31, 32, 33, 117], "zip": ["a", "a", "a", "a", None]})
    for hierarchy in (None, Automatic()):
        columns = [
            sf.Column(name="age", role="quasi", hierarchy=hierarchy),
            sf.Column(name="zip", role="quasi", missing="withhold"),
        ]
        release = sf.publish(sf.Table(frame, sf.Schema.of(columns)), sf.Mondrian(), sf.KAnonymity(4))
        assert "117" not in json.dumps(release.public)
        assert "118" not in json.dumps(release.public) + str(release.data.frame.rows())
        assert sf.verify(replace(release, owner=None), sf.Table(frame, sf.Schema.of(columns)))
        lost = sf.measure(release)
        assert lost.by_column["ncp"]["age"] == 1.0  # the four fill their own domain, the fifth is lost
        assert lost["withheld_rows"] == 1


def test_a_frame_in_the_wrong_place_is_named_and_not_printed():
    frame = pl.DataFrame({"a": [1, 1, 2, 2]})
    table = sf.Table(frame, sf.Schema(quasi=["a"]))
    for wrong in (
        lambda: sf.publish(table, frame),
        lambda: sf.publish(table, sf.Mondrian(), frame),
        lambda: sf.publish(table, sf.Mondrian(), sf.KAnonymity(2), previous=[frame]),
        lambda: sf.verify(frame, promise=frame),
    ):
        with pytest.raises(sf.errors.ParameterError, match="got DataFrame"):
            wrong()
    with pytest.raises(sf.errors.ParameterError, match="got 5"):
        sf.verify(frame, promise=5)
