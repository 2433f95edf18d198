"""Which randomizer of numbers to take for one mean: the one whose variance is smallest at the worst."""

from __future__ import annotations

from sfumato.collection.randomizers.categories import checked_epsilon
from sfumato.collection.randomizers.duchi import Duchi
from sfumato.collection.randomizers.hybrid import Hybrid
from sfumato.collection.randomizers.laplace_noise import LaplaceNoise
from sfumato.collection.randomizers.numbers import NumberRandomizer
from sfumato.collection.randomizers.piecewise import Piecewise
from sfumato.collection.randomizers.staircase import Staircase
from sfumato.ground.calls import says_what_it_takes
from sfumato.ground.errors import ParameterError

__all__ = ["best_mean"]

_SAME = 1e-9
_KINDS: tuple[type[NumberRandomizer], ...] = (Duchi, Piecewise, Hybrid, LaplaceNoise, Staircase)
"""The simpler before those that mix them."""


@says_what_it_takes
def best_mean(epsilon: float, low: float, high: float, *, steps: int = 200) -> NumberRandomizer:
    """The randomizer of numbers from `low` to `high` whose mean varies least at the worst, for an `epsilon`.

    All are compared as they are drawn, on a grid of `steps` steps. For a distribution take `LaplaceNoise`.

    >>> from sfumato import collection
    >>> [type(collection.best_mean(epsilon, 0, 1)).__name__ for epsilon in (0.5, 2.0, 8.0)]
    ['Duchi', 'Hybrid', 'Staircase']
    """
    checked_epsilon(epsilon)
    fitting = []
    for kind in _KINDS:
        try:
            fitting.append(kind(low=low, high=high, epsilon=epsilon, steps=steps))
        except ParameterError:
            if kind is _KINDS[0]:  # the bounds or the grid, and not the width of the noise
                raise
    least = min(each.worst_variance for each in fitting)
    return next(each for each in fitting if each.worst_variance <= least * (1.0 + _SAME))
