"""The database in memory reaches nothing but its tables."""

import pytest

from sfumato.ground.errors import ParameterError
from support.asked import FIGURE_1


def test_the_database_reaches_nothing(tmp_path):
    from sfumato.tables.answers.engine import Engine

    engine = Engine({"release": FIGURE_1})
    (tmp_path / "x.csv").write_text("a\n1\n")
    for sql in (f"SELECT * FROM read_csv('{tmp_path / 'x.csv'}')", f"COPY release TO '{tmp_path / 'y.csv'}'",
                f"ATTACH '{tmp_path / 'z.db'}' AS z", "SET enable_external_access = true", "INSTALL httpfs"):  # fmt: skip
        with pytest.raises(ParameterError):
            engine.rows(sql)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.csv"]
