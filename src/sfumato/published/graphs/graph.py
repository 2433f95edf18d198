"""The shape of a published graph, and the check of what it promises and of how it says that it was made."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from sfumato.data.graph import Graph
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.validate import is_number, is_whole
from sfumato.privacy.degree_anonymity import DegreeAnonymity
from sfumato.privacy.verdict import Verdict
from sfumato.published.files import read_columns, read_texts, restore_types
from sfumato.published.graphs.graph_check import (
    Checked,
    check_added_deleted,
    check_degrees,
    check_degrees_kept,
    check_perturbed,
    check_relabelled,
    check_supergraph,
    unlikely_count,
    unlikely_density,
)
from sfumato.published.shape import Check, Shape, shape_of

if TYPE_CHECKING:
    from sfumato.published.shape import Bare
    from sfumato.release.release import Release

__all__ = ["GraphShape", "graph_shape"]


def graph_shape(release: Release | Bare) -> GraphShape:
    """Return the shape of a release of a graph; refuse a release of anything else."""
    shape = shape_of(release)
    if not isinstance(shape, GraphShape):
        raise ParameterError(f"the release is of {shape.called}, and not of a graph; give a release of a graph")
    return shape


_ALONE, _ALONE_PER_EDGE = 1_000_000, 100
"""How many vertices a graph may have: so many, and so many more for each edge. A file of a few lines cannot ask for
memory without end."""


def _n_vertices(public: Mapping[str, Any], n_edges: int) -> int:
    """How many vertices the release says that there are; refuse what is no number, or no graph of so few edges."""
    parameters = public["graph"]
    told = parameters.get("vertices") if isinstance(parameters, Mapping) else None
    if not is_whole(told) or told < 0:
        raise DataError("a published graph says in a whole number how many vertices it has, and this one does not")
    if told > _ALONE + _ALONE_PER_EDGE * n_edges:
        raise DataError(
            f"a published graph is said to have {told:,} vertices and lists {n_edges:,} edges, so that nearly no "
            f"vertex would have one; give vertices of which more have edges"
        )
    return told


class GraphShape(Shape):
    """Edges among numbered vertices."""

    name = "graph"
    original_type = Graph
    data_type = Graph
    called = "a graph"
    unit = "vertices"

    @property
    def graph(self) -> Graph:
        """The published graph."""
        graph: Graph = self.release.data  # type: ignore[assignment]
        return graph

    @property
    def parameters(self) -> dict[str, Any]:
        """How the graph was made, as the release tells: `mu`, `edges_replaced`, `k` and others."""
        parameters = self.public["graph"]
        return dict(parameters) if isinstance(parameters, Mapping) else {}

    @classmethod
    def data_of(cls, frame: pl.DataFrame, public: Mapping[str, Any], source: str = "polars") -> Graph:
        """Return the published edges as a graph; refuse loops and edges that are listed twice."""
        ends = [frame[name] for name in ("source", "target")] if frame.columns == ["source", "target"] else []
        if not ends or any(end.null_count() or not end.dtype.is_integer() for end in ends):
            raise DataError("a published graph has the columns source and target, whole numbers in every row")
        graph = Graph.from_edges(ends[0].to_numpy(), ends[1].to_numpy(), _n_vertices(public, frame.height))
        if graph.n_edges != frame.height:
            raise DataError("a published graph lists some edge twice, or from a vertex to itself")
        if not frame.equals(graph.frame.cast(frame.schema)):  # else the order of edges and ends could tell something
            raise DataError("a published graph lists its edges in order, each from the smaller number to the larger")
        return graph

    @classmethod
    def read(cls, path: Path, public: Mapping[str, Any]) -> Graph:
        """Read the published graph from its file: two columns of whole numbers, in every format."""
        if path.suffix != ".csv":
            return cls.data_of(read_columns(path), public)
        texts = read_texts(path, public)
        return cls.data_of(restore_types(texts, dict.fromkeys(texts.columns, "integer")), public)

    def frame_to_write(self, format: str) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return two columns of whole numbers, and what readers are told."""
        return self.graph.frame, dict(self.public)

    def verify(self, check: Check) -> Verdict:
        """Decide a promise; with the original and its owner's map, also whether the graph was made as it says."""
        self.refuse_other_data(check.original)
        found: list[str] = []
        broken = [*self.damage, *self.unnamed_tables(), *self._impossible_statements()]
        reached: dict[str, float] = {}
        for part in check.parts:
            if not isinstance(part, DegreeAnonymity):  # the one that graphs know
                raise ParameterError(f"graphs promise DegreeAnonymity, not {part!r}")
            seen, wrong = check_degrees(self.graph, part.k)
            found += seen
            broken += [f"{part!r}: {each}" for each in wrong]
            if not wrong:
                reached[repr(part)] = float(part.k)
        undecided, declared = self._undecided_and_declared(check)
        checked_on = f"{self.graph.n_vertices:,} published vertices and {self.graph.n_edges:,} edges"
        if check.original is None or self.release.owner is None:
            checked_on += " alone" if check.original is None else " and the original, without its owner’s map"
            if check.promise is None:
                found.append("how it was made needs the original and its owner’s map to be seen")
            if check.original is not None and self.parameters.get("mu") and not self._impossible_statements():
                broken += unlikely_count(check.original, self.graph, float(self.parameters["mu"]))
        else:
            checked_on += ", beside the original"
            if not self._impossible_statements():
                seen, wrong = self._check_making(check.original)
                found, broken = [*found, *seen], [*broken, *wrong]
        return Verdict(
            found=tuple(found), broken=tuple(broken), reached=reached, checked_on=checked_on, undecided=undecided,
            declared=declared,
        )  # fmt: skip

    def refuse_other_original(self, original: Graph) -> None:
        """Refuse a graph that the release cannot have been made from as it tells."""
        if self.release.owner is None:
            return
        _, wrong = self._check_making(original)
        if wrong:
            raise DataError(f"the release was not made from this graph as it tells: {wrong[0]}; give the original")

    def _impossible_statements(self) -> list[str]:
        """What the release says of its making that cannot be true of the published graph, a clause each."""
        parameters, method = self.parameters, self.release.method
        if not isinstance(self.public["graph"], Mapping) or not isinstance(method, Mapping):
            return ["the release does not say how the graph was made"]
        if any(key in parameters and not is_whole(parameters[key]) for key in ("vertices", "edges_replaced", "k")):
            return ["the release does not say in whole numbers how the graph was made"]
        if "mu" not in parameters:
            return []
        mu, epsilon = parameters["mu"], parameters.get("epsilon")
        if not is_number(mu) or not 0 <= mu <= 0.5:
            return ["the release does not say with what probability pairs of vertices were flipped"]
        if mu != method.get("mu", mu):
            return [f"the release tells mu={mu:g}, and another mu of its method"]
        if mu == 0:
            return []
        if not is_number(epsilon) or not math.isclose(
            epsilon, math.log1p(-mu) - math.log(mu), rel_tol=1e-9, abs_tol=1e-12
        ):
            return [f"the release tells no epsilon, or one that does not follow from mu={mu:g}"]
        return unlikely_density(self.graph, mu)

    def _undecided_and_declared(self, check: Check) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What the check leaves open about how the graph was made, and what a random method declares of its draws.

        Both are empty where a promise is asked for, as that is decided.
        """
        if check.promise is not None or self._impossible_statements():
            return (), ()
        if self.parameters.get("mu"):
            return (), (f"every pair of vertices was flipped with probability mu={self.parameters['mu']:g}",)
        if check.original is not None and self.release.owner is not None:
            return (), ()
        replaced = self.parameters.get("edges_replaced")
        return (f"edges_replaced={replaced:g}" if replaced is not None else "that only numbers were changed",), ()

    def _check_making(self, original: Graph) -> Checked:
        """Compare the graph with its original by the check that fits what the release says of its making."""
        assert self.rows is not None
        parameters, rows, published = self.parameters, self.rows, self.graph
        if "mu" in parameters:
            return check_perturbed(original, published, rows, float(parameters["mu"]))
        if "edges_replaced" in parameters:
            found, broken = check_added_deleted(original, published, rows, int(parameters["edges_replaced"]))
            if parameters.get("degrees_kept"):
                kept, off = check_degrees_kept(original, published, rows)
                return (*found, *kept), (*broken, *off)
            return found, broken
        if "k" in parameters:
            return check_supergraph(original, published, rows)
        return check_relabelled(original, published, rows)
