"""Randomizers of sets: the law that they draw by, by enumeration, against all that they say of themselves."""

from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato import collection
from sfumato.collection.randomizers.draws import WHOLE, GivenDraws
from sfumato.collection.randomizers.itemsets import gamma_of_sets
from sfumato.collection.randomizers.randomizer import known_randomizers, randomizer_from_dict
from sfumato.errors import DataError, ParameterError
from support.enumerated_draws import gamma_by_enumeration, report_law

FOUR, FIVE = tuple("abcd"), tuple("abcde")
SMALL = {
    "one size": collection.SelectASize(items=FOUR, keep=[0.2, 0.3, 0.5], rho=0.15),
    "few items": collection.SelectASize(items=tuple("abc"), keep=[0.2, 0.3, 0.5], rho=0.15),
    "few items, kept": collection.SelectASize(items=tuple("abc"), keep=[0.02, 0.38, 0.6], rho=0.15),
    "all items": collection.SelectASize(items=("a", "b"), keep=[0.2, 0.3, 0.5], rho=0.15),
    "sizes": collection.SelectASize(items=FOUR, keep=[[1.0], [0.4, 0.6], [0.2, 0.3, 0.5]], rho=0.3),
    "padded": collection.SelectASize(items=tuple("abc"), keep=[0.2, 0.3, 0.5], rho=0.15, padded=True),
    "padded beyond": collection.SelectASize(items=("a",), keep=[0.2, 0.3, 0.5], rho=0.1, padded=True),
    "cut": collection.CutAndPaste(items=FOUR, sizes=(2,), cutoff=1, rho=0.2, itemset_size=1),
    "cut sizes": collection.CutAndPaste(items=tuple("abc"), sizes=(1, 3), cutoff=2, rho=0.2),
    "cut padded": collection.CutAndPaste(items=tuple("abc"), sizes=(2,), cutoff=3, rho=0.25, padded=True),
}


def sets_of(asked):
    """Every set that can be an answer, by its size where that is public."""
    sizes = [range(min(asked.sizes[0], len(asked.items)) + 1)] if asked.padded else [(m,) for m in asked.sizes]
    for among in sizes:
        yield [each for i in among for each in combinations(range(len(asked.items)), i)]


def code_of(asked, each):
    return (*each, *[-1] * (max(asked.sizes) - len(each)))


def simple_law(asked, each):
    """The law of reports as the papers tell it: how many, which of them, which others."""
    items, rho, law = len(asked.items), asked.chance, {}
    m = asked.sizes[0] if asked.padded else len(each)
    full = [*each, *[f"filler {i}" for i in range(m - len(each))]]
    if isinstance(asked, collection.CutAndPaste):
        cuts = [Fraction(1, asked.cutoff + 1)] * (asked.cutoff + 1)
    else:
        cuts = [Fraction(weight, WHOLE) for weight in asked.weights[m]]
    for cut, chance in enumerate(cuts):
        j = min(cut, m)
        for kept in combinations(full, j):
            open_items = [i for i in range(items) if i not in kept]
            if isinstance(asked, collection.SelectASize):
                open_items = [i for i in range(items) if i not in each]
            for come in product((0, 1), repeat=len(open_items)):
                shown = {i for i in kept if i in range(items)} | {i for i, c in zip(open_items, come, strict=True) if c}
                weight = Fraction(1)
                for bit in come:
                    weight *= rho if bit else 1 - rho
                bits = tuple(int(i in shown) for i in range(items))
                report = (m, *bits) if asked.tells_size else bits
                law[report] = law.get(report, 0) + chance * Fraction(1, comb(m, j)) * weight
    return {report: chance for report, chance in law.items() if chance}


@pytest.mark.parametrize("name", SMALL)
def test_reports_are_drawn_as_the_papers_tell(name):
    asked = SMALL[name]
    for among in sets_of(asked):
        for each in (among[0], among[-1]):
            assert report_law(asked, code_of(asked, each)) == simple_law(asked, each)


@pytest.mark.parametrize("name", SMALL)
def test_gamma_is_that_of_the_law_that_is_drawn_by(name):
    asked = SMALL[name]
    worst = max(gamma_by_enumeration(asked, [code_of(asked, each) for each in among]) for among in sets_of(asked))
    assert asked.privacy.gamma == worst


def test_gamma_is_infinite_where_a_number_of_items_is_never_kept():
    asked = collection.SelectASize(items=FOUR, keep=[0.0, 0.5, 0.5], rho=0.2)
    assert gamma_by_enumeration(asked, list(combinations(range(4), 2))) is None
    assert asked.privacy.gamma is None
    assert "promises nothing" in asked.in_words()
    all_alike = collection.SelectASize(items=("a", "b"), keep=[0.0, 0.5, 0.5], rho=0.2)
    assert all_alike.privacy.gamma == 1, "there is one set of two items"


