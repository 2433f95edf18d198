"""Lattices that are searched, and a method that publishes one node."""

from dataclasses import dataclass

import polars as pl
from hypothesis import settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.tables.lattice.full_domain import FullDomainMethod
from sfumato.tables.lattice.lattice import is_below
from sfumato.tables.lattice.search_result import BestNode

MEASURES = st.sampled_from(["gcp", "loss", "entropy", "discernibility", "height"])
SHARES = st.sampled_from([0.0, 0.0, 0.1, 0.25, 0.5])
SOME = settings(max_examples=60)


@dataclass(frozen=True)
class At(FullDomainMethod, register=False):
    """Publishes one node, whatever it costs."""

    node: tuple[int, ...] = ()
    max_suppressed: float = 0.0
    measure: str = "gcp"
    show: str = "levels"
    any_suppression = True

    def _search(self, examiner):
        return BestNode(self.node, 0.0, ()) if examiner.examine(self.node).holds else None


def lowest_nodes(nodes):
    return {node for node in nodes if not any(other != node and is_below(other, node) for other in nodes)}


def minimal_levels(search):
    return {tuple(each.values()) for each in search.minimal}


def one_column(values, **roles):
    return sf.Table(pl.DataFrame({"c": values}), sf.Schema(quasi=["c"], **roles))
