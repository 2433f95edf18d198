"""Columns that hang together take each other's noise out: the spectral filter, PCA-DR and BE-DR on reports.

Kargupta, Datta, Wang & Sivakumar, ICDM 2003; Huang, Du & Chen, SIGMOD 2005. The filters are those of
`ground/noise_filters.py`. What they leave can be told before anybody is asked, from an assumed covariance of the
answers: the mean squared error tr(Sx - Sx (Sx + Sy)^-1 Sx) / d of the best of them, whose root is the noise that is
left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.attacks.report_attack import (
    MOST_SPREAD,
    STUDY,
    ReportAttack,
    beside,
    check_noise,
    checked_covariance,
    covariance_of_noise,
)
from sfumato.contracts.attack import Attacked, mean_success, root_success
from sfumato.ground.calls import SaysWhatMethodsTake, says_what_it_takes
from sfumato.ground.errors import ParameterError
from sfumato.ground.noise_filters import Filter, filter_noise, left_by_filter, share_nearer
from sfumato.ground.validate import is_number, one_of, told, whole

__all__ = ["EffectiveNoise", "NoiseFiltering", "effective_noise"]

Noise = float | tuple[float, ...] | tuple[tuple[float, ...], ...]
_IN_NOISE = "in standard deviations of the noise"


@dataclass(frozen=True)
class NoiseFiltering(ReportAttack):
    """Knows the `noise` that was added: its standard deviation, one for each column, or its covariance matrix.

    `by` is the way to filter: `"bayes"`, `"pca"` or `"spectral"`. `components` is how many directions `"pca"` keeps; by
    itself it keeps those that have 95% of the variance that is no noise. Reports are in the unit of the answers, as
    `values_of` of a randomizer of numbers gives them.

    >>> from sfumato import collection
    >>> from sfumato.ground.randomness import Randomness
    >>> random = Randomness(1)
    >>> true = random.normal(2_000).repeat(10).reshape(2_000, 10)
    >>> found = collection.NoiseFiltering(noise=1.0).run(true + random.normal(20_000).reshape(2_000, 10), true)
    >>> found["error"].value < 0.35 < 0.95 < found["error_reported"].value
    True
    """

    noise: Noise
    by: Filter = "bayes"
    components: int | None = None

    def __post_init__(self) -> None:
        """Check the noise and the filter."""
        object.__setattr__(self, "noise", _checked_noise(self.noise))
        one_of("by", self.by, get_args(Filter))
        if self.components is not None:
            whole("components", self.components, least=1)
            if self.by != "pca":
                raise ParameterError(f"components are kept by 'pca' alone, and by is {self.by!r}; leave them out")

    def run(self, reports: Any, original: Any) -> Attacked:
        """Filter `reports`, and compare reported and filtered numbers with the `original` ones."""
        shown, true = beside(reports, original)
        noise = covariance_of_noise(self.noise, shown.shape[1])
        spread = np.sqrt(np.diag(noise))
        check_noise(shown, true, spread)
        estimate = filter_noise(shown, self.by, noise, self.components)
        usual = float(np.sqrt(np.mean(((true - true.mean(axis=0)) / spread) ** 2)))

        def off(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.asarray((((values - true) / spread) ** 2).mean(axis=1))

        found = {
            "error_reported": root_success(off(shown), usual, f"error of reported values {_IN_NOISE}"),
            "error_single": root_success(
                off(_one_by_one(shown, spread)), usual, f"error where each column is filtered alone {_IN_NOISE}"
            ),
            "error": root_success(off(estimate), usual, f"error of filtered values {_IN_NOISE}"),
            "nearer": mean_success(
                share_nearer(estimate, shown, true), 0.0, "values that lie nearer to the truth than the reported ones"
            ),
        }
        left = f"the noise that is left is {found['error'].value:.0%} of the noise that was added"
        return Attacked(self, found, (STUDY, left))


def _one_by_one(shown: NDArray[np.float64], spread: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every column by itself, by the Bayes filter."""
    columns = [filter_noise(shown[:, [i]], "bayes", np.array([[sd**2]])) for i, sd in enumerate(spread)]
    return np.concatenate(columns, axis=1)


@dataclass(frozen=True, kw_only=True)
class EffectiveNoise(SaysWhatMethodsTake):
    """The noise that is left where columns hang together: standard deviations, over all columns. See `effective_noise`.

    `nominal` is what is added, `single` what is left where each column is filtered alone, `pca` by the leading
    directions, and `bayes` by the best filter; `by_column` has the last for each column.
    """

    nominal: float
    single: float
    pca: float
    bayes: float
    by_column: tuple[float, ...]

    def __str__(self) -> str:
        return (
            f"of noise of {self.nominal:.4g} a filter leaves {self.bayes:.4g} (by its leading directions "
            f"{self.pca:.4g}, column by column {self.single:.4g})"
        )


@says_what_it_takes
def effective_noise(signal: Any, noise: Any, *, components: int | None = None) -> EffectiveNoise:
    """The noise that would be left, before anybody is asked, where answers have the covariance `signal`.

    `noise` is the standard deviation of what is added, one for each column, or the covariance matrix. `components` is
    how many directions PCA keeps; by itself those that have 95% of the variance.

    >>> from sfumato import collection
    >>> print(collection.effective_noise([[1, 0.8], [0.8, 1]], 1.0, components=1))
    of noise of 1 a filter leaves 0.6362 (by its leading directions 0.7746, column by column 0.7071)
    """
    true = checked_covariance("signal", signal, positive=False)
    added = covariance_of_noise(_checked_noise(noise), len(true))
    if components is not None and whole("components", components, least=1) > len(true):
        raise ParameterError(f"components must be at most {len(true)}, the number of columns, got {components}")
    best, by_pca = left_by_filter(true, added, "bayes"), left_by_filter(true, added, "pca", components)
    own, ours = np.diag(true), np.diag(added)
    return EffectiveNoise(
        nominal=_root(ours), single=_root(own * ours / (own + ours)), pca=_root(np.diag(by_pca)),
        bayes=_root(np.diag(best)), by_column=tuple(np.sqrt(np.maximum(np.diag(best), 0.0)).tolist()),
    )  # fmt: skip


def _root(variances: NDArray[np.float64]) -> float:
    return float(np.sqrt(max(float(variances.mean()), 0.0)))


def _checked_sd(noise: Any) -> float:
    if not noise > 0:
        raise ParameterError(f"noise must be above 0, got {told(noise)}")
    if not 1.0 / MOST_SPREAD <= noise <= MOST_SPREAD:
        raise ParameterError(
            f"noise must be between {1.0 / MOST_SPREAD:g} and {MOST_SPREAD:g}, got {told(noise)}; take another unit"
        )
    return float(noise)


def _checked_noise(noise: Any) -> Noise:
    """A standard deviation, one for each column, or a covariance matrix, as plain numbers."""
    plain = noise.tolist() if isinstance(noise, (np.ndarray, np.generic)) else noise
    if is_number(plain):
        return _checked_sd(plain)
    if isinstance(plain, (list, tuple)) and plain and all(map(is_number, plain)):
        return tuple(map(_checked_sd, plain))
    if isinstance(plain, (list, tuple)) and plain and all(isinstance(each, (list, tuple)) for each in plain):
        return tuple(tuple(row) for row in checked_covariance("noise", plain, positive=True).tolist())
    raise ParameterError(
        f"noise must be a standard deviation above 0, one for each column, or a covariance matrix, got {told(noise)}"
    )
