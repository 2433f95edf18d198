"""Rows that agree in all sensitive columns are of one kind."""

import numpy as np

from sfumato.tables.coding.sensitive_profiles import profile_ids


def test_rows_that_agree_in_all_columns_are_of_one_kind():
    codes = np.array([[0, 1], [1, 0], [0, 1], [1, 1]], dtype=np.int32)
    kinds, n = profile_ids(codes)
    assert n == 3
    assert kinds[0] == kinds[2]
    assert len({kinds[0], kinds[1], kinds[3]}) == 3
    assert profile_ids(np.empty((4, 0), dtype=np.int32))[1] == 1
    assert profile_ids(np.empty((0, 2), dtype=np.int32))[1] == 0
