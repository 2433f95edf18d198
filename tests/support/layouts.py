"""Files as people have them: encodings, separators, dates, numbers, codes for no value, names, formats."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import json
import random
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

ROWS = 60


@dataclass(frozen=True)
class Layout:
    """A kind of file: `write` puts it into a folder and returns its name; `words` go behind it to `inspect`."""

    name: str
    write: Callable[[Path], str]
    words: tuple[str, ...] = ()
    quick: bool = False
    """Whether it is tried in every run."""


def people(seed: int = 1, n: int = ROWS) -> list[dict[str, object]]:
    """Records of people that come to a hospital, as plain values."""
    rng = random.Random(seed)
    illnesses = ["Grippe", "Asthma", "Gicht", "Fraktur"]
    return [
        {
            "age": rng.randint(18, 90), "sex": rng.choice(["m", "w"]), "plz": f"0{rng.randint(1000, 1020)}",
            "born": dt.date(1930, 1, 1) + dt.timedelta(days=rng.randint(0, 25_000)),
            "weight": rng.randint(400, 1200) / 10, "cost": rng.randint(10_000, 999_999) / 100,
            "town": rng.choice(["Köln", "Müllheim", "Bad Säckingen"]), "diagnosis": rng.choice(illnesses),
        }
        for _ in range(n)
    ]  # fmt: skip


def text(rows: list[dict[str, object]], delimiter: str = ",", *, quote_all: bool = False) -> str:
    """The records as delimited text."""
    written = io.StringIO()
    style = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    writer = csv.writer(written, delimiter=delimiter, lineterminator="\n", quoting=style)
    writer.writerow(rows[0])
    writer.writerows([["" if cell is None else cell for cell in row.values()] for row in rows])
    return written.getvalue()


def delimited(name: str, *, delimiter: str = ",", encoding: str = "utf-8", quote_all: bool = False, change=None):
    """A writer of delimited text with some cells changed."""

    def write(folder: Path) -> str:
        rows = [{**row, **(change(row, i) if change else {})} for i, row in enumerate(people())]
        content = text(rows, delimiter, quote_all=quote_all).encode(encoding)
        (folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return name

    return write


def dates(form: str):
    """Dates of birth in a form, and dates of admission in the same."""

    def change(row, i):
        return {"born": row["born"].strftime(form), "seen": (dt.date(2023, 1, 1) + dt.timedelta(i * 7)).strftime(form)}

    return change


def ambiguous(row, i):
    return {"born": f"{1 + i % 12:02}/{1 + i * 5 % 12:02}/{1940 + i}"}


def german(number: float) -> str:
    return f"{number:,.2f}".replace(",", " ").replace(".", ",").replace(" ", ".")


def hospital_in_german(row, i):
    """A hospital's own export, with most of what can be odd."""
    return {
        "age": 999 if i % 9 == 4 else row["age"], "born": row["born"].strftime("%d.%m.%Y"), "cost": german(row["cost"]),
        "weight": "n/a" if i % 15 == 3 else str(row["weight"]).replace(".", ","), "Geschlecht": (1, 2, 9)[i % 3],
    }  # fmt: skip


def codes(row, i):
    return {
        "age": (998, 999)[i % 2] if i % 7 == 0 else row["age"], "sex": (1, 2, 9)[i % 3], "state": (1, 2, 56, 48)[i % 4],
        "model_year": 9999 if i % 8 == 0 else 1990 + i % 30, "injury": (0, 1, 2, 3, 4, 9)[i % 6],
    }  # fmt: skip


def marks(row, i):
    return {
        "weight": ("n/a", "k.A.", "-")[i % 3] if i % 12 == 0 else row["weight"],
        "cost": "." if i % 11 == 0 else row["cost"],
        "born": "unknown" if i % 13 == 0 else row["born"].strftime("%d.%m.%Y"),
        "town": "NA-code" if i % 10 == 0 else row["town"],
    }  # fmt: skip


def negatives(row, i):
    return {"age": -1 if i % 10 == 0 else row["age"], "visits": -9 if i % 6 == 0 else i % 5}


