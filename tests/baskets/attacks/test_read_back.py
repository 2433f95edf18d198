"""ReadBack: what it calls certain is so in every data set that would be published alike, and nothing else is."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest

import sfumato as sf
from sfumato.baskets.attacks.read_back import HowMade, ReadBack, SureTimes, read_baskets_back, sure_times
from sfumato.contracts.attack import attack_from_dict, known_attacks
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import DataError
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness

EXAMPLE = ["abc", "ab", "ab", "x", "xy", "xyz"]


def baskets_of(words):
    return Baskets.from_lists([list(word) for word in words])


def all_groups(size, items):
    """Every multiset of `size` baskets of these items."""
    sets = [frozenset(some) for t in range(len(items) + 1) for some in combinations(items, t)]
    return combinations_with_replacement(sets, size)


def published_as(group, items, *, voted):
    """Every base, with the marked items and the threshold, that this group can be published with."""
    n = len(group)
    counts = {item: sum(item in basket for basket in group) for item in items}
    differs = frozenset(item for item in items if 0 < counts[item] < n)
    if not voted:
        yield frozenset(item for item in items if counts[item] == n), differs, None
        return
    ties = [item for item in items if 2 * counts[item] == n]
    for coins in product((False, True), repeat=len(ties)):
        won = {item for item, coin in zip(ties, coins, strict=True) if coin}
        base = frozenset(item for item in items if 2 * counts[item] > n) | won
        yield base, differs, max(len(base ^ basket) for basket in group)


def naive_sure(size, items, base, differs, threshold, *, voted):
    """The baskets that are in every group that would be published so, each with its least number of times."""
    fits = [
        Counter(group)
        for group in all_groups(size, items)
        if any(
            (b, d) == (base, differs) and threshold in (None, t) for b, d, t in published_as(group, items, voted=voted)
        )
    ]
    sure = fits[0]
    for each in fits[1:]:
        sure = sure & each
    return +sure


@pytest.mark.parametrize("voted", [True, False])
@pytest.mark.parametrize(("size", "n_items"), [(2, 1), (2, 3), (3, 2), (3, 3), (4, 2), (4, 3), (5, 2), (6, 2), (7, 2)])
def test_what_is_certain_of_a_group_by_trying_all_groups(size, n_items, voted):
    items, seen = "abcd"[:n_items], set()
    for group in all_groups(size, items):
        seen |= set(published_as(group, items, voted=voted))
    told = {(base, differs, t) for base, differs, t in seen if len(base) <= 1}  # others are the same turned round
    for base, differs, t in told | {(base, differs, None) for base, differs, _ in told}:
        made = HowMade("groups", size, size, voted)
        published = _published([base] * size, [differs] * size, None if t is None else [t] * size, items)
        assert read_baskets_back(published, made) == naive_sure(size, items, base, differs, t, voted=voted)


def _published(bases, differs, threshold, items):
    items = list(items)
    number = {item: i for i, item in enumerate(items)}

    def baskets(sets):
        starts = np.concatenate([[0], np.cumsum([len(each) for each in sets])])
        return Baskets(starts, np.array([i for each in sets for i in sorted(map(number.get, each))], dtype=int), items)

    return PublishedBaskets(baskets(bases), baskets(differs), None if threshold is None else np.array(threshold))


@pytest.mark.parametrize(("n", "k"), [(4, 2), (5, 2), (6, 3), (7, 2), (8, 2)])
def test_groups_that_are_published_alike_are_told_apart_by_nobody(n, k):
    made = HowMade("groups", k, 2 * k - 1)
    for differs in ("a", "ab"):
        shares = [s for t in range(1, n + 1) for s in product(range(k, 2 * k), repeat=t) if sum(s) == n]
        groups = {
            size: [Counter(g) for g in all_groups(size, differs) if _fits(g, differs)] for size in range(k, 2 * k)
        }
        sure = None
        for sizes in shares:
            for chosen in product(*(groups[size] for size in sizes)):
                total = sum(chosen, Counter())
                sure = total if sure is None else sure & total
        published = _published([frozenset()] * n, [frozenset(differs)] * n, None, differs)
        assert read_baskets_back(published, made) == sure


def _fits(group, differs):
    return any(d == frozenset(differs) and not b for b, d, _ in published_as(group, differs, voted=True))


@pytest.mark.parametrize("method", [sf.Grouped(), sf.Grouped(show="withheld"), sf.Nonreciprocal()], ids=str)
def test_what_is_certain_is_so_in_every_data_set_that_is_published_alike(method):
    """All data sets of a few records of two items, each published with several draws."""
    behind, promise = {}, sf.KAnonymity(2)
    for data in all_groups(4, "ab"):
        for seed in range(2):
            baskets = Baskets.from_lists([sorted(basket) for basket in data] + [["a", "b"]])
            outcome = method.run(baskets, promise, Randomness(seed), Progress(9, shown=False))
            key = tuple(sorted(map(str, outcome.frame.select("base", "differs").rows())))
            behind.setdefault(key, (outcome.frame, []))[1].append(Counter(map(frozenset, baskets)))
    ring = isinstance(method, sf.Nonreciprocal)
    made = HowMade("ring", 2, 2) if ring else HowMade("groups", 2, 3, getattr(method, "show", "") == "votes")
    n_read = 0
    for frame, all_data in behind.values():
        read = read_baskets_back(PublishedBaskets.from_frame(frame), made)
        assert all(read <= data for data in all_data)
        n_read += read.total()
    assert n_read


def test_the_threshold_that_is_published_no_more_gave_all_six_back():
    release = sf.publish(baskets_of(EXAMPLE), sf.Grouped(), sf.KAnonymity(3), seed=1)
    assert release.data.frame.columns == ["base", "differs"]
    found = sf.attack(release, ReadBack())
    assert found["read"].value == 4 / 6  # abc, ab and ab still follow from one marked item, and xy from two
    assert found["read_unaware"].value == 0
    assert found["once"].value == 2 / 4
    assert found["once_guessed"].value == 1 / 4
    told = _published([set("ab")] * 3 + [set("xy")] * 3, [{"c"}] * 3 + [set("yz")] * 3, [1] * 6, "abcxyz")
    assert read_baskets_back(told, HowMade("groups", 3, 5)) == Counter(map(frozenset, EXAMPLE))


def test_unmarked_records_are_read_by_everybody():
    release = sf.publish(baskets_of(["ab"] * 4 + ["c"] * 3), sf.Grouped(), sf.KAnonymity(3), seed=1)
    found = sf.attack(release, ReadBack())
    assert found["read"].value == found["read_unaware"].value == 1
    assert found["once"].value == found["once_guessed"].value == 0
    assert {each.baseline for each in found.values()} == {0.0}


def test_rings_are_read_window_by_window_and_recoded_baskets_are_not_read():
    words = ["ab"] * 4 + ["c"] * 3 + ["cd", "cde"]
    found = sf.attack(sf.publish(baskets_of(words), sf.Nonreciprocal(), sf.KAnonymity(3), seed=1), ReadBack())
    assert found["read"].value > found["read_unaware"].value > 0
    assert "put" in found.notes[1]
    found = sf.attack(sf.publish(baskets_of(words), sf.Apriori(), sf.KMAnonymity(2, 2), seed=1), ReadBack())
    assert found["read"].value == found["once"].value == 0
    assert "withheld" in found.notes[1]


def test_of_a_method_that_is_not_known_worlds_are_all_that_is_read():
    release = sf.publish(baskets_of(EXAMPLE), sf.Grouped(), sf.KAnonymity(3), seed=1)
    found = sf.attack(replace(release, method={"name": "Another"}), ReadBack())
    assert found["read"].value == 0
    assert "not known here" in found.notes[1]


def test_another_original_is_refused():
    release = sf.publish(baskets_of(EXAMPLE), sf.Grouped(), sf.KAnonymity(3), seed=1)
    with pytest.raises(DataError, match="the original has 5"):
        sf.attack(release, ReadBack(), baskets_of(EXAMPLE[:5]))
    with pytest.raises(DataError, match="not those that the release was made from"):
        sf.attack(release, ReadBack(), baskets_of(["abc", "abx", "aby", "abz", "xy", "xyz"]))


def test_it_is_found_by_its_name():
    assert known_attacks()["ReadBack"] is ReadBack
    assert attack_from_dict({"name": "readback"}) == ReadBack()
    assert sure_times(5, 0) == SureTimes(5)


@pytest.mark.data
@pytest.mark.parametrize(("k", "without", "told"), [(2, 0.256, 0.537), (5, 0.010, 0.086)])
def test_web_visits_are_read_back_far_less_without_a_threshold(data_folder, k, without, told):
    given = sf.read_baskets(data_folder / "transactions" / "bms_webview1.dat.gz")
    visits = given.rows(np.sort(Randomness("sample").permutation(len(given))[:1000]))
    release = sf.publish(visits, sf.Grouped(), sf.KAnonymity(k), seed=1)
    found = sf.attack(release, ReadBack())
    assert found["once"].value == pytest.approx(without, abs=5e-4)
    assert found["once_unaware"].value == 0
    earlier = replace(release, data=_with_thresholds(release))
    assert sf.attack(earlier, ReadBack())["once"].value == pytest.approx(told, abs=5e-4)


def _with_thresholds(release):
    """The same records as an earlier version published them: with the distance of the farthest original of a group."""
    data, edges = release.data, release.owner.files["edges"]["original"].to_list()
    own = [frozenset(basket) for basket in release.owner.original]
    far = [max(len(frozenset(base) ^ own[i]) for i in rows) for base, rows in zip(data.base, edges, strict=True)]
    return PublishedBaskets(data.base, data.differs, np.array(far), data.labels)
