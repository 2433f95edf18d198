"""Sensitive values shown as subdomains, as readers find them: read, checked against each other and the original.

The rows have the quasi-identifiers as they are recorded, and a group; beside them lie the subdomains of each group, the
domain they are ranges of, the target distributions over it, and which of these each group follows. Knows nothing of the
method that chose them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.schema import Column, Schema
from sfumato.data.shown import show_range, show_set
from sfumato.data.table import Table
from sfumato.data.tree import Tree
from sfumato.data.values import text
from sfumato.errors import DataError, SfumatoError
from sfumato.privacy.target import Target
from sfumato.published.equivalence import PublishedClasses
from sfumato.published.shape import Check
from sfumato.published.tables.subdomain_lists import Subdomains, achieved_distribution
from sfumato.published.tables.subdomain_truth import subdomain_untruths
from sfumato.published.tables.table import TableShape, bounds_loss, numbered_rows

__all__ = ["Subdomains", "SubdomainsShape", "flaws", "read_subdomains", "subdomain_texts"]

_MOST_LISTED = 2**53
_TOLD = ("column", "group", "count", "table", "domain", "targets", "groups")
_WHOLE = {"table": ("first", "last"), "domain": ("place",), "targets": ("target", "place", "weight"),
          "groups": ("target",)}  # fmt: skip


class SubdomainsShape(TableShape):
    """Quasi-identifiers as recorded, and for each group the subdomains that its sensitive values lie in."""

    name = "subdomains"
    sensitive_apart = True

    @cached_property
    def subdomains(self) -> Subdomains:
        """The subdomains of every group."""
        found = read_subdomains(self.frame, self.files, self.public)
        assert found is not None
        return found

    @property
    def group(self) -> str:
        """The column that joins rows and subdomains."""
        return str(self.public["target"]["group"])

    @property
    def table(self) -> str:
        """The name of the table of subdomains."""
        return str(self.public["target"]["table"])

    @property
    def column(self) -> str:
        """The sensitive column."""
        return str(self.public["target"]["column"])

    @property
    def as_subdomains(self) -> str:
        """The same."""
        return self.column

    @property
    def told(self) -> Mapping[str, Any]:
        """How the tables are joined, and the target, as the release tells."""
        told: Mapping[str, Any] = self.public["target"]
        return told

    @property
    def beside(self) -> str:
        """Where the sensitive values are."""
        where = f"{self.table}.parquet has the subdomains of the sensitive values by {self.group!r}"
        return f"quasi-identifiers are as recorded; {where}"

    @property
    def seen_forms(self) -> dict[str, Any]:
        """None: the quasi-identifiers are the records' own."""
        return {}

    def plain_classes(self) -> PublishedClasses | None:
        """None: sensitive values are told of groups."""
        return None

    def flaws(self) -> list[str]:
        """What keeps the tables from being read as one, and what is published beside them."""
        return flaws(self.frame, self.files, self.public, self.schema)

    def unnamed(self) -> list[str]:
        """None: these are flaws already."""
        return []

    def untruths(self, check: Check) -> list[str]:
        """What the original contradicts."""
        target = Target.of(self.told["target"])
        return subdomain_untruths(self.frame, self.subdomains, target, check.original, self.rows)

    def refused(self, check: Check) -> list[str]:
        """A bound on the loss of classes."""
        refusal = "a bound on the loss speaks of classes, and subdomains by group show none"
        return [refusal] if bounds_loss(check) else []

    def classes(self, check: Check, *, sound: bool) -> PublishedClasses:
        """Records that are equal in all quasi-identifiers, and the subdomains beside them."""
        shown = self.recorded_classes(check)
        shown.evidence = replace(shown.evidence, subdomains=self.subdomains)
        return shown

    def decisions(self) -> Sequence[str]:
        """How many groups there are, and how far they list more than their rows."""
        seen = self.subdomains
        fakes = int(seen.listed.sum()) - self.frame.height
        said = f"{seen.n_groups:,} group{'s' if seen.n_groups != 1 else ''}: quasi-identifiers are published as "
        said += f"recorded, {seen.column!r} as subdomains" + (f", {fakes:,} more than there are rows" if fakes else "")
        return (said,)

    def checked_on(self, original: Table | None) -> str:
        """Rows and subdomains, alone or against the original."""
        n = f"{self.frame.height:,} published rows and the subdomains of their groups"
        if original is None:
            return f"{n} alone"
        how = "each row with its own record" if self.rows is not None else "without the owner's row map"
        return f"{n}, against the original, {how}"

    def certified(self) -> dict[str, Any]:
        """The distribution that a reader of the subdomains finds."""
        found = achieved_distribution(self.subdomains)
        return {"distribution": found} if found is not None else {}

    @classmethod
    def told_columns(cls, files: Mapping[str, pl.DataFrame], public: Mapping[str, Any]) -> list[str]:
        """The sensitive column, which has tables of its own."""
        return [public["target"]["column"]]

    @classmethod
    def declared_columns(cls, schema: Schema, public: Mapping[str, Any]) -> list[Column]:
        """The number of a group in place of the sensitive value."""
        return numbered_rows(schema, str(public["target"]["group"]), without_sensitive=True)


