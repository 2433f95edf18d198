"""Tables of ages and sexes, releases that show given cells of them, and samples of a population."""

import functools
from dataclasses import replace

import polars as pl

import sfumato as sf
from sfumato.datasets import hospital

QUASI = sf.Schema(quasi=["age", "sex"])


def table_of(rows, schema=QUASI):
    return sf.Table(pl.DataFrame(rows, schema=["age", "sex"], orient="row"), schema)


@functools.cache
def bare_release():
    return sf.publish(table_of([(20, "f"), (26, "m")]), sf.Mondrian(), sf.KAnonymity(1), seed=1)


def showing_cells(shown):
    """A release that shows these cells, as if a method had: ranges of ages and sets of sexes."""
    release = bare_release()
    frame = pl.DataFrame(shown, schema=["age", "sex"], orient="row").cast(pl.String)
    forms = {"age": "range", "sex": "set"}
    public = {**release.public, "forms": forms}
    return replace(release, data=sf.Table(frame, sf.Schema(quasi=["age", "sex"])), public=public, owner=None)


def sample_of_population(rows=240, of=600):
    """A table and the population that it is a part of."""
    everybody = hospital(of)
    schema = sf.Schema(quasi=everybody.schema.quasi)
    people = sf.Table(everybody.frame.select(everybody.schema.quasi), schema)
    return everybody.rows(slice(0, rows)), people
