"""Measures of counts with noise: how far they are expected to be off, and for the owner how far they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.contracts.measurer import MeasureOptions, measure_of
from sfumato.ground.discrete_laplace import mean_size
from sfumato.ground.figures import Measures, declare
from sfumato.published.tables.noisy_counts import NoisyCountsShape

__all__ = ["measure_noisy_counts"]

_EXPECTED = declare(
    name="expected_count_error", label="Expected error of a count", group="utility", audience="public",
    meaning="how far a published count is from the true one, on average over draws of the noise",
)  # fmt: skip
_MARGIN = declare(
    name="count_margin", label="Margin of a count", group="utility", audience="public",
    meaning="a published count is this far from the true one at most, in 95 of 100 draws of the noise",
)  # fmt: skip
_ERROR = declare(
    name="noisy_count_error", label="Error of the counts", group="utility", audience="owner",
    meaning="how far the published counts are from the true ones, on average over cells",
)  # fmt: skip
_COVERED = declare(
    name="intervals_true", label="Intervals that hold the truth", group="utility", unit="share", audience="owner",
    smaller_is_better=False, meaning="share of cells whose true count lies from low to high",
)  # fmt: skip


@measure_of.register
def measure_noisy_counts(shape: NoisyCountsShape, original: Any, asked: MeasureOptions) -> Measures:
    """Return the expected error and the margin of a count; with the original, also the errors that were made."""
    asked.refuse_levels("counts")
    scale, margin = max((each.scale, each.margin) for each in shape.cells.marginals)
    found = Measures([_EXPECTED.of(mean_size(scale)), _MARGIN.of(margin)])
    if original is None:
        return found
    off = np.concatenate([np.abs(drawn) for _, drawn in shape.noise(original)])
    if not len(off):
        return found
    inside = np.concatenate([np.abs(drawn) <= each.margin for each, drawn in shape.noise(original)])
    return found | Measures([_ERROR.of(float(off.mean())), _COVERED.of(float(inside.mean()))])
