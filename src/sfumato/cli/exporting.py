"""`sfumato export`."""

from __future__ import annotations

from pathlib import Path

from sfumato.cli.options import say, write_json
from sfumato.release.bundle import load_release

__all__ = ["run"]


def run(folder: Path, file: Path, *, overwrite: bool, as_json: bool) -> int:
    """Write a copy of a release's data, and say what it is."""
    release = load_release(folder)
    written = release.export(file, overwrite=overwrite)
    if as_json:
        write_json({"files": [str(path) for path in written], "rows": len(release.data)})
        return 0
    say(
        *(f"Wrote {path}" for path in written),
        f"  it is a copy: the certificate covers the files in {folder}, which `sfumato verify {folder}` checks",
    )
    return 0
