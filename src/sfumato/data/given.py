"""Data that a caller gave as an argument: of the kind asked for, or refused with the sentence of whoever asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError

if TYPE_CHECKING:
    from sfumato.data.baskets import Baskets
    from sfumato.data.graph import Graph

__all__ = ["given_data", "given_graph", "given_table"]


def given_table(value: Any, otherwise: str) -> Table:
    """The table that was given; `otherwise` says what to do."""
    if not isinstance(value, Table):
        raise ParameterError(otherwise)
    return value


def given_graph(value: Any, otherwise: str) -> Graph:
    """The graph that was given; `otherwise` says what to do."""
    from sfumato.data.graph import Graph  # a compiler comes with it

    if not isinstance(value, Graph):
        raise ParameterError(otherwise)
    return value


def given_data(value: Any, otherwise: str) -> Table | Baskets | Graph:
    """The data that were given, of whatever kind; `otherwise` says what to do."""
    from sfumato.data.baskets import Baskets
    from sfumato.data.graph import Graph

    if not isinstance(value, (Table, Baskets, Graph)):
        raise ParameterError(otherwise)
    return value