def renamed(names: dict[str, str]):
    def write(folder: Path) -> str:
        rows = [{names.get(key, key): value for key, value in row.items()} for row in people()]
        (folder / "Daten für Übung 1.csv").write_text(text(rows), encoding="utf-8")
        return "Daten für Übung 1.csv"

    return write


def copies(row, i):
    return {"Diagnosis": row["diagnosis"], "DIAGNOSIS ": row["diagnosis"].upper()}


def quoted(row, i):
    return {"note": 'said "no", twice' if i % 2 else "line one\nline two"}


def frame() -> pl.DataFrame:
    return pl.DataFrame(people())


def parquet(folder: Path) -> str:
    frame().write_parquet(folder / "people.parquet")
    return "people.parquet"


def json_lines(folder: Path) -> str:
    lines = [json.dumps(row, default=str) for row in people()]
    (folder / "people.ndjson").write_text("\n".join(lines))
    return "people.ndjson"


def sqlite(folder: Path) -> str:
    with sqlite3.connect(folder / "people.sqlite") as database:
        database.execute("CREATE TABLE people (age INTEGER, sex TEXT, plz TEXT, diagnosis TEXT)")
        rows = [(row["age"], row["sex"], row["plz"], row["diagnosis"]) for row in people()]
        database.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", rows)
    database.close()
    return "people.sqlite"


def duckdb_file(folder: Path) -> str:
    import duckdb

    records = frame()
    with duckdb.connect(str(folder / "people.duckdb")) as database:
        database.register("given", records.to_arrow())
        database.execute("CREATE TABLE people AS SELECT * FROM given")
    return "people.duckdb"


def excel(folder: Path) -> str:
    xlsxwriter = pytest.importorskip("xlsxwriter", reason="sfumato[excel] is not installed")
    rows = [{**row, **codes(row, i)} for i, row in enumerate(people())]
    with xlsxwriter.Workbook(folder / "Klinik.xlsx", {"default_date_format": "dd.mm.yyyy"}) as workbook:
        sheet = workbook.add_worksheet("Patienten")
        for at, cells in enumerate([list(rows[0]), *(list(row.values()) for row in rows)]):
            sheet.write_row(at, 0, cells)
    return "Klinik.xlsx"


def statistics(ending: str):
    """A file of Stata or SPSS, with labels of values."""

    def write(folder: Path) -> str:
        pyreadstat = pytest.importorskip("pyreadstat", reason="sfumato[stats] is not installed")
        pandas = pytest.importorskip("pandas", reason="pyreadstat writes frames of pandas")
        rows = [
            {"age": row["age"], "sex": 1 + i % 2, "injury": i % 4, "state": 1 + i % 50}
            for i, row in enumerate(people())
        ]
        labels = {"sex": {1: "male", 2: "female"}, "injury": {0: "none", 1: "slight", 2: "severe", 3: "fatal"}}
        file = folder / f"people{ending}"
        if ending == ".dta":
            pyreadstat.write_dta(pandas.DataFrame(rows), str(file), variable_value_labels=labels)
        elif ending == ".sav":
            user = {"age": [{"lo": 90, "hi": 90}]}
            pyreadstat.write_sav(pandas.DataFrame(rows), str(file), variable_value_labels=labels, missing_ranges=user)
        else:
            pyreadstat.write_xport(pandas.DataFrame(rows), str(file))
        return file.name

    return write


def baskets(folder: Path) -> str:
    rng = random.Random(3)
    lines = [" ".join(map(str, sorted(rng.sample(range(1, 12), rng.randint(1, 5))))) for _ in range(120)]
    (folder / "korb.txt").write_text("\n".join(lines) + "\n")
    return "korb.txt"


def fimi(folder: Path) -> str:
    (folder / baskets(folder)).rename(folder / "retail.dat")
    return "retail.dat"


def long_baskets(folder: Path) -> str:
    rng = random.Random(4)
    rows = [
        {"order_id": i, "product": p}
        for i in range(80)
        for p in rng.sample(["milk", "bread", "tea", "salt"], rng.randint(1, 3))
    ]
    (folder / "orders.csv").write_text(text(rows))
    return "orders.csv"


