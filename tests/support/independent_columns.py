"""A table of columns that have nothing to do with each other."""

import numpy as np
import polars as pl

import sfumato as sf


def independent_columns(n=400, d=5, values=6, seed=0):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({f"c{i}": rng.integers(0, values, n) for i in range(d)})
    return sf.Table(frame, sf.Schema(quasi=frame.columns))
