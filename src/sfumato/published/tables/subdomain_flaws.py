"""Flaws of the tables of a release with subdomains: what keeps them from being read as one, each in a clause."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from sfumato.data.numbers import holds_whole_numbers
from sfumato.data.schema import Schema
from sfumato.data.values import text
from sfumato.ground.errors import SfumatoError
from sfumato.privacy.target import Target
from sfumato.published.tables.subdomain_lists import subdomain_texts

__all__ = ["subdomain_table_flaws"]

_MOST_LISTED = 2**53
_TOLD = ("column", "group", "count", "table", "domain", "targets", "groups")
_WHOLE = {"table": ("first", "last"), "domain": ("place",), "targets": ("target", "place", "weight"),
          "groups": ("target",)}  # fmt: skip


def subdomain_table_flaws(
    frame: pl.DataFrame, files: Mapping[str, pl.DataFrame], public: Mapping[str, Any], schema: Schema | None = None
) -> list[str]:
    """What keeps the tables from being read as one, a clause each; with the `schema`, also columns out of place."""
    parameters = public.get("target")
    if not isinstance(parameters, Mapping) or not all(isinstance(parameters.get(key), str) for key in _TOLD):
        return ["the release does not say how its tables are joined"]
    group, count = parameters["group"], parameters["count"]
    if group not in frame.columns or not holds_whole_numbers(frame[group]):
        return [f"column {group!r} is missing from the data, or holds no whole numbers"]
    for key, columns in _WHOLE.items():
        table, own = files.get(parameters[key]), [*columns]
        if table is None:
            return [f"the table {parameters[key]!r} is missing"]
        own += [group] if key in ("table", "groups") else []
        own += [count] if key == "table" else []
        for column in own:
            if column not in table.columns or not holds_whole_numbers(table[column]):
                return [f"column {column!r} is missing from {parameters[key]!r}, or holds no whole numbers"]
    if parameters.get("shown") is not None and not isinstance(parameters["shown"], str):
        return ["the release does not say how its tables are joined"]
    try:
        Target.of(parameters.get("target"))  # type: ignore[arg-type]
    except (SfumatoError, AttributeError, TypeError, ValueError):
        return ["the release does not say which target it follows"]
    return _misfits(frame, files, parameters) or _out_of_place(frame, files, parameters, schema)


def _misfits(frame: pl.DataFrame, files: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> list[str]:
    """What keeps the tables from fitting each other: the first flaw found, as others may follow from it."""
    table, domain, targets, groups = (files[parameters[key]] for key in ("table", "domain", "targets", "groups"))
    return (
        _odd_domain(domain)
        or _odd_subdomains(table, domain.height, parameters["group"], parameters["count"])
        or _odd_targets(frame, targets, groups, domain.height)
        or _odd_groups(frame, table, groups, parameters["group"], parameters["count"])
        or _idle_targets(targets, groups)
        or _mixed_labels(frame, parameters)
    )  # fmt: skip


def _odd_domain(domain: pl.DataFrame) -> list[str]:
    if "value" not in domain.columns or domain["value"].null_count():
        return ["the domain lacks its values"]
    if sorted(domain["place"].to_list()) != list(range(domain.height)) or domain["value"].n_unique() != domain.height:
        return ["the places of the domain are not numbered from 0, each with a value of its own"]
    values = domain.sort("place")["value"]
    if not _is_plain(values.dtype):
        return ["the domain holds values of a kind that no column has"]
    if values.dtype.is_float() and not values.is_finite().all():
        return ["some value of the domain is not a number"]
    if (values.dtype.is_numeric() or values.dtype.is_temporal()) and not values.is_sorted():
        return ["the values of the domain are not in order"]
    return []


def _odd_subdomains(table: pl.DataFrame, m: int, group: str, count: str) -> list[str]:
    out = (table["first"] < 0) | (table["first"] > table["last"]) | (table["last"] >= m) | (table[count] < 1)
    if bool(out.any()):
        return ["some subdomain is no range of the domain, or has no copies"]
    if table.select(group, "first", "last").is_duplicated().any():
        return ["some group lists a subdomain twice"]
    return []


def _odd_targets(frame: pl.DataFrame, targets: pl.DataFrame, groups: pl.DataFrame, m: int) -> list[str]:
    if targets.select("target", "place").is_duplicated().any():
        return ["some target gives a value two weights"]
    placed = targets.filter(pl.col("place").is_between(0, m - 1) & (pl.col("weight") >= 1) & (pl.col("target") >= 0))
    if placed.height < targets.height or int(targets["weight"].cast(pl.Int128).sum() or 0) > 2**62:
        return ["some weight of a target is not a whole number above 0 of a value in the domain"]
    known = set(targets["target"])
    if max(known, default=0) >= max(frame.height, 1) or not set(groups["target"]) <= known:
        return ["some group follows a target that is not published"]
    return []


def _idle_targets(targets: pl.DataFrame, groups: pl.DataFrame) -> list[str]:
    idle = set(targets["target"]) != set(groups["target"])
    return ["some target is published that no group follows"] if idle else []


def _odd_groups(
    frame: pl.DataFrame, table: pl.DataFrame, groups: pl.DataFrame, group: str, count: str
) -> list[str]:  # fmt: skip
    if groups[group].n_unique() != groups.height or set(groups[group]) != set(frame[group].unique()):
        return ["the groups that targets are told of are not those of the rows"]
    rows = frame.group_by(group).agg(pl.len().cast(pl.Int128).alias("n"))
    listed = table.group_by(group).agg(pl.col(count).cast(pl.Int128).sum().alias("listed"))
    joined = rows.join(listed, on=group, how="full", coalesce=True)
    if bool((joined["listed"] > _MOST_LISTED).any()):
        return ["some group lists more subdomains than any could"]
    apart = joined.filter(pl.col("n").is_null() | pl.col("listed").is_null() | (pl.col("n") > pl.col("listed"))).height
    return [f"in {apart:,} of {joined.height:,} groups there are fewer subdomains than rows"] if apart else []


def _mixed_labels(frame: pl.DataFrame, parameters: Mapping[str, Any]) -> list[str]:
    """Groups whose rows do not agree in the column that targets go by."""
    target = Target.of(parameters["target"])
    if target.kind != "each":
        return []
    labels = target.column
    if labels not in frame.columns:
        return [f"targets go by column {labels!r}, which is missing from the data"]
    mixed = frame.group_by(parameters["group"]).agg(pl.col(labels).n_unique().alias("n")).filter(pl.col("n") > 1).height
    return [f"{mixed:,} groups have rows of several {labels!r}"] if mixed else []


def _out_of_place(
    frame: pl.DataFrame, files: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any], schema: Schema | None
) -> list[str]:
    """Columns that are not where they belong, and copies of a subdomain's ends that say something else."""
    if schema is None:
        return []
    wrong = [f"column {name!r} is published beside the quasi-identifiers" for name in schema.sensitive if name in frame]
    if not wrong and schema.sensitive == [parameters["column"]]:
        kind, dtype = schema.column(parameters["column"]).kind, files[parameters["domain"]]["value"].dtype
        if not _is_of_kind(dtype, str(kind)):
            wrong.append(f"the values of the domain are not those of a column whose kind is {kind}")
    if schema.sensitive != [parameters["column"]]:
        wrong.append("the sensitive column is not the one that the release names")
    wrong += [f"column {name!r} is missing" for name in schema.quasi if name not in frame.columns]
    known = (*schema.quasi, *schema.plain, *schema.sensitive, parameters["group"])
    wrong += [f"column {name!r} is published, and the release does not name it"
              for name in frame.columns if name not in known]  # fmt: skip
    table, values = files[parameters["table"]], files[parameters["domain"]].sort("place")["value"]
    for end, place in (("low", "first"), ("high", "last")):
        if end not in table.columns:
            wrong.append(f"column {end!r} is missing from {parameters['table']!r}")
        elif not table[end].equals(values.gather(table[place]), check_dtypes=True, check_names=False):
            wrong.append(f"column {end!r} of {parameters['table']!r} does not agree with the domain")
    return wrong or [
        *_disorder(files, parameters),
        *_unnamed_parts(files, parameters),
        *_other_texts(table, values, parameters, schema),
    ]


