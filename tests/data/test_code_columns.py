"""Whole numbers that are codes are told from counts, ages and years."""

from __future__ import annotations

import polars as pl
import pytest

from sfumato.data.code_columns import recognise_code
from sfumato.data.recognising import recognise_name
from support.inspected import inspect_series

STATES = [i for i in range(1, 57) if i not in (3, 7, 14, 43, 52)]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("state", [1, 2, 56, 48] * 9), ("sex", [1, 2] * 20), ("sex", [1, 2, 9] * 20), ("D_injury", [0, 1, 2, 3, 4] * 9),
        ("race", [*range(1, 20)] * 5), ("icd_code", [*range(100, 300)] * 2), ("thing", STATES * 2), ("smoker", [0, 1] * 20),
        ("airbag", [0, 1, 2, 20, 28, 31] * 9), ("marital", [1, 2, 3, 4] * 9), ("occupation", [*range(20)] * 5),
        ("Bundesland", [*range(1, 17)] * 5), ("group", [*range(60)] * 3),
    ],
)  # fmt: skip
def test_codes_are_categories(name, values):
    look = inspect_series(values, name)
    assert look.kind == "category"
    assert look.code
    assert look.hierarchy is None


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("age", [*range(18, 90)] * 3), ("age", [20, 30, 40] * 20), ("children", [0, 1, 2, 3] * 20), ("n_visits", [1, 2, 3] * 20),
        ("year", [1999, 2000, 2001] * 20), ("model", [*range(1990, 2012)] * 5), ("stay_days", [1, 2, 3, 4] * 20),
        ("thing", [*range(200)] * 3), ("balance", [-3, 0, 4] * 20), ("household size", [1, 2, 3] * 20), ("score", [1, 2, 3] * 9),
        ("height", [*range(9)] * 20), ("weight", [60, 70, 80] * 20), ("income", [1, 2, 3] * 20),
    ],
)  # fmt: skip
def test_counts_ages_and_years_are_numbers(name, values):
    assert recognise_code(pl.Series(values), name, recognise_name(name)) is None
    assert inspect_series(values, name).kind == "integer"


def test_labels_make_codes():
    assert recognise_code(pl.Series([1, 2, 3, 4] * 5), "age", None, {str(i): f"group {i}" for i in range(1, 5)})
    assert recognise_code(pl.Series([*range(100)]), "age", None, {"99": "99 and older"}) is None
