"""Groups of baskets that are published alike."""

from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import sfumato as sf
from sfumato.baskets.grouped import Grouped, cheapest_groups, merge_groups, suppress_differences
from sfumato.baskets.orders.order import Windowed
from sfumato.baskets.shared import deal_records, outcome_of
from sfumato.baskets.voting import vote
from sfumato.cli import run as run_cli
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import DataError, InfeasibleError, ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.l_diversity import LDiversity
from sfumato.privacy.t_closeness import TCloseness
from sfumato.published.baskets.edges import Edges, check_edges
from support.small_baskets import SPORTS, THESIS, five_labels, run_on_baskets

RELIGION = ["Christian", "Christian", "Muslim", "Buddhist", "Buddhist", "Muslim"]


def random_baskets(seed, n=40, m=10, n_labels=6, share=0.3):
    rng = np.random.default_rng(seed)
    dense = (rng.random((n, m)) < share).astype(int)
    return Baskets.from_scipy(dense, labels=rng.integers(0, n_labels, n).tolist())


def test_table_3_2_of_the_thesis():
    baskets = Baskets.from_scipy(THESIS, SPORTS, RELIGION)
    shown = suppress_differences(baskets, np.array([0, 1, 0, 1, 0, 1]))
    marks = np.full((6, 4), "0")
    for j in range(6):
        for cells, mark in ((shown.base, "1"), (shown.differs, "*")):
            marks[j, cells.ids[cells.starts[j] : cells.starts[j + 1]]] = mark
    assert ["".join(row) for row in marks] == ["11**", "**1*", "11**", "**1*", "11**", "**1*"]
    assert shown.threshold.tolist() == [2, 3, 2, 3, 2, 3]
    assert int(shown.differs.sizes.sum()) == 15


def withheld(dense):
    return len(dense) * int((dense.any(0) & ~dense.all(0)).sum())


def turned(dense):
    return int(np.minimum(dense.sum(0), len(dense) - dense.sum(0)).sum())


LOSS = {"withheld": withheld, "votes": turned}


@pytest.mark.parametrize("show", LOSS)
@pytest.mark.parametrize("seed", range(60))
def test_no_cut_of_the_order_loses_less(seed, show):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 10)), int(rng.integers(1, 5))
    k = min(n, k)
    dense = rng.random((n, 6)) < rng.choice([0.3, 0.5, 0.8])
    order = rng.permutation(n)

    @cache
    def least(first):
        if first == n:
            return 0
        costs = [LOSS[show](dense[order[first:stop]]) + least(stop) for stop in range(first + k, n + 1)]
        return min(costs, default=10**9)

    group = cheapest_groups(Baskets.from_scipy(dense.astype(int)), order, k, show)
    assert k <= np.bincount(group).min() <= np.bincount(group).max() < 2 * k
    assert (np.diff(group[order]) >= 0).all()
    assert sum(LOSS[show](dense[group == g]) for g in set(group.tolist())) == least(0)


@pytest.mark.parametrize("k", [2, 3, 5, 8])
def test_votes_of_groups_turn_round_no_more_than_those_of_a_ring(k):
    """k cuts of the ring use each of its windows once, and the best cut is better than these on average."""
    for seed in range(5):
        baskets = random_baskets(seed, n=240, m=12)
        order = Windowed().order(baskets, k, Randomness(seed))
        own = baskets.to_scipy().toarray().astype(int)
        ring = vote(baskets, order, k, Randomness(seed)).base.to_scipy().toarray().astype(int)
        pays = [np.abs(ring - own[np.roll(order, shift)]).sum() for shift in range(k)]
        group = cheapest_groups(baskets, order, k)
        assert sum(turned(own[group == g]) for g in range(group.max() + 1)) <= np.mean(pays)


def test_groups_are_joined_along_the_order():
    order = np.array([4, 1, 0, 5, 2, 3, 6])
    group = np.array([2, 0, 1, 1, 2, 0, 3])  # they begin at 4 (group 2), 1 (group 0), 2 (group 1), 6 (group 3)
    assert merge_groups(group, order, 2).tolist() == [0, 1, 2, 2, 0, 1, 2]
    assert merge_groups(group, order, 3).tolist() == [0, 0, 1, 1, 0, 0, 1]
    assert merge_groups(group, order, 5).tolist() == [0] * 7
    assert merge_groups(group, order, 1).tolist() == [0, 1, 2, 2, 0, 1, 3]


def check(baskets, outcome):
    published = PublishedBaskets.from_frame(outcome.frame, outcome.public["baskets"]["items"])
    return published, check_edges(baskets, published, Edges.from_frame(outcome.kept["edges"]), outcome.rows)


@pytest.mark.parametrize("show", LOSS)
@pytest.mark.parametrize("order", ["windowed", "gray-tsp", "gray"])
@pytest.mark.parametrize("k", [1, 2, 5, 40])
def test_k_anonymity(k, order, show):
    baskets = random_baskets(k)
    outcome = run_on_baskets(Grouped(order, show), baskets, KAnonymity(k))
    published, seen = check(baskets, outcome)
    assert not seen.broken
    assert seen.k >= k
    alike = Counter(map(str, published.frame.drop("label").rows()))
    assert min(alike.values()) >= k
    if show == "withheld":
        assert (published.threshold == published.differs.sizes).all()
        assert not np.intersect1d(*(each.ids + 10 * np.repeat(np.arange(40), each.sizes)
                                    for each in (published.base, published.differs))).size  # fmt: skip
    if k == 1:
        assert not len(published.differs.ids)
        assert list(published.base) == [list(baskets)[i] for i in outcome.rows]


