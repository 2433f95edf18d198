"""The database in memory reaches nothing but its tables."""

import polars as pl
import pytest

from sfumato.ground.errors import ParameterError
from sfumato.tables.answers.engine import Engine
from support.asked import FIGURE_1


def test_the_database_reaches_nothing(tmp_path):
    engine = Engine({"release": FIGURE_1})
    (tmp_path / "x.csv").write_text("a\n1\n")
    for sql in (f"SELECT * FROM read_csv('{tmp_path / 'x.csv'}')", f"COPY release TO '{tmp_path / 'y.csv'}'",
                f"ATTACH '{tmp_path / 'z.db'}' AS z", "SET enable_external_access = true", "INSTALL httpfs"):  # fmt: skip
        with pytest.raises(ParameterError):
            engine.rows(sql)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.csv"]


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("a = 'abc'", "'abc' is compared with a number and is none; write a number, without quotes"),
        ("b = 5", "column 'b' holds texts, such as 'x', and no numbers; write texts in quotes"),
        ("abs(b) = 3", "a column is compared with a value of another kind, or a function does not take it"),
        ("a = DATE '2020-01-01'", "a column is compared with a value of another kind"),
    ],
)
def test_errors_are_in_our_words(condition, message):
    engine = Engine({"release": pl.DataFrame({"a": [1], "b": ["x"]})})
    with pytest.raises(ParameterError) as caught:
        engine.rows(f"SELECT COUNT(*) FROM release WHERE {condition}")
    assert message in str(caught.value)
    for word in ("convert", "cast", "VARCHAR", "INT"):
        assert word not in str(caught.value)