def _disorder(files: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> list[str]:
    """Tables whose rows are not sorted: the order of a file is knowledge too."""
    group = parameters["group"]
    orders = {
        "table": (group, "first", "last"),
        "domain": ("place",),
        "targets": ("target", "place"),
        "groups": (group,),
    }
    for key, order in orders.items():
        own = files[parameters[key]].select(order)
        if not own.equals(own.sort(*order)):
            return [f"the rows of {parameters[key]!r} are not in order, and their order could tell something"]
    return []


def _unnamed_parts(files: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> list[str]:
    """Tables and columns that the release does not name, a clause each."""
    columns = {parameters["group"], parameters["count"], parameters.get("shown"), "first", "last", "low", "high"}
    known = {parameters["table"]: columns,
             parameters["domain"]: {"place", "value"}, parameters["targets"]: {"target", "place", "weight"},
             parameters["groups"]: {parameters["group"], "target"}}  # fmt: skip
    wrong = [
        f"the table {name!r} is published, and the release does not name it" for name in files if name not in known
    ]
    for name, columns in known.items():
        extra = [column for column in files[name].columns if column not in columns]
        wrong += [f"column {column!r} of {name!r} is published, and the release does not name it" for column in extra]
    return wrong


def _other_texts(table: pl.DataFrame, values: pl.Series, parameters: Mapping[str, Any], schema: Schema) -> list[str]:
    """Texts of subdomains that disagree with the places they stand for, a clause each."""
    shown = parameters.get("shown")
    if shown is None:
        return []
    if shown not in table.columns:
        return [f"column {shown!r} is missing from {parameters['table']!r}"]
    column = schema.column(parameters["column"])
    tree = None
    if column.hierarchy is not None and parameters.get("tree") == "hierarchy":
        try:
            tree = column.hierarchy.tree(values.to_list())
        except SfumatoError:
            return [f"the domain does not fit the hierarchy of column {column.name!r}"]
        if list(tree.leaves) != [text(value) for value in values.to_list()]:
            return [f"the domain does not fit the hierarchy of column {column.name!r}"]
    ordered = column.kind in ("integer", "number", "date", "ordinal")
    right = subdomain_texts(
        values, tree, table["first"].cast(pl.Int64).to_numpy(), table["last"].cast(pl.Int64).to_numpy(), ordered=ordered
    )
    if table[shown].to_list() != right:
        return [f"column {shown!r} of {parameters['table']!r} does not agree with the domain"]
    return []


def _is_plain(dtype: pl.DataType) -> bool:
    return dtype.is_integer() or dtype.is_float() or dtype in (pl.Date, pl.String) or isinstance(dtype, pl.Datetime)


def _is_of_kind(dtype: pl.DataType, kind: str) -> bool:
    if kind == "integer":
        return dtype.is_integer()
    if kind == "number":
        return dtype.is_numeric()
    return dtype.is_temporal() if kind == "date" else dtype == pl.String
