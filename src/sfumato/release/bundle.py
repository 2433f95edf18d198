"""A release on disk: `data.*`, `release.json`, `report.html`; and `owner/` beside it, never inside it.

Everything is written to a hidden folder beside the target and renamed into place, so that a crash leaves a whole
release or none. The data are read back and verified before that.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import secrets
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from sfumato import __version__
from sfumato.data.table import Table
from sfumato.ground.errors import PromiseBrokenError, ReleaseError, SfumatoError
from sfumato.ground.figures import Measures
from sfumato.ground.progress import Progress, steps
from sfumato.privacy.promise import promise_from_dict
from sfumato.privacy.verdict import Verdict
from sfumato.published.files import FORMATS, read_data, read_files, write_data
from sfumato.published.shape import shape_of
from sfumato.release.release import Owner, Release
from sfumato.verbs.verify import verify

__all__ = ["load_release", "save"]

FORMAT = "sfumato release 2"
_READ = ("sfumato release 1", FORMAT)
"""Versions of certificates that are read. The first had no word for its verdict, and none that was declared."""
CERTIFICATE = "release.json"


def save(
    release: Release, folder: Path, *, format: str, report: bool, population: Table | None, overwrite: bool
) -> Path:
    """Write a release and the owner's part; all or nothing."""
    if format not in FORMATS:
        raise ReleaseError(f"format must be one of {', '.join(FORMATS)}, got {format!r}")
    folder = Path(os.path.abspath(folder))  # noqa: PTH100  resolve() would follow a link that is about to be replaced
    if folder.name == "owner":
        raise ReleaseError(
            "a release cannot be called 'owner': that folder beside it is the owner's; choose another name"
        )
    if os.path.lexists(folder) and not overwrite:
        raise ReleaseError(f"'{folder.name}' exists already; choose another folder, or say overwrite")
    if os.path.lexists(folder) and not (folder / CERTIFICATE).is_file():
        raise ReleaseError(f"'{folder.name}' holds no release, so it is not overwritten; choose another folder")
    keeper = folder.parent / "owner"
    part, kept = _partial(folder), _partial(keeper / folder.name)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        if release.owner is not None:
            keeper.mkdir(mode=0o700, exist_ok=True)
            keeper.chmod(0o700)
            _sweep(keeper / folder.name)
        part.mkdir()
        with steps(4) as progress:
            checked = _write_release(release, part, progress, format=format, report=report, population=population)
            if release.owner is not None:
                progress.step("writing the owner's part")
                kept.mkdir(mode=0o700)
                _write_owner(checked, kept, report=report)
                _replace(kept, keeper / folder.name)
            elif (keeper / folder.name).is_dir():  # what it kept was for the release that goes now
                shutil.rmtree(keeper / folder.name)
            _replace(part, folder)
    except OSError as error:
        reason = "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else (error.strerror or str(error))
        raise ReleaseError(f"could not write '{folder.name}': {reason}; nothing was saved") from error
    except pl.exceptions.PolarsError as error:
        reason = "the disk is full" if "No space left" in str(error) else str(error).strip().rsplit(": ", 1)[-1]
        raise ReleaseError(f"could not write '{folder.name}': {reason}; nothing was saved") from error
    finally:
        for leftover in (part, kept):
            shutil.rmtree(leftover, ignore_errors=True)
    return folder


def _partial(target: Path) -> Path:
    """A hidden folder beside the target to write to first."""
    return target.parent / f".{target.name}.partial-{os.getpid()}-{secrets.token_hex(4)}"


def _sweep(target: Path) -> None:
    """Remove half-written folders of processes that are no longer alive."""
    for leftover in target.parent.glob(f".{target.name}.partial-*"):
        pid = leftover.name.rsplit("-", 2)[-2]
        alive = True
        with contextlib.suppress(ValueError, PermissionError):
            try:
                os.kill(int(pid), 0)
            except ProcessLookupError:
                alive = False
        if not alive:
            shutil.rmtree(leftover, ignore_errors=True)


def _replace(new: Path, target: Path) -> None:
    """Rename a finished folder into place; what was there before goes only when the new one stands."""
    for path in new.rglob("*"):
        _sync(path)
    _sync(new)
    old: Path | None = None
    if os.path.lexists(target):
        old = _partial(target)
        target.rename(old)
    try:
        new.rename(target)
    except OSError:
        if old is not None:
            old.rename(target)
        raise
    _sync(target.parent)
    if old is not None:
        if old.is_dir() and not old.is_symlink():
            shutil.rmtree(old, ignore_errors=True)
        else:
            old.unlink()


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write_release(
    release: Release, part: Path, progress: Progress, *, format: str, report: bool, population: Table | None
) -> Release:
    """Write and verify the public part; returns the release with the verdict on what was written, and with measures."""
    progress.step("writing the data")
    name, public = write_data(shape_of(release), part, format)
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

    measures = measure(release, population=population, relative=False)
    anew = shape_of(release).measured_for_readers
    disclosed = (measure(replace(release, owner=None)) if anew else measures).public
    if report:
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
        "files": {path.name: _file_entry(path) for path in sorted(part.iterdir())},
    }
    certificate |= shape_of(reread).certificate_fields()
    text = json.dumps(certificate, indent=2, ensure_ascii=False, default=_plain)
    (part / CERTIFICATE).write_text(text + "\n", encoding="utf-8")
    return replace(release, verdict=verdict, measures=measures)