def graph(name: str, head: str, *, delimiter: str = "\t"):
    """A list of edges, two vertices on each line."""

    def write(folder: Path) -> str:
        rng = random.Random(5)
        edges = sorted({tuple(sorted(rng.sample(range(30), 2))) for _ in range(90)})
        content = head + "".join(f"{a}{delimiter}{b}\n" for a, b in edges)
        raw = content.encode()
        (folder / name).write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        return name

    return write


SNAP = "# Undirected graph: coauthors\n# Nodes: 30 Edges: 90\n# FromNodeId\tToNodeId\n"

LAYOUTS = [
    Layout("plain", delimited("people.csv"), quick=True),
    Layout("latin-1 and semicolons", delimited("people.csv", delimiter=";", encoding="latin-1")),
    Layout("cp1252 and tabs", delimited("people.tsv", delimiter="\t", encoding="cp1252")),
    Layout("UTF-16", delimited("people.txt", delimiter="\t", encoding="utf-16")),
    Layout("UTF-8 with a mark", delimited("people.csv", encoding="utf-8-sig")),
    Layout("bars", delimited("people.txt", delimiter="|")),
    Layout("all quoted", delimited("people.csv", quote_all=True)),
    Layout("quotes and line breaks in cells", delimited("people.csv", change=quoted)),
    Layout("gzip", delimited("people.csv.gz", delimiter=";")),
    Layout("German dates", delimited("people.csv", change=dates("%d.%m.%Y"))),
    Layout("British dates", delimited("people.csv", change=dates("%d/%m/%Y"))),
    Layout("American dates with times", delimited("people.csv", change=dates("%m/%d/%Y 08:15"))),
    Layout("dates with months by name", delimited("people.csv", change=dates("%d-%b-%Y"))),
    Layout("dates of digits", delimited("people.csv", change=dates("%Y%m%d"))),
    Layout("years of two digits", delimited("people.csv", change=dates("%d.%m.%y"))),
    Layout("dates that may be either", delimited("people.csv", change=ambiguous), quick=True),
    Layout("decimal commas", delimited("people.csv", delimiter=";", change=lambda row, i: {"weight": str(row["weight"]).replace(".", ",")})),
    Layout("German thousands", delimited("people.csv", delimiter=";", change=lambda row, i: {"cost": german(row["cost"])})),
    Layout("English thousands", delimited("people.csv", delimiter=";", change=lambda row, i: {"cost": f"{row['cost']:,.2f}"})),
    Layout("codes for no value", delimited("people.csv", change=codes), quick=True),
    Layout("marks for no value", delimited("people.csv", change=marks), quick=True),
    Layout("negative codes", delimited("people.csv", change=negatives)),
    Layout("marks that are told", delimited("people.csv", change=marks), words=("--missing", "n/a,k.A.,-,.,unknown,NA-code")),
    Layout("a hospital in German", delimited("klinik.csv", delimiter=";", encoding="latin-1", change=hospital_in_german), quick=True),
    Layout("columns twice", delimited("people.csv", change=copies)),
    Layout("odd names", renamed({"age": "Alter (Jahre)", "born": "Geburts-Datum", "town": "Größe #1", "cost": "it's"}), quick=True),
    Layout("Parquet", parquet),
    Layout("JSON lines", json_lines),
    Layout("DuckDB", duckdb_file, words=("--query", "SELECT * FROM people WHERE sex <> 'd'")),
    Layout("SQLite", sqlite, words=("--query", "SELECT * FROM people")),
    Layout("Excel", excel),
    Layout("Stata", statistics(".dta")),
    Layout("SPSS", statistics(".sav")),
    Layout("SAS", statistics(".xpt")),
    Layout("lines of items", baskets, quick=True),
    Layout("FIMI", fimi),
    Layout("a row for each item", long_baskets),
    Layout("SNAP", graph("graph.txt", SNAP), quick=True),
    Layout("SNAP in gzip", graph("graph.txt.gz", SNAP)),
    Layout("edges without a comment", graph("graph.txt", "", delimiter=" ")),
    Layout("edges with names", graph("graph.csv", "source,target\n", delimiter=",")),
    Layout("edges below per cent signs", graph("graph.edges", "% sym unweighted\n", delimiter=" ")),
]  # fmt: skip
