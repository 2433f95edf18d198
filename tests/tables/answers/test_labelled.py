"""Labels that are asked for as values."""

import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError


@pytest.mark.parametrize("method", [sf.Hilbert(), sf.Hilbert(show="permutation")])
def test_labels_stand_for_their_values(method):
    frame = pl.DataFrame(
        {"age": range(40), "rank": [-1, 2, 3, 4] * 10, "code": ["a", "b"] * 20, "illness": ["1", "2", "3", "4"] * 10}
    )
    labels = {
        "rank": {"-1": "low", "2": "high", "3": "odd", "4": "odd"}, "code": {"a": "first", "b": "a"},
        "illness": {"1": "flu"},
    }  # fmt: skip
    schema = sf.Schema(quasi=["age"], plain=["rank", "code"], sensitive=["illness"], labels=labels)
    release = sf.publish(sf.Table(frame, schema), method, sf.LDiversity(2, kind="distinct"), seed=1)
    for by_label, by_value in (
        ("rank = 'low'", "rank = -1"), ("'high' <> rank", "rank <> 2"), ("rank IN ('low', 'high')", "rank IN (-1, 2)"),
        ("code = 'first'", "code = 'a'"), ("illness = 'flu'", "illness = '1'"),
    ):  # fmt: skip
        asked, wanted = (sf.ask(release, f"SELECT COUNT(*) FROM release WHERE {each}") for each in (by_label, by_value))
        assert asked.to_dict() == wanted.to_dict(), by_label
        assert wanted.high > 0
    assert sf.ask(release, "SELECT COUNT(*) FROM release WHERE code = 'a'").value == 20
    with pytest.raises(ParameterError, match="'odd' is what column 'rank' says of the values 3, 4; ask for these"):
        sf.ask(release, "SELECT COUNT(*) FROM release WHERE rank = 'odd'")
