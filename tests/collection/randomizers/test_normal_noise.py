"""Normal noise promises nothing; its law is a bell on the grid."""

import numpy as np
import pytest

from sfumato import collection
from sfumato.collection.randomizers.draws import WHOLE
from sfumato.errors import ParameterError


def test_nothing_is_promised_and_said_so():
    noise = collection.NormalNoise(low=0, high=10, sd=5)
    assert noise.privacy.gamma is None
    assert "promises nothing by itself" in noise.in_words()


@pytest.mark.parametrize(("c", "width"), [(0.5, 1.348979500392), (0.95, 3.919927969080), (0.999, 6.581053462984)])
def test_interval_widths(c, width):
    noise = collection.NormalNoise(low=0, high=1, sd=1)
    assert noise.interval_width(c) == pytest.approx(width, abs=1e-11)
    reports = noise.values_of(noise.randomize(np.full(20_000, 0.5), seed=1))
    assert (np.abs(reports - 0.5) <= width / 2).mean() == pytest.approx(c, abs=0.012)


def test_which_noise_has_the_wider_interval_depends_on_the_confidence():
    """At equal standard deviation 1, printed to four digits."""
    uniform = collection.UniformNoise(low=0, high=10, margin=np.sqrt(3).item(), steps=1000)
    normal = collection.NormalNoise(low=0, high=10, sd=1)
    laplace = collection.LaplaceNoise(low=0, high=10, epsilon=10 * np.sqrt(2).item())
    for c, widths in (
        (0.5, (1.7321, 1.3490, 0.9803)),
        (0.95, (3.2909, 3.9199, 4.2366)),
        (0.999, (3.4606, 6.5811, 9.7690)),
    ):
        assert [round(each.interval_width(c), 4) for each in (uniform, normal, laplace)] == pytest.approx(
            widths, abs=1.1e-4
        )


def test_the_law_is_a_bell_that_sums_to_one_and_is_the_same_on_both_sides():
    noise = collection.NormalNoise(low=0, high=1, sd=0.1)
    assert noise.sums[-1] == WHOLE
    assert (noise.noise.chances == noise.noise.chances[::-1]).all()
    y = np.arange(-noise.reach, noise.reach + 1) * noise.unit
    bell = np.exp(-0.5 * (y / 0.1) ** 2)
    assert noise.noise.chances == pytest.approx(bell / bell.sum(), abs=1e-13)
    second, fourth = noise.moments
    assert second == pytest.approx(0.01, rel=1e-6)
    assert fourth / second**2 == pytest.approx(3, rel=1e-6)


def test_a_level_is_a_width_of_the_interval():
    noise = collection.NormalNoise.of_level(low=0, high=100, level=1.0)
    assert noise.interval_width(0.95) == pytest.approx(100)


@pytest.mark.parametrize(("sd", "said"), [(0, "above 0"), ("1", "above 0"), (0.001, "more steps"), (10, "fewer steps")])
def test_deviations_that_make_no_noise_are_refused(sd, said):
    with pytest.raises(ParameterError, match=f"sd must be .*{said}"):
        collection.NormalNoise(low=0, high=1, sd=sd)
