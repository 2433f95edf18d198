"""What the exact cuts refuse before they search, and that labels are names only."""

import numpy as np
import pytest

from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.tables.grouping.cutting.dual_exact import optimal_diverse_by_dual, optimal_dual, optimal_dual_k
from sfumato.tables.grouping.cutting.l_exact import optimal_diverse
from support.line_strategies import OBJECTIVES, TEN, is_partition
from support.naive_partitions import extents, total_loss


def test_too_many_states_are_refused_before_the_search():
    def loss(group):
        raise AssertionError("nothing should be measured")

    labels = np.arange(60) % 6
    cut = (
        rf"cut of 60 records with 6 sensitive values needs up to {11**6:,} states, more than 200,000; leave out solve="
    )
    with pytest.raises(InfeasibleError, match=cut):
        optimal_diverse(labels, 2, loss)
    with pytest.raises(InfeasibleError, match=cut):
        optimal_dual(labels, 1, loss)
    with pytest.raises(InfeasibleError, match=cut):
        optimal_diverse_by_dual(labels, 2, loss)
    with pytest.raises(InfeasibleError, match=r"up to 10\^6020 states"):
        optimal_diverse(np.arange(20_000), 2, loss)
    assert len(optimal_diverse(np.array([0, 1, 2]), 3, extents([1, 2, 4]), max_states=8)) == 1
    with pytest.raises(InfeasibleError, match="up to 8 states, more than 7"):
        optimal_diverse(np.array([0, 1, 2]), 3, extents([1, 2, 4]), max_states=7)


def test_an_l_out_of_reach_is_refused():
    labels = np.array([0, 0, 0, 1, 2, 3, 4])
    for cut in (optimal_diverse, optimal_diverse_by_dual):
        with pytest.raises(InfeasibleError, match=r"l=3 cannot be met: .* has 3 of 7 records; lower l to 2"):
            cut(labels, 3, extents(range(7)))
        assert is_partition(cut(labels, 2, extents(range(7))), 7)


@pytest.mark.parametrize("l", [0, -1, 1.5, 2.0, True, None])
def test_l_must_be_a_whole_number(l):
    for cut in (optimal_diverse, optimal_diverse_by_dual):
        with pytest.raises(ParameterError, match="takes a whole number l of 1 or more"):
            cut(np.array([0, 1, 2, 3]), l, extents(range(4)))


def test_no_records_are_refused():
    nobody = np.array([], dtype=np.int64)
    for call in (
        lambda: optimal_diverse(nobody, 2, extents([])),
        lambda: optimal_dual(nobody, 1, extents([])),
        lambda: optimal_diverse_by_dual(nobody, 2, extents([])),
        lambda: optimal_dual_k(0, 1, extents([])),
    ):
        with pytest.raises(InfeasibleError, match="no records"):
            call()


def test_only_the_partition_by_label_matters():
    values, labels = TEN, np.array([3, 1, 3, 2, 1, 1, 2, 2, 3, 1])
    renamed = np.array([-7, 900, 4])[labels - 1]
    for objective in OBJECTIVES:
        one = optimal_diverse(labels, 2, extents(values), objective=objective)
        other = optimal_diverse(renamed, 2, extents(values), objective=objective)
        assert total_loss(objective, extents(values), one) == total_loss(objective, extents(values), other)
    assert optimal_dual(labels, 9, extents(values))[1] == optimal_dual(renamed, 9, extents(values))[1]
