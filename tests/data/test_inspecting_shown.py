"""A first look fits one screen of 80 x 40, the message first."""

from __future__ import annotations

import io

import polars as pl
import pytest
from rich.console import Console

from sfumato.data.inspecting import inspect_table
from sfumato.data.schema import Schema
from sfumato.data.table import Table


def accidents(n: int = 400) -> Table:
    """Sixteen columns with most of what is asked about."""
    names = [
        "casenum",
        "age",
        "sex",
        "state",
        "model_year",
        "airbag",
        "inimpact",
        "restraint",
        "D_injury",
        "D_airbag_deployed",
    ]
    columns = {name: [(i * (7 + k) + i // 9) % (9 + 7 * k) for i in range(n)] for k, name in enumerate(names)}
    columns["casenum"] = list(range(n))
    columns["age"] = [999 if i % 20 == 0 else 18 + i * 7 % 70 for i in range(n)]
    columns["sex"] = [(1, 2, 9)[i % 3] for i in range(n)]
    columns["model_year"] = [9999 if i % 30 == 0 else 1990 + i % 25 for i in range(n)]
    columns["born"] = [f"{1 + i % 12:02}/{1 + i * 5 % 12:02}/{1940 + i % 60}" for i in range(n)]
    columns["weight_of_the_driver_kg"] = ["n/a" if i % 40 == 0 else str(50 + i * 3 % 60) for i in range(n)]
    columns["town"] = [("NA-code", "Köln", "Aachen", "Bonn")[i % 4] for i in range(n)]
    columns["injury"] = [(i * 3) % 5 for i in range(n)]
    columns["injury_text"] = [("none", "slight", "severe", "fatal", "unknown")[(i * 3) % 5] for i in range(n)]
    columns["cost"] = [f"{(i * 97) % 9000 + 0.5}" for i in range(n)]
    return Table(pl.DataFrame(columns))


def printed(table: Table, width: int = 80, *, wide: bool = False) -> list[str]:
    shown = io.StringIO()
    Console(file=shown, width=width).print(inspect_table(table).render(wide=wide))
    return shown.getvalue().rstrip("\n").split("\n")


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_sixteen_columns_fit_one_screen(width):
    table = accidents()
    lines = printed(table, width)
    assert len(table.columns) == 16
    assert max(map(len, lines)) <= width
    if width >= 80:
        assert len(lines) + 4 <= 40  # a blank line, two lines on what to run, and the prompt
    heads = next(i for i, line in enumerate(lines) if line.startswith("column"))
    assert (
        len(
            [
                line
                for line in lines[heads + 1 : heads + 17]
                if " quasi " in line or " sensitive " in line or " identifier " in line
            ]
        )
        == 16
    )


def test_the_message_comes_first_and_nothing_is_said_twice():
    lines = printed(accidents())
    assert lines[0] == "400 rows, 16 columns"
    assert lines[1].startswith("The 11 columns that an outsider may know single out ")
    text = " ".join(" ".join(lines).split())
    assert "Two are enough for" in text
    assert text.index("Ask yourself") < text.index("column kind distinct")
    assert text.count("might know it") == 1
    assert '- Do these mean "unknown"? age 999 (20); sex 9 (133); model_year 9999 (14);' in lines
    assert "- born: dates written dd/mm/yyyy or mm/dd/yyyy? Text until you say which." in lines


def test_one_column_with_codes_is_asked_about_by_itself():
    table = Table(pl.DataFrame({"age": [*range(20, 80), *range(20, 80), 999, 999]}))
    assert "- age: 999 in 2 cells. Unknown?" in printed(table)


def test_that_nothing_is_sensitive_is_loud():
    table = Table(pl.DataFrame({"age": [20, 30] * 20}))
    assert "NOTHING IS SENSITIVE." in " ".join(printed(table))
    assert "declare it sensitive" in " ".join(printed(table, wide=True))
    assert "NOTHING" not in " ".join(printed(table.with_schema(Schema(sensitive=["age"]))))


def test_long_names_are_cut_and_odd_ones_shown():
    table = Table(pl.DataFrame({"x" * 200: [1, 2] * 9, "[red]a[/x]": [1, 2] * 9, "a\nb": [1, 2] * 9}))
    lines = printed(table)
    assert max(map(len, lines)) <= 80
    assert any("…" in line for line in lines)
    assert any(line.startswith("[red]a[/x]") for line in lines)
    assert any(line.startswith("a b ") for line in lines)
