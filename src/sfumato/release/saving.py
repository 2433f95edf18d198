"""Writing a release: `data.*`, `release.json`, `report.html`; and `owner/` beside it, never inside it.

Everything is written to hidden folders, and both parts are put in place in one step (`exchange.py`): a crash leaves the
old release or the new one, each with its own owner's part. The data are read back and verified before that.
"""

from __future__ import annotations

import errno
import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from sfumato import __version__
from sfumato.data.table import Table
from sfumato.ground.errors import PromiseBrokenError, ReleaseError
from sfumato.ground.progress import Progress, steps
from sfumato.published.files import FORMATS, read_data, read_files, write_data
from sfumato.published.shape import shape_of
from sfumato.release.certificate import CERTIFICATE, FORMAT, SIGNATURE, file_entry, sha256_of
from sfumato.release.exchange import exchanging
from sfumato.release.release import Release
from sfumato.release.signing import sign_bytes
from sfumato.verbs.verify import verify

__all__ = ["Saving", "save"]


@dataclass(frozen=True, kw_only=True)
class Saving:
    """How a release is written; see `Release.save`."""

    format: str
    report: bool
    population: Table | None
    overwrite: bool
    sign: Path | None
    escape_formulas: bool

    def __post_init__(self) -> None:
        """Refuse a format that is not known, and what only CSV has for another."""
        if self.format not in FORMATS:
            raise ReleaseError(f"format must be one of {', '.join(FORMATS)}, got {self.format!r}")
        if self.escape_formulas and self.format != "csv":
            raise ReleaseError(f"formulas are escaped in CSV files alone, not in {self.format}; leave it out")


def save(release: Release, folder: Path, how: Saving) -> Path:
    """Write a release and the owner's part; all or nothing."""
    overwrite = how.overwrite
    folder = Path(os.path.abspath(folder))  # noqa: PTH100  resolve() would follow a link that is about to be replaced
    try:
        _refuse(folder, overwrite=overwrite)
        with exchanging(folder) as pair, steps(4) as progress:
            _refuse(folder, overwrite=overwrite)
            pair.make(owner=release.owner is not None)
            checked = _write_release(release, pair.new_release, progress, how)
            if release.owner is not None:
                progress.step("writing the owner's part")
                _write_owner(checked, pair.new_owner, of=pair.new_release, report=how.report)
            _refuse(folder, overwrite=overwrite)  # what somebody put there meanwhile is not swept away
            pair.commit()
    except OSError as error:
        reason = "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else (error.strerror or str(error))
        raise ReleaseError(f"could not write '{folder.name}': {reason}; nothing was saved") from error
    except pl.exceptions.PolarsError as error:
        reason = "the disk is full" if "No space left" in str(error) else str(error).strip().rsplit(": ", 1)[-1]
        raise ReleaseError(f"could not write '{folder.name}': {reason}; nothing was saved") from error
    return folder


def _refuse(folder: Path, *, overwrite: bool) -> None:
    """Raise where a release cannot be written to this folder."""
    if folder.name == "owner":
        raise ReleaseError(
            "a release cannot be called 'owner': that folder beside it is the owner's; choose another name"
        )
    try:
        folder.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return
    except ValueError:  # a NUL, or what no name on this system can hold
        raise ReleaseError(f"no folder can be called {folder.name!r}; choose another name") from None
    if not overwrite:
        raise ReleaseError(f"'{folder.name}' exists already; choose another folder, or say overwrite")
    if not (folder / CERTIFICATE).is_file():
        raise ReleaseError(f"'{folder.name}' holds no release, so it is not overwritten; choose another folder")


def _write_release(release: Release, part: Path, progress: Progress, how: Saving) -> Release:
    """Write and verify the public part; returns the release with the verdict on what was written, and with measures."""
    progress.step("writing the data")
    name, public = write_data(shape_of(release), part, how.format, escape_formulas=how.escape_formulas)
    progress.step("verifying what was written")
    original = release.owner.original if release.owner is not None else None
    reread = replace(release, data=read_data(part / name, public), public=public, files=read_files(part, public))
    verdict = verify(reread, original)
    if verdict.undecided and not verdict.broken:
        raise ReleaseError(
            f"whether {' & '.join(verdict.undecided)} holds cannot be decided without {_lacking(release)}; save the "
            f"release where it was made"
        )
    if not verdict.stands:
        raise PromiseBrokenError(f"the data as written do not keep the promise: {'; '.join(verdict.broken)}")
    progress.step("measuring")
    from sfumato.verbs.measure import measure  # reading a release needs none of it

    measures = measure(release, population=how.population, relative=False)
    anew = shape_of(release).measured_for_readers
    disclosed = (measure(replace(release, owner=None)) if anew else measures).public
    if how.report:
        from sfumato.report.rendering import render

        page = render(release, verdict, disclosed, audience="public", original=None)
        (part / "report.html").write_text(page, encoding="utf-8")
    certificate = {
        "format": FORMAT,
        "sfumato": __version__,
        "method": dict(release.method),
        "promise": release.promise.to_dict() if release.promise is not None else None,
        "verdict": verdict.to_dict(),
        "measures": disclosed.to_dict(),
        "rows": len(release.data),
        "public": public,
        "files": {path.name: file_entry(path) for path in sorted(part.iterdir())},
    }
    certificate |= shape_of(reread).certificate_fields()
    content = f"{json.dumps(certificate, indent=2, ensure_ascii=False, default=_plain)}\n".encode()
    (part / CERTIFICATE).write_bytes(content)
    if how.sign is not None:
        (part / SIGNATURE).write_bytes(sign_bytes(content, how.sign))
    return replace(release, verdict=verdict, measures=measures)


def _lacking(release: Release) -> str:
    """What a verdict that is not decided would need."""
    parts = release.promise.parts if release.promise is not None else ()
    return next((part.lacking for part in parts if part.lacking is not None), "the original")


def _write_owner(release: Release, kept: Path, *, of: Path, report: bool) -> None:
    """Write what the owner keeps of the release in the folder `of`, readable by the owner alone."""
    owner = release.owner
    assert owner is not None
    assert release.measures is not None
    pl.DataFrame({"original_row": owner.rows}).write_parquet(kept / "rows.parquet")
    for name, table in owner.files.items():
        table.write_parquet(kept / f"kept_{name}.parquet")
    secret = {
        "seed": owner.seed.hex(), "original_sha256": owner.original_sha256,
        "release_sha256": sha256_of(of / CERTIFICATE), "measures": release.measures.to_dict(),
    }  # fmt: skip
    (kept / "owner.json").write_text(json.dumps(secret, indent=2) + "\n", encoding="utf-8")
    if report and owner.original is not None:
        from sfumato.report.rendering import render

        page = render(release, release.verdict, release.measures, audience="owner", original=owner.original)
        (kept / "report.html").write_text(page, encoding="utf-8")
    for path in kept.iterdir():
        path.chmod(0o600)


def _plain(value: Any) -> Any:
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"cannot write {type(value).__name__} to a certificate")
