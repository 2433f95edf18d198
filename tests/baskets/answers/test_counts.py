"""Counts of published baskets in SQL: bounds against all possible worlds, estimates, and what is refused."""

from itertools import combinations

import numpy as np
import pytest

import sfumato as sf
from sfumato.baskets.answers.counts import BasketsAnswerer
from sfumato.baskets.estimates.item_chances import hides_among, item_chances
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import ParameterError
from sfumato.verbs.ask import ask

ITEMS = ["bread", "milk", "rice", "tea"]


def random_published(seed, n=7, labelled=True):
    rng = np.random.default_rng(seed)
    base, differs = (
        Baskets.from_scipy((rng.random((n, len(ITEMS))) < p).astype(int), ITEMS) for p in (0.5, 0.4)
    )  # fmt: skip
    threshold = [int(rng.integers(0, size + 1)) for size in differs.sizes]
    return PublishedBaskets(base, differs, threshold, rng.choice(list("xyz"), n).tolist() if labelled else None)


def worlds(published, j):
    base, marked = ({*next(iter(each.rows(np.array([j]))))} for each in (published.base, published.differs))
    sizes = range(published.threshold[j] + 1)
    return [base ^ set(flip) for size in sizes for flip in combinations(sorted(marked), size)]


def shopping(n=400, seed=3, items=None):
    rng = np.random.default_rng(seed)
    names = items or [*ITEMS, "salt", "eggs", "17", "cheese"]
    kind = rng.random((n, 1)) < 0.4
    shares = np.where(kind, rng.random(len(names)), rng.random(len(names)) * 0.4)
    return Baskets.from_scipy((rng.random((n, len(names))) < shares).astype(int), names,
                              rng.choice(["flu", "cold", "asthma", "gout", "mumps", "ulcer"], n).tolist())  # fmt: skip


@pytest.fixture(scope="module")
def release():
    return sf.publish(shopping(), sf.Nonreciprocal(), sf.LDiversity(3), seed=5)


@pytest.mark.parametrize("seed", range(8))
def test_bounds_are_those_of_all_worlds(seed):
    published = random_published(seed)
    asked = BasketsAnswerer(published, None)
    for condition, agrees in (
        ("milk", lambda w, y: "milk" in w),
        ("milk AND NOT tea", lambda w, y: "milk" in w and "tea" not in w),
        ("NOT (bread) AND (tea AND rice)", lambda w, y: "bread" not in w and {"tea", "rice"} <= w),
        ("milk AND label = 'x'", lambda w, y: "milk" in w and y == "x"),
        ("NOT rice AND label <> 'x'", lambda w, y: "rice" not in w and y != "x"),
        ("bread AND label NOT IN ('x', 'z')", lambda w, y: "bread" in w and y == "y"),
        ("label IN ('x', 'y') AND 'y' = label", lambda w, y: y == "y"),
        ("NOT NOT milk AND NOT label = 'y'", lambda w, y: "milk" in w and y != "y"),
    ):
        said = [[agrees(w, y) for w in worlds(published, j)] for j, y in enumerate(published.labels)]
        answer = asked.answer(f"SELECT COUNT(*) FROM release WHERE {condition}")
        assert (answer.low, answer.high) == (sum(map(all, said)), sum(map(any, said))), condition
        assert answer.low <= answer.value <= answer.high
        assert (answer.n_low, answer.n_high, answer.certain, answer.spread) == (answer.low, answer.high, True, None)


def test_estimates_of_an_item_and_of_its_absence_are_all_records(release):
    for name in ITEMS:
        there, not_there = (
            ask(release, f"SELECT COUNT(*) FROM release WHERE {condition}").value for condition in (name, f"NOT {name}")
        )
        assert there + not_there == pytest.approx(400)


@pytest.mark.parametrize("seed", range(4))
def test_groups_are_the_answers_for_each_label(seed):
    published = random_published(seed, n=9)
    asked = BasketsAnswerer(published, None)
    groups = asked.answer("SELECT label, COUNT(*) FROM release WHERE milk AND label <> 'z' GROUP BY label")
    for key in "xyz":
        one = asked.answer(f"SELECT COUNT(*) FROM release WHERE milk AND label = '{key}'")
        if key != "z" and one.high:
            assert groups[key] == one
        else:
            assert (key,) not in dict(groups)


def test_python_form_counts_by_label_too():
    published = random_published(1)
    whole, parts = published.count(["milk"]), [published.count("milk", labels=each) for each in "xyz"]
    for field in ("low", "base", "high"):
        assert getattr(whole, field) == sum(getattr(part, field) for part in parts)
    assert published.count(["milk"], labels=[]) == published.count(["milk"], labels=["none"])
    assert published.count(["milk"], labels=[]).high == 0
    with pytest.raises(ParameterError, match="no labels"):
        random_published(1, labelled=False).count(["milk"], labels=["x"])


