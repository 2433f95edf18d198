"""Only releases with bounds can be asked, and only in SQL."""

import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from support.asked import FIGURE_1, figure_2


def test_only_releases_with_bounds_can_be_asked():
    table = sf.Table(FIGURE_1, sf.Schema(quasi=["salary"], sensitive=["gender"]))
    means = sf.publish(table, sf.Hilbert(show="means"), sf.KAnonymity(3))
    with pytest.raises(
        ParameterError, match="column 'salary' shows a mean or mode, from which nothing certain follows"
    ):
        sf.ask(means, "SELECT COUNT(*) FROM release")
    with pytest.raises(ParameterError, match="ask takes a Release, got DataFrame"):
        sf.ask(FIGURE_1, "SELECT COUNT(*) FROM release")
    with pytest.raises(ParameterError, match="ask takes SQL as text, got int"):
        sf.ask(figure_2(), 3)


def test_columns_that_are_words_of_sql_are_to_be_quoted():
    frame = pl.DataFrame({"Alter": range(40), "s": [1, 2] * 20})
    release = sf.publish(sf.Table(frame, sf.Schema(quasi=["Alter"], sensitive=["s"])), sf.Hilbert(), sf.KAnonymity(4))
    for asked in ("COUNT(*) FROM release WHERE Alter > 20", "COUNT(*) FROM release WHERE s = 1 AND alter > 20"):
        with pytest.raises(ParameterError, match=r"(?i)'alter' is a word of SQL: write .Alter."):
            sf.ask(release, f"SELECT {asked}")
    assert sf.ask(release, 'SELECT COUNT(*) FROM release WHERE "Alter" >= 20').low == 20
