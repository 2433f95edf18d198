"""Who draws the noise: what it says that it spends is held against what is declared."""

import sys

import numpy as np
import pytest

import sfumato as sf
from sfumato.ground.errors import DataError, MissingLibraryError
from sfumato.tables.counting.opendp_counts import OpenDPCounts
from support.counted_tables import people


@pytest.fixture
def drawing():
    pytest.importorskip("opendp")
    return OpenDPCounts


def test_without_opendp_it_says_how_to_get_it(monkeypatch):
    for name in [each for each in sys.modules if each.partition(".")[0] == "opendp"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "opendp", None)
    with pytest.raises(
        MissingLibraryError, match=r"needs opendp, which is not installed; run pip install 'sfumato\[dp\]'"
    ):
        sf.publish(people(), sf.NoisyCounts(by=["sex"], values={"sex": ["f"]}))


def test_counts_are_of_the_codes_and_of_all_others(drawing):
    codes = np.array([0, 0, 2, -1, 7, 0])
    assert drawing(1).counts(codes, 3, 0.01) == [3, 0, 1, 2]
    assert drawing(1).found(["a", "a", "b", "a"], 0.01, 2) == {"a": 3}


@pytest.mark.parametrize("distance", [1, 2])
@pytest.mark.parametrize("scale", [0.3, 1.0, 10.0])
def test_the_library_spends_the_distance_over_the_scale(drawing, distance, scale, monkeypatch):
    seen = []
    monkeypatch.setattr(drawing, "refuse_other_epsilon", lambda self, epsilon, scale: seen.append(epsilon))
    drawing(distance).counts(np.array([0]), 2, scale)
    drawing(distance).found(["a"], scale, 5)
    assert seen == pytest.approx([distance / scale] * 2)


def test_a_library_that_spends_something_else_is_refused(drawing):
    drawing(2).refuse_other_epsilon(2.0, 1.0)
    with pytest.raises(DataError, match="where 1 was to be spent; nothing was published"):
        drawing(1).refuse_other_epsilon(2.0, 1.0)


def test_the_delta_that_the_library_tells_leaves_out_the_threshold_itself(drawing):
    """Why the threshold is not chosen by it; once this fails, it may be (opendp/opendp issue 2922)."""
    dp = drawing(1).dp
    space = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    made = space >> dp.t.then_count_by() >> dp.m.then_laplace_threshold(scale=1.0, threshold=5)
    shown = len(made([str(i) for i in range(40_000)])) / 40_000
    assert made.map(1)[1] == pytest.approx(0.0049258, abs=1e-6)
    assert shown == pytest.approx(0.0133898, abs=0.0035)
