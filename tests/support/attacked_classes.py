"""Classes of sensitive values that are published as they are."""

import polars as pl

import sfumato as sf


def table_of(classes, **schema):
    """One class a list: its records share an age."""
    rows = [(10 * i, value) for i, values in enumerate(classes) for value in values]
    frame = pl.DataFrame(rows, schema=["age", "ill"], orient="row")
    return sf.Table(frame, sf.Schema(quasi=["age"], sensitive=["ill"], **schema))


def publish_classes(table, k):
    """The classes as they are."""
    return sf.publish(table, sf.Mondrian(), sf.KAnonymity(k), seed=1)


CLASSES = [["flu", "flu", "flu"], ["flu", "cold", "cold", "hiv"], ["hiv", "hiv", "cold"]]
