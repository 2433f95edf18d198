"""Cut-and-paste: its law, and its parameters."""

from fractions import Fraction

import pytest

from sfumato import collection
from sfumato.collection.reconstruction.item_kernel import cut_and_paste_law, eigenvalues
from sfumato.errors import ParameterError

SIX = tuple("abcdef")


def test_vector_k4_the_law_of_what_is_shown():
    asked = collection.CutAndPaste(items=SIX, sizes=(3,), cutoff=2, rho=0.2)
    assert [float(each) for each in asked.law(3)] == pytest.approx(
        [64 / 375, 128 / 375, 152 / 375, 31 / 375], abs=1e-15
    )
    asked = collection.CutAndPaste(items=SIX, sizes=(2,), cutoff=4, rho=0.2)
    assert [float(each) for each in asked.law(2)] == pytest.approx([16 / 125, 28 / 125, 81 / 125], abs=1e-15)


def test_of_more_items_than_are_cut_together_nothing_is_learnt():
    """The eigenvalue of r items is (1 - rho)^r times the probability that all of them are cut."""
    assert eigenvalues(cut_and_paste_law(4, 2, Fraction(1, 5)), Fraction(1, 5), 3)[3] == 0


def test_sizes_are_put_in_order():
    assert collection.CutAndPaste(items=SIX, sizes=range(3, 0, -1), cutoff=3, rho=0.1).sizes == (1, 2, 3)


@pytest.mark.parametrize(
    ("changed", "said"),
    [({"sizes": 3}, "sizes must be a list"), ({"sizes": []}, "sizes must be a list"), ({"sizes": [1, 1]}, "twice"),
     ({"sizes": [-1]}, "each of sizes must be"), ({"sizes": [2.0]}, "each of sizes must be"), ({"sizes": [7]}, "a set of 7"),
     ({"cutoff": 0}, "cutoff must be"), ({"cutoff": 1}, "cutoff must be at least itemset_size, 2"), ({"cutoff": 10**6}, "cutoff must be at most"), ({"rho": 0.0}, "rho must be")],
)  # fmt: skip
def test_parameters_that_make_no_question_are_refused(changed, said):
    good = {"items": SIX, "sizes": (2, 3), "cutoff": 2, "rho": 0.2}
    with pytest.raises(ParameterError, match=said):
        collection.CutAndPaste(**(good | changed))
