"""Published baskets: possible worlds, counts that cannot be wrong, and the check of edges."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest

from sfumato.baskets.rings.ring import assignments
from sfumato.baskets.voting import vote
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.published.baskets.edges import Edges, check_edges


def random_ring(seed, n=12, m=6, k=3, labelled=True):
    rng = np.random.default_rng(seed)
    labels = rng.choice(list("abcd"), n).tolist() if labelled else None
    originals = Baskets.from_scipy((rng.random((n, m)) < 0.5).astype(int), [f"i{j}" for j in range(m)], labels)
    order = rng.permutation(n)
    shown = vote(originals, order, k, Randomness(seed))
    edges = np.stack([[order[(j - s) % n] for s in range(k)] for j in range(n)])
    assert Edges.of_ring(order, k).rows.tolist() == edges.ravel().tolist()
    drawn = assignments(n, k, Randomness(seed))[int(rng.integers(k))]
    own = np.empty(n, dtype=np.int64)
    own[drawn] = order  # position i stands for the published record drawn[i]
    published = PublishedBaskets(
        shown.base, shown.differs, shown.threshold, None if labels is None else [labels[i] for i in own]
    )
    return originals, published, edges, own


def listed(edges):
    return Edges(np.arange(len(edges) + 1) * edges.shape[1], edges.ravel())


def worlds(published, j):
    """Every set of items that may stand behind a published record."""
    base = set(published.base.ids[published.base.starts[j] : published.base.starts[j + 1]].tolist())
    marked = published.differs.ids[published.differs.starts[j] : published.differs.starts[j + 1]].tolist()
    return {frozenset(base ^ set(flip)) for t in range(published.threshold[j] + 1) for flip in combinations(marked, t)}


def sets_of(baskets):
    return [frozenset(baskets.ids[a:b].tolist()) for a, b in zip(baskets.starts[:-1], baskets.starts[1:], strict=True)]


def test_possible_worlds_of_the_example():
    base, differs = Baskets.from_lists([["1", "2"]]), Baskets.from_lists([["3", "4"]])
    items = ["1", "2", "3", "4"]
    published = PublishedBaskets(Baskets([0, 2], [0, 1], items), Baskets([0, 2], [2, 3], items), [1])
    originals = Baskets.from_scipy(
        np.array([[1, 1, 0, 0], [1, 1, 0, 1], [1, 1, 1, 0], [1, 1, 1, 1], [0, 1, 0, 0]]), items
    )
    inside = published.contains(originals, np.zeros(5, dtype=int), np.arange(5))
    assert inside.tolist() == [True, True, True, False, False]
    assert (len(base), len(differs)) == (1, 1)


@pytest.mark.parametrize("seed", range(6))
def test_contains_is_membership_among_the_worlds(seed):
    originals, published, edges, _ = random_ring(seed)
    sets = sets_of(originals)
    record, row = (each.ravel() for each in np.meshgrid(np.arange(len(published)), np.arange(len(originals))))
    inside = published.contains(originals, record, row)
    assert inside.tolist() == [
        sets[i] in worlds(published, j) for j, i in zip(record.tolist(), row.tolist(), strict=True)
    ]
    assert all(sets[i] in worlds(published, j) for j in range(len(published)) for i in edges[j])


@pytest.mark.parametrize("seed", range(6))
def test_counts_are_never_wrong_and_tight_for_one_record(seed):
    originals, published, _, own = random_ring(seed)
    sets, rng = sets_of(originals), np.random.default_rng(seed)
    for _ in range(60):
        asked = rng.permutation(6)[: rng.integers(1, 4)]
        cut = int(rng.integers(0, len(asked) + 1))
        having, lacking = set(asked[:cut].tolist()), set(asked[cut:].tolist())
        found = published.count([f"i{j}" for j in having], [f"i{j}" for j in lacking])
        meets = [having <= one and not lacking & one for one in sets]
        assert found.low <= sum(meets) <= found.high
        each = [[having <= one and not lacking & one for one in worlds(published, j)] for j in range(len(published))]
        assert found.low == sum(all(one) for one in each)
        assert found.high == sum(any(one) for one in each)
        assert found.low <= found.base <= found.high
    assert sorted(own.tolist()) == list(range(len(originals)))


def test_there_and_back():
    _, published, _, _ = random_ring(1)
    frame = published.frame
    assert frame.columns == ["base", "differs", "threshold", "label"]
    again = PublishedBaskets.from_frame(frame, published.items)
    assert again.frame.equals(frame)
    assert again.items == published.items
    loose = PublishedBaskets.from_frame(frame.drop("label"))
    assert loose.labels is None
    assert repr(again) == "PublishedBaskets(12 records, 6 items)"


@pytest.mark.parametrize("seed", range(4))
def test_edges_that_hold(seed):
    originals, published, edges, own = random_ring(seed)
    found = check_edges(originals, published, listed(edges), own)
    assert (found.broken, found.k) == ((), 3)
    candidates = [{published.labels[j] for j in range(12) if i in edges[j]} for i in range(12)]
    assert found.n_labels == min(map(len, candidates))
    bare = random_ring(seed, labelled=False)
    assert check_edges(bare[0], bare[1], listed(bare[2]), bare[3]).n_labels is None


def test_edges_that_do_not():
    originals, published, edges, own = random_ring(2)
    swapped = edges.copy()
    swapped[0, 0], swapped[6, 0] = edges[6, 0], edges[0, 0]
    assert check_edges(originals, published, listed(swapped), own).broken
    twice = edges.copy()
    twice[0, 0] = twice[0, 1]
    assert any("twice" in said for said in check_edges(originals, published, listed(twice), own).broken)
    assert any(
        "as many edges as each other" in said for said in check_edges(originals, published, listed(twice), own).broken
    )
    wrong = own.copy()
    wrong[[0, 6]] = own[[6, 0]]
    assert check_edges(originals, published, listed(edges), wrong).broken
    assert check_edges(originals, published, listed(edges[:5]), own).broken
    other = originals.labels.reverse() if not originals.labels.equals(originals.labels.reverse()) else originals.labels
    labelled = PublishedBaskets(published.base, published.differs, published.threshold, other.to_list())
    assert any("label" in said for said in check_edges(originals, labelled, listed(edges), own).broken)
    narrow = PublishedBaskets(published.base, published.differs, np.zeros(12, dtype=int), published.labels)
    assert any("no possible world" in said for said in check_edges(originals, narrow, listed(edges), own).broken)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda p: PublishedBaskets(p.base, p.differs, p.threshold + 9), "above the number of items"),
        (lambda p: PublishedBaskets(p.base, p.differs, p.threshold[:3]), "do not belong"),
        (lambda p: PublishedBaskets.from_frame(p.frame.drop("differs")), "have a column 'differs'"),
        (lambda p: PublishedBaskets.from_frame(p.frame.with_columns(threshold=pl.lit(0.5))), "whole-numbered"),
        (lambda p: PublishedBaskets.from_frame(p.frame, ["i0"]), "not among the items"),
    ],
)
def test_what_is_wrong_is_said(make, match):
    with pytest.raises(DataError, match=match):
        make(random_ring(3)[1])


def test_items_that_are_asked_for_wrongly():
    published = random_ring(3)[1]
    with pytest.raises(ParameterError, match="no item is called 'i9'"):
        published.count(["i9"])
    with pytest.raises(ParameterError, match="cannot be both"):
        published.count(["i1"], ["i1"])


def test_edges_of_groups_and_back():
    rng = np.random.default_rng(4)
    group = rng.integers(0, 4, 20)
    edges = Edges.of_groups(group)
    for j in range(20):
        own = edges.rows[edges.starts[j] : edges.starts[j + 1]]
        assert sorted(own.tolist()) == np.flatnonzero(group == group[j]).tolist()
    again = Edges.from_frame(edges.frame)
    assert (again.starts.tolist(), again.rows.tolist()) == (edges.starts.tolist(), edges.rows.tolist())
    order = rng.permutation(20)
    moved = edges.arranged(order)
    assert all(
        moved.rows[moved.starts[i] : moved.starts[i + 1]].tolist()
        == edges.rows[edges.starts[j] : edges.starts[j + 1]].tolist()
        for i, j in enumerate(order)
    )
