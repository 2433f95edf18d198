"""`sfumato demo`: the whole job on made-up patients."""

from __future__ import annotations

import time
from pathlib import Path

from sfumato.cli.options import say, write_json
from sfumato.cli.publishing import summary
from sfumato.datasets import hospital
from sfumato.ground.errors import ParameterError
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.l_diversity import LDiversity
from sfumato.release.bundle import load_release
from sfumato.verbs.publish import publish

__all__ = ["run"]

_MOST_ROWS = 1_000_000
_MADE = ("hospital.csv", "schema.toml", "release", "owner")


def run(folder: Path, *, rows: int, as_json: bool) -> int:
    """Make up a table, publish it, and say what was done."""
    if folder.exists() and (not folder.is_dir() or any(path.name not in _MADE for path in folder.iterdir())):
        raise ParameterError(f"'{folder}' holds other things than a demo; name another folder")
    if not 100 <= rows <= _MOST_ROWS:
        raise ParameterError(f"the demo takes from 100 to {_MOST_ROWS:,} rows, got {rows:,}")
    started = time.monotonic()
    table = hospital(rows)
    folder.mkdir(parents=True, exist_ok=True)
    table.frame.write_csv(folder / "hospital.csv")
    (folder / "schema.toml").write_text(table.schema.to_toml(), encoding="utf-8")
    release = publish(table, "LocalRecoding", KAnonymity(10) & LDiversity(3))  # named, so that no search is waited for
    saved = release.save(folder / "release", overwrite=True)
    reread = load_release(saved)
    if as_json:
        write_json({"folder": str(saved), "report": str(saved / "report.html"), "verdict": reread.verdict.to_dict()})
        return 0
    quasi = ", ".join(table.schema.quasi)
    data = f"{folder / 'hospital.csv'} --schema {folder / 'schema.toml'}"
    say(
        f"Made up {rows:,} hospital patients: {folder / 'hospital.csv'}",
        f"  an outsider may know: {quasi}; nobody should learn: {', '.join(table.schema.sensitive)}",
        *summary(table, reread, saved),
        f"  all in {time.monotonic() - started:.1f} s",
        "",
        "Next, on the same data:",
        f"  sfumato verify {folder / 'release'}",
        f"  sfumato measure {folder / 'release'} {data}",
        f"  sfumato publish {data} --method hilbert --k 20 -o mine",
        "and on your own:",
        "  sfumato inspect patients.csv",
    )
    return 0
