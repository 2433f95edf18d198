"""Random small tables of every kind of column, with schemas whose hierarchies are known here value by value."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

import polars as pl

import sfumato as sf

ODD_TEXTS = (
    "a", "b", "c", "a, b", "{x}", '"q"', "*", "x or missing", "=1+1", "é", "日本", "[1, 2]", "a .. b", " blank", "A", "\t",
    "-1", "0", "NULL", "a\nb", "ﬁ", "🙂", "'", "\\", "a,b", "or missing",
)  # fmt: skip


class Made:
    """A table with its schema, the ancestors of values in hierarchies, and the records as plain data."""

    def __init__(self, columns: dict[str, pl.Series], schema: sf.Schema, paths: dict[str, Any]) -> None:
        self.table = sf.Table(pl.DataFrame(columns), schema)
        self.paths = paths

    @property
    def records(self) -> list[dict[str, Any]]:
        return self.table.frame.to_dicts()


def _texts(rng: random.Random, n: int) -> list[str]:
    pool = (
        rng.sample(ODD_TEXTS, rng.randint(1, 6)) if rng.random() < 0.5 else [f"v{i}" for i in range(rng.randint(1, 6))]
    )
    return [rng.choice(pool) for _ in range(n)]


def _integers(rng: random.Random, n: int) -> list[int]:
    near = rng.choice([0, 0, 0, 40, -1000, 2**52, -(2**52)])
    return [near + rng.randint(-rng.choice([1, 5, 30]), 40) for _ in range(n)]


def _numbers(rng: random.Random, n: int) -> list[float]:
    how = rng.randrange(5)
    if how == 0:
        return [rng.choice([0.0, -0.0, 1.0, -1.0, 0.5]) for _ in range(n)]
    if how == 1:
        return [rng.choice([1e-300, 1e140, -1e140, 1e15, 0.1, 1 / 3]) * rng.randint(1, 5) for _ in range(n)]
    if how == 2:
        return [float(rng.randint(0, 20)) for _ in range(n)]
    return [round(rng.gauss(50, 20), rng.choice([1, 3, 12])) for _ in range(n)]


def _dates(rng: random.Random, n: int) -> list[dt.date]:
    first = dt.date(rng.choice([1850, 1999, 2023]), 1, 1)
    return [first + dt.timedelta(rng.randint(0, rng.choice([3, 60, 4000]))) for _ in range(n)]


def _times(rng: random.Random, n: int) -> list[dt.datetime]:
    first = dt.datetime(2023, 3, 26)
    return [first + dt.timedelta(seconds=rng.randint(0, 10 ** rng.choice([1, 5, 7]))) for _ in range(n)]


def _codes(rng: random.Random, n: int) -> list[str]:
    return [f"{rng.randint(1, 3)}{rng.randint(1, 2)}{rng.randint(1, 2)}" for _ in range(n)]


def _hierarchy(rng: random.Random, values: list[str]) -> tuple[sf.Hierarchy, dict[str, tuple[str, ...]]]:
    """Two levels, one of them missing from some paths."""
    listed = sorted({*values, *(f"w{i}" for i in range(rng.randint(0, 3)))})
    paths = {}
    for i, value in enumerate(listed):
        above = (f"<{i % 3}>", "*") if rng.random() < 0.8 else ("*",)
        paths[value] = (value, *above)
    return sf.Hierarchy.from_paths(list(paths.values())), paths


def _column(rng: random.Random, n: int, *, sensitive: bool) -> tuple[list[Any], dict[str, Any], dict[str, Any] | None]:
    """Values, what the schema says of them, and the paths of a hierarchy that lists them."""
    what = rng.choice(["text", "text", "integer", "integer", "number", "date", "time", "tree", "code", "ordinal", "bool",
                       *([] if sensitive else ["interval", "calendar"])])  # fmt: skip
    if what == "integer":
        return _integers(rng, n), {}, None
    if what == "number":
        return _numbers(rng, n), {}, None
    if what == "date":
        return _dates(rng, n), {}, None
    if what == "time":
        return _times(rng, n), {}, None
    if what == "bool":
        return [rng.random() < 0.5 for _ in range(n)], {}, None
    if what == "code":
        return _codes(rng, n), {"hierarchy": sf.Hierarchy.prefixes(3)}, None
    if what == "interval":
        values = [rng.randint(0, 79) for _ in range(n)]
        return values, {"hierarchy": sf.Hierarchy.intervals([5, 20], low=0, high=80)}, None
    if what == "calendar":
        return _dates(rng, n), {"hierarchy": sf.Hierarchy.calendar()}, None
    if what == "ordinal":
        order = rng.sample(["low", "middle, say", "high", "[top]"], rng.randint(2, 4))
        return [rng.choice(order) for _ in range(n)], {"order": order}, None
    values = [f"t{rng.randint(0, 8)}" for _ in range(n)] if what == "tree" else _texts(rng, n)
    if what == "tree":
        hierarchy, paths = _hierarchy(rng, values)
        return values, {"hierarchy": hierarchy}, paths
    return values, {}, None


def some_table(rng: random.Random, *, numeric: bool = False, named: bool = False, secrets: int | None = None) -> Made:
    """A table of 6 to 70 records: `numeric` quasi-identifiers alone, an identifier, so many sensitive columns."""
    n = rng.choice([6, 12, 20, 30, 45, 70])
    n_sensitive = rng.choice([0, 1, 1, 1, 2]) if secrets is None else secrets
    roles = ["quasi"] * rng.randint(1 + numeric, 3) + ["sensitive"] * n_sensitive + ["plain"] * rng.choice([0, 0, 1])
    whole, numeric = numeric, numeric or rng.random() < 0.2
    names = rng.sample(["age", "x", "group", "count", "größe", "a b", "age_low", "q,1", "first"], len(roles))
    columns: dict[str, pl.Series] = {}
    said: dict[str, Any] = {"kinds": {}, "hierarchies": {}, "orders": {}, "bounds": {}}
    paths: dict[str, Any] = {}
    for name, role in zip(names, roles, strict=True):
        values, more, listed = _column(rng, n, sensitive=role == "sensitive")
        if numeric and role == "quasi":
            values, more, listed = rng.choice([_integers, _numbers])(rng, n), {}, None
        if rng.random() < 0.25 and "order" not in more and not whole:
            values = [None if rng.random() < 0.15 else value for value in values]
        columns[name] = pl.Series(name, values, strict=False)
        if columns[name].dtype == pl.Null:
            columns[name] = columns[name].cast(pl.String)
        said["hierarchies"] |= {name: more["hierarchy"]} if "hierarchy" in more else {}
        said["orders"] |= {name: more["order"]} if "order" in more else {}
        paths |= {name: listed} if listed is not None else {}
    if rng.random() < 0.3:  # many equal records
        few = [rng.randrange(max(n // 4, 1)) for _ in range(n)]
        columns = {name: values.gather(few) for name, values in columns.items()}
    if named or rng.random() < 0.5:
        columns["id"] = pl.Series("id", [f"p{i}" for i in range(n)])
        roles, names = [*roles, "identifier"], [*names, "id"]
    by_role = {
        role: [name for name, its in zip(names, roles, strict=True) if its == role] for role in dict.fromkeys(roles)
    }
    missing = "withhold" if rng.random() < 0.1 else "value"
    schema = sf.Schema(**by_role, hierarchies=said["hierarchies"], orders=said["orders"], missing=missing)
    return Made(columns, schema, paths)


def some_population(rng: random.Random, made: Made) -> sf.Table:
    """The people of a table, and others who are like them."""
    quasi = made.table.schema.quasi
    frame = made.table.frame.select(quasi)
    more = frame.sample(rng.randint(0, 3 * len(frame)), with_replacement=True, seed=rng.randrange(10**6))
    columns = [made.table.schema.column(name) for name in quasi]
    return sf.Table(pl.concat([frame, more]), sf.Schema.of(columns))


__all__ = ["Made", "some_population", "some_table"]
