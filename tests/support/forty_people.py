"""Forty people with columns of every role, and methods to publish them with."""

import polars as pl

import sfumato as sf


def forty_people():
    frame = pl.DataFrame({
        "name": [f"person {i}" for i in range(40)], "age": [20 + (i * 7) % 41 for i in range(40)],
        "zip": [f"0{2130 + (i * 3) % 17}" for i in range(40)], "job": [("nurse", "cook", "smith")[i % 3] for i in range(40)],
        "disease": [("flu", "cold", "ulcer", "gout")[(i * i) % 4 if i % 5 else i % 4] for i in range(40)], "note": range(40),
    })  # fmt: skip
    return sf.Table(
        frame,
        sf.Schema(identifier=["name"], quasi=["age", "zip", "job"], sensitive=["disease"], plain=["note"],
                  hierarchies={"zip": sf.Hierarchy.prefixes(5)}),
    )  # fmt: skip


METHODS = [sf.Mondrian(), sf.Mondrian(strict=False), sf.Hilbert(), sf.Hilbert(fast=True)]
