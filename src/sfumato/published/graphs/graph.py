"""A published graph: what it promises, and that it was made as is told, beside the original."""

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
from sfumato.published.files import read_columns
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
    """The shape of a release of a graph; any other is refused."""
    shape = shape_of(release)
    if not isinstance(shape, GraphShape):
        raise ParameterError(f"the release is of {shape.called}, and not of a graph; give a release of a graph")
    return shape


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
        """What the release tells of how the graph was made."""
        parameters = self.public["graph"]
        return dict(parameters) if isinstance(parameters, Mapping) else {}

    @classmethod
    def data_of(cls, frame: pl.DataFrame, public: Mapping[str, Any], source: str = "polars") -> Graph:
        """The published edges as a graph; loops and edges that are listed twice are refused."""
        ends = [frame[name] for name in ("source", "target")] if frame.columns == ["source", "target"] else []
        if not ends or any(end.null_count() or not end.dtype.is_integer() for end in ends):
            raise DataError("a published graph has the columns source and target, whole numbers in every row")
        graph = Graph.from_edges(ends[0].to_numpy(), ends[1].to_numpy(), int(public["graph"]["vertices"]))
        if graph.n_edges != frame.height:
            raise DataError("a published graph lists some edge twice, or from a vertex to itself")
        return graph

    @classmethod
    def read(cls, path: Path, public: Mapping[str, Any]) -> Graph:
        """The published graph; two columns of whole numbers, in every format."""
        return cls.data_of(pl.read_csv(path) if path.suffix == ".csv" else read_columns(path), public)

    def written(self, format: str) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Two columns of whole numbers."""
        return self.graph.frame, dict(self.public)

    def verify(self, check: Check) -> Verdict:
        """Decide a promise, and with the original and its owner's map whether the graph is what is told."""
        self.refuse_other_data(check.original)
        found: list[str] = []
        broken = [*self.damage, *self._mistold()]
        reached: dict[str, float] = {}
        for part in check.parts:
            if not isinstance(part, DegreeAnonymity):  # the one that graphs know
                raise ParameterError(f"graphs promise DegreeAnonymity, not {part!r}")
            seen, wrong = check_degrees(self.graph, part.k)
            found += seen
            broken += [f"{part!r}: {each}" for each in wrong]
            if not wrong:
                reached[repr(part)] = float(part.k)
        undecided, declared = self._left_open(check)
        checked_on = f"{self.graph.n_vertices:,} published vertices and {self.graph.n_edges:,} edges"
        if check.original is None or self.release.owner is None:
            checked_on += " alone" if check.original is None else " and the original, without its owner’s map"
            if check.promise is None:
                found.append("how it was made needs the original and its owner’s map to be seen")
            if check.original is not None and self.parameters.get("mu") and not self._mistold():
                broken += unlikely_count(check.original, self.graph, float(self.parameters["mu"]))
        else:
            checked_on += ", beside the original"
            if not self._mistold():
                seen, wrong = self._made_as_disclosed(check.original)
                found, broken = [*found, *seen], [*broken, *wrong]
        return Verdict(
            found=tuple(found), broken=tuple(broken), reached=reached, checked_on=checked_on, undecided=undecided,
            declared=declared,
        )  # fmt: skip

    def refuse_other_original(self, original: Graph) -> None:
        """Refuse a graph that the release cannot have been made from as it tells."""
        if self.release.owner is None:
            return
        _, wrong = self._made_as_disclosed(original)
        if wrong:
            raise DataError(f"the release was not made from this graph as it tells: {wrong[0]}; give the original")

    def _mistold(self) -> list[str]:
        """What is told of how the graph was made and cannot be so, by the published graph alone."""
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

    def _left_open(self, check: Check) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What of its making is not decided, and what is declared of a draw; where a promise is asked for, neither."""
        if check.promise is not None or self._mistold():
            return (), ()
        if self.parameters.get("mu"):
            return (), (f"every pair of vertices was flipped with probability mu={self.parameters['mu']:g}",)
        if check.original is not None and self.release.owner is not None:
            return (), ()
        replaced = self.parameters.get("edges_replaced")
        return (f"edges_replaced={replaced:g}" if replaced is not None else "that only numbers were changed",), ()

    def _made_as_disclosed(self, original: Graph) -> Checked:
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
