"""What every grouping method refuses."""

import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import DataError


@pytest.mark.parametrize("method", [sf.Hilbert(), sf.Ordered(), sf.IDistance(), sf.Mondrian(), sf.TopDown()])
def test_a_column_that_is_left_without_values(method):
    frame = pl.DataFrame({"c": ["u", "v", *[None] * 38], "x": [None, None, *range(38)], "y": range(40)})
    schema = sf.Schema(quasi=["c", "x", "y"], kinds={"c": "category"}, missing={"x": "withhold"})
    with pytest.raises(DataError, match="'c' has no value at all in the rows that are published"):
        sf.publish(sf.Table(frame, schema), method, sf.KAnonymity(4))
