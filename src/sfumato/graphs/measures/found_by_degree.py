"""The chance that a person is found by the number of neighbours: what all ways of publishing a graph can be held by.

What `DegreeAttack` does, with 1,000 people drawn at random. It is the weakest knowledge of a graph: whoever knows more
of a person's surroundings finds more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.contracts.measurer import MeasureOptions, register_further_measures
from sfumato.graphs.attacks.neighbourhood import chance_by_degree
from sfumato.ground.figures import Measures, declare
from sfumato.ground.randomness import Randomness
from sfumato.published.graphs.graph import GraphShape

__all__ = ["FOUND_BY_DEGREE"]

_PEOPLE, _MOST_VERTICES = 1_000, 200_000
"""How many people are looked for, and up to which size of the graph: beyond it, fitting degrees takes long."""

FOUND_BY_DEGREE = declare(
    name="found_by_degree", label="Found by degree", group="risk", unit="share", audience="owner",
    meaning="chance that the likeliest vertex is the person's, for who knows how many neighbours a person has",
    stands_for="identification",
)  # fmt: skip


@register_further_measures(GraphShape)
def found_by_degree(shape: GraphShape, original: Any, asked: MeasureOptions) -> Measures:
    """The figure; none without the original and the map of vertices, or of a very large graph."""
    if original is None or shape.rows is None or not 0 < len(original) <= _MOST_VERTICES:
        return Measures()
    behind = np.asarray(shape.rows, dtype=np.int64)
    random = (asked.random or Randomness("found by degree")).spawn("people")
    own = np.sort(random.permutation(len(behind))[:_PEOPLE])
    return Measures([FOUND_BY_DEGREE.of(chance_by_degree(shape, original.degrees[behind[own]], own))])
