"""Only releases with bounds can be asked, and only in SQL."""

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
