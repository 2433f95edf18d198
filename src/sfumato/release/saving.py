"""Writing a release: `data.*`, `release.json`, `report.html`; and `owner/` beside it, never inside it.

Everything is written to hidden folders, and both parts are put in place in one step (`exchange.py`): a crash leaves the
old release or the new one, each with its own owner's part. The data are read back and verified before that.
"""

from __future__ import annotations

import errno
import json
import os
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from sfumato import __version__
from sfumato.contracts.attack import Findings
from sfumato.data.table import Table
from sfumato.ground.errors import PromiseBrokenError, ReleaseError, SfumatoError
from sfumato.ground.progress import Progress, steps
from sfumato.published.files import FORMATS, formats_to_try, read_data, read_files, write_data
from sfumato.published.shape import shape_of
from sfumato.published.tables.table import TableShape
from sfumato.release.certificate import CERTIFICATE, FORMAT, SIGNATURE, file_entry, sha256_of
from sfumato.release.exchange import exchanging, refuse_place
from sfumato.release.release import Release
from sfumato.release.signing import sign_bytes
from sfumato.report.identity import NOBODY, Identity
from sfumato.verbs.verify import verify

__all__ = ["AUTO", "Saving", "save"]

AUTO = "auto"
"""The format that suits the data: see `formats_to_try`."""

_ATTACKED = 60.0
"""Seconds after which no further attack is begun for a report."""


@dataclass(frozen=True, kw_only=True)
class Saving:
    """How a release is written; see `Release.save`."""

    format: str
    report: bool
    population: Table | None
    overwrite: bool
    sign: Path | None
    escape_formulas: bool
    about: Identity = NOBODY
    """What the owner says the release is."""
    attack: bool = False
    """Whether the owner's report tells what attacks achieved."""

    def __post_init__(self) -> None:
        """Refuse a format that is not known, and what only CSV has for another."""
        if self.format not in (AUTO, *FORMATS):
            raise ReleaseError(f"format must be one of {', '.join((AUTO, *FORMATS))}, got {self.format!r}")
        if self.escape_formulas and self.format not in (AUTO, "csv"):
            raise ReleaseError(f"formulas are escaped in CSV files alone, not in {self.format}; leave it out")


def save(release: Release, folder: Path, how: Saving) -> Path:
    """Write a release and the owner's part; all or nothing."""
    overwrite = how.overwrite
    if how.attack:
        _refuse_attack(release, how)
    folder = Path(os.path.abspath(folder))  # noqa: PTH100  resolve() would follow a link that is about to be replaced
    try:
        _refuse(folder, overwrite=overwrite)
        with exchanging(folder) as pair, steps(4) as progress:
            _refuse(folder, overwrite=overwrite)
            pair.refuse_strange_owner(overwrite=overwrite)
            pair.make(owner=release.owner is not None)
            checked = _write_release(release, pair.new_release, progress, how)
            if release.owner is not None:
                progress.step("writing the owner's part")
                _write_owner(checked, pair.new_owner, how, of=pair.new_release)
            _refuse(folder, overwrite=overwrite)  # what somebody put there meanwhile is not swept away
            pair.refuse_strange_owner(overwrite=overwrite)
            pair.commit()
    except OSError as error:
        reason = "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else (error.strerror or str(error))
        raise ReleaseError(f"could not write '{folder.name}': {reason}; nothing was saved") from error
    except pl.exceptions.PolarsError as error:
        reason = "the disk is full" if "No space left" in str(error) else str(error).strip().rsplit(": ", 1)[-1]
        raise ReleaseError(f"could not write '{folder.name}': {reason}; nothing was saved") from error
    return folder


def _refuse_attack(release: Release, how: Saving) -> None:
    """Raise where attacks are asked for and there is no report that would tell of them."""
    if not isinstance(shape_of(release), TableShape):
        raise ReleaseError("attacks are told of in reports on tables; leave attack out, and use the verb attack")
    if not how.report or release.owner is None or release.owner.original is None:
        raise ReleaseError("attacks are told of in the owner's report, and none is written here; leave attack out")


def _refuse(folder: Path, *, overwrite: bool) -> None:
    """Raise where a release cannot be written to this folder."""
    if folder.name == "owner":
        raise ReleaseError(
            "a release cannot be called 'owner': that folder beside it is the owner's; choose another name"
        )
    refuse_place(folder)
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
    data, public = _write_data(release, part, how)
    progress.step("verifying what was written")
    original = release.owner.original if release.owner is not None else None
    reread = replace(release, data=data, public=public, files=read_files(part, public))
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
    about = how.about.dated() if how.report or how.about != NOBODY else NOBODY
    if how.report:
        from sfumato.report.rendering import render

        page = render(release, verdict, disclosed, audience="public", original=None, identity=about)
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
        **({"about": about.to_dict()} if about != NOBODY else {}),
        "files": {path.name: file_entry(path) for path in sorted(part.iterdir())},
    }
    certificate |= shape_of(reread).certificate_fields()
    content = f"{json.dumps(certificate, indent=2, ensure_ascii=False, default=_plain)}\n".encode()
    (part / CERTIFICATE).write_bytes(content)
    if how.sign is not None:
        (part / SIGNATURE).write_bytes(sign_bytes(content, how.sign))
    return replace(release, verdict=verdict, measures=measures)


def _write_data(release: Release, part: Path, how: Saving) -> tuple[Any, dict[str, Any]]:
    """Write the data in the first format that holds them; return them as they are read back, and what readers are told.

    Where nobody says the format, one that cannot hold the data, as CSV cannot hold empty texts, is passed over.
    """
    shape = shape_of(release)
    formats: tuple[str, ...] = (how.format,)
    if how.format == AUTO:
        formats = ("csv",) if how.escape_formulas else formats_to_try(shape)
    *others, last = formats
    for format in others:
        with suppress(SfumatoError, pl.exceptions.PolarsError):
            name, public = write_data(shape, part, format)
            data = read_data(part / name, public)
            if data.frame.write_csv() == release.data.frame.write_csv():
                return data, public
        (part / f"data.{format}").unlink(missing_ok=True)
    name, public = write_data(shape, part, last, escape_formulas=how.escape_formulas)
    return read_data(part / name, public), public


def _lacking(release: Release) -> str:
    """What a verdict that is not decided would need."""
    parts = release.promise.parts if release.promise is not None else ()
    return next((part.lacking for part in parts if part.lacking is not None), "the original")


def _write_owner(release: Release, kept: Path, how: Saving, *, of: Path) -> None:
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
        **({"tried": [each.to_dict() for each in owner.tried]} if owner.tried else {}),
    }  # fmt: skip
    (kept / "owner.json").write_text(json.dumps(secret, indent=2) + "\n", encoding="utf-8")
    if how.report and owner.original is not None:
        from sfumato.report.rendering import render

        page = render(
            release, release.verdict, release.measures, audience="owner", original=owner.original,
            identity=how.about.dated(), panel=_attacked(release) if how.attack else None,
        )  # fmt: skip
        (kept / "report.html").write_text(page, encoding="utf-8")
    for path in kept.iterdir():
        path.chmod(0o600)


def _attacked(release: Release) -> Findings[Any]:
    """What attacks achieve against the release; they are seeded by the run, so that they repeat."""
    from sfumato.verbs.threats import threats

    assert release.owner is not None
    return threats(release, seed=release.owner.seed.hex(), within=_ATTACKED)


def _plain(value: Any) -> Any:
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"cannot write {type(value).__name__} to a certificate")
