"""A release on disk: `data.*`, `release.json`, `report.html`; and `owner/` beside it, never inside it.

`saving.py` writes one, and this reads it.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from sfumato.data.columnar import read_parquet
from sfumato.data.json_file import parse_json
from sfumato.ground.calls import says_what_it_takes
from sfumato.ground.errors import DamagedReleaseError, ReleaseError, SfumatoError
from sfumato.ground.figures import Measures
from sfumato.privacy.promise import promise_from_dict
from sfumato.privacy.verdict import Verdict
from sfumato.published.files import read_data, read_files
from sfumato.release.certificate import (
    CERTIFICATE,
    SIGNATURE,
    damaged_files,
    data_name,
    read_certificate,
    sha256_of,
    unlisted_files,
    unread_statements,
)
from sfumato.release.exchange import read_whole
from sfumato.release.release import Certified, Owner, Release
from sfumato.release.signing import Signature, read_signature

__all__ = ["load_release"]


@says_what_it_takes
def load_release(folder: str | Path, *, check: bool = True) -> Release:
    """Read a release, and the owner's part where it lies beside it.

    Files that differ from what the certificate says raise `ReleaseError`, unless `check` is false: the difference
    is then in `release.damage` and fails `verify`.

    `folder` is where `Release.save` wrote it.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> from tempfile import mkdtemp
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> folder = release.save(f"{mkdtemp()}/out", report=False)
    >>> sf.load_release(folder)
    Release(100 rows, Mondrian, KAnonymity(k=5) holds)
    """
    return read_whole(Path(folder), lambda path, kept: _load(path, kept, check=check))


def _load(path: Path, kept: Path, *, check: bool) -> Release:
    """Read a release from its folder and what the owner kept of it from another."""
    certificate = read_certificate(path)
    files = certificate["files"]
    foreign, other = unlisted_files(path, files)
    damage = [*damaged_files(path, files), *foreign]
    owner, of = _owner(kept)
    if owner is not None and of not in (None, sha256_of(path / CERTIFICATE)):
        damage.append(f"what the owner kept in 'owner/{kept.name}' is of another release: restore it, or move it away")
    if check and damage:
        raise DamagedReleaseError(
            f"the release in '{path.name}' is damaged: {'; '.join(damage)}; ask its owner for a new copy"
        )
    signature = _signature(path)
    try:
        data = read_data(path / data_name(certificate), certificate["public"])
        if "rows" in certificate and certificate["rows"] != len(data):
            damage.append(f"the certificate says {certificate['rows']:,} rows, and {len(data):,} are published")
        return Release(
            data=data,
            promise=promise_from_dict(certificate["promise"]) if certificate["promise"] is not None else None,
            verdict=Verdict.from_dict(certificate["verdict"]),
            public=certificate["public"],
            method=certificate["method"],
            owner=owner,
            measures=Measures.from_dict(certificate["measures"], audience="public"),
            damage=tuple(damage),
            files=read_files(path, certificate["public"]),
            certified=Certified(
                format=certificate["format"],
                uncovered=tuple(other),
                unread=tuple(unread_statements(certificate)),
                signature=signature,
            ),
        )
    except SfumatoError as error:
        raise DamagedReleaseError(f"the data of the release in '{path.name}' cannot be read: {error}") from None
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise DamagedReleaseError(
            f"the data of the release in '{path.name}' cannot be read as the certificate describes them; ask its "
            f"owner for a new copy"
        ) from None
    except (ArithmeticError, AttributeError, KeyError, RecursionError, TypeError, ValueError):
        raise DamagedReleaseError(
            f"the certificate in '{path.name}' is damaged: a part of it is of another kind than it must be; ask for a "
            f"new copy"
        ) from None


def _signature(path: Path) -> Signature | None:
    """Read the signature beside the certificate; None where there is none."""
    file = path / SIGNATURE
    if not file.is_file():
        return None
    content = (path / CERTIFICATE).read_bytes()
    return read_signature(file.read_bytes(), content, f"the signature in '{path.name}'")


def _owner(kept: Path) -> tuple[Owner | None, str | None]:
    """Read what the owner kept, and the hash of the certificate that it goes with; None where nothing can be read."""
    try:
        if not (kept / "owner.json").is_file():
            return None, None
    except PermissionError:  # the owner's, and somebody else reads the release
        return None, None
    try:
        secret = parse_json((kept / "owner.json").read_bytes(), f"'owner/{kept.name}/owner.json'")
        rows = read_parquet(kept / "rows.parquet")["original_row"].to_numpy()
        files = {path.stem.removeprefix("kept_"): read_parquet(path) for path in sorted(kept.glob("kept_*.parquet"))}
        owner = Owner(
            seed=bytes.fromhex(secret["seed"]), rows=rows, known_sha256=secret["original_sha256"], files=files
        )  # fmt: skip
        return owner, secret.get("release_sha256")
    except PermissionError:
        return None, None
    except (OSError, AttributeError, KeyError, TypeError, ValueError, pl.exceptions.PolarsError):
        raise ReleaseError(
            f"what the owner kept in 'owner/{kept.name}' is damaged; restore it, or move it away"
        ) from None
