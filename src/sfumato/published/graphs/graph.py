"""The check of published graphs: what they promise, and that they were made as is told, beside the original."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sfumato.data.graph import Graph
from sfumato.errors import DataError, ParameterError
from sfumato.privacy.degree_anonymity import DegreeAnonymity
from sfumato.privacy.promise import Promise
from sfumato.privacy.verdict import Verdict
from sfumato.published.graphs.graph_check import (
    Checked,
    check_added_deleted,
    check_degrees,
    check_degrees_kept,
    check_perturbed,
    check_relabelled,
    check_supergraph,
)

if TYPE_CHECKING:
    from sfumato.release import Owner, Release

__all__ = ["check_original", "verify_graph"]


def verify_graph(release: Release, original: Any, promise: Promise | None) -> Verdict:
    """Decide a promise on a published graph, and with the original and its owner's map whether it is what is told."""
    published, told = release.data, release.public["graph"]
    assert isinstance(published, Graph)
    if original is not None and not isinstance(original, Graph):
        raise ParameterError(
            f"the release is of a graph, and the original is {type(original).__name__}; give the graph"
        )
    found: list[str] = []
    broken: list[str] = list(release.damage)
    reached: dict[str, float] = {}
    for part in promise.parts if promise is not None else ():
        if not isinstance(part, DegreeAnonymity):
            raise ParameterError(f"graphs promise DegreeAnonymity, not {part!r}")
        seen, wrong = check_degrees(published, part.k)
        found += seen
        broken += [f"{part!r}: {each}" for each in wrong]
        if not wrong:
            reached[repr(part)] = float(part.k)
    alone = f"{published.n_vertices:,} published vertices and {published.n_edges:,} edges"
    if original is None or release.owner is None:
        undecided = () if promise is not None else (_said(told),)
        found += [] if promise is not None else ["how it was made needs the original and its owner’s map to be seen"]
        return Verdict(
            holds=not broken and not undecided, found=tuple(found), broken=tuple(broken), reached=reached,
            checked_on=f"{alone} alone", undecided=undecided,
        )  # fmt: skip
    seen, wrong = _as_told(told, original, published, release.owner)
    return Verdict(
        holds=not broken and not wrong, found=(*found, *seen), broken=(*broken, *wrong), reached=reached,
        checked_on=f"{alone}, beside the original",
    )  # fmt: skip


def check_original(release: Release, original: Graph) -> None:
    """Refuse a graph that the release cannot have been made from as it tells."""
    if release.owner is None:
        return
    assert isinstance(release.data, Graph)
    _, wrong = _as_told(release.public["graph"], original, release.data, release.owner)
    if wrong:
        raise DataError(f"the release was not made from this graph as it tells: {wrong[0]}; give the original")


def _said(told: dict[str, Any]) -> str:
    named = [f"{name}={told[name]:g}" for name in ("mu", "edges_replaced") if name in told]
    return named[0] if named else "that only numbers were changed"


def _as_told(told: dict[str, Any], original: Graph, published: Graph, owner: Owner) -> Checked:
    rows = owner.rows
    if "mu" in told:
        return check_perturbed(original, published, rows, float(told["mu"]))
    if "edges_replaced" in told:
        found, broken = check_added_deleted(original, published, rows, int(told["edges_replaced"]))
        if told.get("degrees_kept"):
            kept, off = check_degrees_kept(original, published, rows)
            return (*found, *kept), (*broken, *off)
        return found, broken
    if "k" in told:
        return check_supergraph(original, published, rows)
    return check_relabelled(original, published, rows)
