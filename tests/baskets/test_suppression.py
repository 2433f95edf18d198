"""Groups in which what records do not agree on is withheld."""

from collections import Counter
from functools import cache

import numpy as np
import pytest

from sfumato.baskets.edges import Edges, check_edges
from sfumato.baskets.publishing import dealt, outcome_of
from sfumato.baskets.suppression import Suppression, cheapest_groups, suppressed
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.errors import DataError, InfeasibleError, ParameterError
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.l_diversity import LDiversity
from sfumato.privacy.t_closeness import TCloseness
from sfumato.progress import Progress
from sfumato.randomness import Randomness

SPORTS = ["jogging", "swimming", "tennis", "soccer"]
THESIS = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [1, 1, 0, 1], [0, 1, 1, 1], [1, 1, 1, 0], [1, 0, 1, 1]])
RELIGION = ["Christian", "Christian", "Muslim", "Buddhist", "Buddhist", "Muslim"]


def random_baskets(seed, n=40, m=10, n_labels=6, share=0.3):
    rng = np.random.default_rng(seed)
    dense = (rng.random((n, m)) < share).astype(int)
    return Baskets.from_scipy(dense, labels=rng.integers(0, n_labels, n).tolist())


def run(method, baskets, promise, seed=1):
    return method.run(baskets, promise, Randomness(seed), Progress(9, shown=False))


def test_table_3_2_of_the_thesis():
    baskets = Baskets.from_scipy(THESIS, SPORTS, RELIGION)
    shown = suppressed(baskets, np.array([0, 1, 0, 1, 0, 1]))
    marks = np.full((6, 4), "0")
    for j in range(6):
        for cells, mark in ((shown.base, "1"), (shown.differs, "*")):
            marks[j, cells.ids[cells.starts[j] : cells.starts[j + 1]]] = mark
    assert ["".join(row) for row in marks] == ["11**", "**1*", "11**", "**1*", "11**", "**1*"]
    assert shown.threshold.tolist() == [2, 3, 2, 3, 2, 3]
    assert int(shown.differs.sizes.sum()) == 15


def withheld(dense, group):
    return sum(
        int((group == g).sum() * (dense[group == g].any(0) & ~dense[group == g].all(0)).sum()) for g in set(group)
    )


@pytest.mark.parametrize("seed", range(60))
def test_no_cut_of_the_order_withholds_less(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 10)), int(rng.integers(1, 5))
    k = min(n, k)
    dense = rng.random((n, 6)) < 0.4
    order = rng.permutation(n)

    @cache
    def least(first):
        if first == n:
            return 0
        costs = [
            withheld(dense[order[first:stop]], np.zeros(stop - first, dtype=int)) + least(stop)
            for stop in range(first + k, n + 1)
        ]
        return min(costs, default=10**9)

    group = cheapest_groups(Baskets.from_scipy(dense.astype(int)), order, k)
    assert k <= np.bincount(group).min() <= np.bincount(group).max() < 2 * k
    assert (np.diff(group[order]) >= 0).all()
    assert withheld(dense, group) == least(0)


def check(baskets, outcome):
    published = PublishedBaskets.from_frame(outcome.frame, outcome.public["baskets"]["items"])
    return published, check_edges(baskets, published, Edges.from_frame(outcome.kept["edges"]), outcome.rows)


@pytest.mark.parametrize("order", ["windowed", "gray-tsp", "gray"])
@pytest.mark.parametrize("k", [1, 2, 5, 40])
def test_k_anonymity(k, order):
    baskets = random_baskets(k)
    outcome = run(Suppression(order), baskets, KAnonymity(k))
    published, seen = check(baskets, outcome)
    assert not seen.broken
    assert seen.k >= k
    assert (published.threshold == published.differs.sizes).all()
    alike = Counter(map(str, published.frame.drop("label").rows()))
    assert min(alike.values()) >= k
    if k == 1:
        assert not len(published.differs.ids)
        assert list(published.base) == [list(baskets)[i] for i in outcome.rows]


@pytest.mark.parametrize("kind", ["frequency", "distinct"])
@pytest.mark.parametrize("l", [2, 3])
def test_l_diversity(l, kind):
    baskets = random_baskets(l)
    outcome = run(Suppression(), baskets, LDiversity(l, kind))
    _, seen = check(baskets, outcome)
    assert not seen.broken
    assert seen.n_labels >= l
    for originals in outcome.kept["edges"]["original"].to_list():
        counts = Counter(baskets.labels.gather(originals).to_list())
        assert max(counts.values()) * l <= len(originals)


def test_both_promises_at_once():
    baskets = random_baskets(3, n_labels=12)
    _, seen = check(baskets, run(Suppression(), baskets, KAnonymity(4) & LDiversity(2)))
    assert not seen.broken
    assert seen.k >= 4
    assert seen.n_labels >= 2


def test_each_record_of_a_group_is_as_likely_behind_each():
    group = np.array([0, 1, 0, 1, 0])
    behind = Counter()
    for seed in range(600):
        own = dealt(group, Randomness(seed))
        assert (group[own] == group).all()
        behind.update((j, int(i)) for j, i in enumerate(own))
    for j in range(5):
        share = 1 / int((group == group[j]).sum())
        for i in np.flatnonzero(group == group[j]):
            assert abs(behind[j, int(i)] / 600 - share) < 0.08


def test_a_seed_repeats_it_and_tampering_shows():
    baskets = random_baskets(5)
    one, again, other = (run(Suppression(), baskets, KAnonymity(4), seed) for seed in (1, 1, 2))
    assert one.frame.equals(again.frame)
    assert not one.frame.equals(other.frame)
    group = cheapest_groups(baskets, np.arange(40), 4)
    shown = suppressed(baskets, group)
    at = int(np.flatnonzero(shown.differs.sizes)[0])
    keep = np.arange(len(shown.differs.ids)) != shown.differs.starts[at]
    starts = shown.differs.starts - (np.arange(41) > at)
    fewer = Baskets(starts, shown.differs.ids[keep], baskets.items)
    told_too_much = PublishedBaskets(shown.base, fewer, fewer.sizes)
    for published, fine in ((shown, True), (told_too_much, False)):
        outcome = outcome_of(
            baskets, Edges.of_groups(group), dealt(group, Randomness(1)), Randomness(1), shown=published
        )
        assert (not check(baskets, outcome)[1].broken) == fine


def test_what_cannot_be_done_is_said():
    baskets = random_baskets(6)
    with pytest.raises(ParameterError, match="order must be one of windowed, gray-tsp, gray, got 'grey'"):
        Suppression("grey")
    with pytest.raises(ParameterError, match="needs a promise"):
        run(Suppression(), baskets, None)
    with pytest.raises(ParameterError, match=r"not TCloseness\("):
        run(Suppression(), baskets, TCloseness(0.2))
    with pytest.raises(ParameterError, match="of a whole l"):
        run(Suppression(), baskets, LDiversity(2.5))
    with pytest.raises(InfeasibleError, match="the best is k=40"):
        run(Suppression(), baskets, KAnonymity(41))
    with pytest.raises(InfeasibleError, match="the best is l="):
        run(Suppression(), baskets, LDiversity(20))
    with pytest.raises(DataError, match="no labels"):
        run(Suppression(), Baskets.from_lists([["a"], ["b"]]), LDiversity(2))
