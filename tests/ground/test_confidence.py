"""The bound below a mean holds as often as it says, and is near the mean."""

import numpy as np
import pytest

from sfumato.ground.confidence import mean_at_least


@pytest.mark.parametrize("n", [30, 300, 2000])
@pytest.mark.parametrize("law", ["rare", "uniform", "losses"])
def test_it_is_above_the_mean_in_few_samples(law, n):
    """Of 400 samples at most 5% may be wrong; 9% would be three standard errors more."""
    random = np.random.default_rng(7)
    draw = {
        "rare": lambda: (random.random(n) < 0.02).astype(float),
        "uniform": lambda: random.random(n),
        "losses": lambda: np.where(random.random(n) < 0.4, 0.0, random.gamma(2.0, 0.01, n)).clip(0, 1),
    }[law]
    mean = {"rare": 0.02, "uniform": 0.5, "losses": 0.012}[law]
    assert np.mean([mean_at_least(draw()) > mean for _ in range(400)]) <= 0.083


def test_it_is_close_to_the_mean_of_small_losses():
    random = np.random.default_rng(1)
    losses = np.where(random.random(5000) < 0.4, 0.0, random.gamma(2.0, 0.01, 5000))
    error = 1.645 * losses.std() / np.sqrt(len(losses))
    assert losses.mean() - 2.5 * error < mean_at_least(losses) < losses.mean()


def test_more_confidence_takes_a_lower_bound():
    values = np.random.default_rng(2).random(500)
    assert mean_at_least(values, 0.99) < mean_at_least(values, 0.95) < mean_at_least(values, 0.8)


def test_nothing_is_known_of_nothing():
    assert mean_at_least(np.empty(0)) == 0.0
    assert mean_at_least(np.zeros(100)) == pytest.approx(0.0, abs=1e-12)
    assert 0 < mean_at_least(np.full(3, 0.5)) < 0.5
