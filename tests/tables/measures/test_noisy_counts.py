"""Figures of noisy counts: what anybody expects, and what the owner sees."""

from dataclasses import replace

import numpy as np
import pytest

import sfumato as sf
from sfumato.ground.discrete_laplace import mean_size
from sfumato.ground.errors import ParameterError
from support.counted_tables import TRUE, counted, people


def test_readers_are_told_what_to_expect_and_nothing_of_the_truth():
    found = sf.measure(replace(counted(epsilon=0.5), owner=None))
    assert dict(found) == {"expected_count_error": pytest.approx(mean_size(2.0)), "count_margin": 6}
    assert set(found.public) == set(found)


def test_the_owner_is_told_how_far_counts_are_off():
    release = counted(epsilon=0.5)
    found = sf.measure(release, people())
    off = np.abs(release.to_polars()["count"].to_numpy() - [*TRUE.values(), 7])
    assert found["noisy_count_error"] == pytest.approx(off.mean())
    assert found["intervals_true"] == pytest.approx((off <= 6).mean())
    assert set(found.public) == {"expected_count_error", "count_margin"}


def test_no_key_was_found():
    release = counted(by=["age"], values=None, delta=1e-9)
    assert "noisy_count_error" not in sf.measure(release, people())


def test_counts_have_no_data_cube():
    with pytest.raises(ParameterError, match="olap_levels compares classes, and this release has counts"):
        sf.measure(counted(), people(), olap_levels=(1,))