@pytest.mark.parametrize("name", SMALL)
def test_supports_are_unbiased_over_the_exact_law(name):
    """The mean of the estimate over every report of one set is 1 if the set has the itemset, and 0 if not."""
    asked = SMALL[name]
    itemsets = [each for k in (1, asked.itemset_size) for each in combinations(range(len(asked.items)), k)]
    for among in sets_of(asked):
        each = among[-1]
        law = report_law(asked, code_of(asked, each))
        found = {
            report: asked.estimate(asked.report_frame(np.array([report]))) for report in law
        }  # fmt: skip
        for itemset in itemsets[:3] + itemsets[-3:]:
            named = [asked.items[i] for i in itemset]
            mean = sum(float(chance) * found[report].support(named).value for report, chance in law.items())
            assert mean == pytest.approx(float(set(itemset) <= set(each)), abs=1e-9)


def test_vectors_k2_and_k5_gamma():
    quarter, rho = Fraction(1, 4), Fraction(1, 5)
    assert gamma_of_sets((quarter,) * 4, rho, 6) == 64
    cut = tuple(Fraction(each, 375) for each in (64, 128, 152, 31))
    assert gamma_of_sets(cut, rho, 6) == 31


def test_the_size_is_public_and_said_so_unless_sets_are_padded():
    assert "is told as it is" in SMALL["sizes"].in_words()
    assert "another of as many items" in SMALL["sizes"].in_words()
    assert "is not told" in SMALL["padded"].in_words()
    assert SMALL["sizes"].randomize([["a"], ["a", "b"]], seed=1).columns == ["size", "items"]
    assert SMALL["padded"].randomize([["a"], []], seed=1).columns == ["items"]


@pytest.mark.parametrize("name", SMALL)
def test_it_is_read_back_from_plain_data(name):
    asked = SMALL[name]
    assert randomizer_from_dict(asked.to_dict()) == asked
    assert type(asked) is known_randomizers()[type(asked).__name__]
    assert set(asked.shipped) >= {"kind", "rho", "padded", "items"}


@pytest.mark.parametrize("name", SMALL)
def test_reports_are_repeated_by_a_seed_and_read_back(name):
    asked = SMALL[name]
    answers = [[asked.items[i] for i in each] for among in sets_of(asked) for each in among] * 10
    reports = asked.randomize(answers, seed=5)
    assert reports.equals(asked.randomize(answers, seed=5))
    assert reports.equals(asked.randomize(pl.Series(answers, dtype=pl.List(pl.String)), seed=5))
    rows = asked.reports_of(reports)
    assert asked.report_frame(rows).equals(reports)
    assert (asked.read_report(rows[0].tolist()) == rows[:1]).all()
    for way in (reports.to_pandas(), reports.to_arrow()):
        assert (asked.reports_of(way) == rows).all()


def test_baskets_are_answers_and_reports():
    asked = SMALL["one size"]
    baskets = sf.Baskets.from_lists([["b", "a"], ["d", "c"], ["a", "c"]])
    reports = asked.randomize(baskets, seed=2)
    assert reports.equals(asked.randomize([["a", "b"], ["c", "d"], ["a", "c"]], seed=2))
    shown = sf.Baskets.from_lists(reports["items"].to_list())
    assert (asked.reports_of(shown) == asked.reports_of(reports)).all()