def _lacking(release: Release) -> str:
    """What a verdict that is not decided would need."""
    parts = release.promise.parts if release.promise is not None else ()
    return next((part.lacking for part in parts if part.lacking is not None), "the original")


def _write_owner(release: Release, kept: Path, *, report: bool) -> None:
    """Write what the owner keeps, readable by the owner alone."""
    owner = release.owner
    assert owner is not None
    assert release.measures is not None
    pl.DataFrame({"original_row": owner.rows}).write_parquet(kept / "rows.parquet")
    for name, table in owner.files.items():
        table.write_parquet(kept / f"kept_{name}.parquet")
    secret = {
        "seed": owner.seed.hex(), "original_sha256": owner.original_sha256, "measures": release.measures.to_dict(),
    }  # fmt: skip
    (kept / "owner.json").write_text(json.dumps(secret, indent=2) + "\n", encoding="utf-8")
    if report and owner.original is not None:
        from sfumato.report.rendering import render

        page = render(release, release.verdict, release.measures, audience="owner", original=owner.original)
        (kept / "report.html").write_text(page, encoding="utf-8")
    for path in kept.iterdir():
        path.chmod(0o600)


def _file_entry(path: Path) -> dict[str, Any]:
    """What the certificate says of a file."""
    return {"sha256": _sha256(path), "bytes": path.stat().st_size}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _plain(value: Any) -> Any:
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"cannot write {type(value).__name__} to a certificate")


def load_release(folder: str | Path, *, check: bool = True) -> Release:
    """Read a release, and the owner's part where it lies beside it.

    Files that differ from what the certificate says raise `ReleaseError`, unless `check` is false: the difference
    is then in `release.damage` and fails `verify`.
    """
    path = Path(folder)
    certificate = _certificate(path)
    damage = []
    for name, said in certificate["files"].items():
        file = path / name
        if not file.is_file():
            damage.append(f"'{name}' is missing")
        elif _sha256(file) != said["sha256"]:
            damage.append(f"'{name}' has changed since the certificate was written")
    if check and damage:
        raise ReleaseError(
            f"the release in '{path.name}' is damaged: {'; '.join(damage)}; ask its owner for a new copy"
        )
    data = next(name for name in certificate["files"] if name.startswith("data."))
    owner = _owner(path)
    try:
        table = read_data(path / data, certificate["public"])
        return Release(
            data=table,
            promise=promise_from_dict(certificate["promise"]) if certificate["promise"] is not None else None,
            verdict=Verdict.from_dict(certificate["verdict"]),
            public=certificate["public"],
            method=certificate["method"],
            owner=owner,
            measures=Measures.from_dict(certificate["measures"], audience="public"),
            damage=tuple(damage),
            files=read_files(path, certificate["public"]),
        )
    except (OSError, pl.exceptions.PolarsError, SfumatoError) as error:
        raise ReleaseError(f"the data of the release in '{path.name}' cannot be read: {error}") from None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ReleaseError(f"the certificate in '{path.name}' is damaged ({error}); ask for a new copy") from None


def _certificate(path: Path) -> dict[str, Any]:
    """Read the certificate of a release folder; an error unless it has all parts that are needed."""
    file = path / CERTIFICATE
    if not file.is_file():
        raise ReleaseError(f"'{path}' holds no release: there is no {CERTIFICATE}; `sfumato publish` writes one")
    try:
        certificate: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise ReleaseError(f"the certificate in '{path.name}' is not JSON; ask the owner for a new copy") from None
    wanted = ("files", "public", "promise", "verdict", "method", "measures")
    known = isinstance(certificate, dict) and certificate.get("format") in _READ
    if not known or any(key not in certificate for key in wanted):
        raise ReleaseError(f"the certificate in '{path.name}' is of an unknown format; it may need a newer sfumato")
    if not isinstance(certificate["method"], dict):
        raise ReleaseError(
            f"the certificate in '{path.name}' is damaged: it does not say which method was used; ask for a new copy"
        )
    files = certificate["files"]
    listed = isinstance(files, dict) and all(isinstance(said, dict) and "sha256" in said for said in files.values())
    if not listed or not any(name.startswith("data.") for name in files):
        raise ReleaseError(
            f"the certificate in '{path.name}' is damaged: it does not list the data; ask for a new copy"
        )
    public = certificate["public"]
    if not isinstance(public, dict) or not isinstance(public.get("forms", {}), dict):
        raise ReleaseError(
            f"the certificate in '{path.name}' is damaged: it does not say how columns are shown; ask for a new copy"
        )
    return certificate


def _owner(path: Path) -> Owner | None:
    """Read what the owner kept of a release; None where it is not beside the folder, or not readable."""
    kept = path.absolute().parent / "owner" / path.absolute().name
    try:
        if not (kept / "owner.json").is_file():
            return None
    except PermissionError:  # the owner's, and somebody else reads the release
        return None
    try:
        secret = json.loads((kept / "owner.json").read_text(encoding="utf-8"))
        rows = pl.read_parquet(kept / "rows.parquet")["original_row"].to_numpy()
        files = {path.stem.removeprefix("kept_"): pl.read_parquet(path) for path in sorted(kept.glob("kept_*.parquet"))}
        return Owner(seed=bytes.fromhex(secret["seed"]), rows=rows, known_sha256=secret["original_sha256"], files=files)
    except PermissionError:
        return None
    except (OSError, KeyError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise ReleaseError(
            f"what the owner kept of '{path.name}' is damaged ({type(error).__name__}); restore it, or move it away"
        ) from None
