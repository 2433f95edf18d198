"""k^m-anonymity of set-valued data: items made coarser along a hierarchy, or withheld, from small sets to large ones.

The apriori-based anonymization (AA) of Terrovitis, Mamoulis & Kalnis, "Privacy-preserving anonymization of set-valued
data", PVLDB 1(1), 2008, with a step at the end that takes back what turns out not to be needed. Every item is shown the
same way in all records. Without a hierarchy items are shown as they are, or nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.baskets.itemsets.item_cut import item_cut, recode_items
from sfumato.baskets.itemsets.rare_itemsets import has_rare_set, hitting_items, rare_sets, restrict_items
from sfumato.baskets.shared import present_items
from sfumato.contracts.method import Method, Outcome
from sfumato.data.baskets import Baskets
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.data.tree import Tree
from sfumato.ground.errors import InfeasibleError, ParameterError, SchemaError
from sfumato.ground.progress import Progress, Share, portion, tell_nobody
from sfumato.ground.randomness import Randomness
from sfumato.privacy.km_anonymity import KMAnonymity
from sfumato.privacy.promise import Promise
from sfumato.published.baskets.set_work import SetWork

__all__ = ["Apriori", "shown_items"]

_MOST_SETS = 2_000_000


@dataclass(frozen=True)
class Apriori(Method):
    """k^m-anonymity of baskets: rare sets of items are made frequent, or impossible.

    With a `hierarchy` of the items (a Hierarchy, or the path of a file in ARX's format) items are shown as nodes above
    them. Without one, items are withheld everywhere, few and rare ones if that will do.

    >>> import sfumato as sf
    >>> baskets = sf.Baskets.from_lists([["milk", "tea"], ["milk"], ["tea", "rice"], ["milk", "rice"]] * 5)
    >>> sf.publish(baskets, sf.Apriori(), sf.KMAnonymity(2, 2), seed=1)
    Release(20 rows, Apriori, KMAnonymity(k=2, m=2) holds)
    """

    recommended = "against whoever knows a few items of somebody (--k and --m)"

    hierarchy: Hierarchy | str | Path | Mapping[str, Any] | None = None
    takes: ClassVar[type] = Baskets
    needs_promise: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check that the hierarchy is a Hierarchy, one as plain data, or the path of a file."""
        if isinstance(self.hierarchy, Mapping):
            object.__setattr__(self, "hierarchy", Hierarchy.from_dict(self.hierarchy))
        if self.hierarchy is not None and not isinstance(self.hierarchy, (Hierarchy, str, Path)):
            raise ParameterError(f"hierarchy must be a Hierarchy or the path of a CSV file, got {self.hierarchy!r}")

    def to_dict(self) -> dict[str, Any]:
        """The name, and the hierarchy as a path or as plain data."""
        given = self.hierarchy
        plain = given.to_dict() if isinstance(given, Hierarchy) else None if given is None else str(given)
        return {"name": "Apriori", "hierarchy": plain}

    def public_parameters(self) -> dict[str, Any]:
        """The name, and whether there was a hierarchy; the hierarchy itself stays with the owner."""
        return {"name": "Apriori", "hierarchy": self.hierarchy is not None}

    def run(self, table: Any, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Choose the name that each item is published under, and publish the recoded records in random order."""
        baskets: Baskets = present_items(table)
        k, m = _required_k_and_m(promise)
        n = len(baskets)
        if n < k:
            raise InfeasibleError(f"k={k} needs at least {k} records and there are {n}; the best is k={n}")
        m = min(m, max(int(baskets.sizes.max(initial=0)), 1))  # no record holds a larger set
        progress.step("counting sets of items")
        tree = self._tree(baskets.items)
        if tree is None:
            shown = shown_items(baskets, k, m, progress.share)
            number, names = np.where(shown, np.cumsum(shown) - 1, -1), np.array(baskets.items, dtype=object)[shown]
        else:
            node = item_cut(baskets, tree, k, m, progress.share)
            cut = np.unique(node[node >= 0])
            number = np.where(node < 0, -1, np.searchsorted(cut, node))
            names = np.array(tree.labels, dtype=object)[cut]
        progress.step("showing items")
        return _outcome(baskets, number, names.tolist(), random)

    def _tree(self, items: tuple[str, ...]) -> Tree | None:
        """The hierarchy as a tree that has a leaf for every item; None without a hierarchy."""
        if self.hierarchy is None:
            return None
        given = self.hierarchy
        hierarchy = given if isinstance(given, Hierarchy) else Hierarchy.from_csv(str(given))
        try:
            tree = hierarchy.tree(items)
        except SchemaError as error:
            raise ParameterError(f"the hierarchy of items does not fit: {error}") from None
        lacking = [item for item in items if item not in tree.leaf_of]
        if lacking:
            more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
            raise ParameterError(f"the hierarchy has no leaf for the item {lacking[0]!r}{more}; add a line for each")
        return tree


def _required_k_and_m(promise: Promise | None) -> tuple[int, int]:
    """The k and m of the promise, which must be KMAnonymity alone."""
    parts = promise.parts if promise is not None else ()
    if len(parts) != 1 or not isinstance(parts[0], KMAnonymity):
        raise ParameterError(f"Apriori keeps KMAnonymity alone, such as KMAnonymity(5, 2), not {promise!r}")
    return parts[0].k, parts[0].m


def shown_items(baskets: Baskets, k: int, m: int, share: Share = tell_nobody) -> NDArray[np.bool_]:
    """Mark items that can be shown together: no set of at most m of them occurs in fewer than k records.

    The choice cannot be enlarged: any other item shown beside them would make such a set.
    """
    shown, work = baskets.counts >= k, SetWork()
    left = restrict_items(baskets, shown)
    for size in range(2, m + 1):
        if size > left.sizes.max(initial=0):  # no record holds a set of so many
            break
        while len(sets := rare_sets(left, k, size, _MOST_SETS, work)):
            share(0.5 * (size - 2) / m)  # how often this must be done is not known
            shown = shown & ~hitting_items(sets, baskets.counts)
            left = restrict_items(baskets, shown)
        share(0.5 * (size - 1) / m)
    return _give_back(baskets, shown, k, m, work, portion(share, 0.5, 1.0))


def _give_back(
    baskets: Baskets, shown: NDArray[np.bool_], k: int, m: int, work: SetWork, share: Share
) -> NDArray[np.bool_]:
    """Mark withheld items as shown again, the most frequent first, where that makes no set of fewer than k records."""
    by_item = np.argsort(baskets.ids, kind="stable")
    holding = np.repeat(np.arange(len(baskets)), baskets.sizes)[by_item]
    ends = np.cumsum(baskets.counts)
    for done, item in enumerate(np.argsort(-baskets.counts, kind="stable").tolist()):
        count = int(baskets.counts[item])
        if shown[item] or count < k:
            continue
        beside = restrict_items(baskets.rows(holding[ends[item] - count : ends[item]]), shown)
        shown[item] = not has_rare_set(beside, k, m - 1, work)
        share((done + 1) / len(shown))
    return shown


def _outcome(baskets: Baskets, number: NDArray[np.int64], names: list[str], random: Randomness) -> Outcome:
    """The recoded records in random order; item i is published as `names[number[i]]`, or not at all (-1)."""
    rows = random.spawn("arrangement").permutation(len(baskets))
    base = recode_items(baskets, number, names).rows(rows)
    nothing = Baskets(np.zeros(len(baskets) + 1), np.empty(0, dtype=np.int32), names)
    labels = None if baskets.labels is None else baskets.labels.gather(rows)
    published = PublishedBaskets(base, nothing, labels=labels)
    shown_as = [names[i] if i >= 0 else None for i in number.tolist()]
    items = pl.DataFrame(
        {"item": list(baskets.items), "shown_as": shown_as}, schema={"item": pl.String, "shown_as": pl.String}
    )
    return Outcome(
        frame=published.frame, rows=rows, public={"baskets": {"items": names}}, kept={"items": items}
    )  # fmt: skip
