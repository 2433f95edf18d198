"""What a comparison is of: everything beside methods and promises that its results follow from, as digests.

Results that were kept are told again only where all of it is the same. The data are the records and what is declared of
them: the schema of a table, the items that sets could have, the vertices of a graph.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import sfumato
from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.data.schema_file import schema_to_dict
from sfumato.data.table import Table
from sfumato.release.fingerprint import content_digest

__all__ = ["Subject", "subject_of"]

_DECLARED: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "table": ("another schema", lambda table: schema_to_dict(table.schema)),
    "baskets": ("other items", lambda baskets: list(baskets.items)),
    "graph": ("other vertices", lambda graph: [graph.n_vertices, graph.names]),
}
"""What the records of each kind of data do not tell themselves, as plain data; and how another one is called."""


@dataclass(frozen=True, kw_only=True)
class Subject:
    """The records and what is declared of them, by their digests; how many counts are asked; and by which version."""

    kind: str
    data: str
    declared: str
    n_queries: int
    version: str

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def differs_from(self, kept: dict[str, Any]) -> str | None:
        """What a comparison that was kept is of, as the end of a sentence, where that is another subject."""
        if kept.get("version") != self.version:
            return f"by sfumato {kept.get('version', 'of another version')}, and this is {self.version}"
        if (kept.get("kind"), kept.get("data")) != (self.kind, self.data):
            return "of other data"
        if kept.get("declared") != self.declared:
            return f"of the same records with {_DECLARED[self.kind][0]}"
        if kept.get("n_queries") != self.n_queries:
            return f"with n_queries={kept.get('n_queries')}, and {self.n_queries} are asked for"
        return None


def subject_of(data: Table | Baskets | Graph, n_queries: int) -> Subject:
    """What a comparison of these data is of."""
    plain = json.dumps(_DECLARED[data.data_kind][1](data), default=str)
    return Subject(
        kind=data.data_kind, data=content_digest(data.frame), declared=hashlib.sha256(plain.encode()).hexdigest(),
        n_queries=int(n_queries), version=sfumato.__version__,
    )  # fmt: skip
