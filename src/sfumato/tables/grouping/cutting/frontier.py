"""Kernels of the frontier: the next open record of every sensitive value, in a heap by nearness.

`l_heuristic.py` and `any_promise_walk.py` take records from it. Records that were taken by their value (and not as the
nearest) stay in the heap until they come up, and are dropped then. O(log m) a record for m sensitive values.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel

__all__ = ["OpenDomains", "advance", "open_domains", "pop_nearest", "push"]


class OpenDomains(NamedTuple):
    """The open records of every sensitive value."""

    labels: NDArray[np.int64]
    """The value of each record."""
    following: NDArray[np.int64]
    """For each record the next one with its value, or -1."""
    head: NDArray[np.int64]
    """For each value its first open record, or -1: the frontier."""


@kernel
def open_domains(labels: NDArray[np.int64], n_labels: int) -> tuple[OpenDomains, NDArray[np.int64], int]:
    """The domains with all records open, the heap of the frontier, and the size of the heap."""
    n = labels.shape[0]
    following, head = np.full(n, -1, dtype=np.int64), np.full(n_labels, -1, dtype=np.int64)
    for i in range(n - 1, -1, -1):
        following[i] = head[labels[i]]
        head[labels[i]] = i
    heap, size = np.empty(n + n_labels, dtype=np.int64), 0
    for value in range(n_labels):
        if head[value] >= 0:
            size = push(heap, size, head[value])
    return OpenDomains(labels, following, head), heap, size


@kernel
def push(heap: NDArray[np.int64], size: int, item: Any) -> int:
    """Put a record on the heap; returns the new size of the heap."""
    at = size
    heap[at] = item
    while at > 0 and heap[(at - 1) // 2] > heap[at]:
        above = (at - 1) // 2
        heap[at], heap[above] = heap[above], heap[at]
        at = above
    return size + 1


@kernel
def _pop(heap: NDArray[np.int64], size: int) -> int:
    """Move the smallest record right behind the heap; returns the new size of the heap."""
    size -= 1
    heap[0], heap[size] = heap[size], heap[0]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            return size
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[at] <= heap[child]:
            return size
        heap[at], heap[child] = heap[child], heap[at]
        at = child


@kernel
def pop_nearest(
    domains: OpenDomains, heap: NDArray[np.int64], size: int, near: NDArray[np.int64], n_near: int, wanted: int
) -> tuple[int, int]:
    """Move the nearest records of the frontier from the heap to `near`, until it holds `wanted`.

    Returns the new size of the heap, and how many `near` holds.
    """
    while n_near < wanted and size > 0:
        size = _pop(heap, size)
        record = heap[size]
        if domains.head[domains.labels[record]] == record:
            near[n_near] = record
            n_near += 1
    return size, n_near


@kernel
def advance(domains: OpenDomains, heap: NDArray[np.int64], size: int, value: Any) -> int:
    """Take the first open record of a value; its next one joins the frontier. Returns the new size of the heap."""
    domains.head[value] = domains.following[domains.head[value]]
    if domains.head[value] >= 0:
        size = push(heap, size, domains.head[value])
    return size
