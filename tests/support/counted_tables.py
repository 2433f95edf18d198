"""A small table whose counts are known, and releases of its counts."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import polars as pl
import pytest

import sfumato as sf

TRUE = {("f", "north"): 12, ("f", "south"): 30, ("m", "north"): 7, ("m", "south"): 0}
"""How many records have which values; 5 more are of neither sex, and 2 tell no region."""
KEYS = {"sex": ["f", "m"], "region": ["north", "south"]}


@cache
def people() -> sf.Table:
    rows = [{"sex": s, "region": r, "age": 20 + i % 60} for (s, r), n in TRUE.items() for i in range(n)]
    rows += [{"sex": "d", "region": "north", "age": 31 + i} for i in range(5)]
    rows += [{"sex": "f", "region": None, "age": 90 + i} for i in range(2)]
    schema = sf.Schema(identifier=["id"], quasi=["sex", "region", "age"])
    return sf.Table(pl.DataFrame(rows).with_row_index("id").with_columns(pl.col("id").cast(pl.String)), schema)


def counted(**given: Any) -> sf.Release:
    """A release of noisy counts by sex and region, or by what is given."""
    pytest.importorskip("opendp")
    return sf.publish(people(), sf.NoisyCounts(**{"by": ["sex", "region"], "values": KEYS, **given}))


def told(release: sf.Release, **changes: Any) -> sf.Release:
    """The release as it stands, with other statements on its counts."""
    public = {**release.public, "noisy_counts": {**release.public["noisy_counts"], **changes}}
    return replace(release, public=public)


def with_cells(release: sf.Release, frame: pl.DataFrame) -> sf.Release:
    """The release with other cells."""
    return replace(release, data=sf.Table(frame, sf.Schema(rest="plain")))


__all__ = ["KEYS", "TRUE", "counted", "people", "told", "with_cells"]
