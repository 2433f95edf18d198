"""Tamperings with the data and the tables beside them; hashes are mended, so that only the content is wrong."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
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
    mark,
    text_of_data,
    unused_values,
)

COLUMNAR = ("classes.parquet", "classes.arrow")


def data_edits() -> Iterator[Tampering]:
    """All edits of files, by what they carry."""
    for base in COLUMNAR:
        yield from (Tampering(base, name, edit) for name, edit in _of_bounds())
        yield from (Tampering(base, name, edit) for name, edit in _of_cells())
        yield from (Tampering(base, name, edit) for name, edit in _of_columns())
        yield from (Tampering(base, name, edit) for name, edit in _of_rows())
        yield from (Tampering(base, name, edit, "stands", why) for name, edit, why in _harmless())
    yield from (Tampering("classes.csv", name, edit) for name, edit in _of_text("age"))
    yield from (Tampering("classes.csv", name, edit) for name, edit in _of_text_bounds())
    other = "it is another illness, and no reader can know which is true"
    blank = text_of_data(csv_cells("illness", first_row(lambda v: f"{v} ")))
    yield Tampering("classes.csv", "a blank after an illness", blank, "stands", other)
    yield Tampering("classes.csv", "a blank after a line", line_of_data(1, lambda line: f"{line} "))
    yield from _of_numbers()
    for base in ("means.parquet", "means.arrow"):
        yield from (Tampering(base, name, edit) for name, edit in _of_means())


def _of_bounds() -> Iterator[tuple[str, Edit]]:
    for end in ("age_low", "age_high"):
        yield (
            f"{end} as a number with a mark in its fraction",
            columnar(cells(end, lambda i, v: v + i / 1000, pa.float64())),
        )
        yield f"{end} as a number", columnar(cells(end, lambda i, v: float(v), pa.float64()))
        yield f"{end} as text with leading zeros", columnar(cells(end, lambda i, v: "0" * i + str(v), pa.string()))
        yield f"{end} in fewer bits", columnar(cells(end, lambda i, v: v, pa.int32()))
        yield f"{end} lacks a value", columnar(cells(end, first_row(lambda v: None)))
        yield f"{end} is off by one", columnar(cells(end, first_row(lambda v: v + 1)))
        yield f"{end} as lists", columnar(cells(end, lambda i, v: [v] * (i + 1), pa.list_(pa.int64())))
        yield f"{end} is missing", columnar(lambda table, end=end: table.drop_columns([end]))
    yield "bounds changed places", columnar(lambda t: t.rename_columns(
        [{"age_low": "age_high", "age_high": "age_low"}.get(name, name) for name in t.column_names]))  # fmt: skip


def _of_text_bounds() -> Iterator[tuple[str, Edit]]:
    for end in ("age_low", "age_high"):
        yield f"{end} with a mark in its fraction", text_of_data(csv_cells(end, lambda i, v: f"{v}.{i}"))
        yield f"{end} with a fraction of zero", text_of_data(csv_cells(end, lambda i, v: f"{v}.0"))
        yield f"{end} with leading zeros", text_of_data(csv_cells(end, lambda i, v: "0" * i + v))
        yield f"{end} with a sign", text_of_data(csv_cells(end, first_row(lambda v: f"+{v}")))
        yield f"{end} with a blank", text_of_data(csv_cells(end, first_row(lambda v: f"{v} ")))
        yield f"{end} lacks a value", text_of_data(csv_cells(end, first_row(lambda v: "")))
        yield f"{end} is off by one", text_of_data(csv_cells(end, first_row(lambda v: str(int(v) + 1))))
        yield f"{end} is a name", text_of_data(csv_cells(end, lambda i, v: f"p{i:03}"))
        yield f"{end} under another name", text_of_data(lambda text, end=end: text.replace(end, f"{end}er", 1))
    yield "bounds changed places", text_of_data(lambda text: text.replace("age_low,age_high", "age_high,age_low", 1))


def csv_cells(name: str, change: Any) -> Any:
    """Change the cells of a column in the text of a CSV file, and leave everything else as it is written."""

    def edit(text: str) -> str:
        header, *rows = csv.reader(io.StringIO(text))
        at, out = header.index(name), io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(
            [header, *([*row[:at], change(i, row[at]), *row[at + 1 :]] for i, row in enumerate(rows))]
        )
        return out.getvalue()

    return edit


def _of_cells() -> Iterator[tuple[str, Edit]]:
    yield "blanks after every range", columnar(cells("age", mark))
    yield "ranges without a blank, in one row", columnar(cells("age", first_row(lambda v: v.replace(", ", ","))))
    yield "a leading zero in a range", columnar(cells("age", first_row(lambda v: v.replace("[", "[0"))))
    yield (
        "a range of a row is another",
        columnar(both_cells("age", "age_high", lambda v: v.replace("]", "0]"), lambda v: v * 10)),
    )
    yield "a range of a row is nothing", columnar(cells("age", first_row(lambda v: None)))
    yield "a node with a blank", columnar(cells("town", first_row(lambda v: f"{v} ")))
    yield "a zero-width blank in a set", columnar(cells("sex", first_row(lambda v: f"{v}\u200b")))
    yield (
        "letters of another alphabet",
        columnar(cells("sex", first_row(lambda v: v.replace("f", "\u0066\u0301").replace("m", "\u043c")))),
    )
    yield "a set in other words", columnar(cells("sex", lambda i, v: ["f", "m", "{f, m}", "{m, f}"][i % 4]))
    yield "a NUL in a cell", columnar(cells("sex", first_row(lambda v: f"{v}\0")))
    yield "a row suppressed", columnar(cells("sex", first_row(lambda v: "*")))
    yield "one illness in every row of a class", columnar(_uniform)
    yield "no illness in any row", columnar(cells("illness", lambda i, v: None))
    yield "illness as bytes", columnar(cells("sex", lambda i, v: v.encode(), pa.binary()))
    yield (
        "sex as a table in each cell",
        columnar(cells("sex", lambda i, v: {"is": v, "row": i}, pa.struct([("is", pa.string()), ("row", pa.int64())]))),
    )
    yield "sex as a list in each cell", columnar(cells("sex", lambda i, v: [v] * (i + 1), pa.list_(pa.string())))
    yield "age is text that is no range", columnar(cells("age", first_row(lambda v: "[46, 74, 80]")))
    yield "age is a range that never ends", columnar(cells("age", first_row(lambda v: "[46, 74")))
    yield "age is empty text", columnar(cells("age", first_row(lambda v: "")))


def both_cells(one: str, other: str, change: Any, beside: Any) -> Any:
    return lambda table: cells(other, first_row(beside))(cells(one, first_row(change))(table))


def _uniform(table: pa.Table) -> pa.Table:
    keys = list(zip(*(table.column(name).to_pylist() for name in ("age", "town", "sex")), strict=True))
    return cells("illness", lambda i, v: "flu" if keys[i] == keys[0] else v)(table)


def _of_columns() -> Iterator[tuple[str, Edit]]:
    yield "a column of row numbers", columnar(lambda t: append(t, "row", list(range(len(t)))))
    yield "a column with no name", columnar(lambda t: append(t, "", list(range(len(t)))))
    yield "a column of nothing", columnar(lambda t: append(t, "nothing", pa.nulls(len(t))))
    yield "a column of the same name", columnar(lambda t: append(t, "sex", [str(i) for i in range(len(t))]))
    yield "a column of bounds for another", columnar(lambda t: append(t, "sex_low", list(range(len(t)))))
    yield "a column in other letters", columnar(lambda t: append(t, "Age", list(range(len(t)))))
    for name in ("age", "town", "sex", "illness"):
        yield f"column {name} is missing", columnar(lambda t, name=name: t.drop_columns([name]))
        yield f"column {name} under another name", columnar(
            lambda t, name=name: t.rename_columns([f"{each} " if each == name else each for each in t.column_names]))  # fmt: skip
    yield "a note beside the columns", columnar(lambda t: t.replace_schema_metadata({"owner": "p001 is row 1"}))
    yield "a note beside a column", columnar(_note_on_a_column)
    yield "unused values in a dictionary", columnar(unused_values("sex", listed=False))
    yield "unused values in a list of them", columnar(unused_values("sex"))


def _note_on_a_column(table: pa.Table) -> pa.Table:
    at = table.schema.get_field_index("sex")
    return table.cast(table.schema.set(at, table.schema.field(at).with_metadata({"row 1": "p001"})))


def _of_rows() -> Iterator[tuple[str, Edit]]:
    yield "no rows at all", columnar(lambda t: t.slice(0, 0))
    yield "no rows at all, and none told", columnar(lambda t: t.slice(0, 0), rows=0)
    yield "a row less", columnar(lambda t: t.slice(1))
    yield "a row less, as told", columnar(lambda t: t.slice(1), rows=89)
    yield "a row twice", columnar(lambda t: pa.concat_tables([t, t.slice(0, 1)]))
    yield "a row twice, as told", columnar(lambda t: pa.concat_tables([t, t.slice(0, 1)]), rows=91)
    yield "all rows twice, as told", columnar(lambda t: pa.concat_tables([t, t]), rows=180)


def _harmless() -> Iterator[tuple[str, Edit, str]]:
    yield "rows in another order", columnar(backwards), "rows are in random order anyway"
    columns = "columns go by their names"
    yield "columns in another order", columnar(lambda t: t.select(t.column_names[::-1])), columns
    narrower = "a class says something narrower in all its rows: whether that is true needs the original"
    yield "a class narrowed in all rows", columnar(_narrowed), narrower
    exchanged = "who of a class has which value is not told by its rows"
    yield "two values of a class changed places", columnar(_exchanged), exchanged


def _narrowed(table: pa.Table) -> pa.Table:
    ages = table.column("age").to_pylist()
    one = next(age for age in ages if age.startswith("["))
    low, high = (int(end) for end in one[1:-1].split(", "))
    table = cells("age", lambda i, v: f"[{low}, {high + 1}]" if v == one else v)(table)
    return cells("age_high", lambda i, v: v + 1 if ages[i] == one else v)(table)


def _exchanged(table: pa.Table) -> pa.Table:
    keys = list(zip(*(table.column(name).to_pylist() for name in ("age", "town", "sex")), strict=True))
    own = [i for i, key in enumerate(keys) if key == keys[0]]
    values = table.column("illness").to_pylist()
    other = dict(zip(own, reversed([values[i] for i in own]), strict=True))
    return cells("illness", lambda i, v: other.get(i, v))(table)


# -- text ------------------------------------------------------------------------------------------------------------


def _of_text(name: str) -> Iterator[tuple[str, Edit]]:
    yield (
        "a cell in quotes that needs none",
        line_of_data(1, lambda line: line.replace(",f,", ',"f",').replace(",m,", ',"m",')),
    )
    yield "every cell in quotes", text_of_data(lambda text: text.replace(",f,", ',"f",').replace(",m,", ',"m",'))
    yield "a line that ends in CR LF", line_of_data(1, lambda line: f"{line}\r")
    yield "all lines end in CR LF", text_of_data(lambda text: text.replace("\n", "\r\n"))
    yield "a blank after a cell", line_of_data(1, lambda line: line.replace(",f,", ",f ,").replace(",m,", ",m ,"))
    yield "a blank before a cell", line_of_data(1, lambda line: line.replace(",f,", ", f,").replace(",m,", ", m,"))
    yield "a tab before a line", line_of_data(1, lambda line: f"\t{line}")
    yield "an empty line", line_of_data(1, lambda line: f"{line}\n")
    yield "an empty line at the end", text_of_data(lambda text: f"{text}\n")
    yield "no line feed at the end", text_of_data(lambda text: text.rstrip("\n"))
    yield "a mark at the start of the file", text_of_data(lambda text: f"\ufeff{text}")
    yield "a comment", text_of_data(lambda text: f"# p001 is the first\n{text}")
    yield "a cell too many in a row", line_of_data(1, lambda line: f"{line},x")
    yield "a cell too few in a row", line_of_data(1, lambda line: line.rsplit(",", 1)[0])
    yield "a column too many", text_of_data(
        lambda text: "\n".join(f"{line},{i}" if line else "" for i, line in enumerate(text.split("\n"))))  # fmt: skip
    yield "a column that is called like another", text_of_data(
        lambda text: "\n".join(f"{line},{i or 'sex'}" if line else "" for i, line in enumerate(text.split("\n"))))  # fmt: skip
    yield "another name of a column", line_of_data(0, lambda line: line.replace(name, f"{name} "))
    yield "no header", text_of_data(lambda text: text.split("\n", 1)[1])
    yield "nothing but the header", text_of_data(lambda text: text.split("\n", 1)[0] + "\n")
    yield "nothing at all", text_of_data(lambda text: "")
    yield "a NUL in a cell", line_of_data(1, lambda line: line.replace(",f,", ",f\0,").replace(",m,", ",m\0,"))
    yield "a quote that is never closed", line_of_data(1, lambda line: f'"{line}')
    yield (
        "a line feed in a cell",
        line_of_data(1, lambda line: line.replace(",f,", ',"f\n",').replace(",m,", ',"m\n",')),
    )
    yield "a range without a blank", line_of_data(1, lambda line: line.replace(", ", ",", 1))
    yield "a row alone", line_of_data(1, lambda line: line.replace(",f,", ",x,").replace(",m,", ",x,"))
    yield "a row less", text_of_data(lambda text: text.split("\n", 2)[0] + "\n" + text.split("\n", 2)[2])
    yield "semicolons", text_of_data(lambda text: text.replace(",", ";"))


def _of_numbers() -> Iterator[Tampering]:
    alike = "all rows that show a value write it alike"
    ways = {
        "zeros after a number": lambda cell: f"{float(cell):.10f}", "a zero before a number": lambda cell: f"0{cell}",
        "a plus": lambda cell: f"+{cell}", "an exponent": lambda cell: f"{float(cell) * 10!r}e-1", "a point alone": lambda cell: f"{cell}."
        if "." not in cell else f"{cell}0", "a blank": lambda cell: f" {cell}", "an underscore": lambda cell: f"{cell[:1]}_{cell[1:]}",
        "digits of another script": lambda cell: cell.translate(dict(zip(map(ord, "0123456789"), "٠١٢٣٤٥٦٧٨٩", strict=True))),
        "not a number": lambda cell: "NaN", "infinity": lambda cell: "inf", "minus zero": lambda cell: "-0.0", "text": lambda cell: "old",
        "nothing": lambda cell: "", "the same in hexadecimal": lambda cell: "0x2A", "many digits": lambda cell: f"{cell}{'0' * 40 if '.' in cell else '.' + '0' * 40}",
    }  # fmt: skip
    for said, way in ways.items():
        edit = line_of_data(1, lambda line, way=way: ",".join([way(line.split(",")[0]), *line.split(",")[1:]]))
        yield Tampering("means.csv", f"age of a row written with {said}", edit)
        if said in ("zeros after a number", "a plus", "a zero before a number", "an exponent"):

            def every(text: str, way: Any = way) -> str:
                header, *lines = text.split("\n")
                return "\n".join(
                    [
                        header,
                        *(",".join([way(line.split(",")[0]), *line.split(",")[1:]]) if line else "" for line in lines),
                    ]
                )

            yield Tampering("means.csv", f"age of all rows written with {said}", text_of_data(every), "stands", alike)


def _of_means() -> Iterator[tuple[str, Edit]]:
    yield "a mean with a mark in its last digits", columnar(cells("age", lambda i, v: v + i * 1e-13))
    yield "zeros of both signs", columnar(cells("age", lambda i, v: -0.0 if i % 2 else 0.0))
    yield "a mean is not a number", columnar(cells("age", first_row(lambda v: float("nan"))))
    yield "all means are not numbers", columnar(cells("age", lambda i, v: [float("nan"), None][i % 2]))
    yield "a mean is infinite", columnar(cells("age", first_row(lambda v: float("inf"))))
    yield "means as text with zeros", columnar(cells("age", lambda i, v: f"{v}{'0' * (i % 7)}", pa.string()))
    yield "means as lists", columnar(cells("age", lambda i, v: [v] * (i % 3), pa.list_(pa.float64())))
    yield "a mode with a blank", columnar(cells("sex", first_row(lambda v: f"{v} ")))


__all__ = ["data_edits"]
