"""The probability of a flip: one that cannot be undone is refused wherever it is given."""

import pytest

from sfumato.graphs.estimates.densities import degree_estimates, density, edge_count, squared_degrees
from sfumato.graphs.estimates.menu import estimate_graph
from sfumato.graphs.estimates.transitivity import estimate_triads
from sfumato.ground.errors import ParameterError
from support.small_graphs import KITE


@pytest.mark.parametrize("mu", [0.5, 0.7, -0.1, float("nan")])
def test_a_flip_that_cannot_be_undone_is_refused(mu):
    for read in (edge_count, density, degree_estimates, squared_degrees, estimate_triads, estimate_graph):
        with pytest.raises(ParameterError, match="mu must be"):
            read(KITE, mu)
