"""Drawn numbers keep bounds, whole numbers and means."""

import datetime as dt

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.tables.condensing.value_limits import Limits, fit_to_domain


@given(st.integers(0, 10_000), st.booleans(), st.booleans())
@settings(max_examples=40, deadline=None)
def test_means_are_kept_within_bounds(seed, whole, bounded):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    data = rng.integers(0, 11, n).astype(float)
    drawn = data.mean() + rng.normal(size=n) * 6
    drawn[rng.random(n) < 0.2] = np.nan
    limits = Limits(0.0, 10.0, whole) if bounded else Limits(-np.inf, np.inf, whole)
    kept = fit_to_domain(drawn, limits, np.arange(n), np.array([0, n]), np.array([data.mean()]))
    known = ~np.isnan(drawn)
    assert (np.isnan(kept) == ~known).all()
    if not known.any():
        return
    off = abs(kept[known].sum() - data.mean() * known.sum())
    assert off <= (0.5 + 1e-9 if whole else 1e-7)
    if whole:
        assert (kept[known] == np.rint(kept[known])).all()
    if bounded:
        assert (kept[known] >= 0).all()
        assert (kept[known] <= 10).all()


def test_bounds_are_those_of_the_schema_and_never_of_the_data():
    assert Limits.of(sf.Column(name="a", kind="integer", low=0.5, high=9), pl.Int64) == Limits(1.0, 9.0, True)
    assert Limits.of(sf.Column(name="a", kind="number"), pl.Float64) == Limits(-np.inf, np.inf, False)
    day = Limits.of(sf.Column(name="a", kind="date", low=dt.date(1970, 1, 11)), pl.Date)
    assert day.low == 10
    assert day.whole
