"""The subdomains of all groups: nodes of the tree, with fakes where these help, or any ranges where they cost less."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.progress import Share, portion, tell_nobody
from sfumato.tables.distribution.annotated import AnnotatedTree
from sfumato.tables.distribution.contiguous import cut_ranges
from sfumato.tables.distribution.min_sor_fake import choose_fakes
from sfumato.tables.distribution.min_sum_of_range import GroupSubdomains, Histograms, generalise
from sfumato.tables.distribution.snapping import snap_ratios

__all__ = ["list_groups"]

_PARTS = (1, 2, 4, 8)
"""The fakes allowed are divided by these: all of them are tried, half of them, and so on."""


def list_groups(
    given: Histograms,
    trees: Sequence[AnnotatedTree],
    target_of_group: NDArray[np.int64],
    positions: NDArray[np.float64],
    weights: Sequence[NDArray[np.int64]],
    *,
    within: float,
    fakes: float,
    any_range: bool,
    least: int,
    share: Share = tell_nobody,
) -> GroupSubdomains:
    """Choose subdomains for every group, those of one target together.

    Groups of fewer than `least` values follow the target exactly and without fakes: whether a small group needed a
    tolerance or a fake would say too much about its values.
    """
    parts: list[tuple[NDArray[np.int64], GroupSubdomains]] = []
    total = np.concatenate([[0], np.cumsum(given.counts)])
    large = total[given.starts[1:]] - total[given.starts[:-1]] >= least
    for t, tree in enumerate(trees):
        for side, (some, allowed, most) in enumerate(((large, within, fakes), (~large, 0.0, 0.0))):
            groups = np.flatnonzero((target_of_group == t) & some)
            if not len(groups):
                continue
            here = portion(share, (t + side / 2) / len(trees), (t + side / 2 + 0.5) / len(trees))
            here(0.0)
            own = _histograms_of(given, groups)
            listing = generalise(own, tree, within=allowed)
            for more in _with_fakes(own, tree, most, allowed, here) if most else ():
                here(1.0)
                listing = _cheaper(listing, generalise(more, tree, within=allowed))
            if any_range:
                listing = _cheaper(listing, cut_ranges(own, weights[t], positions, within=allowed))
            parts.append((groups, listing))
    return _merge(parts, len(target_of_group))


def _histograms_of(given: Histograms, groups: NDArray[np.int64]) -> Histograms:
    """The histograms of these groups alone."""
    if len(groups) == len(given.starts) - 1:
        return given
    sizes = np.diff(given.starts)[groups]
    rows = np.repeat(given.starts[groups] - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes) + np.arange(
        sizes.sum()
    )
    return Histograms(np.concatenate([[0], np.cumsum(sizes)]), given.places[rows], given.counts[rows])


def _with_fakes(own: Histograms, tree: AnnotatedTree, fakes: float, within: float, share: Share) -> list[Histograms]:
    """The groups with the fakes that help each most, once for every part of the fakes allowed and every set of ratios.

    The best fakes can be worked out for exact ratios. Where some distance is allowed they are worked out for the
    target's own ratios and for simpler ones within that distance, and the caller takes what turns out best.
    """
    m, n_groups = int(tree.shape.last[0]) + 1, len(own.starts) - 1
    found = []
    tried = (0.0, 0.25 * within, within) if within else (0.0,)
    for turn, off in enumerate(tried):
        simple = snap_ratios(tree, off) if off else tree
        filled: list[list[tuple[NDArray[np.int64], NDArray[np.int64]]]] = [[] for _ in _PARTS]
        for g in range(n_groups):
            share((turn + g / n_groups) / len(tried))
            one = own.of(g)
            whole = np.zeros(m, dtype=np.int64)
            whole[one.places] = one.counts
            most = int(fakes) if fakes >= 1 else int(fakes * one.counts.sum() + 1e-9)
            limits = [most // part for part in _PARTS]
            chosen = choose_fakes(whole, simple, limits) if most else np.zeros((len(_PARTS), m), dtype=np.int64)
            for i, more in enumerate(chosen):
                there = np.flatnonzero(whole + more)
                filled[i].append((there, (whole + more)[there]))
        found += [_as_histograms(each) for each in filled]
    return found


def _as_histograms(groups: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> Histograms:
    """The histograms of groups, each given by its places and their counts."""
    starts = np.concatenate([[0], np.cumsum([len(places) for places, _ in groups])]).astype(np.int64)
    return Histograms(starts, np.concatenate([p for p, _ in groups]), np.concatenate([c for _, c in groups]))


def _cheaper(one: GroupSubdomains, other: GroupSubdomains) -> GroupSubdomains:
    """For every group, its subdomains in `one` or `other`, whichever cost less; in `one` where they cost the same."""
    take = other.costs < one.costs - 1e-9 * np.maximum(one.costs, 1.0)
    parts = [(np.flatnonzero(which), _pick_groups(each, which)) for each, which in ((one, ~take), (other, take))]
    return _merge(parts, len(take))


def _pick_groups(listing: GroupSubdomains, take: NDArray[np.bool_]) -> GroupSubdomains:
    """The subdomains of some groups alone."""
    sizes = np.diff(listing.starts)
    rows = np.repeat(take, sizes)
    starts = np.concatenate([[0], np.cumsum(sizes[take])]).astype(np.int64)
    return GroupSubdomains(starts, listing.first[rows], listing.last[rows], listing.copies[rows], listing.costs[take])


def _merge(parts: Sequence[tuple[NDArray[np.int64], GroupSubdomains]], n_groups: int) -> GroupSubdomains:
    """The subdomains of all groups as one, from parts that are each about some groups; in order within a group."""
    group = np.concatenate([np.repeat(groups, np.diff(one.starts)) for groups, one in parts])
    first, last, copies = (
        np.concatenate([getattr(one, name) for _, one in parts]) for name in ("first", "last", "copies")
    )
    costs = np.zeros(n_groups)
    for groups, one in parts:
        costs[groups] = one.costs
    order = np.lexsort((last, first, group))
    starts = np.searchsorted(group[order], np.arange(n_groups + 1)).astype(np.int64)
    return GroupSubdomains(starts, first[order], last[order], copies[order], costs)
