"""Tamperings with tables beside the data, with sets of items and with graphs; hashes are mended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa

from support.tampering import (
    Edit,
    Tampering,
    append,
    backwards,
    cells,
    columnar,
    first_row,
    line_of_data,
    text_of_data,
    unused_values,
)


def table_edits() -> Iterator[Tampering]:
    """All edits of what is no plain table of classes."""
    yield from _of_two_tables()
    yield from _of_subdomains()
    yield from _of_sequences()
    yield from _of_drawn()
    yield from _of_sets()
    yield from _of_graphs()


def _of_table(
    base: str, file: str, numbers: tuple[str, ...], texts: tuple[str, ...] = (), *, other: str = "", order: str = ""
) -> Iterator[Tampering]:
    """Edits of any table beside the data that has these columns of whole numbers and of text.

    `other` says why other texts may stand, `order` why the rows may be in any order.
    """

    def on(name: str, change: Any, **more: Any) -> Tampering:
        return Tampering(base, f"{file}: {name}", columnar(change, file, **more))

    for column in numbers:
        yield on(
            f"{column} with a mark in its fraction", cells(column, lambda i, v: v + (i % 400) / 1000, pa.float64())
        )
        yield on(f"{column} as numbers", cells(column, lambda i, v: float(v), pa.float64()))
        yield on(f"{column} as text", cells(column, lambda i, v: str(v), pa.string()))
        yield on(f"{column} as text with zeros", cells(column, lambda i, v: f"{'0' * i}{v}", pa.string()))
        yield on(f"{column} as yes and no", cells(column, lambda i, v: v > 0, pa.bool_()))
        yield on(f"{column} lacks a value", cells(column, first_row(lambda v: None)))
        yield on(f"{column} is off by one", cells(column, first_row(lambda v: v + 1)))
        yield on(f"{column} below zero", cells(column, first_row(lambda v: -v - 1)))
        yield on(f"{column} far too large", cells(column, first_row(lambda v: 2**62)))
        yield on(f"{column} as lists", cells(column, lambda i, v: [v] * (i + 1), pa.list_(pa.int64())))
        yield on(f"{column} is missing", lambda t, column=column: t.drop_columns([column]))
    for column in texts:
        outcome = "stands" if other else "caught"
        marked = columnar(cells(column, lambda i, v: f"{v}{chr(0x200B) * (1 + i % 3)}"), file)
        yield Tampering(base, f"{file}: {column} with zero-width blanks", marked, outcome, other)
        lacking = columnar(cells(column, first_row(lambda v: None)), file)
        yield Tampering(base, f"{file}: {column} lacks a value", lacking, outcome, other)
        yield on(f"{column} as bytes", cells(column, lambda i, v: v.encode(), pa.binary()))
        yield on(f"{column} is missing", lambda t, column=column: t.drop_columns([column]))
        yield on(f"{column} lists values that no row has", unused_values(column))
        yield on(f"{column} has values in its dictionary that no row has", unused_values(column, listed=False))
    yield on("a column of row numbers", lambda t: append(t, "row", list(range(len(t)))))
    yield on("a column of the same name", lambda t: append(t, t.column_names[0], list(range(len(t)))))
    yield on("a note beside the columns", lambda t: t.replace_schema_metadata({"owner": "p001 is row 1"}))
    yield on("no rows", lambda t: t.slice(0, 0))
    yield on("a row less", lambda t: t.slice(1))
    yield on("a row twice", lambda t: pa.concat_tables([t, t.slice(0, 1)]))
    yield Tampering(
        base, f"{file}: rows in another order", columnar(backwards, file), "stands" if order else "caught", order
    )


def _of_two_tables() -> Iterator[Tampering]:
    base = "two tables.parquet"
    other = "the group lists another illness, and no reader can know which is true"
    yield from _of_table(base, "sensitive.parquet", ("group", "count"), ("illness",), other=other)
    yield from (
        Tampering(f"two tables.{format}", f"the data: {name}", edit)
        for format in ("parquet", "arrow")
        for name, edit in _of_groups()
    )
    yield Tampering(base, "a count is split in two rows", columnar(_split, "sensitive.parquet"))
    yield Tampering(base, "illness beside the rows", columnar(lambda t: append(t, "illness", ["flu"] * len(t))))
    for name, edit in (
        ("a group with a point", _group_text(lambda cell: f"{cell}.0")), ("a group with a zero", _group_text(lambda cell: f"0{cell}")),
        ("a group with a plus", _group_text(lambda cell: f"+{cell}")), ("a group of nothing", _group_text(lambda cell: "")),
        ("a group that is none", _group_text(lambda cell: "999")), ("a group with a blank", _group_text(lambda cell: f" {cell}")),
    ):  # fmt: skip
        yield Tampering("two tables.csv", name, edit)


def _group_text(change: Any) -> Edit:
    return line_of_data(1, lambda line: ",".join([*line.split(",")[:-1], change(line.split(",")[-1])]))


def _split(table: pa.Table) -> pa.Table:
    at = next(i for i, n in enumerate(table.column("count").to_pylist()) if n > 1)
    row = table.slice(at, 1).to_pylist()[0]
    parts = pa.Table.from_pylist([row | {"count": 1}, row | {"count": row["count"] - 1}], schema=table.schema)
    return pa.concat_tables([table.slice(0, at), parts, table.slice(at + 1)])


def _of_groups() -> Iterator[tuple[str, Edit]]:
    """Of the column of numbers in the data."""
    yield "group with a mark in its fraction", columnar(cells("group", lambda i, v: v + i / 1000, pa.float64()))
    yield "group as text with zeros", columnar(cells("group", lambda i, v: f"{'0' * i}{v}", pa.string()))
    yield "group as lists", columnar(cells("group", lambda i, v: [v] * (i + 1), pa.list_(pa.int64())))
    yield "group lacks a value", columnar(cells("group", first_row(lambda v: None)))
    yield "a row in another group", columnar(cells("group", first_row(lambda v: (v + 1) % 3)))
    yield "a group of its own for a row", columnar(cells("group", first_row(lambda v: 10**6)))
    yield "group is missing", columnar(lambda t: t.drop_columns(["group"]))
    yield "a column of row numbers", columnar(lambda t: append(t, "row", list(range(len(t)))))


def _of_subdomains() -> Iterator[Tampering]:
    base = "subdomains.parquet"
    yield from _of_table(base, "sensitive.parquet", ("group", "first", "last", "count"), ("illness", "low", "high"))
    yield from _of_table(base, "domain.parquet", ("place",), ("value",))
    yield from _of_table(base, "targets.parquet", ("target", "place", "weight"))
    yield from _of_table(base, "groups.parquet", ("group", "target"))
    yield from (Tampering(base, f"the data: {name}", edit) for name, edit in _of_groups())


def _of_sequences() -> Iterator[Tampering]:
    base = "sequence.parquet"
    yield from _of_table(base, "counterfeits.parquet", ("group", "count"))
    for name, edit in _of_groups():
        yield Tampering(base, f"the data: {name}", edit)
    yield Tampering(base, "an illness twice in a class", columnar(lambda t: cells("illness", lambda i, v: "flu")(t)))
    yield Tampering(base, "age_low with a mark", columnar(cells("age_low", lambda i, v: v + i / 1000, pa.float64())))


def _of_drawn() -> Iterator[Tampering]:
    for base in ("Condensation.parquet", "PRAM.parquet", "TopBottomCoding.parquet"):
        yield Tampering(base, "a column of row numbers", columnar(lambda t: append(t, "row", list(range(len(t))))))
        yield Tampering(base, "a column is missing", columnar(lambda t: t.drop_columns(["sex"])))
        yield Tampering(base, "a note", columnar(lambda t: t.replace_schema_metadata({"a": "b"})))
        yield Tampering(base, "a row less", columnar(lambda t: t.slice(1)))
    yield Tampering(
        "PRAM.parquet", "a category that the matrix lacks", columnar(cells("sex", first_row(lambda v: "x")))
    )
    yield Tampering(
        "TopBottomCoding.parquet", "a value beyond the threshold", columnar(cells("age", first_row(lambda v: 10**6)))
    )
    yield from _of_table("PatternPreserving.parquet", "properties.parquet", (), order="properties are a set")
    for each in _of_table("UncertainPublication.parquet", "densities.parquet", ()):
        undecided = each.name.endswith("another order")
        yield replace(each, outcome="open", why="no reader can decide it") if undecided else each


# -- sets and graphs -------------------------------------------------------------------------------------------------


def _of_sets() -> Iterator[Tampering]:
    for base in ("Apriori.parquet", "Apriori.arrow"):
        yield Tampering(base, "an item alone", columnar(cells("base", first_row(lambda v: ["i9"]))))
        yield Tampering(base, "an item twice", columnar(cells("base", first_row(lambda v: [*v, *v] or ["i3", "i3"]))))
        yield Tampering(base, "no list", columnar(cells("base", first_row(lambda v: None))))
        yield Tampering(base, "an item that is nothing", columnar(cells("base", first_row(lambda v: [None]))))
        yield Tampering(base, "a column of row numbers", columnar(lambda t: append(t, "row", list(range(len(t))))))
        yield Tampering(base, "a column is missing", columnar(lambda t: t.drop_columns(["differs"])))
        yield Tampering(base, "sets as text", columnar(cells("base", lambda i, v: str(v), pa.string())))
        yield Tampering(base, "items in every order", columnar(cells("base", lambda i, v: v[::-1])))
        yield Tampering(base, "a note", columnar(lambda t: t.replace_schema_metadata({"a": "b"})))
        kept = "as many records as promised still hold every two items"
        whole = columnar(cells("base", first_row(lambda v: ["i3", "i4", "i7"])))
        yield Tampering(base, "all items in a row", whole, "stands", kept)
        yield Tampering(
            base,
            "thresholds that tell rows apart",
            columnar(lambda t: append(t, "threshold", [i % 3 for i in range(len(t))])),
        )
    ways = {"a blank in a list": lambda t: t.replace('"[""', '"[ ""', 1), "a list with a comma at its end": lambda t: t.replace(']"', ',]"', 1),
            "an item escaped": lambda t: t.replace('""i3""', '""\\u0069""', 1), "an item that is none": lambda t: t.replace("i3", "i9", 1),
            "a cell too many": lambda t: t.replace("\n", "\nx,", 2), "lines that end in CR LF": lambda t: t.replace("\n", "\r\n"),
            "one line that ends in CR LF": lambda t: t.replace("\n", "\r\n", 3).replace("\r\n", "\n", 2),
            "an empty line at the end": lambda t: f"{t}\n", "a blank after a line": lambda t: t.replace("[]\n", "[] \n", 1)}  # fmt: skip
    for name, way in ways.items():
        yield Tampering("Apriori.csv", name, text_of_data(way))


def _of_graphs() -> Iterator[Tampering]:
    for base in ("KDegree.parquet", "KDegree.arrow"):
        yield Tampering(base, "an edge less", columnar(lambda t: t.slice(1)))
        yield Tampering(base, "an edge twice", columnar(lambda t: pa.concat_tables([t, t.slice(0, 1)])))
        yield Tampering(base, "an edge to itself", columnar(cells("target", first_row(lambda v: 0))))
        yield Tampering(base, "an edge to nobody", columnar(cells("target", first_row(lambda v: 4000))))
        yield Tampering(base, "an edge below zero", columnar(cells("target", first_row(lambda v: -1))))
        yield Tampering(
            base, "numbers with a fraction", columnar(cells("target", lambda i, v: v + i / 1000, pa.float64()))
        )
        yield Tampering(base, "numbers as text", columnar(cells("target", lambda i, v: str(v), pa.string())))
        yield Tampering(base, "an end is missing", columnar(cells("target", first_row(lambda v: None))))
        yield Tampering(base, "a column of row numbers", columnar(lambda t: append(t, "row", list(range(len(t))))))
        yield Tampering(base, "ends changed places in a row", columnar(_turned))
        yield Tampering(base, "edges in another order", columnar(backwards))
    for name, way in {"a zero before a number": lambda t: t.replace("\n0,", "\n00,", 1), "a blank": lambda t: t.replace("\n0,", "\n0, ", 1),
                      "a point": lambda t: t.replace("\n0,", "\n0.0,", 1), "a plus": lambda t: t.replace("\n0,", "\n+0,", 1),
                      "an empty line": lambda t: f"{t}\n", "CR LF": lambda t: t.replace("\n", "\r\n")}.items():  # fmt: skip
        yield Tampering("KDegree.csv", name, text_of_data(way))


def _turned(table: pa.Table) -> pa.Table:
    row = table.slice(0, 1).to_pylist()[0]
    turned = pa.Table.from_pylist([{"source": row["target"], "target": row["source"]}], schema=table.schema)
    return pa.concat_tables([turned, table.slice(1)])


__all__ = ["table_edits"]
