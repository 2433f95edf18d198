"""A bound on the loss is shown by ranges."""

import pandas as pd
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from support.dealt_tables import VALUES, people


@pytest.mark.parametrize("show", ["means", "permutation"])
def test_a_bound_on_the_loss_is_shown_by_ranges(show):
    with pytest.raises(ParameterError, match="show ranges"):
        sf.publish(people(VALUES), sf.Hilbert(show=show), sf.AccuracyBound(0.5))


def test_modes_of_codes_that_were_read_as_numbers():
    frame = pd.DataFrame({"z": [53715, 53710, None, 2139, 53715, 2139]})
    table = sf.Table(frame, sf.Schema(quasi=["z"], hierarchies={"z": sf.Hierarchy.prefixes(5)}))
    assert sf.publish(table, sf.Mondrian(show="means"), sf.KAnonymity(2)).verdict
