"""The methods that compete for a table, the most promising first.

Measured by `benchmarks/defaults.py`: under every promise that was tried either `LocalRecoding` or `Ordered` lost least,
the first mostly where a third or more of the quasi-identifiers have hierarchies. Each has a size up to which it takes
seconds; past all of them `Hilbert` still does.
"""

from __future__ import annotations

from sfumato.data.schema import Schema

__all__ = ["candidate_names"]

_MOST_RECODED = 200_000
_MOST_ORDERED = 2_000_000


def candidate_names(schema: Schema, n_rows: int) -> list[str]:
    """The names of the methods to try on a table with this schema and so many rows; the first is the safest choice."""
    n_with = sum(schema.column(name).hierarchy is not None for name in schema.quasi)
    names = ["LocalRecoding", "Ordered"] if n_with and 3 * n_with >= len(schema.quasi) else ["Ordered", "LocalRecoding"]
    most = {"LocalRecoding": _MOST_RECODED, "Ordered": _MOST_ORDERED}
    return [name for name in names if n_rows <= most[name]] or ["Hilbert"]
