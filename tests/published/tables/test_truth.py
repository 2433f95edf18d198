"""A published table that tells something else than the original is found out, whatever was changed."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.published.tables.cells import place_cells
from support.forty_people import METHODS, forty_people
from support.tables_strategies import tables


def tampered(release, frame):
    return replace(release, data=sf.Table(frame, release.data.schema))


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_tampering_is_found(method):
    """One record moved, one range narrowed, one class below k, one value swapped, one row added or lost."""
    table, k = forty_people(), 4
    release = sf.publish(table, method, sf.KAnonymity(k), seed=3)
    frame = release.data.frame
    classes = frame.group_by("age", "zip", "job", maintain_order=True).agg(pl.len(), pl.col("note"))
    small_class = classes.filter(pl.col("len") == classes["len"].min()).row(0, named=True)
    large_class = classes.filter(pl.col("len") == classes["len"].max()).row(0, named=True)
    ranged = classes.filter(pl.col("age").str.starts_with("[")).row(0, named=True)
    low = int(ranged["age"][1:].split(",")[0])

    def where(row):
        return (pl.col("age") == row["age"]) & (pl.col("zip") == row["zip"]) & (pl.col("job") == row["job"])

    def set_to(condition, **values):
        return frame.with_columns(
            pl.when(condition).then(pl.lit(value)).otherwise(pl.col(name)).alias(name) for name, value in values.items()
        )

    other = small_class if small_class != large_class else classes.row(-1, named=True)
    moved = set_to(pl.col("note") == large_class["note"][0], **{name: other[name] for name in ("age", "zip", "job")})
    attempts = {
        "one record moved": moved,
        "one range narrowed in one row": set_to(pl.col("note") == ranged["note"][0], age=str(low)),
        "one range narrowed for its whole class": set_to(where(ranged), age=f"[{low + 1}, {low + 1}]"),
        "one class below k": frame.filter(~pl.col("note").is_in(small_class["note"][: small_class["len"] - k + 1])),
        "two notes swapped": set_to(pl.col("note") == 3, note=4),
        "one row twice": pl.concat([frame, frame.head(1)]),
        "one node narrowed": set_to(where(classes.row(0, named=True)), zip="02130"),
    }
    for what, changed in attempts.items():
        verdict = sf.verify(tampered(release, changed), original=table)
        assert not verdict.holds, what
        assert verdict.broken, what
        without_map = sf.verify(replace(tampered(release, changed), owner=None), original=table)
        if what in ("one class below k", "one row twice", "one range narrowed in one row"):
            assert not without_map.holds, what


@settings(max_examples=40)
@given(tables(min_rows=6, max_rows=20), st.data())
def test_any_single_move_of_a_record_is_found(table, data):
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(2), seed=1)
    quasi = table.schema.quasi
    frame = release.data.frame
    source = data.draw(st.integers(0, len(table) - 1))
    target = data.draw(st.integers(0, len(table) - 1))
    if frame.select(quasi).row(source) == frame.select(quasi).row(target):
        return
    changed = frame.with_columns(
        pl.Series(
            name, [frame[name][target] if i == source else frame[name][i] for i in range(len(table))], dtype=pl.String
        )
        for name in quasi
    )
    verdict = sf.verify(tampered(release, changed), original=table)
    coded = encode(table, quasi)
    row = release.owner.rows[source]
    covered = all(
        bool(place_cells(changed[c.name][source : source + 1], release.forms[c.name], table.frame[c.name],
                   table.schema.column(c.name)).covers(np.array([0]), c.codes[row : row + 1])[0])
        for c in coded
    )  # fmt: skip
    assert verdict.holds == (covered and changed.group_by(quasi).len()["len"].min() >= 2)
