"""A small table of people whose groups are dealt, or are not."""

import polars as pl

import sfumato as sf

AGES, VALUES = [10, 11, 12, 13, 40, 41, 42, 43], "aaabbcbc"


def people(values, ages=AGES):
    return sf.Table(pl.DataFrame({"age": ages, "s": list(values)}), sf.Schema(quasi=["age"], sensitive=["s"]))
