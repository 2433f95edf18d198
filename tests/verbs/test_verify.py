"""`verify`: of frames, tables and releases, and what it asks for."""

import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError, SchemaError
from support.starred_tables import STARRED


def test_pandas_and_tables_are_taken_too():
    assert sf.verify(STARRED.to_pandas(), promise=sf.KAnonymity(1), quasi=["age"]).holds
    table = sf.Table(STARRED, sf.Schema(quasi=["zip"], sensitive=["d"]))
    assert sf.verify(table, promise=sf.LDiversity(2)).holds
    assert not sf.verify(table, promise=sf.LDiversity(2.5)).holds


def test_a_table_without_rows_or_only_suppressed_ones_breaks_nothing():
    assert sf.verify(STARRED.head(0), promise=sf.KAnonymity(2), quasi=["age"]).holds
    hidden = pl.DataFrame({"x": ["*", "*"], "s": ["a", "b"]})
    promise = sf.KAnonymity(5) & sf.LDiversity(2) & sf.TCloseness(0.1)
    assert sf.verify(hidden, promise=promise, quasi=["x"], sensitive=["s"]).holds


def test_bad_calls_say_what_is_missing():
    with pytest.raises(SchemaError, match="no column 'agee'; did you mean 'age'"):
        sf.verify(STARRED, promise=sf.KAnonymity(2), quasi=["agee"])
    with pytest.raises(ParameterError, match="needs the promise"):
        sf.verify(STARRED, quasi=["age"])
    with pytest.raises(ParameterError, match="needs the quasi-identifiers"):
        sf.verify(STARRED, promise=sf.KAnonymity(2))
    with pytest.raises(ParameterError, match="needs a sensitive column"):
        sf.verify(STARRED, promise=sf.LDiversity(2), quasi=["age"])


def test_verify_of_a_release_takes_other_columns():
    frame = pl.DataFrame({"age": [1, 1, 2, 2], "job": list("abcd"), "d": list("xyxy")})
    table = sf.Table(frame, sf.Schema(quasi=["age"], sensitive=["d"], plain=["job"]))
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(2))
    assert not sf.verify(release, promise=sf.KAnonymity(2), quasi=["age", "job"])
    with pytest.raises(SchemaError, match="nope"):
        sf.verify(release, promise=sf.LDiversity(2), sensitive=["nope"])
    with pytest.raises(ParameterError, match="named twice"):
        sf.verify(frame, promise=sf.KAnonymity(2), quasi=["age", "age"])


@pytest.mark.parametrize("given", [3, "age", [], ["age", "age"], object()])
def test_quasi_identifiers_are_a_list_of_columns(given):
    frame = pl.DataFrame({"age": [1, 1, 2, 2], "d": list("xyxy")})
    release = sf.publish(sf.Table(frame, sf.Schema(quasi=["age"], sensitive=["d"])), sf.Mondrian(), sf.KAnonymity(2))
    for published in (frame, release):  # of no quasi-identifier everything would hold
        with pytest.raises(ParameterError):
            sf.verify(published, promise=sf.KAnonymity(4), quasi=given)


@pytest.mark.parametrize("name", ["sensitive", "cells", "signed_by", "population"])
def test_what_is_given_is_of_its_type(name):
    frame = pl.DataFrame({"age": [1, 1, 2, 2], "d": list("xyxy")})
    release = sf.publish(sf.Table(frame, sf.Schema(quasi=["age"], sensitive=["d"])), sf.Mondrian(), sf.KAnonymity(2))
    for wrong in (3, object(), {"a": 1}):
        with pytest.raises(ParameterError, match=name):
            sf.verify(release, **{name: wrong})
