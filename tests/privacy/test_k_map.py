"""k-map: the people of a population that a published record may be."""

import numpy as np

import sfumato as sf


def test_k_map_asks_for_people_where_a_record_is_published():
    sizes, counts = np.array([1, 3, 0, 2]), np.array([4, 3, 1, 5])
    assert sf.KMap(4).allowed(sizes, counts).tolist() == [True, False, True, True]
    assert sf.KMap(1).allowed(sizes, counts).all()
    assert sf.KMap.monotone
