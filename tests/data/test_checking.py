import datetime as dt

import polars as pl
import pytest

from sfumato import Schema, Table
from sfumato.errors import DataError


def message(values, low, high, **more):
    with pytest.raises(DataError) as caught:
        Table(pl.DataFrame({"age": values}), Schema(quasi=["age"], bounds={"age": (low, high)}, **more))
    return str(caught.value)


def test_a_code_beyond_the_bounds_is_not_a_reason_to_widen_them():
    assert message([34, 999], 0, 120) == (
        "column 'age' holds 999 at row 2, above its high 120; declare missing_values = [\"999\"] if it stands for no "
        "value, else mend the value or widen the bound"
    )
    assert 'missing_values = ["-9"]' in message([-9, 34], 0, 120)
    assert 'missing_values = ["9999-12-31"]' in message(
        [dt.date(9999, 12, 31)], dt.date(1900, 1, 1), dt.date(2030, 1, 1)
    )


def test_another_value_beyond_the_bounds_is():
    assert message([34, 121], 0, 120) == (
        "column 'age' holds 121 at row 2, above its high 120; widen the bound or mend the value"
    )


def test_a_declared_code_is_within_any_bounds():
    schema = Schema(quasi=["age"], bounds={"age": (0, 120)}, missing_values={"age": [999]})
    assert Table(pl.DataFrame({"age": [34, 999]}), schema).frame["age"].to_list() == [34, None]
