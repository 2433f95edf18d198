"""What reproductions share: figures with their claims, the command that runs them, and a page of what was seen."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from benchmarks.reproduce.rounding import rounded
from sfumato.ground.errors import DataError

__all__ = ["Claim", "Figure", "Row", "Scale", "claim_lines", "page", "run"]

Row = dict[str, Any]
_LISTED = "docs/explanation/evaluation-data.md lists them"


class Scale(Protocol):
    """The size that experiments are run at."""

    @property
    def name(self) -> str:
        """Such as `small` or `full`."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One thing that the paper says, or that we add to it, and whether it is so here."""

    paper: str
    holds: bool
    seen: str
    """Made from the numbers."""
    why: str = ""
    """Where it does not hold: the reason, as far as we know it."""
    ours: bool = False
    """Whether it is about something that is not in the paper."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One figure of the paper; its panels are what the reproduction draws and tells them by."""

    number: int
    title: str
    setting: str
    rows: list[Row]
    panels: list[Any]
    claims: list[Claim]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, numbers to four digits."""
        return dict(rounded(asdict(self)))


def claim_lines(figure: Mapping[str, Any]) -> list[str]:
    """What the paper says, what is seen, and why they differ where they do."""
    lines = []
    for claim in figure["claims"]:
        verdict = "holds" if claim["holds"] else "does not hold"
        whose = "ours" if claim["ours"] else "paper"
        why = f" Why: {claim['why']}." if claim["why"] and not claim["holds"] else ""
        lines.append(f"- {whose}: {claim['paper']}. **{verdict}**: {claim['seen']}.{why}")
    return lines


def page(found: Mapping[str, Any], title: str, table: Callable[[Mapping[str, Any], Sequence[Row]], str]) -> str:
    """Everything; `table` tells one panel in Markdown."""
    parts = [f"# {title}, {found['scale']} size", "", found["times"], ""]
    for figure in found["figures"].values():
        parts += [f"## Figure {figure['number']}: {figure['title']}", "", f"{figure['setting']}.", ""]
        parts += [f"![{figure['title']}](figure-{figure['number']}.svg)", ""]
        for panel in figure["panels"]:
            parts += [f"{panel['title']}:", "", table(panel, figure["rows"]), ""]
        parts += [*claim_lines(figure), ""]
    return "\n".join(parts)


def run(
    name: str,
    about: str | None,
    figures: Sequence[Callable[..., Figure]],
    scales: tuple[Scale, Scale],
    *,
    chart: Callable[[Mapping[str, Any]], str],
    page: Callable[[Mapping[str, Any]], str],
    times: tuple[str, str],
) -> None:
    """The command of a reproduction: `scales` are the small and the full one, `times` what quiet and busy ones mean."""
    known = {each.__name__.removeprefix("figure_"): each for each in figures}

    def numbers(said: str) -> list[str]:
        wanted = [number.strip() for number in said.split(",")]
        unknown = [number for number in wanted if number not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"figures are {', '.join(known)}, got {', '.join(unknown)}")
        return wanted

    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="the sizes of the paper, as far as the data go")
    parser.add_argument("--only", type=numbers, default=list(known), help="figures, separated by commas")
    parser.add_argument("--out", type=Path, default=None, help="a folder; by default a temporary one")
    parser.add_argument("--redraw", action="store_true", help="run nothing: describe and draw what the folder holds")
    parser.add_argument("--busy", action="store_true", help="note that the machine had other work")
    options = parser.parse_args()
    if "SFUMATO_DATA" not in os.environ and not options.redraw:
        sys.exit(f"set SFUMATO_DATA to the folder of the evaluation data; {_LISTED}")
    folder = options.out if options.out is not None else Path(tempfile.mkdtemp(prefix=f"{name}-"))
    folder.mkdir(parents=True, exist_ok=True)
    scale, store = scales[1] if options.full else scales[0], folder / f"{name}.json"
    done: dict[str, Any] = {}
    if store.exists():
        before = json.loads(store.read_text())
        done = before["figures"] if before["scale"] == scale.name else {}
    for number in options.only:
        if options.redraw and number not in done:
            continue
        started = time.perf_counter()
        try:
            figure = known[number](scale, done[number]["rows"] if options.redraw else None).to_dict()
        except (DataError, FileNotFoundError) as error:
            sys.exit(f"the evaluation data lack a file: {error}; {_LISTED}")
        done[number] = figure
        print(f"figure {number}, {figure['title']} ({time.perf_counter() - started:.0f} s)", flush=True)
        print("\n".join(claim_lines(figure)), flush=True)
        (folder / f"figure-{number}.svg").write_text(chart(figure))
        found = {
            "scale": scale.name,
            "times": times[1] if options.busy else times[0],
            "machine": {"cores": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()},
            "figures": {n: done[n] for n in known if n in done},
        }
        store.write_text(json.dumps(found, indent=1) + "\n")  # at once: what was found stays
        (folder / f"{name}.md").write_text(page(found))
    print(f"written to {folder}")
