"""What published reports promise: how many there are, and the epsilon of all that one respondent reported."""

from __future__ import annotations

from typing import Any

from sfumato.contracts.measurer import MeasureOptions, measure_of
from sfumato.ground.figures import Measures, declare, figures_of
from sfumato.privacy.amplification import log_of
from sfumato.published.collection.reports import ReportsShape

__all__: list[str] = []

_N_REPORTS = declare(
    name="n_respondents", label="Respondents", group="utility", unit="count", audience="public",
    meaning="respondents whose reports are published", smaller_is_better=None,
)  # fmt: skip
_EPSILON = declare(
    name="local_epsilon", label="Epsilon", group="risk", audience="public",
    meaning="the logarithm of how far the odds of two answers can change by all reports of one respondent, worked out "
    "from the published randomizers",
)  # fmt: skip


@measure_of.register
def _(shape: ReportsShape, original: Any, asked: MeasureOptions) -> Measures:
    asked.refuse_levels("reports")
    gamma = shape.gamma
    return Measures(
        figures_of({_N_REPORTS: shape.frame.height, _EPSILON: log_of(gamma) if gamma is not None else None})
    )
