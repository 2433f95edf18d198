"""Linkage of records published under other values: by distance, by rank, by assignment, over releases."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, rankdata

from sfumato.ground.errors import DataError, ParameterError
from sfumato.published.tables import linkage
from sfumato.published.tables.linkage import ATTACKS, Linkage, linkage_over_releases, nearest
from sfumato.tables.measures.sensitive_neighbours import nearest_sensitive
from support.linked_records import FEW, scale_lines, squared_distance


@st.composite
def published_pairs(draw, *, max_records=6):
    """Small tables of whole numbers, with ties on purpose, and a random arrangement."""
    d, n = draw(st.integers(1, 3)), draw(st.integers(1, max_records))
    lines = st.lists(st.lists(st.integers(-3, 3), min_size=n, max_size=n), min_size=d, max_size=d)
    rows = draw(st.permutations(range(n)))
    return np.array(draw(lines), dtype=float), np.array(draw(lines), dtype=float), np.array(rows)


def ranks(original, published):
    n, span = original.shape[1], np.ptp(original, axis=1)
    return [[(rankdata(line) - 1) / max(n - 1, 1) * (span[c] > 0) for c, line in enumerate(values)]
            for values in (original, published)]  # fmt: skip


def naive_nearest(known, seen, rows):
    n = len(rows)
    shares = []
    for t in range(n):
        apart = [squared_distance(known, seen, t, i) ** 0.5 for i in range(n)]
        ties = [i for i in range(n) if apart[i] <= min(apart) + 1e-9]
        shares.append(sum(rows[i] == t for i in ties) / len(ties))
    return shares


def naive_assignment(known, seen, rows):
    """The share of optimal assignments that are right, by trying all."""
    n = len(rows)
    costs = {p: sum(squared_distance(known, seen, t, p[t]) for t in range(n)) for p in itertools.permutations(range(n))}
    best = [p for p, cost in costs.items() if cost <= min(costs.values()) + 1e-9]
    return [sum(rows[p[t]] == t for p in best) / len(best) for t in range(n)]


@FEW
@given(published_pairs())
def test_the_nearest_agrees_with_a_search(pair):
    original, published, rows = pair
    known, seen = scale_lines(original, published)
    assert nearest(original, published, rows) == pytest.approx(naive_nearest(known, seen, rows))
    known, seen = ranks(original, published)
    assert ATTACKS["by_rank"](original, published, rows) == pytest.approx(naive_nearest(known, seen, rows))


@FEW
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 6))
def test_assignment_agrees_with_all_permutations_where_equal_records_alone_tie(seed, d, n):
    rng = np.random.default_rng(seed)
    pool = rng.normal(size=(2, d, 4))
    original, published = (pool[side][:, rng.integers(0, 4, n)] for side in (0, 1))
    rows = rng.permutation(n)
    known, seen = scale_lines(original, published)
    found = ATTACKS["by_assignment"](original, published, rows)
    assert found == pytest.approx(naive_assignment(known, seen, rows))


@FEW
@given(published_pairs(), st.randoms(use_true_random=False))
def test_attacks_give_probabilities_and_do_not_see_the_order_of_rows(pair, shuffler):
    original, published, rows = pair
    n = len(rows)
    again, records = list(range(n)), list(range(n))
    shuffler.shuffle(again)
    shuffler.shuffle(records)
    for attack in ATTACKS.values():
        share = attack(original, published, rows)
        assert ((share >= 0) & (share <= 1)).all()
        assert attack(original, published[:, again], rows[again]) == pytest.approx(share)
        place = np.argsort(records)  # where each record went
        assert attack(original[:, records], published, place[rows]) == pytest.approx(share[records])


def test_identical_data_are_linked_and_copies_share():
    rng = np.random.default_rng(1)
    original = rng.normal(size=(3, 60))
    rows = rng.permutation(60)
    for attack in ATTACKS.values():
        assert (attack(original, original[:, rows], rows) == 1).all()
        copies = np.repeat(original, 3, axis=1)
        rows_of_copies = rng.permutation(180)
        assert attack(copies, copies[:, rows_of_copies], rows_of_copies) == pytest.approx(1 / 3)
        constant = np.ones((2, 5))
        assert attack(constant, constant, np.arange(5)) == pytest.approx(0.2)
        told_apart_by_noise = np.array([[1.0, 2.0, 3.0, 4.0, 5.0]] * 2)  # nobody knows which is whose
        assert attack(constant, told_apart_by_noise, np.arange(5)) == pytest.approx(0.2)


def test_ranks_see_through_values_that_keep_their_order():
    rng = np.random.default_rng(2)
    original = np.sort(rng.uniform(size=(1, 50)))
    published = np.sort(rng.uniform(size=(1, 50)) ** 6) * 1000
    rows = rng.permutation(50)
    found = {name: attack(original, published[:, rows], rows).mean() for name, attack in ATTACKS.items()}
    assert found["nearest"] < 0.1
    assert found["by_rank"] == found["by_rank_assignment"] == found["by_assignment"] == 1


def test_unrelated_values_are_linked_by_chance():
    rng = np.random.default_rng(3)
    n, n_releases = 40, 60
    original = rng.normal(size=(2, n))
    found = linkage_over_releases(original, ((rng.normal(size=(2, n)), rng.permutation(n)) for _ in range(n_releases)))
    assert found.n_releases == n_releases
    for attack in ATTACKS:
        error = np.sqrt(1 / n * (1 - 1 / n) / (n * n_releases))
        assert abs(found.rate[attack] - 1 / n) < 4 * error, attack
        low, high = found.interval(attack, 0.999)
        assert low < 1 / n < high


def mixed(rng, n, noise):
    original = np.array([rng.integers(17, 90, n), rng.gamma(2, 1, n), rng.integers(0, 6, n)]).astype(float)
    moved = original + rng.normal(size=(3, n)) * noise * np.ptp(original, axis=1, keepdims=True)
    moved[[0, 2]] = np.rint(moved[[0, 2]])
    return original, moved


def test_candidates_come_near_the_optimal_assignment(monkeypatch):
    rng = np.random.default_rng(4)
    for noise in (0.01, 0.1, 0.5):
        original, moved = mixed(rng, 500, noise)
        a, b = linkage.to_unit_range(original, moved)
        a, b = a[:, np.lexsort(a)], b[:, np.lexsort(b)]
        optimal, found = linkage._dense_assignment(a, b), linkage._sparse_assignment(a, b)
        assert sorted(found.tolist()) == list(range(500))
        cost, best = (((a - b[:, match]) ** 2).sum() for match in (found, optimal))
        assert best - 1e-9 <= cost <= 1.01 * best
    rows = rng.permutation(500)
    before = ATTACKS["by_assignment"](original, moved[:, rows], rows)
    monkeypatch.setattr(linkage, "_DENSE", 100)
    assert ATTACKS["by_assignment"](original, moved[:, rows], rows).mean() == pytest.approx(before.mean(), abs=0.004)


def test_prices_are_a_feasible_dual():
    rng = np.random.default_rng(5)
    for noise in (0.01, 0.5):
        a, b = linkage.to_unit_range(*mixed(rng, 80, noise))
        price_a, price_b = linkage._prices(a, b, linkage._orders(a, b))
        cost = ((a[:, :, None] - b[:, None, :]) ** 2).sum(axis=0)
        assert (cost - price_a[:, None] - price_b >= -1e-12).all()
        alone = a[:1], b[:1]
        price_a, price_b = linkage._prices(*alone, linkage._orders(*alone))
        assert price_a.sum() + price_b.sum() == pytest.approx(((np.sort(a[0]) - np.sort(b[0])) ** 2).sum())


def test_many_copies_still_find_a_full_matching():
    rng = np.random.default_rng(6)
    n = 2_400
    original = rng.integers(0, 3, (2, n)).astype(float)
    rows = rng.permutation(n)
    found = ATTACKS["by_assignment"](original, original[:, rows], rows)
    _, group, counts = np.unique(original, axis=1, return_inverse=True, return_counts=True)
    assert found.mean() == pytest.approx((1 / counts[group]).mean(), rel=0.1)
    constant = np.ones((1, n))
    assert ATTACKS["by_assignment"](constant, constant, rows) == pytest.approx(1 / n)


# -- repeated releases -----------------------------------------------------------------------------------
def test_bounds_are_those_of_clopper_and_pearson():
    hits = np.array([0.0, 0.4, 3.0, 19.5, 20.0])
    found = Linkage(n_releases=20, hits={"nearest": hits})
    for confidence in (0.9, 0.95):
        expected = [binomtest(x, 20, alternative="less").proportion_ci(confidence, method="exact").high
                    for x in (0, 1, 3, 20, 20)]  # fmt: skip
        assert found.upper("nearest", confidence) == pytest.approx(expected)
    whole = Linkage(n_releases=20, hits={"nearest": np.array([0.0, 1.0, 3.0])})
    expected = binomtest(4, 60).proportion_ci(0.95, method="exact")
    assert whole.pooled_interval("nearest") == pytest.approx((expected.low, expected.high))
    assert found.upper("nearest")[0] == pytest.approx(1 - 0.05 ** (1 / 20))


def test_sums_of_shares_are_not_rounded_up_by_rounding_errors():
    hits = np.array([sum([1 / 3] * 6), sum([0.1] * 30)])
    found = Linkage(n_releases=30, hits={"nearest": hits})
    exact = Linkage(n_releases=30, hits={"nearest": np.array([2.0, 3.0])})
    assert (found.upper("nearest") == exact.upper("nearest")).all()


def test_records_that_differ_widen_the_interval():
    rng = np.random.default_rng(7)
    alike = Linkage(n_releases=50, hits={"a": rng.binomial(50, 0.3, 200).astype(float)})
    unlike = Linkage(n_releases=50, hits={"a": np.where(rng.random(200) < 0.3, 50.0, 0.0)})
    for found in (alike, unlike):
        low, high = found.interval("a")
        assert low < found.rate["a"] < high
    width = {name: found.interval("a")[1] - found.interval("a")[0] for name, found in
             (("alike", alike), ("unlike", unlike))}  # fmt: skip
    assert width["unlike"] > 4 * width["alike"]
    assert width["alike"] < 1.5 * (alike.pooled_interval("a")[1] - alike.pooled_interval("a")[0])
    x = int(unlike.hits["a"].sum() / 50)
    expected = binomtest(x, 200).proportion_ci(0.95, method="exact")
    assert unlike.interval("a") == pytest.approx((expected.low, expected.high), abs=0.003)  # one trial a record
    never = Linkage(n_releases=50, hits={"a": np.zeros(200)})
    assert never.interval("a") == pytest.approx((0.0, binomtest(0, 200).proportion_ci(0.95, method="exact").high))
    equal = Linkage(n_releases=50, hits={"a": np.full(200, 10.0)})
    assert equal.interval("a") == equal.pooled_interval("a")


def test_k_is_that_of_the_strongest_attack():
    found = Linkage(n_releases=100, hits={"a": np.array([0.0, 50.0, 1.0]), "b": np.array([10.0, 0.0, 1.0])})
    strongest = [max(found.upper("a")[i], found.upper("b")[i]) for i in range(3)]
    assert found.k == pytest.approx([1 / bound for bound in strongest])
    assert found.k_quantile(0.0) == pytest.approx(found.k.min())
    assert found.k_quantile(0.5) == pytest.approx(np.median(found.k))
    with pytest.raises(ParameterError, match="no attack is called 'c'"):
        found.upper("c")
    with pytest.raises(ParameterError, match="confidence must lie between 0 and 1, got 95"):
        found.upper("a", 95)


def test_hits_add_up_over_releases():
    rng = np.random.default_rng(8)
    original = rng.normal(size=(2, 15))
    releases = []
    for _ in range(4):
        rows = rng.permutation(15)
        releases.append((original[:, rows] + 0.3 * rng.normal(size=(2, 15)), rows))
    found = linkage_over_releases(original, iter(releases), ["nearest", "by_assignment"])
    assert list(found.hits) == ["nearest", "by_assignment"]
    for name, hits in found.hits.items():
        assert hits == pytest.approx(sum(ATTACKS[name](original, *release) for release in releases))
    with pytest.raises(DataError, match="no release"):
        linkage_over_releases(original, [])
    with pytest.raises(ParameterError, match="did you mean 'nearest'"):
        linkage_over_releases(original, releases, ["nearst"])
    with pytest.raises(ParameterError, match="attacks must name some of nearest"):
        linkage_over_releases(original, releases, [])


def test_what_cannot_be_attacked():
    one, rows = np.ones((1, 2)), np.arange(2)
    for original, published, behind, message in (
        (np.ones(2), one, rows, r"lines of numbers, \(columns, records\), got \(2,\)"),
        (one, np.ones((1, 3)), rows, r"must have one shape, got \(1, 2\) and \(1, 3\)"),
        (np.array([[1.0, np.nan]]), one, rows, "must be finite"),
        (one, one, np.zeros(2, dtype=int), "rows must name every original record once"),
    ):
        with pytest.raises(DataError, match=message):
            nearest(original, published, behind)
    with pytest.raises(DataError, match="same columns, got 1 and 2"):
        nearest_sensitive(one, np.ones((2, 2)), rows, rows)
    with pytest.raises(DataError, match="a sensitive value is needed for every record"):
        nearest_sensitive(one, one, rows, np.arange(3))
    with pytest.raises(ParameterError, match="n_neighbours must be >= 1, got 0"):
        nearest_sensitive(one, one, rows, rows, 0)