def read_subdomains(
    frame: pl.DataFrame, files: Mapping[str, pl.DataFrame], public: Mapping[str, Any]
) -> Subdomains | None:
    """The subdomains of a release, None where it has none; such as do not fit each other raise `DataError`."""
    if "target" not in public:
        return None
    wrong = flaws(frame, files, public)
    if wrong:
        raise DataError(f"the published tables do not fit each other: {wrong[0]}; ask the owner for a new copy")
    told = public["target"]
    group, count = told["group"], told["count"]
    numbers, of_row, sizes = np.unique(_int(frame[group]), return_inverse=True, return_counts=True)
    table = files[told["table"]].sort(group, "first", "last")
    domain = files[told["domain"]].sort("place")
    targets = files[told["targets"]]
    of_target, place = _int(targets["target"]), _int(targets["place"])
    weights = np.zeros((int(of_target.max(initial=0)) + 1, domain.height), dtype=np.int64)
    weights[of_target, place] = _int(targets["weight"])
    groups = files[told["groups"]].sort(group)
    follows = Target.of(told["target"])
    column = follows.column
    labels: tuple[str, ...] = ()
    if follows.kind == "each":
        firsts = np.full(len(numbers), -1)
        firsts[of_row[::-1]] = np.arange(frame.height)[::-1]
        labels = tuple(text(value) for value in frame[column].gather(firsts).to_list())
    return Subdomains(
        column=told["column"], group_name=group, group_of_row=of_row.astype(np.int64), numbers=numbers.astype(np.int64),
        sizes=sizes.astype(np.int64), group=np.searchsorted(numbers, _int(table[group])).astype(np.int64),
        first=_int(table["first"]), last=_int(table["last"]), count=_int(table[count]), values=domain["value"],
        weights=tuple(weights), target_of_group=_int(groups["target"]), told=follows,
        labels=labels,
    )  # fmt: skip


def _int(series: pl.Series) -> NDArray[np.int64]:
    return series.cast(pl.Int64).to_numpy()


def subdomain_texts(
    values: pl.Series, tree: Tree | None, first: NDArray[np.int64], last: NDArray[np.int64], *, ordered: bool
) -> list[str]:
    """Subdomains as text: a value, a range, a set, or the label of a node."""
    pairs, where = np.unique(np.stack([first, last], axis=1), axis=0, return_inverse=True)
    labels: dict[tuple[int, int], str] = {}
    if tree is not None:
        for node in range(len(tree.parent) - 1, -1, -1):
            labels.setdefault((int(tree.first[node]), int(tree.last[node])), tree.labels[node])
    listed, words = values.to_list(), []
    for a, b in pairs.tolist():
        if (a, b) in labels:
            words.append(labels[a, b])
        elif ordered:
            words.append(show_range(listed[a], listed[b]))
        else:
            words.append(show_set(listed[a : b + 1]))
    return [words[i] for i in where.ravel().tolist()]


# -- what the tables say of each other -----------------------------------------------------------------------------


