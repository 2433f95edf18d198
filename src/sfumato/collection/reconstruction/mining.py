"""Frequent itemsets and association rules from randomized sets, with thresholds that respect the error.

Agrawal & Srikant, "Fast algorithms for mining association rules", VLDB 1994, on estimates (Evfimievski, Srikant,
Agrawal & Gehrke, KDD 2002). True supports fall as an itemset grows, estimated ones need not. So a candidate is kept as
long as its support may be frequent, estimate + z stderr >= threshold, and itemsets are joined from candidates.

Where three standard errors are more than the threshold, an itemset that nobody has would often seem frequent: such are
not told as frequent, their number is, and no larger itemset is made from them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import polars as pl

from sfumato.collection.reconstruction.shares import Z95
from sfumato.contracts.answer import Answer
from sfumato.ground.brief import fit_screen
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import any_whole, share

if TYPE_CHECKING:
    from sfumato.collection.reconstruction.basket_estimates import BasketEstimates

__all__ = ["FrequentItemsets", "Rule", "Rules", "association_rules", "frequent_itemsets"]

_TOO_NOISY = 3.0
_SHOWN = 20
Itemset: TypeAlias = tuple[str, ...]


class FrequentItemsets(SaysWhatMethodsTake, Mapping[Itemset, Answer]):
    """The itemsets that may have at least the `support` asked for, by their items, each with its estimated support.

    `found` has them, `noisy` how many candidates of each size could not be judged, as three standard errors are more
    than the threshold. `surely()` and `likely()` are those whose interval, or whose estimate, is not below it.

    >>> from sfumato import collection
    >>> asked = collection.SelectASize(items=list("abcdef"), keep=[0.1, 0.2, 0.7], rho=0.1)
    >>> found = asked.estimate(asked.randomize([["a", "b"]] * 2000 + [["c", "d"]] * 1000, seed=1))
    >>> found.frequent(support=0.2).surely()
    [('a',), ('b',), ('c',), ('d',), ('a', 'b'), ('c', 'd')]
    """

    def __init__(self, support: float, found: Mapping[Itemset, Answer], noisy: Mapping[int, int]) -> None:
        self.support = support
        self.noisy = dict(noisy)
        self._found = dict(found)

    def __getitem__(self, itemset: Itemset) -> Answer:
        return self._found[itemset]

    def __iter__(self) -> Iterator[Itemset]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def surely(self) -> list[Itemset]:
        """Those whose whole 95% interval reaches the threshold; each by itself may be wrong with 2.5%."""
        return [itemset for itemset, answer in self.items() if answer.low >= self.support]

    def likely(self) -> list[Itemset]:
        """Those whose estimate reaches the threshold."""
        return [itemset for itemset, answer in self.items() if answer.value >= self.support]

    @property
    def notes(self) -> list[str]:
        """What could not be judged, and why."""
        return [
            f"{count:,} itemsets of {size} items could not be judged: three standard errors are more than the "
            f"support of {self.support:g}; ask for a higher one, or collect more reports"
            for size, count in self.noisy.items()
        ]

    def to_polars(self) -> pl.DataFrame:
        """A row for each: its items, the estimate, its standard error and interval."""
        rows = [(list(itemset), each.value, each.stderr, each.low, each.high) for itemset, each in self.items()]
        schema = {"items": pl.List(pl.String)} | dict.fromkeys(("support", "stderr", "low", "high"), pl.Float64)
        return pl.DataFrame(rows, schema=schema, orient="row")

    def __repr__(self) -> str:
        order = sorted(self.items(), key=lambda each: (len(each[0]), -each[1].value))
        more = [f"... and {len(order) - _SHOWN:,} more"] if len(order) > _SHOWN else []
        head = f"{len(order):,} itemsets that may have a support of {self.support:g}"
        return fit_screen("\n".join([head, *(str(answer) for _, answer in order[:_SHOWN]), *more, *self.notes]))


class Rule(NamedTuple):
    """Who has all of `antecedent` often has all of `consequent`."""

    antecedent: Itemset
    consequent: Itemset
    support: Answer
    confidence: Answer


class Rules(SaysWhatMethodsTake, Mapping[tuple[Itemset, Itemset], Rule]):
    """The `rules` that may have at least the confidence asked for, by what they lead from and to.

    `confidence` is the threshold, and `notes` say what could not be judged. Intervals of confidences are Fieller's: a
    ratio of two estimates that share their reports, of which the lower may be as uncertain as the upper.

    >>> from sfumato import collection
    >>> asked = collection.SelectASize(items=list("abcdef"), keep=[0.1, 0.2, 0.7], rho=0.1)
    >>> found = asked.estimate(asked.randomize([["a", "b"]] * 2000 + [["a", "c"]] * 1000, seed=1))
    >>> found.rules(support=0.2, confidence=0.9).surely()
    [(('b',), ('a',)), (('c',), ('a',))]
    """

    def __init__(self, confidence: float, rules: list[Rule], notes: list[str]) -> None:
        self.confidence = confidence
        self.notes = notes
        self._rules = {(rule.antecedent, rule.consequent): rule for rule in rules}

    def __getitem__(self, rule: tuple[Itemset, Itemset]) -> Rule:
        return self._rules[rule]

    def __iter__(self) -> Iterator[tuple[Itemset, Itemset]]:
        return iter(self._rules)

    def __len__(self) -> int:
        return len(self._rules)

    def surely(self) -> list[tuple[Itemset, Itemset]]:
        """Those whose whole 95% interval reaches the confidence asked for; each by itself may be wrong with 2.5%."""
        return [name for name, rule in self.items() if rule.confidence.low >= self.confidence]

    def to_polars(self) -> pl.DataFrame:
        """A row for each: from what to what, the support of both, and the confidence with its interval."""
        rows = [
            (list(rule.antecedent), list(rule.consequent), rule.support.value, rule.confidence.value,
             rule.confidence.stderr, rule.confidence.low, rule.confidence.high)
            for rule in self.values()
        ]  # fmt: skip
        numbers = ("support", "confidence", "stderr", "low", "high")
        lists = {"antecedent": pl.List(pl.String), "consequent": pl.List(pl.String)}
        return pl.DataFrame(rows, schema=lists | dict.fromkeys(numbers, pl.Float64), orient="row")

    def __repr__(self) -> str:
        order = sorted(self.values(), key=lambda rule: -(rule.confidence.value or 0.0))
        more = [f"... and {len(order) - _SHOWN:,} more"] if len(order) > _SHOWN else []
        head = f"{len(order):,} rules that may have a confidence of {self.confidence:g}"
        return fit_screen("\n".join([head, *(str(rule.confidence) for rule in order[:_SHOWN]), *more, *self.notes]))


def frequent_itemsets(baskets: BasketEstimates, *, support: float, most: int | None = None) -> FrequentItemsets:
    """Grow itemsets level by level from those that may be frequent."""
    share("support", support)
    largest = baskets.itemset_size if most is None else any_whole("most", most, least=1)
    if largest > baskets.itemset_size:
        raise ParameterError(
            f"most must be at most {baskets.itemset_size}, the itemset_size of the randomizer, got {largest}"
        )
    found: dict[Itemset, Answer] = {}
    noisy: dict[int, int] = {}
    level: list[Itemset] = [(item,) for item in baskets.items]
    for size in range(1, largest + 1):
        kept: dict[Itemset, Answer] = {}
        for itemset in level:
            answer = baskets.support(itemset)
            assert answer.stderr is not None
            if _TOO_NOISY * answer.stderr > support:
                noisy[size] = noisy.get(size, 0) + 1
            elif answer.value + Z95 * answer.stderr >= support:
                kept[itemset] = answer
        found.update(kept)
        level = _joined(list(kept))
    return FrequentItemsets(support, found, noisy)


def _joined(kept: list[Itemset]) -> list[Itemset]:
    """Itemsets with one item more, of which all parts with one item less are kept."""
    known = set(kept)
    by_head: dict[Itemset, list[str]] = {}
    for itemset in kept:
        by_head.setdefault(itemset[:-1], []).append(itemset[-1])
    joined = [(*head, first, then) for head, tails in by_head.items() for first, then in combinations(tails, 2)]
    return [each for each in joined if all(part in known for part in combinations(each, len(each) - 1))]


def association_rules(baskets: BasketEstimates, *, support: float, confidence: float, most: int | None = None) -> Rules:
    """Split every itemset whose estimate is frequent into what a rule leads from and to."""
    share("confidence", confidence)
    frequent = frequent_itemsets(baskets, support=support, most=most)
    rules = []
    for itemset in frequent.likely():
        for size in range(1, len(itemset)):
            for antecedent in combinations(itemset, size):
                consequent = tuple(item for item in itemset if item not in antecedent)
                answer = baskets.confidence(antecedent, consequent)
                if answer.high >= confidence:
                    rules.append(Rule(antecedent, consequent, frequent[itemset], answer))
    return Rules(confidence, rules, frequent.notes)