def test_draws_follow_the_order_that_is_told():
    """How many (two of two), the order, then a number for each item."""
    asked = SMALL["one size"]
    low, high = 0, WHOLE - 1
    words = [high, 1, 0, low, high, low, high]
    assert asked.draw(np.array([[0, 2]]), GivenDraws(words)).tolist() == [[1, 0, 1, 0]]
    words = [WHOLE // 4, 1, 0, low, high, low, low]  # one of two, and the second comes first
    assert asked.draw(np.array([[0, 2]]), GivenDraws(words)).tolist() == [[0, 0, 1, 1]]


def test_many_sets_are_drawn_in_parts(monkeypatch):
    asked = SMALL["sizes"]
    monkeypatch.setattr("sfumato.collection.randomizers.randomizer._MOST_AT_ONCE", 40)
    answers = [["a", "b"], ["c"], []] * 20
    reports = asked.randomize(answers, seed=1)
    assert reports.height == 60
    assert reports["size"].to_list() == [2, 1, 0] * 20


@pytest.mark.parametrize(
    ("answers", "said"),
    [([["a", "z"]], "answer 1 has 'z', which is none of the 4 items"), ([["a", "b"], ["a"]], "answer 2 has 1 items, and sets"),
     ([["a", "a"]], "answer 1 has an item twice"), (["ab"], "answer 1 is 'ab', and not a list"), ("ab", "lists of items"),
     (7, "lists of items"), ([None], "answer 1 is None"), (pl.Series([1, 2]), "the column holds Int64"),
     (pl.Series([["a", "b"], None]), "answer 2 is missing"), ([["a", None]], "answer 1 has 'None'")],
)  # fmt: skip
def test_answers_that_are_no_sets_of_the_items_are_refused(answers, said):
    with pytest.raises(DataError, match=said):
        SMALL["one size"].randomize(answers)


def test_padded_sets_may_be_smaller_and_not_larger():
    with pytest.raises(DataError, match="answer 2 has 3 items, and sets of at most 2"):
        SMALL["padded"].randomize([["a"], ["a", "b", "c"]])


@pytest.mark.parametrize(
    "report", [[0, 1, 0], [0, 1, 0, 1, 0], [2, 0, 0, 0], [0, 0, 0, True], "0000", None, [0.0, 1, 0, 0], {}]
)
def test_reports_that_are_no_bits_are_refused(report):
    with pytest.raises(DataError):
        SMALL["one size"].read_report(report)


def test_reports_that_no_set_can_have_are_refused():
    asked = collection.SelectASize(items=tuple("abc"), keep=[[0.5, 0.5], [0.5, 0.0, 0.0, 0.5]], rho=0.2, itemset_size=1)
    assert asked.read_report([3, 1, 1, 1]).tolist() == [[3, 1, 1, 1]]
    with pytest.raises(DataError, match="report 1 has 2 items for a set of 3; no such report"):
        asked.read_report([3, 1, 1, 0])
    with pytest.raises(DataError, match="for a set of 2"):
        asked.read_report([2, 1, 1, 0])
    with pytest.raises(DataError, match="report 2 has 1 items for a set of 3"):
        asked.estimate(pl.DataFrame({"size": [1, 3], "items": [["a"], ["b"]]}))
    with pytest.raises(DataError, match="for a set of -1"):
        asked.estimate(pl.DataFrame({"size": [1.5], "items": [["a"]]}))
    with pytest.raises(DataError, match="column 'size'"):
        asked.estimate(pl.DataFrame({"items": [["a"]]}))
    with pytest.raises(DataError, match="column 'items'"):
        SMALL["one size"].estimate(pl.DataFrame({"shown": [["a"]]}))
    with pytest.raises(DataError, match="report 1 has 'z'"):
        SMALL["one size"].estimate(pl.DataFrame({"items": [["z"]]}))
    with pytest.raises(DataError, match="no reports"):
        SMALL["one size"].estimate(pl.DataFrame({"items": pl.Series([], dtype=pl.List(pl.String))}))
    with pytest.raises(ParameterError, match="population"):
        SMALL["one size"].estimate(pl.DataFrame({"items": [["a"]]}), population="all")


@pytest.mark.parametrize(
    ("changed", "said"),
    [({"items": "abcd"}, "items must be a list"), ({"items": ["a", "a"]}, "items stands there once"),
     ({"items": []}, "items must be between 1"), ({"rho": 0.0}, "rho must be a probability"),
     ({"rho": 1.0}, "rho must be"), ({"rho": 1e-17}, "so near to 0"), ({"rho": "x"}, "rho must be"),
     ({"itemset_size": 0}, "itemset_size must be"), ({"itemset_size": 3}, "itemset_size must be at most 2"), ({"itemset_size": 11}, "itemset_size must be at most 10"),
     ({"keep": [1.0] + [0.0] * 2000}, "1,000 items at the most"),
     ({"padded": 1}, "padded must be"), ({"items": ["a"]}, "a set of 2 items is asked for, and there are 1"),
     ({"keep": [[0.5, 0.5], [0.2, 0.3, 0.5]], "padded": True}, "padded sets have one size")],
)  # fmt: skip
def test_parameters_that_make_no_question_are_refused(changed, said):
    good = {"items": FOUR, "keep": [0.2, 0.3, 0.5], "rho": 0.15}
    with pytest.raises(ParameterError, match=said):
        collection.SelectASize(**(good | changed))


def test_a_memo_reports_the_same_set_the_same():
    asked, mine = SMALL["sizes"], collection.Memo()
    first = mine.report(asked, ["a", "b"], question="bought")
    assert first.equals(mine.report(asked, ["b", "a"], question="bought"))


def test_a_chance_of_numpy_is_taken_as_it_is():
    given = {"items": list("abcdef"), "keep": [0.1, 0.3, 0.6]}
    assert (
        collection.SelectASize(**given, rho=np.float64(0.2)).privacy == collection.SelectASize(**given, rho=0.2).privacy
    )
    pasted = {"items": list("abcdef"), "sizes": [2], "cutoff": 2}
    assert (
        collection.CutAndPaste(**pasted, rho=np.float64(0.2)).privacy
        == collection.CutAndPaste(**pasted, rho=0.2).privacy
    )