def flaws(
    frame: pl.DataFrame, files: Mapping[str, pl.DataFrame], public: Mapping[str, Any], schema: Schema | None = None
) -> list[str]:
    """What keeps the tables from being read as one, a clause each; with the `schema`, also columns out of place."""
    told = public.get("target")
    if not isinstance(told, Mapping) or not all(isinstance(told.get(key), str) for key in _TOLD):
        return ["the release does not say how its tables are joined"]
    group, count = told["group"], told["count"]
    if group not in frame.columns or not _whole(frame[group]):
        return [f"column {group!r} is missing from the data, or holds no whole numbers"]
    for key, columns in _WHOLE.items():
        table, own = files.get(told[key]), [*columns]
        if table is None:
            return [f"the table {told[key]!r} is missing"]
        own += [group] if key in ("table", "groups") else []
        own += [count] if key == "table" else []
        for column in own:
            if column not in table.columns or not _whole(table[column]):
                return [f"column {column!r} is missing from {told[key]!r}, or holds no whole numbers"]
    if told.get("shown") is not None and not isinstance(told["shown"], str):
        return ["the release does not say how its tables are joined"]
    try:
        Target.of(told.get("target"))  # type: ignore[arg-type]
    except (SfumatoError, AttributeError, TypeError, ValueError):
        return ["the release does not say which target it follows"]
    return _misfits(frame, files, told) or _out_of_place(frame, files, told, schema)


def _misfits(frame: pl.DataFrame, files: Mapping[str, pl.DataFrame], told: Mapping[str, Any]) -> list[str]:
    group, count = told["group"], told["count"]
    table, domain, targets, groups = (files[told[key]] for key in ("table", "domain", "targets", "groups"))
    m = domain.height
    if "value" not in domain.columns or domain["value"].null_count():
        return ["the domain lacks its values"]
    if sorted(domain["place"].to_list()) != list(range(m)) or domain["value"].n_unique() != m:
        return ["the places of the domain are not numbered from 0, each with a value of its own"]
    values = domain.sort("place")["value"]
    if not _is_plain(values.dtype):
        return ["the domain holds values of a kind that no column has"]
    if values.dtype.is_float() and not values.is_finite().all():
        return ["some value of the domain is not a number"]
    if (values.dtype.is_numeric() or values.dtype.is_temporal()) and not values.is_sorted():
        return ["the values of the domain are not in order"]
    out = (table["first"] < 0) | (table["first"] > table["last"]) | (table["last"] >= m) | (table[count] < 1)
    if bool(out.any()):
        return ["some subdomain is no range of the domain, or has no copies"]
    if table.select(group, "first", "last").is_duplicated().any():
        return ["some group lists a subdomain twice"]
    if targets.select("target", "place").is_duplicated().any():
        return ["some target gives a value two weights"]
    placed = targets.filter(pl.col("place").is_between(0, m - 1) & (pl.col("weight") >= 1) & (pl.col("target") >= 0))
    if placed.height < targets.height or int(targets["weight"].cast(pl.Int128).sum() or 0) > 2**62:
        return ["some weight of a target is not a whole number above 0 of a value in the domain"]
    known = set(targets["target"])
    if max(known, default=0) >= max(frame.height, 1) or not set(groups["target"]) <= known:
        return ["some group follows a target that is not published"]
    if groups[group].n_unique() != groups.height or set(groups[group]) != set(frame[group].unique()):
        return ["the groups that targets are told of are not those of the rows"]
    rows = frame.group_by(group).agg(pl.len().cast(pl.Int128).alias("n"))
    listed = table.group_by(group).agg(pl.col(count).cast(pl.Int128).sum().alias("listed"))
    joined = rows.join(listed, on=group, how="full", coalesce=True)
    if bool((joined["listed"] > _MOST_LISTED).any()):
        return ["some group lists more subdomains than any could"]
    apart = joined.filter(pl.col("n").is_null() | pl.col("listed").is_null() | (pl.col("n") > pl.col("listed"))).height
    if apart:
        return [f"in {apart:,} of {joined.height:,} groups there are fewer subdomains than rows"]
    if set(targets["target"]) != set(groups["target"]):
        return ["some target is published that no group follows"]
    target = Target.of(told["target"])
    if target.kind == "each":
        labels = target.column
        if labels not in frame.columns:
            return [f"targets go by column {labels!r}, which is missing from the data"]
        mixed = frame.group_by(group).agg(pl.col(labels).n_unique().alias("n")).filter(pl.col("n") > 1).height
        return [f"{mixed:,} groups have rows of several {labels!r}"] if mixed else []
    return []


