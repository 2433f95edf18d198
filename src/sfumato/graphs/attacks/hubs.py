"""What a vertex's links to hubs say of it, and how much of that a published graph still shows (thesis, s. 4.6.3).

Hubs are the vertices with the most neighbours. The hubs that a vertex is joined to are its pattern, and it belongs to
the target pattern that differs from its own in the fewest hubs. One as near to two targets belongs to neither: were it
given to the first, flips that leave it between the two would count as read right. Ten hubs and the targets of the
thesis leave nobody between.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.graph import Graph
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import is_whole

__all__ = ["hub_agreement", "hub_classes", "hub_confusion", "hub_links", "target_patterns", "top_hubs"]


def top_hubs(graph: Graph, hubs: int = 10) -> NDArray[np.int64]:
    """The vertices with the most neighbours, highest first; of equals, the first."""
    if not is_whole(hubs) or not 1 <= hubs <= len(graph):
        raise ParameterError(f"hubs must be a whole number from 1 to the {len(graph):,} vertices, got {hubs!r}")
    return np.argsort(-graph.degrees, kind="stable")[:hubs]


def target_patterns(hubs: int = 10) -> NDArray[np.bool_]:
    """The four targets of the thesis, for any number of hubs: none, every second, all, every second from the first.

    >>> target_patterns(4).astype(int).tolist()
    [[0, 0, 0, 0], [0, 1, 0, 1], [1, 1, 1, 1], [1, 0, 1, 0]]
    """
    odd = np.arange(hubs) % 2 == 1
    return np.stack([np.zeros(hubs, dtype=bool), odd, np.ones(hubs, dtype=bool), ~odd])


def hub_links(graph: Graph, hubs: NDArray[Any]) -> NDArray[np.bool_]:
    """Which hubs each vertex is joined to, vertices by hubs."""
    links = np.zeros((len(graph), len(hubs)), dtype=bool)
    for at, hub in enumerate(hubs):
        links[graph.neighbours(int(hub)), at] = True
    return links


def hub_classes(graph: Graph, hubs: NDArray[Any], patterns: NDArray[Any]) -> NDArray[np.int64]:
    """The number of the target pattern nearest to every vertex's links to the hubs, or -1 where two are as near."""
    targets = _check_patterns(patterns, len(hubs)).astype(np.int64)
    links = hub_links(graph, hubs).astype(np.int64)
    distance = links.sum(axis=1)[:, None] + targets.sum(axis=1)[None, :] - 2 * links @ targets.T
    nearest = distance.min(axis=1, keepdims=True)
    return np.where((distance == nearest).sum(axis=1) == 1, distance.argmin(axis=1), -1)


def hub_confusion(
    original: Graph, published: Graph, rows: NDArray[Any], *, hubs: int = 10, least: int = 4,
    patterns: NDArray[Any] | None = None,
) -> NDArray[np.int64]:  # fmt: skip
    """How many vertices of each class, in rows, are read as each class from the published graph, in columns.

    The last column counts those read as between two. Hubs are those of the original, found by the owner's `rows`.
    Counted are vertices that are no hubs, have `least` links to hubs or more, and belong to a class.
    """
    if not is_whole(least) or not 0 <= least <= hubs:
        raise ParameterError(f"least must be a whole number of links, from 0 to the {hubs} hubs, got {least!r}")
    behind = np.asarray(rows, dtype=np.int64)
    if len(behind) != len(published):
        raise ParameterError(f"{len(published):,} vertices are published, and rows name {len(behind):,}; name each")
    at = top_hubs(original, hubs)
    targets = _check_patterns(target_patterns(hubs) if patterns is None else patterns, hubs)
    where = np.full(len(original), -1, dtype=np.int64)
    where[behind] = np.arange(len(behind))
    if (where[at] < 0).any():
        raise ParameterError("a hub of the original is not published; take fewer hubs")
    true = hub_classes(original, at, targets)
    asked = (true >= 0) & (hub_links(original, at).sum(axis=1) >= least) & (where >= 0)
    asked[at] = False
    read = hub_classes(published, where[at], targets)[where[asked]]
    n = len(targets)
    counts = np.bincount(true[asked] * (n + 1) + np.where(read < 0, n, read), minlength=n * (n + 1))
    return counts.reshape(n, n + 1)


def hub_agreement(
    original: Graph, published: Graph, rows: NDArray[Any], *, hubs: int = 10, least: int = 4,
    patterns: NDArray[Any] | None = None,
) -> float | None:  # fmt: skip
    """The share of vertices that are read as the class they have; None where there are no such vertices.

    Parameters and who is counted are those of `hub_confusion`.
    """
    counts = hub_confusion(original, published, rows, hubs=hubs, least=least, patterns=patterns)
    return float(np.trace(counts) / counts.sum()) if counts.any() else None


def _check_patterns(patterns: NDArray[Any], n_hubs: int) -> NDArray[np.bool_]:
    """The target patterns as booleans; an error unless they are different rows of one entry for each hub."""
    given = np.asarray(patterns)
    if given.ndim != 2 or given.shape[1] != n_hubs or not len(given) or not np.isin(given, (0, 1)).all():
        raise ParameterError(f"patterns must be rows of 0 and 1, one for each of the {n_hubs} hubs")
    targets = given.astype(bool)
    if len(np.unique(targets, axis=0)) < len(targets):
        raise ParameterError("two target patterns are the same; give each once, and the usual ones two hubs or more")
    return targets
