"""A small table, and the rows that properties extract from it."""

from __future__ import annotations

import numpy as np

from support.pattern_tables import dense, hold, setting_of

AGES = [30, 41, 25, 41, 60]
COSTS = [3.5, 2.0, 8.0, 1.5, 5.0]
GROUPS = ["a", "b", "a", None, "b"]


def small_view(**more):
    return setting_of({"age": AGES, "cost": COSTS, "g": GROUPS} | more)


def cells_of(setting):
    return np.nan_to_num(setting.numbers.ravel())


def extract_rows(property, setting):
    """The matrix and bounds of a property, which holds in the original."""
    found = property.extract(setting)
    assert hold(found.rows, cells_of(setting))
    assert len(found.names) > found.rows.source.max(initial=-1)
    return dense(found.rows, setting.numbers.size), found.rows.bound, found


def assert_interval(bounds, value, length):
    """Two bounds that leave `value` an interval of about this length, and never more, in which it lies anywhere."""
    upper, lower = bounds[0], -bounds[1]
    assert length / 2 <= upper - lower <= length * (1 + 1e-9)
    assert lower <= value + 1e-9
    assert value <= upper + 1e-9
