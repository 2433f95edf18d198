"""The `Criteria` that kernels take, made from a promise and the sensitive columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.encoding import Coded
from sfumato.data.tree import node_heights
from sfumato.ground.errors import InfeasibleError
from sfumato.privacy.conditions import EMD_ORDERED, Condition
from sfumato.privacy.criteria import Criteria
from sfumato.privacy.promise import Promise
from sfumato.privacy.shares import Shares

__all__ = ["criteria_for", "refuse_infeasible"]


def refuse_infeasible(promise: Promise, n_rows: int, sensitive: Sequence[Coded]) -> None:
    """Raise `InfeasibleError` where even the whole table as one class breaks the promise."""
    why = promise.limit(n_rows, sensitive)
    if why is not None:
        raise InfeasibleError(why)


def criteria_for(promise: Promise, n_rows: int, sensitive: Sequence[Coded]) -> Criteria:
    """Return the conditions of the promise as flat arrays, with the histograms and trees of the columns.

    A missing value is the first value of its column.
    """
    conditions = promise.conditions(sensitive)
    codes = np.stack([c.codes + np.int32(c.has_missing) for c in sensitive], axis=1) if sensitive else None
    totals = [np.bincount(c.codes + int(c.has_missing), minlength=c.n_codes + int(c.has_missing)) for c in sensitive]
    offset = np.cumsum([0, *map(len, totals)], dtype=np.int64)
    shares = _shares(conditions, offset, sensitive) if any(each.kind >= EMD_ORDERED for each in conditions) else None
    return Criteria(
        min_size=promise.min_size(),
        codes=codes if codes is not None else np.zeros((n_rows, 0), dtype=np.int32),
        offset=offset,
        total=np.concatenate([np.empty(0, dtype=np.int64), *totals]).astype(np.int64),
        kind=np.array([condition.kind for condition in conditions], dtype=np.int64),
        column=np.array([condition.column for condition in conditions], dtype=np.int64),
        params=np.array([[c.a, c.b, c.c] for c in conditions], dtype=np.float64).reshape(len(conditions), 3),
        n_nodes=len(shares.parent) if shares is not None else 0,
        shares=shares,
    )


def _shares(conditions: Sequence[Condition], offset: NDArray[np.int64], sensitive: Sequence[Coded]) -> Shares:
    """The trees of the columns, and the distances and bounds of the conditions, end to end."""
    leaf_nodes, parents, heights = [], [], []
    for column in sensitive:
        leaves = np.zeros(column.n_codes, dtype=np.int64)
        if column.tree is not None:
            leaves = column.tree.leaf_node.astype(np.int64)
            parents.append(np.append(column.tree.parent.astype(np.int64), 0))  # one more leaf: missing
            heights.append(np.append(node_heights(column.tree), 0.0))
        else:
            parents.append(np.empty(0, dtype=np.int64))
            heights.append(np.empty(0))
        leaf_nodes.append(np.append([len(parents[-1]) - 1] * int(column.has_missing), leaves).astype(np.int64))
    return Shares(
        leaf_offset=offset,
        leaf_node=np.concatenate([np.empty(0, dtype=np.int64), *leaf_nodes]),
        node_offset=np.cumsum([0, *(len(parent) for parent in parents)], dtype=np.int64),
        parent=np.concatenate([np.empty(0, dtype=np.int64), *parents]),
        node_height=np.concatenate([np.empty(0), *heights]),
        **_own_arrays(conditions),
    )


def _own_arrays(conditions: Sequence[Condition]) -> dict[str, Any]:
    """The distances, caps and floors of single conditions, end to end; caps without floors have floors of 0."""
    grounds = [np.empty(0) if c.ground is None else np.asarray(c.ground, dtype=np.float64).ravel() for c in conditions]
    none = np.empty((0, 2), dtype=np.int64)
    caps = [none if c.caps is None else c.caps for c in conditions]
    zero = np.array([[0, 1]], dtype=np.int64)
    floors = [zero.repeat(len(cap), axis=0) if c.floors is None else c.floors
              for c, cap in zip(conditions, caps, strict=True)]  # fmt: skip
    return {
        "ground_offset": np.cumsum([0, *map(len, grounds)], dtype=np.int64),
        "ground": np.concatenate(grounds) if sum(map(len, grounds)) else None,
        "cap_offset": np.cumsum([0, *map(len, caps)], dtype=np.int64), "cap": np.concatenate([none, *caps]),
        "floor": np.concatenate([none, *floors]),
    }  # fmt: skip
