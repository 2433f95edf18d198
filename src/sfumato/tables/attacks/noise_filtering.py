"""Somebody who knows how much noise was added, and takes out what cannot be signal.

Noise falls in all directions alike, and data that hang together lie in a few. `"spectral"` keeps the directions of the
published covariance whose variance no noise alone would reach (Kargupta, Datta, Wang & Sivakumar, ICDM 2003; the bound
is Marchenko & Pastur's). `"pca"` takes the noise off the covariance and keeps the directions that have most of the
rest, and `"bayes"` estimates every record by its mean given what was published, the best that covariances allow
(Huang, Du & Chen, "Deriving private information from randomized data", SIGMOD 2005).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.contracts.attack import Attack, Attacked, Success, mean_success
from sfumato.ground.errors import ParameterError
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import one_of, whole
from sfumato.published.tables.table import table_shape
from sfumato.tables.attacks.changed_numbers import Numbers, changed_numbers
from sfumato.tables.attacks.targets import OWNER

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = ["NoiseFilteringAttack", "filter_noise"]

Filter: TypeAlias = Literal["bayes", "pca", "spectral"]
_KEPT = 0.95  # of the variance that is no noise, by the principal components


@dataclass(frozen=True)
class NoiseFilteringAttack(Attack):
    """Knows the distribution and the scale of the noise, which are published, and the range of every column.

    `by` is the way to filter: `"bayes"`, `"pca"` or `"spectral"`. Linkage is tried on at most `people` of the records.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> numbers = sf.Table(hospital(40).frame.select("age", "cost"), sf.Schema(quasi=["age", "cost"]))
    >>> release = sf.publish(numbers, sf.AdditiveNoise(0.1), seed=1)
    >>> "error" in sf.attack(release, sf.NoiseFilteringAttack(people=30))
    True
    """

    by: Filter = "bayes"
    people: int = 1000

    def __post_init__(self) -> None:
        """Check the parameters."""
        one_of("by", self.by, get_args(Filter))
        whole("people", self.people, least=1)

    def run(self, release: Release, original: Any, random: Randomness, progress: Progress) -> Attacked:
        """Filter the published numbers, and compare published and filtered ones with the truth."""
        progress.step("reading the noise")
        parameters = table_shape(release).noise
        if "scale" not in parameters:
            raise ParameterError(
                "NoiseFilteringAttack needs a release that tells the noise that was added, such as AdditiveNoise's; "
                "use DistanceLinkage"
            )
        numbers = changed_numbers(release, original, None, type(self).__name__)
        spread = (
            float(parameters["scale"])
            * numbers.spans
            / (1.0 if parameters.get("distribution") == "normal" else np.sqrt(3.0))
        )
        moving = spread > 0
        numbers = Numbers(
            tuple(name for name, moves in zip(numbers.names, moving, strict=True) if moves),
            numbers.shown[:, moving], numbers.true[:, moving],
        )  # fmt: skip
        spread = spread[moving]
        progress.step("filtering")
        estimate = filter_noise(numbers.shown / spread, self.by) * spread
        progress.step("comparing")
        n = len(numbers.true)
        chosen = np.sort(random.spawn("people").permutation(n)[: self.people])
        usual = np.sqrt(np.mean(((numbers.true - numbers.true.mean(axis=0)) / spread) ** 2))
        found = {
            "error_published": _error(numbers.shown, numbers.true, spread, float(usual), "published values"),
            "error": _error(estimate, numbers.true, spread, float(usual), "filtered values"),
            "nearer": mean_success(
                _nearer(estimate, numbers), 0.0, "values that lie nearer to the truth than the published ones"
            ),
            "linked_published": _linkage_success(numbers.true, numbers.shown, chosen, numbers.spans, "published"),
            "linked": _linkage_success(numbers.true, estimate, chosen, numbers.spans, "filtered"),
        }  # fmt: skip
        share = found["error"].value / max(found["error_published"].value, 1e-300)
        notes = (
            OWNER,
            f"the filter leaves {share:.0%} of the error of the published values",
            "the adversary knew the range of every column, of which the noise is a share",
        )
        return Attacked(self, found, notes)


def filter_noise(shown: NDArray[np.float64], by: Filter) -> NDArray[np.float64]:
    """Estimates of the true records (by columns) from published ones, whose noise has variance 1 in every column."""
    n, d = shown.shape
    mean = shown.mean(axis=0)
    centred = shown - mean
    variance, directions = np.linalg.eigh(centred.T @ centred / max(n - 1, 1))
    signal = np.maximum(variance - 1.0, 0.0)
    if by == "bayes":
        weight = signal / (signal + 1.0)
    elif by == "spectral":
        weight = (variance > (1.0 + np.sqrt(d / n)) ** 2).astype(np.float64)
    else:
        falling = np.argsort(-signal, kind="stable")
        share = np.cumsum(signal[falling]) / max(float(signal.sum()), 1e-300)
        weight = np.zeros(d)
        weight[falling[: int(np.searchsorted(share, _KEPT)) + 1]] = 1.0
    return np.asarray(mean + centred @ (directions * weight) @ directions.T)


def _error(
    values: NDArray[np.float64], true: NDArray[np.float64], spread: NDArray[np.float64], usual: float, what: str
) -> Success:
    """The root of the mean squared error, in standard deviations of the noise; its interval by that of the squares."""
    squares = mean_success(
        (((values - true) / spread) ** 2).mean(axis=1), usual**2, "", "number"
    )  # fmt: skip
    assert squares.low is not None
    assert squares.high is not None
    meaning = f"error of {what} in standard deviations of the noise"
    return Success(
        float(np.sqrt(squares.value)), float(np.sqrt(squares.low)), float(np.sqrt(squares.high)), usual, meaning,
        "number",
    )  # fmt: skip


def _nearer(estimate: NDArray[np.float64], numbers: Numbers) -> NDArray[np.float64]:
    """For each record, the share of its values whose estimate is nearer to the truth than the published value."""
    better = np.abs(estimate - numbers.true) < np.abs(numbers.shown - numbers.true)
    return np.asarray(better.mean(axis=1), dtype=np.float64)


def _linkage_success(
    true: NDArray[np.float64], seen: NDArray[np.float64], chosen: NDArray[np.int64], spans: NDArray[np.float64],
    what: str,
) -> Success:  # fmt: skip
    """The share of people whose own row is the nearest to their true values; ties count in part."""
    from scipy.spatial import KDTree

    tree = KDTree(seen / spans)
    least, _ = tree.query(true[chosen] / spans)
    own = np.sqrt((((true - seen) / spans)[chosen] ** 2).sum(axis=1))
    reach = least * (1 + 1e-9) + 1e-12
    hit = own <= reach
    ties = tree.query_ball_point(true[chosen] / spans, reach, return_length=True)
    meaning = f"people whose own row is the nearest by {what} values"
    return mean_success(np.where(hit, 1.0 / ties, 0.0), 1 / len(true), meaning)
