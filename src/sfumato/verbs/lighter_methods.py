"""Which other method would lose less than a release does: the two that lose least elsewhere, tried on its table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from sfumato.contracts.method import method_from_dict
from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.data.table import Table
from sfumato.ground.compiling import is_compiled
from sfumato.ground.errors import SfumatoError
from sfumato.release.release import Release
from sfumato.tables.choosing.candidates import candidate_names
from sfumato.verbs.measure import measure
from sfumato.verbs.publish import publish

__all__ = ["lighter_methods"]

_MOST_TRIED = 20_000
_WORTH_SAYING = 0.95
"""A loss is worth telling where it is below this share of that of the release."""


def lighter_methods(release: Release, data: Table | Baskets | Graph) -> Iterator[tuple[str, float]]:
    """Methods that lose less than a release does, each with its loss (GCP), under the same promise.

    The first that `Best` would try is tried, and the others where their kernels are compiled already; none where `Best`
    chose. Tables of more than 20,000 rows are not tried: it would take longer than the release did.
    """
    promise = release.promise
    if promise is None or data.data_kind != "table" or len(data) > _MOST_TRIED:
        return
    if release.owner is not None and release.owner.tried:
        return
    if not all(part.kept_by_groups and not part.kept_by for part in promise.parts):
        return
    figures = release.measures if release.measures is not None else measure(release, n_queries=0)
    if "gcp" not in figures:
        return
    names = candidate_names(cast(Table, data).schema, len(data))
    for name in names:
        if name == release.method["name"] or (name != names[0] and not is_compiled(name)):
            continue
        try:
            other = publish(data, method_from_dict({"name": name}), promise)
        except SfumatoError:
            continue
        loss = float(measure(other, n_queries=0)["gcp"])
        if loss < _WORTH_SAYING * float(figures["gcp"]):
            yield name, loss
