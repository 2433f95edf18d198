"""No class below the least size keeps the conditions: held against all classes of so many records."""

import itertools

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.privacy.criteria import holds
from sfumato.privacy.least_size import least_size
from sfumato.privacy.requirements import criteria_for


def criteria(values, promise, **roles):
    frame = pl.DataFrame({"q": [1] * len(values), "s": values})
    table = sf.Table(frame, sf.Schema(quasi=["q"], sensitive=["s"], **roles))
    return criteria_for(promise, len(values), encode(table, ["s"]))


def some_class_holds(made, size):
    n_values = len(made.total)
    for chosen in itertools.combinations_with_replacement(range(n_values), size):
        counts = np.bincount(chosen, minlength=n_values)
        if holds(made, size, counts, np.zeros(made.n_nodes)):
            return True
    return False


@pytest.mark.parametrize("t", [0.05, 0.15, 0.25, 0.4])
@pytest.mark.parametrize("shares", [(5, 3, 2), (7, 1, 1, 1), (4, 3, 2, 2, 1)])
@pytest.mark.parametrize("kind", ["variational", "ordered"])
def test_the_least_size_is_the_first_at_which_a_class_can_hold(t, shares, kind):
    values = [value for value, share in enumerate(shares) for _ in range(share)]
    if kind == "ordered":
        made = criteria(values, sf.TCloseness(t))
    else:
        made = criteria([f"v{value}" for value in values], sf.TCloseness(t, distance="variational"))
    first = next(size for size in range(1, len(values) + 1) if some_class_holds(made, size))
    assert least_size(made) == first


def test_other_promises_go_by_their_own_size():
    values = ["a", "b", "c"] * 5
    assert least_size(criteria(values, sf.KAnonymity(4))) == 4
    assert least_size(criteria(values, sf.KAnonymity(2) & sf.LDiversity(3))) == 3
    assert least_size(criteria(values, sf.TCloseness(0.4, distance="kl"))) == 1
