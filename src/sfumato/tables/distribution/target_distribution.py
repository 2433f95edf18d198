"""Distribution-based anonymization: sensitive values made to follow a target, and permuted inside their group.

Koudas, Srivastava, Yu & Zhang, "Distribution-based microdata anonymization", PVLDB 2(1), 2009. Groups are whatever
the owner likes; quasi-identifiers are published as they are recorded. Of each group a list of subdomains is published
that its sensitive values lie in, chosen so that over them every value has the probability the target gives it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.method import Method, Outcome, method_from_dict
from sfumato.data.encoding import encode
from sfumato.data.table import Table
from sfumato.data.values import text
from sfumato.ground.errors import DataError, ParameterError, SchemaError, suggest
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import flag, is_number, whole
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.p_private import PPrivate
from sfumato.privacy.promise import Promise
from sfumato.privacy.target import Target
from sfumato.tables.distribution.annotated import annotate
from sfumato.tables.distribution.domain import Domain, read_domain
from sfumato.tables.distribution.list_groups import list_groups
from sfumato.tables.distribution.min_sum_of_range import GroupSubdomains, histograms
from sfumato.tables.distribution.published_files import published_files
from sfumato.tables.grouping.groups import GroupingMethod
from sfumato.tables.grouping.job import Job

__all__ = ["TargetDistribution"]

Shown = Literal["nodes", "ranges"]

_MOST_FAKES = 1_000_000


@dataclass(frozen=True)
class TargetDistribution(Method):
    """Show each group's sensitive values as subdomains over which they follow `target`.

    - `groups`: None for the whole table as one (the paper's SA-only); the name of a published column; or a grouping
      method such as `Hilbert()`, which forms groups by the quasi-identifiers.
    - `group_size`: the fewest rows of such groups; `within` and `fakes` are used only in groups of as many rows, as in
      smaller ones they would say too much about the values.
    - `split` cuts groups into rows of equal quasi-identifiers (the paper's QI-SA).
    - `fakes`: how many fake values a group may be given, a number, or below 1 a share of its rows.
    - `within`: the total variation each group may be off the target where the promise does not say.
    - `domain`: the values that occur; `"integers"`, every whole number between the least and the greatest; or a list.
    - `arity` of the balanced tree over the domain; a hierarchy of the column goes before it.
    - `subdomains`: `"nodes"` of the tree, or any contiguous `"ranges"` where they cost less.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(100), sf.TargetDistribution(), sf.PPrivate("uniform"), seed=1)
    Release(100 rows, TargetDistribution, PPrivate('uniform') holds)
    """

    compared = ()

    target: Target | str | Mapping[str, Any] = "uniform"
    fakes: float = 0
    groups: str | GroupingMethod | Mapping[str, Any] | None = None
    group_size: int = 10
    split: bool = False
    within: float = 0.0
    domain: str | Sequence[Any] | None = None
    arity: int = 2
    subdomains: Shown = "nodes"

    def __post_init__(self) -> None:
        """Read the target and the grouping, check the rest."""
        object.__setattr__(self, "target", Target.of(self.target))
        PPrivate(self.target, within=self.within)
        if isinstance(self.groups, Mapping):
            object.__setattr__(self, "groups", method_from_dict(self.groups))
        if self.groups is not None and not isinstance(self.groups, (str, GroupingMethod)):
            raise ParameterError(
                f"groups must be a column, a grouping method such as Hilbert(), or None for the whole table, "
                f"got {self.groups!r}"
            )
        counted = is_number(self.fakes) and 0 <= self.fakes <= _MOST_FAKES
        if not counted or (self.fakes >= 1 and self.fakes != int(self.fakes)):
            raise ParameterError(
                f"fakes must be a share below 1 or a whole number up to {_MOST_FAKES:,}, got {self.fakes!r}"
            )
        whole("group_size", self.group_size, least=1)
        whole("arity", self.arity, least=2)
        flag("split", self.split)
        if self.domain is not None and not isinstance(self.domain, Iterable):
            raise ParameterError(f"domain must list values or be 'integers', got {self.domain!r}")
        if self.subdomains not in get_args(Shown):
            raise ParameterError(f"subdomains must be 'nodes' or 'ranges', got {self.subdomains!r}")

    def to_dict(self) -> dict[str, Any]:
        """The name and the parameters, as a recipe gives them."""
        given = super().to_dict()
        given["target"] = Target.of(self.target).to_dict()
        if isinstance(self.groups, GroupingMethod):
            given["groups"] = self.groups.to_dict()
        if isinstance(self.domain, Iterable) and not isinstance(self.domain, str):
            given["domain"] = list(self.domain)
        return given

    def promise_for(self, promise: Promise | None) -> Promise:
        """The promise of the release: `PPrivate` of this target unless one is given; other promises are refused."""
        if promise is None:
            return PPrivate(self.target, within=self.within)
        for part in promise.parts:
            if not isinstance(part, PPrivate):
                raise ParameterError(
                    f"TargetDistribution keeps PPrivate alone, not {part!r}; choose a target that has it, "
                    f"as a uniform one over l values is l-diverse"
                )
            if part.distribution != self.target:
                raise ParameterError(
                    f"the promise is {part!r}, and the method follows {self.target!r}; give one target"
                )
        return promise

    def run(self, table: Table, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Place the values in their domain, form groups, choose subdomains; rows come in random order."""
        kept_promise = self.promise_for(promise)
        within = min(part.within for part in kept_promise.parts if isinstance(part, PPrivate))
        column = _only_sensitive(table)
        progress.step("reading values")
        kept = table.complete
        if not len(kept):
            raise DataError("no row has every value that the schema insists on, so that there is nothing to publish")
        part = table if len(kept) == len(table) else table.rows(kept)
        domain = read_domain(part.frame[column], part.schema.column(column), self.domain, self.arity)
        if self.subdomains == "ranges" and not domain.ordered:
            raise ParameterError(
                f"subdomains='ranges' needs values in an order, and column {column!r} is a category; show nodes"
            )
        progress.step("forming groups")
        parent, labels, disclosed = self._groups(part, random.spawn("groups"), progress)
        group = _split_by_quasi(part, parent) if self.split else parent
        n_groups = int(group.max()) + 1
        parent_of = np.empty(n_groups, dtype=np.int64)
        parent_of[group] = parent
        weights, target_of_parent = self._weights(domain, parent, labels)
        target_of_group = target_of_parent[parent_of]
        progress.step("choosing subdomains")
        given = histograms(domain.places, group, n_groups, len(domain))
        listing = list_groups(
            given, [annotate(domain.shape, w, domain.ranges) for w in weights], target_of_group, domain.positions,
            within=within, fakes=self.fakes, any_range=self.subdomains == "ranges", weights=weights,
            least=self.group_size, share=progress.share,
        )  # fmt: skip
        if len(kept) < len(table):
            disclosed["withheld_rows"] = len(table) - len(kept)
        return self._outcome(part, kept, column, domain, group, listing, weights, target_of_group, disclosed, random)

    def _groups(
        self, part: Table, random: Randomness, progress: Progress
    ) -> tuple[NDArray[np.int64], list[str] | None, dict[str, Any]]:
        """The group of every row; the value of each group where groups go by a column; and what is published of it."""
        target = Target.of(self.target)
        if target.kind == "each" and target.column != self.groups:
            raise ParameterError(
                f"the target goes by column {target.column!r}, and groups by {self.groups!r}; "
                f"form groups by that column"
            )
        if self.groups is None:
            return np.zeros(len(part), dtype=np.int64), None, {}
        if isinstance(self.groups, str):
            published = [name for name in part.columns if part.schema.role(name) in ("quasi", "plain")]
            if self.groups not in published:
                raise SchemaError(
                    f"groups names the column {self.groups!r}, which is not published{suggest(self.groups, published)}"
                )
            own = part.frame[self.groups]
            values = own.unique(maintain_order=True)
            lookup = pl.DataFrame({"value": values, "group": np.arange(len(values))})
            joined = own.alias("value").to_frame().join(
                lookup, on="value", how="left", nulls_equal=True, maintain_order="left"
            )  # fmt: skip
            return joined["group"].to_numpy().astype(np.int64), [text(value) for value in values.to_list()], {}
        if not part.schema.quasi:
            raise SchemaError(
                "no column is declared quasi, so that no groups can be formed; name one in Schema(quasi=)"
            )
        promise = KAnonymity(self.group_size)
        limit = promise.limit(len(part), ())
        if limit is not None:
            raise DataError(f"groups of {self.group_size} cannot be formed: {limit}")
        assert isinstance(self.groups, GroupingMethod)
        found = self.groups.groups(Job(encode(part, part.schema.quasi), [], promise, random, progress))
        return found.of_row, None, dict(found.disclosed)

    def _weights(
        self, domain: Domain, parent: NDArray[np.int64], labels: list[str] | None
    ) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
        """The distinct targets as weights over the domain, and which of them each group (before splitting) follows."""
        target, n_parents, m = Target.of(self.target), int(parent.max()) + 1, len(domain)
        whole = np.bincount(domain.places, minlength=m)
        known: dict[Any, int] = {}
        weights: list[NDArray[np.int64]] = []
        of_parent = np.empty(n_parents, dtype=np.int64)
        own = histograms(domain.places, parent, n_parents, m) if target.by_data else None
        n_rows = np.bincount(parent, minlength=n_parents)
        for g in range(n_parents):
            single = target.for_label(labels[g]) if labels is not None else target
            key: Any = (single, g) if single.kind == "group" else single
            if single.kind == "group" and n_rows[g] < self.group_size:
                rows = "1 row" if n_rows[g] == 1 else f"{int(n_rows[g]):,} rows"
                raise DataError(
                    f"a group has {rows}, and its own distribution as the target would tell their values; "
                    f"form groups of at least {self.group_size}, or lower group_size"
                )
            if key not in known:
                counts = whole
                if single.kind == "group" and own is not None:
                    one = own.of(g)
                    counts = np.bincount(one.places, weights=one.counts, minlength=m).astype(np.int64)
                known[key] = len(weights)
                weights.append(single.weights(domain.texts, domain.numbers, counts))
            of_parent[g] = known[key]
        return weights, of_parent

    def _outcome(
        self, part: Table, kept: NDArray[np.int64], column: str, domain: Domain, group: NDArray[np.int64],
        listing: GroupSubdomains, weights: Sequence[NDArray[np.int64]], target_of_group: NDArray[np.int64],
        disclosed: dict[str, Any], random: Randomness,
    ) -> Outcome:  # fmt: skip
        number = random.spawn("group numbers").permutation(len(target_of_group))
        renamed = random.spawn("target numbers").permutation(len(weights))  # the order of groups tells who is near whom
        weights, target_of_group = [weights[t] for t in np.argsort(renamed)], renamed[target_of_group]
        arrangement = random.spawn("arrangement").permutation(len(part))
        target = Target.of(self.target)
        files, says = published_files(part.columns, column, domain, listing, weights, target_of_group, number)
        says["target"] = target.to_dict()
        names = [name for name in part.columns if part.schema.role(name) in ("quasi", "plain")]
        frame = part.frame.select(names)[arrangement]
        frame = frame.with_columns(pl.Series(says["group"], number[group][arrangement], dtype=pl.Int64))
        public: dict[str, Any] = {"forms": dict.fromkeys(part.schema.quasi, "value"), **disclosed, "target": says}
        return Outcome(frame=frame, rows=kept[arrangement], public=public, files=files)


def _only_sensitive(table: Table) -> str:
    """The sensitive column; refused where there is none, or more than one."""
    names = [name for name in table.columns if table.schema.role(name) == "sensitive"]
    if len(names) != 1:
        said = "none is" if not names else f"{', '.join(names)} are"
        raise SchemaError(
            f"TargetDistribution publishes one sensitive column, and {said} declared sensitive; declare one, and "
            f"others as identifiers, which are not published"
        )
    return names[0]


def _split_by_quasi(part: Table, parent: NDArray[np.int64]) -> NDArray[np.int64]:
    """Split every group into rows with the same quasi-identifiers: the new group of every row."""
    if not part.schema.quasi:
        raise SchemaError("split cuts groups by the quasi-identifiers, and no column is declared quasi")
    keys = part.frame.select(part.schema.quasi).insert_column(0, pl.Series("\0group", parent))
    return keys.select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy().astype(np.int64) - 1
