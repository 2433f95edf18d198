"""Records that are alike, and how often each kind occurs."""

import numpy as np

from sfumato.data.baskets import Baskets
from sfumato.published.baskets.equal_records import equal_record_numbers, group_equal_records


def test_records_that_are_alike():
    baskets = Baskets.from_lists([["a", "b"], [], ["b"], ["a", "b"], ["a"], []])
    assert equal_record_numbers(baskets).tolist() == [0, 1, 2, 0, 3, 1]
    found = group_equal_records(equal_record_numbers(baskets), np.array([0, 0, 0, 1, 0, 0]))
    assert sorted(zip(found.first.tolist(), found.times.tolist(), strict=True)) == [
        (0, 1), (1, 2), (2, 1), (3, 1), (4, 1),
    ]  # fmt: skip
    assert (found.of[1] == found.of[5]) & (found.of[0] != found.of[3])
    assert (found.of[found.first] == np.arange(5)).all()
