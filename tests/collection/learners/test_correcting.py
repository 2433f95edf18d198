"""Records put into cells by order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.collection.learners.correcting import cells_by_order


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=40), st.lists(st.integers(0, 5), min_size=1, max_size=6))
def test_ranks_are_kept_and_cells_get_their_shares(reports, weights):
    shares = np.array(weights, dtype=float) + 1e-9
    shares /= shares.sum()
    values = np.array(reports)
    cells = cells_by_order(values, shares)
    order = np.argsort(values, kind="stable")
    assert (np.diff(cells[order]) >= 0).all()
    counts = np.bincount(cells, minlength=len(shares))
    assert np.abs(np.cumsum(counts) - np.cumsum(shares) * len(values)).max() <= 0.5 + 1e-6
