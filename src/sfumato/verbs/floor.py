"""`floor`: a loss that no release of classes can be below, whatever the method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.data.encoding import encode
from sfumato.data.given import given_table
from sfumato.data.table import Table
from sfumato.ground.brief import brief_number
from sfumato.ground.calls import SaysWhatMethodsTake, says_what_it_takes
from sfumato.ground.confidence import mean_at_least
from sfumato.ground.errors import InfeasibleError, ParameterError, SchemaError
from sfumato.ground.progress import steps
from sfumato.ground.randomness import Randomness, Seed
from sfumato.ground.validate import told, whole
from sfumato.privacy.promise import Promise
from sfumato.tables.measures.floor import n_distinct, record_floors

__all__ = ["Floor", "floor"]

_CONFIDENCE = 0.95
_WORK, _SEARCH = 2e9, 2_500
"""How many comparisons of values may be made before a sample of the records is looked at; how many records the search
for the cheapest box compares for each record in it, beside all that differ from each other."""
_LEAST_SAMPLED = 2_000
_MOST_STATES = 300
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Floor(SaysWhatMethodsTake):
    """What any release of classes must lose: `loss`, the GCP, from 0 to 1.

    `confidence` is 1 where every record was looked at, and the bound is a theorem; where a sample of `n_looked_at` of
    the `n_rows` records was, the bound is right but for the chance that `confidence` leaves. `k` is the size of the
    smallest class that the promise allows.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.floor(hospital(200), sf.KAnonymity(5)).loss > 0.05
    True
    """

    loss: float
    confidence: float
    k: int
    n_rows: int
    n_looked_at: int

    def __float__(self) -> float:
        return self.loss

    def above(self, loss: float) -> float:
        """How far a loss is above the floor at the most, as a share of the floor: 0.2 for 20%.

        It is negative for a loss below the floor, which no release of classes has under the promise: such a loss is one
        of other values, of another table or promise, or one that was guessed.
        """
        if abs(loss - self.loss) <= _ROUNDING:
            return 0.0
        return loss / self.loss - 1 if self.loss > 0 else float("inf")

    def __repr__(self) -> str:
        sure = "proven" if self.confidence == 1 else f"with {self.confidence:.0%} confidence"
        return f"Floor({brief_number(self.loss)}, {sure}, k={self.k}, {self.n_looked_at:,} of {self.n_rows:,} records)"


@says_what_it_takes
def floor(table: Table, promise: Promise, *, sample: int | None = None, seed: Seed | None = None) -> Floor:
    """A bound below the loss (GCP) of every release of classes of `table` under `promise`, by any method.

    Each record's class holds k - 1 others, so that it loses at least what the cheapest box around it and k - 1 others
    does. Promises on sensitive values count by the size of the smallest class that they allow. The cost is the
    library's own: ranges by their extent, sets by their share of the values, nodes of hierarchies by their leaves,
    weighted. Rows that are withheld count 1, so that suppression is covered too, also of a promise that no release of
    all rows can keep; means, permuted, drawn and perturbed values are not classes, and may lose less. Fewer rows than
    the smallest class are refused, and so are promises that are not about the classes of one table.

    `sample` is how many records to look at, all against all others; by default all where that takes seconds, else a
    random sample, and the bound is told with 95% confidence. A `seed` repeats the sample.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> table = hospital(200)
    >>> release = sf.publish(table, sf.Ordered(), sf.KAnonymity(5), seed=1)
    >>> float(sf.floor(table, sf.KAnonymity(5))) < sf.measure(release, table)["gcp"]
    True
    """
    table = given_table(table, f"floor takes a Table, got {type(table).__name__}; wrap a frame as Table(frame, schema)")
    if not isinstance(promise, Promise):
        raise ParameterError(f"promise must be a promise such as KAnonymity(10), got {told(promise)}")
    odd = next((part for part in promise.parts if not part.kept_by_groups), None)
    if odd is not None:
        raise ParameterError(f"no floor is known under {odd!r}, which is not about the classes of one table")
    if not table.schema.quasi:
        raise SchemaError("no column is declared quasi; name those an outsider may know, as in Schema(quasi=['age'])")
    if sample is not None:
        whole("sample", sample, least=1)
    kept = table.complete
    part = table if len(kept) == len(table) else table.rows(kept)
    cannot = promise.limit(len(part), encode(part, part.schema.sensitive))
    if cannot is not None and len(part) < max(1, promise.min_size()):  # with more rows, some of them may keep it
        raise InfeasibleError(cannot)
    quasi = encode(part, part.schema.quasi)
    if sample is None:
        sample = max(_LEAST_SAMPLED, int(_WORK / ((n_distinct(quasi) + _SEARCH * promise.min_size()) * len(quasi))))
    sampled = sample < len(part)
    rows = Randomness(seed).integers(len(part), size=sample) if sampled else np.arange(len(part))
    with steps(1) as progress:
        progress.step("bounding")
        found = record_floors(quasi, promise.min_size(), rows, most_states=_MOST_STATES, share=progress.share)
    share_kept = len(part) / max(len(table), 1)
    loss = mean_at_least(found, _CONFIDENCE) if sampled else float(found.mean()) if len(found) else 0.0
    return Floor(
        loss=loss * share_kept + (1 - share_kept), confidence=_CONFIDENCE if sampled else 1.0, k=promise.min_size(),
        n_rows=len(table), n_looked_at=len(rows),
    )  # fmt: skip
