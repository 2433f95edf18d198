"""SQL for other databases means what it means in DuckDB."""

import sfumato as sf
from support.asked_originals import published


def test_postgres_takes_no_escape_that_duckdb_does_not():
    release = published(
        {"t": ["a%", "ab"] * 20, "s": [1, 2] * 20}, sf.TargetDistribution("uniform"), quasi=["t"], sensitive=["s"]
    )
    answer = sf.ask(release, r"SELECT SUM(s) FROM release WHERE t LIKE 'a\%'")
    assert "ESCAPE ''" in answer.sql_for("postgres")
