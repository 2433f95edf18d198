"""Promises name the sensitive columns that they speak of."""

import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError


@pytest.mark.parametrize("columns", [(), [], "d", (3,)])
def test_a_promise_about_no_column_is_refused(columns):
    for promise in (sf.LDiversity, sf.TCloseness):
        with pytest.raises(ParameterError, match="columns must name"):
            promise(1, columns=columns)