def _out_of_place(
    frame: pl.DataFrame, files: Mapping[str, pl.DataFrame], told: Mapping[str, Any], schema: Schema | None
) -> list[str]:
    """Columns that are not where they belong, and copies of a subdomain's ends that say something else."""
    if schema is None:
        return []
    wrong = [f"column {name!r} is published beside the quasi-identifiers" for name in schema.sensitive if name in frame]
    if not wrong and schema.sensitive == [told["column"]]:
        kind, dtype = schema.column(told["column"]).kind, files[told["domain"]]["value"].dtype
        if not _is_of_kind(dtype, str(kind)):
            wrong.append(f"the values of the domain are not those of a column whose kind is {kind}")
    if schema.sensitive != [told["column"]]:
        wrong.append("the sensitive column is not the one that the release names")
    wrong += [f"column {name!r} is missing" for name in schema.quasi if name not in frame.columns]
    known = (*schema.quasi, *schema.plain, *schema.sensitive, told["group"])
    wrong += [f"column {name!r} is published, and the release does not name it"
              for name in frame.columns if name not in known]  # fmt: skip
    table, values = files[told["table"]], files[told["domain"]].sort("place")["value"]
    for end, place in (("low", "first"), ("high", "last")):
        if end in table.columns and not table[end].equals(values.gather(table[place]).alias(end), check_dtypes=False):
            wrong.append(f"column {end!r} of {told['table']!r} does not agree with the domain")
    return wrong or [*_disorder(files, told), *_unnamed(files, told), *_other_texts(table, values, told, schema)]


def _disorder(files: Mapping[str, pl.DataFrame], told: Mapping[str, Any]) -> list[str]:
    """Tables whose rows are not sorted: the order of a file is knowledge too."""
    group = told["group"]
    orders = {
        "table": (group, "first", "last"),
        "domain": ("place",),
        "targets": ("target", "place"),
        "groups": (group,),
    }
    for key, order in orders.items():
        own = files[told[key]].select(order)
        if not own.equals(own.sort(*order)):
            return [f"the rows of {told[key]!r} are not in order, and their order could tell something"]
    return []


def _unnamed(files: Mapping[str, pl.DataFrame], told: Mapping[str, Any]) -> list[str]:
    """Tables and columns that no reader is told of."""
    known = {told["table"]: {told["group"], told["count"], told.get("shown"), "first", "last", "low", "high"},
             told["domain"]: {"place", "value"}, told["targets"]: {"target", "place", "weight"},
             told["groups"]: {told["group"], "target"}}  # fmt: skip
    wrong = [
        f"the table {name!r} is published, and the release does not name it" for name in files if name not in known
    ]
    for name, columns in known.items():
        extra = [column for column in files[name].columns if column not in columns]
        wrong += [f"column {column!r} of {name!r} is published, and the release does not name it" for column in extra]
    return wrong


def _other_texts(table: pl.DataFrame, values: pl.Series, told: Mapping[str, Any], schema: Schema) -> list[str]:
    """Texts of subdomains that say something else than their places."""
    shown = told.get("shown")
    if shown is None or shown not in table.columns:
        return []
    column = schema.column(told["column"])
    tree = None
    if column.hierarchy is not None and told.get("tree") == "hierarchy":
        try:
            tree = column.hierarchy.tree(values.to_list())
        except SfumatoError:
            return [f"the domain does not fit the hierarchy of column {column.name!r}"]
        if list(tree.leaves) != [text(value) for value in values.to_list()]:
            return [f"the domain does not fit the hierarchy of column {column.name!r}"]
    ordered = column.kind in ("integer", "number", "date", "ordinal")
    right = subdomain_texts(values, tree, _int(table["first"]), _int(table["last"]), ordered=ordered)
    if table[shown].to_list() != right:
        return [f"column {shown!r} of {told['table']!r} does not agree with the domain"]
    return []


def _is_plain(dtype: pl.DataType) -> bool:
    return dtype.is_integer() or dtype.is_float() or dtype in (pl.Date, pl.String) or isinstance(dtype, pl.Datetime)


def _is_of_kind(dtype: pl.DataType, kind: str) -> bool:
    if kind == "integer":
        return dtype.is_integer()
    if kind == "number":
        return dtype.is_numeric()
    return dtype.is_temporal() if kind == "date" else dtype == pl.String


def _whole(series: pl.Series) -> bool:
    return series.dtype.is_integer() and not series.cast(pl.Int64, strict=False).null_count()