def test_truth_is_within_and_estimates_are_nearer_than_base_vectors():
    truth = shopping(1500)
    names, rng = truth.items, np.random.default_rng(0)
    own = [set(each) for each in truth]
    for method, promise in ((sf.Nonreciprocal(), sf.KAnonymity(6)), (sf.CAHD(), sf.LDiversity(4))):
        release = sf.publish(truth, method, promise, seed=1)
        by_base = by_estimate = 0.0
        for size in (1, 2, 2, 3) * 8:
            asked = rng.permutation(len(names))[:size]
            wanted = [names[i] for i in asked[: size // 2 + 1]]
            unwanted = [names[i] for i in asked[size // 2 + 1 :]]
            condition = " AND ".join([f'"{each}"' for each in wanted] + [f'NOT "{each}"' for each in unwanted])
            answer = ask(release, f"SELECT COUNT(*) FROM release WHERE {condition}")
            true = sum(set(wanted) <= each and not each & set(unwanted) for each in own)
            assert answer.low <= true <= answer.high
            by_base += abs(release.data.count(wanted, unwanted).base - true)
            by_estimate += abs(answer.value - true)
        assert by_estimate < 0.5 * by_base


@pytest.mark.parametrize("k", [2, 3, 6])
def test_chances_follow_how_often_an_item_is_held(k):
    rng = np.random.default_rng(k)
    n, held = 6000, rng.binomial(k, rng.beta(0.6, 0.9, 6000))
    marked = (held > 0) & (held < k)
    base = np.where(2 * held == k, rng.random(n) < 0.5, 2 * held > k)  # a tie is settled by a coin
    published = PublishedBaskets(
        *(Baskets.from_scipy(each[:, None].astype(int), ["a"]) for each in (base, marked)), marked.astype(int)
    )
    chances = item_chances(published, k)
    assert chances.lacked[0] == pytest.approx(held[marked & ~base].mean() / k, abs=0.03)
    if (marked & base).any():
        assert chances.shown[0] == pytest.approx(held[marked & base].mean() / k, abs=0.03)
    assert n == len(published)


def test_withheld_items_are_not_taken_as_voted_on():
    rng, k = np.random.default_rng(0), 5
    held = rng.binomial(k, rng.beta(2.0, 0.7, 6000))
    marked = (held > 0) & (held < k)
    published = PublishedBaskets(
        *(Baskets.from_scipy(each[:, None].astype(int), ["a"]) for each in (held == k, marked)), marked.astype(int)
    )
    assert item_chances(published, k).lacked[0] == pytest.approx(held[marked].mean() / k, abs=0.03)


def test_nothing_marked_is_exact():
    records = Baskets.from_lists([["tea"], ["milk", "tea"], []])
    published = PublishedBaskets(records, Baskets([0, 0, 0, 0], [], records.items), [0, 0, 0])
    answer = BasketsAnswerer(published, None).answer("SELECT COUNT(*) FROM release WHERE tea")
    assert (answer.value, answer.low, answer.high) == (2, 2, 2)
    assert str(answer) == "COUNT(*): 2 (exact; 2 records)"


def test_marks_that_no_threshold_lets_turn_are_not_open():
    items = ["a"]
    published = PublishedBaskets(Baskets([0, 1], [0], items), Baskets([0, 1], [0], items), [0])
    answer = BasketsAnswerer(published, None).answer("SELECT COUNT(*) FROM release WHERE a")
    assert (answer.value, answer.low, answer.high) == (1, 1, 1)


def test_k_comes_from_the_promise():
    assert hides_among(None) == 2
    assert hides_among(sf.KAnonymity(7)) == 7
    assert hides_among(sf.KAnonymity(3) & sf.LDiversity(4)) == 4


def test_an_item_called_label_keeps_its_name():
    published = random_published(2)
    renamed = PublishedBaskets(
        *(Baskets(b.starts, b.ids, ["label", *ITEMS[1:]]) for b in (published.base, published.differs)),
        published.threshold, published.labels,
    )  # fmt: skip
    asked, plain = BasketsAnswerer(renamed, None), BasketsAnswerer(published, None)
    for renamed_sql, sql in (
        ("label AND label_ = 'x'", "bread AND label = 'x'"),
        ("NOT label", "NOT bread"),
    ):
        got = asked.answer(f"SELECT COUNT(*) FROM release WHERE {renamed_sql}")
        assert got == plain.answer(f"SELECT COUNT(*) FROM release WHERE {sql}")


def test_ask_of_a_release_loaded_from_disk(release, tmp_path):
    sql = "SELECT COUNT(*) FROM release WHERE \"17\" AND Milk AND label = 'flu'"
    release.save(tmp_path / "out")
    assert ask(sf.load_release(tmp_path / "out"), sql) == ask(release, sql)
    assert ask(release, "SELECT COUNT(*) FROM release").value == 400


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("WHERE mlik", "did you mean 'milk'"),
        ("WHERE milk OR tea", "joined by AND"),
        ("WHERE NOT (milk AND tea)", "joined by AND"),
        ("WHERE milk = 1", "items and NOT items, and label = 'x'"),
        ("WHERE 17", "double quotes"),
        ("WHERE label", "cannot be answered of baskets"),
        ("WHERE label LIKE 'f%'", "cannot be answered of baskets"),
        ("WHERE label = 3", "labels are text"),
        ("WHERE label = milk", "labels are text"),
        ("WHERE milk AND NOT milk", "both present and absent"),
        ("GROUP BY milk", "GROUP BY takes label"),
        ("GROUP BY label, milk", "GROUP BY takes label"),
        ("LIMIT 3", "LIMIT"),
    ],
)
def test_what_is_refused(release, condition, said):
    with pytest.raises(ParameterError, match=said):
        ask(release, f"SELECT COUNT(*) FROM release {condition}")


@pytest.mark.parametrize("asked", ["COUNT(milk)", "AVG(milk)", "MAX(label)"])
def test_only_records_are_counted(release, asked):
    with pytest.raises(ParameterError, match=r"COUNT\(\*\)"):
        ask(release, f"SELECT {asked} FROM release")


def test_without_labels_nothing_is_said_of_them():
    release = sf.publish(Baskets.from_lists(list(shopping(60))), sf.Nonreciprocal(), sf.KAnonymity(3), seed=1)
    for condition, said in (
        ("WHERE label = 'flu'", "no column is called 'label'"),
        ("WHERE milk OR tea", "items and NOT items, joined"),
        ("GROUP BY milk", "leave GROUP BY out"),
    ):
        with pytest.raises(ParameterError, match=said):
            ask(release, f"SELECT COUNT(*) FROM release {condition}")
