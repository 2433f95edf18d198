"""The pictures of README.md and of the first page of the documentation, made by the tool itself.

    python -m benchmarks.pictures [--out docs/images] [--skip-report]

`rows.svg` shows people of one class before and after; `inspect.svg`, `publish.svg` and `attack.svg` are terminals with
what the commands print; `report.png` is the report of that release, opened in Chromium. The people are made up, and a
seed makes a second run draw the same.
"""

from __future__ import annotations

import argparse
import html
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

import sfumato as sf
from sfumato.datasets import hospital

WIDTH = 98
THEME = TerminalTheme(
    (24, 29, 37), (222, 228, 236),
    [(90, 99, 112), (240, 128, 128), (140, 208, 150), (226, 196, 120), (130, 176, 240), (204, 158, 230),
     (120, 204, 208), (222, 228, 236)],
)  # fmt: skip
FRAME = """\
<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" xmlns="http://www.w3.org/2000/svg">
<style>.{unique_id}-matrix {{ font: {char_height}px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }}
{styles}</style>
<defs>{lines}</defs>
{chrome}<g transform="translate({terminal_x}, {terminal_y})">{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""
"""Rich's frame of a terminal without its web font: nothing is fetched from elsewhere."""
STEPS = {
    "inspect": ["sfumato inspect patients.csv"],
    "publish": [
        'sfumato publish patients.csv --schema schema.toml --k 10 --l 3 -o out --title "Hospital stays"',
        "sfumato verify out",
    ],
    "attack": ["sfumato attack out patients.csv --schema schema.toml"],
}
WITHHELD = ("stay_days", "cost")
"""What the owner decides not to publish after `inspect`, as the tutorial does."""
SHOWN = {"name": 128, "age": 88, "sex": 76, "zip": 76, "admitted": 124, "diagnosis": 168}
"""The columns of `rows.svg` and how wide they are."""


def said(command: str, folder: Path) -> str:
    """What a command prints on a terminal of this width."""
    program = Path(sys.executable).with_name("sfumato")
    colours = {"FORCE_COLOR": "1", "COLUMNS": str(WIDTH), "SFUMATO_PROGRESS": "0"}
    seeded = ["--seed", "7"] if " publish " in command else []
    run = subprocess.run(
        [program, *shlex.split(command)[1:], *seeded],
        cwd=folder,
        env=os.environ | colours,
        capture_output=True,
        text=True,
    )
    if run.returncode:
        sys.exit(run.stderr)
    return run.stdout


def terminal(commands: Sequence[str], folder: Path, title: str) -> str:
    """Commands and what they print, as a drawing."""
    with Path(os.devnull).open("w") as nowhere:
        console = Console(record=True, width=WIDTH, file=nowhere, force_terminal=True, highlight=False)
        for i, command in enumerate(commands):
            if i:
                console.print()
            console.print(Text("$ ", style="cyan") + Text(command, style="bold"))
            console.print(Text.from_ansi(said(command, folder).rstrip("\n")))
        return console.export_svg(title="", theme=THEME, code_format=FRAME, unique_id=title)


def rows() -> str:
    """Five people of one class, as recorded and as published."""
    schema = sf.Schema(
        quasi=["age", "sex", "zip", "admitted"], sensitive=["diagnosis"],
        hierarchies={
            "zip": sf.Hierarchy.prefixes(5, keep=[3, 2, 1]),
            "admitted": sf.Hierarchy.calendar(["month", "quarter", "year"]),
        },
    )  # fmt: skip
    table = sf.Table(hospital(2_000).frame.select(list(SHOWN)), schema)
    release = sf.publish(table, sf.LocalRecoding(), sf.KAnonymity(10) & sf.LDiversity(3), seed=7)
    after = release.data.to_polars().with_columns(original=pl.Series(release.owner.rows))
    clear = after.filter(*(pl.col(name) != "*" for name in schema.quasi))
    ages = table.to_polars()["age"].to_numpy()
    classes = clear.partition_by(schema.quasi, maintain_order=True)
    alike = min(classes, key=lambda each: np.ptp(ages[each["original"].to_list()])).sort("original")
    first = alike.head(5)
    before = table.to_polars()[first["original"].to_list()].select(list(SHOWN))
    first = first.with_columns(name=pl.lit("left out")).select(list(SHOWN))
    width, step = 40 + sum(SHOWN.values()), 27
    drawn = drawn_rows(before, 52, step, "patients.csv, as recorded")
    told = f"out/data.csv, as published: {len(alike)} people look like this, five of them are shown"
    drawn += drawn_rows(first, 52 + 8 * step + 6, step, told, alike=schema.quasi)
    height = 52 + 14 * step + 24
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" xmlns="http://www.w3.org/2000/svg">'
        "<style>text { font: 14px system-ui, 'DejaVu Sans', 'Segoe UI', sans-serif; fill: #1f2a37; }"
        ".title { font-weight: 600; fill: #1e6b45; } .head { fill: #64707f; font-size: 12.5px; }"
        ".same { fill: #1e6b45; } rect { fill: #fff; stroke: #d7dde4; } line { stroke: #e3e7ec; }</style>"
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="10"/>' + "".join(drawn) + "</svg>\n"
    )


def drawn_rows(frame: pl.DataFrame, top: int, step: int, title: str, *, alike: Sequence[str] = ()) -> list[str]:
    """A title, the names of columns, and the rows; in the columns of `alike` all rows of the class show the same."""
    parts = [f'<text class="title" x="20" y="{top - 18}">{html.escape(title)}</text>']
    for i, values in enumerate([tuple(SHOWN), *frame.rows()]):
        x, y = 20, top + 8 + i * step
        for (name, wide), value in zip(SHOWN.items(), values, strict=True):
            kind = "head" if i == 0 or value == "left out" else "same" if name in alike else "cell"
            parts.append(f'<text class="{kind}" x="{x}" y="{y}">{html.escape(str(value))}</text>')
            x += wide
        parts.append(f'<line x1="20" x2="{x}" y1="{y + 9}" y2="{y + 9}"/>')
    return parts


def decide(file: Path) -> None:
    """Take columns out of the schema that `inspect` wrote: what it does not name is not published."""
    first, *parts = file.read_text(encoding="utf-8").split("\n[columns.")
    kept = [part for part in parts if not part.lstrip('"').startswith(WITHHELD)]
    file.write_text("\n[columns.".join([first, *kept]), encoding="utf-8")


def report(page: Path, picture: Path, *, height: int = 860) -> None:
    """The top of a report, as a browser shows it."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        opened = browser.new_page(viewport={"width": 1000, "height": height}, color_scheme="light")
        opened.goto(page.as_uri())
        opened.screenshot(path=picture)
        browser.close()


def main() -> None:
    """Make all pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("docs/images"))
    parser.add_argument("--skip-report", action="store_true", help="where there is no Chromium")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "rows.svg").write_text(rows(), encoding="utf-8")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        hospital(2_000).frame.write_csv(folder / "patients.csv")
        for name, commands in STEPS.items():
            (options.out / f"{name}.svg").write_text(terminal(commands, folder, name), encoding="utf-8")
            if name == "inspect":
                decide(folder / "schema.toml")
        if not options.skip_report:
            report(folder / "out" / "report.html", options.out / "report.png")
    print(f"drawn to {options.out}")


if __name__ == "__main__":
    main()