@pytest.mark.parametrize("method", [Grouped(), Grouped(show="withheld"), Grouped(dealt=True)])
@pytest.mark.parametrize("kind", ["frequency", "distinct"])
@pytest.mark.parametrize("l", [1, 2, 3])
def test_l_diversity(l, kind, method):
    baskets = random_baskets(l)
    outcome = run_on_baskets(method, baskets, LDiversity(l, kind))
    _, seen = check(baskets, outcome)
    assert not seen.broken
    assert seen.n_labels >= l
    for originals in outcome.kept["edges"]["original"].to_list():
        counts = Counter(baskets.labels.gather(originals).to_list())
        assert max(counts.values()) * l <= len(originals)


PROMISES = [
    KAnonymity(6), LDiversity(2), LDiversity(4), LDiversity(3, "distinct"), KAnonymity(10) & LDiversity(2),
    KAnonymity(7) & LDiversity(3), KAnonymity(3) & LDiversity(5), KAnonymity(100) & LDiversity(4),
]  # fmt: skip


@pytest.mark.parametrize("dealt", [False, True])
@pytest.mark.parametrize("show", LOSS)
@pytest.mark.parametrize("promise", PROMISES, ids=repr)
def test_releases_are_decided_on_the_file_alone(promise, show, dealt):
    """Ten records that carry two labels are asked for where no label would have allowed ten different ones."""
    if dealt and promise == PROMISES[0]:
        return
    baskets = five_labels()
    release = sf.publish(baskets, Grouped(show=show, dealt=dealt), promise, seed=3)
    assert release.verdict
    alone = sf.verify(replace(release, owner=None))
    assert alone
    assert not alone.undecided
    assert "alone" in alone.checked_on
    assert release.method == {"name": "Grouped", "order": "windowed", "show": show, "dealt": dealt}


def test_a_seed_repeats_it_and_tampering_shows():
    baskets = random_baskets(5)
    for method, promise in ((Grouped(), KAnonymity(4)), (Grouped(dealt=True), LDiversity(3))):
        one, again, other = (run_on_baskets(method, baskets, promise, seed) for seed in (1, 1, 2))
        assert one.frame.equals(again.frame)
        assert not one.frame.equals(other.frame)
    group = cheapest_groups(baskets, np.arange(40), 4, "withheld")
    shown = suppress_differences(baskets, group)
    at = int(np.flatnonzero(shown.differs.sizes)[0])
    keep = np.arange(len(shown.differs.ids)) != shown.differs.starts[at]
    starts = shown.differs.starts - (np.arange(41) > at)
    fewer = Baskets(starts, shown.differs.ids[keep], baskets.items)
    told_too_much = PublishedBaskets(shown.base, fewer, fewer.sizes)
    for published, fine in ((shown, True), (told_too_much, False)):
        outcome = outcome_of(
            baskets, Edges.of_groups(group), deal_records(group, Randomness(1)), Randomness(1), shown=published
        )
        assert (not check(baskets, outcome)[1].broken) == fine


def test_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    records = list(random_baskets(1, n=60, share=0.4))
    (tmp_path / "goods.dat").write_text("\n".join(" ".join(map(str, record)) for record in records if record) + "\n")
    assert run_cli(["publish", "goods.dat", "--method", "Grouped", "--k", "4", "-o", "out"]) == 0
    assert "with Grouped: KAnonymity(k=4)" in capsys.readouterr().out
    assert run_cli(["verify", "out"]) == 0
    assert "KAnonymity(k=4) holds" in capsys.readouterr().out


def test_what_cannot_be_done_is_said():
    baskets = random_baskets(6)
    with pytest.raises(ParameterError, match="order must be one of windowed, gray-tsp, gray, got 'grey'"):
        Grouped("grey")
    with pytest.raises(ParameterError, match=r"show must be one of votes, withheld, got 'vote'.*'votes'"):
        Grouped(show="vote")
    with pytest.raises(ParameterError, match="dealt must be true or false, got 'yes'"):
        Grouped(dealt="yes")
    with pytest.raises(ParameterError, match="dealt groups hide labels, so they need LDiversity"):
        run_on_baskets(Grouped(dealt=True), baskets, KAnonymity(4))
    with pytest.raises(ParameterError, match="needs a promise"):
        run_on_baskets(Grouped(), baskets, None)
    with pytest.raises(ParameterError, match=r"not TCloseness\("):
        run_on_baskets(Grouped(), baskets, TCloseness(0.2))
    with pytest.raises(ParameterError, match="of a whole l"):
        run_on_baskets(Grouped(), baskets, LDiversity(2.5))
    with pytest.raises(InfeasibleError, match="the best is k=40"):
        run_on_baskets(Grouped(), baskets, KAnonymity(41))
    for method in (Grouped(), Grouped(dealt=True)):
        with pytest.raises(InfeasibleError, match=r"label '\d' is carried by \d+ of 40 records.*the best is l="):
            run_on_baskets(method, baskets, LDiversity(20))
        with pytest.raises(DataError, match="no labels"):
            run_on_baskets(method, Baskets.from_lists([["a"], ["b"]]), LDiversity(2))
