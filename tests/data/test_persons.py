"""Whether rows are persons: identifiers that repeat, counted by hand."""

from __future__ import annotations

import datetime as dt
from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.persons import refuse_repeated_persons, repeated_identifiers
from sfumato.ground.errors import DataError

SCHEMA = sf.Schema(identifier=["patient"], quasi=["age"], sensitive=["ill"])


def visits(**more) -> pl.DataFrame:
    """Ten people with six visits each."""
    people = [i // 6 for i in range(60)]
    return pl.DataFrame(
        {"patient": people, "age": [20 + 3 * p for p in people], "ill": [f"v{i % 3}" for i in range(60)], **more}
    )


def test_ten_people_with_six_visits_each_are_refused():
    """Else k = 5 and l = 3 hold of classes of one person each, and show everybody exactly."""
    table = sf.Table(visits(), SCHEMA)
    with pytest.raises(DataError) as raised:
        sf.publish(table, sf.Mondrian(), sf.KAnonymity(5) & sf.LDiversity(3))
    said = str(raised.value)
    assert said.startswith("the identifier 'patient' repeats: 60 rows have 10 of them")
    assert "rows_are_persons = true" in said
    assert "\n" not in said


def test_the_owner_may_say_that_rows_are_persons():
    schema = sf.Schema(identifier=["patient"], quasi=["age"], sensitive=["ill"], rows_are_persons=True)
    release = sf.publish(sf.Table(visits(), schema), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    assert release.schema.rows_are_persons
    said = sf.publish(sf.Table(visits(), SCHEMA).rows(slice(0, 60, 6)), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    assert not said.schema.rows_are_persons


def test_identifiers_count_taken_together():
    both = sf.Schema(identifier=["patient", "visit"], quasi=["age"], sensitive=["ill"])
    release = sf.publish(sf.Table(visits(visit=list(range(60))), both), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    assert release.public["identifiers_repeat"] is True
    assert "patient" not in str(release.public)
    with pytest.raises(DataError, match="the identifiers 'patient', 'visit' repeat: 60 rows have 20 of them"):
        sf.publish(sf.Table(visits(visit=[i % 2 for i in range(60)]), both), sf.Mondrian(), sf.KAnonymity(5))
    alone = sf.Schema(identifier=["visit"], quasi=["age"], sensitive=["ill"])
    unique = sf.publish(sf.Table(visits(visit=list(range(60))), alone), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    assert "identifiers_repeat" not in unique.public


def test_rows_without_any_identifier_repeat_nobody():
    frame = visits().with_columns(patient=pl.when(pl.int_range(60) < 2).then(pl.lit(None)).otherwise(pl.int_range(60)))
    refuse_repeated_persons(sf.Table(frame, SCHEMA))
    part = frame.with_columns(visit=pl.lit(None, dtype=pl.String))
    refuse_repeated_persons(sf.Table(part, sf.Schema(identifier=["patient", "visit"], quasi=["age"])))


def test_rows_that_are_withheld_and_columns_nobody_declared_do_not_count():
    frame = visits().head(7).with_columns(age=pl.when(pl.int_range(7).is_in([0, 6])).then(pl.col("age")))
    strict = sf.Schema(identifier=["patient"], quasi=["age"], missing="withhold")
    refuse_repeated_persons(sf.Table(frame, strict))
    refuse_repeated_persons(sf.Table(visits(), sf.Schema(quasi=["age"])))


def test_baskets_and_graphs_have_no_identifiers():
    refuse_repeated_persons(sf.Baskets.from_lists([["a"], ["a"]]))
    refuse_repeated_persons(sf.Graph.from_edges([0], [1]))


def test_a_seeded_release_does_not_depend_on_what_is_said_of_rows():
    frame = visits().with_columns(patient=pl.int_range(60))
    schema = sf.Schema(identifier=["patient"], quasi=["age"], sensitive=["ill"], rows_are_persons=True)
    one, other = (sf.publish(sf.Table(frame, s), sf.Mondrian(), sf.KAnonymity(5), seed=3) for s in (SCHEMA, schema))
    assert one.data.frame.equals(other.data.frame)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from([1, 2, None])), max_size=12))
def test_counts_are_those_by_hand(rows):
    frame = pl.DataFrame(rows, schema={"name": pl.String, "number": pl.Int64}, orient="row")
    together, alone = repeated_identifiers(sf.Table(frame, sf.Schema(identifier=["name", "number"])))
    for found, keys in (
        (together, [row for row in rows if row != (None, None)]),
        (alone[0], [row[0] for row in rows if row[0] is not None]),
        (alone[1], [row[1] for row in rows if row[1] is not None]),
    ):
        shared = [n for n in Counter(keys).values() if n > 1]
        assert (found.n_rows, found.n_values) == (sum(shared), len(shared))


def test_identifiers_of_any_type_are_counted():
    n = 4
    frame = pl.DataFrame(
        {
            "list": [[1], [1], [2], None], "raw": [b"a", b"a", b"b", None], "none": [None] * n,
            "day": [dt.date(2024, 1, 1)] * 2 + [dt.date(2024, 1, 2), None], "flag": [True, True, False, None],
            "gap": [dt.timedelta(1)] * 2 + [dt.timedelta(2), None], "real": [0.0, -0.0, 1.5, None],
            "label": pl.Series(["x", "x", "y", None], dtype=pl.Categorical),
            "both": [{"a": 1}, {"a": 1}, {"a": 2}, None],
        }
    )  # fmt: skip
    for name in frame.columns:
        together, _ = repeated_identifiers(sf.Table(frame.select(name), sf.Schema(identifier=[name])))
        assert (together.n_rows, together.n_values) == ((0, 0) if name == "none" else (2, 1)), name
