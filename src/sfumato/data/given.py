"""Data that a caller gave as an argument: returned if of the right kind, else refused with the caller's sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError

if TYPE_CHECKING:
    from sfumato.data.baskets import Baskets
    from sfumato.data.graph import Graph

__all__ = ["given_data", "given_graph", "given_table"]


def given_table(value: Any, otherwise: str) -> Table:
    """Return the table that was given; refuse anything else with the message `otherwise`."""
    if not isinstance(value, Table):
        raise ParameterError(otherwise)
    return value


def given_graph(value: Any, otherwise: str) -> Graph:
    """Return the graph that was given; refuse anything else with the message `otherwise`."""
    from sfumato.data.graph import Graph  # a compiler comes with it

    if not isinstance(value, Graph):
        raise ParameterError(otherwise)
    return value


def given_data(value: Any, otherwise: str) -> Table | Baskets | Graph:
    """Return the table, baskets or graph that was given; refuse anything else with the message `otherwise`."""
    from sfumato.data.baskets import Baskets
    from sfumato.data.graph import Graph

    if not isinstance(value, (Table, Baskets, Graph)):
        raise ParameterError(otherwise)
    return value
