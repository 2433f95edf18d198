"""Somebody who knows how much noise was added, and takes out what cannot be signal.

Kargupta, Datta, Wang & Sivakumar, ICDM 2003; Huang, Du & Chen, SIGMOD 2005. The filters are those of
`ground/noise_filters.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.contracts.attack import Attack, Attacked, Success, mean_success, root_success
from sfumato.ground.errors import ParameterError
from sfumato.ground.noise_filters import Filter, filter_noise, share_nearer
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import one_of, whole
from sfumato.published.tables.table import table_shape
from sfumato.tables.attacks.changed_numbers import Numbers, changed_numbers
from sfumato.tables.attacks.targets import OWNER

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = ["NoiseFilteringAttack"]

_IN_NOISE = "in standard deviations of the noise"


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
        estimate = filter_noise(numbers.shown, self.by, np.diag(spread**2))
        progress.step("comparing")
        n = len(numbers.true)
        chosen = np.sort(random.spawn("people").permutation(n)[: self.people])
        usual = float(np.sqrt(np.mean(((numbers.true - numbers.true.mean(axis=0)) / spread) ** 2)))
        off_shown = (((numbers.shown - numbers.true) / spread) ** 2).mean(axis=1)
        off = (((estimate - numbers.true) / spread) ** 2).mean(axis=1)
        found = {
            "error_published": root_success(off_shown, usual, f"error of published values {_IN_NOISE}"),
            "error": root_success(off, usual, f"error of filtered values {_IN_NOISE}"),
            "nearer": mean_success(
                share_nearer(estimate, numbers.shown, numbers.true), 0.0,
                "values that lie nearer to the truth than the published ones",
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
