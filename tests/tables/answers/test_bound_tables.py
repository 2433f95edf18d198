"""The tables behind answers hold whatever the columns of a release are called."""

import duckdb
import pytest

import sfumato as sf
from support.asked_originals import DIVERSE, N, ask_within_bounds, published


@pytest.mark.parametrize("name", ["Group", "group", "_Group", "Count", "place", "PLACE", "First", "value", "target",
                                  "rank", "low", "n", "s", "weight", "met", "piece"])  # fmt: skip
def test_columns_may_be_called_as_we_call_our_own(name, tmp_path, monkeypatch):
    frame = {"q": list(range(N)), name: [10, 20] * (N // 2)}
    for method, promise in ((sf.Hilbert(show="permutation"), DIVERSE), (sf.TargetDistribution("uniform"), None)):
        release = published(frame, method, promise, quasi=["q"], sensitive=[name])
        quoted = f'"{name}"'
        assert ask_within_bounds(release, f"SELECT SUM({quoted}) FROM release").value == 600
        ask_within_bounds(release, f"SELECT SUM({quoted}) FROM release WHERE q > 20")
        ask_within_bounds(release, f"SELECT COUNT(*) FROM release WHERE q > 20 AND {quoted} > 15")
        folder = tmp_path / type(method).__name__
        script, sql = release.sql("duckdb", folder), sf.ask(release, f"SELECT SUM({quoted}) FROM release").sql
        monkeypatch.chdir(folder)
        database = duckdb.connect()
        database.execute(script)
        row = database.sql(sql).to_arrow_table().to_pylist()[0]
        assert (row["low"], row["high"]) == (600, 600)
    frame = {"q": list(range(N)), name: [1, 2] * (N // 2), "pay": [5, 6] * (N // 2)}
    plain = published(frame, sf.Hilbert(show="permutation"), DIVERSE, quasi=["q"], plain=[name], sensitive=["pay"])
    ask_within_bounds(plain, "SELECT SUM(pay) FROM release WHERE q > 20")
    assert ask_within_bounds(plain, f'SELECT SUM("{name}") FROM release').low == 60
