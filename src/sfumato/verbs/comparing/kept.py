"""What a comparison found, kept in a folder while it runs, so that one that was ended goes on where it was.

`points.jsonl` has a line for the comparison (of what, which seed) and one for each point that came to an end. A line
that was cut off by a crash is passed over. The folder is the owner's: it holds the seed, and figures of the original.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.contracts.method import method_from_dict
from sfumato.ground.errors import ParameterError
from sfumato.verbs.comparing.kept_lines import checked_point, seed_of
from sfumato.verbs.comparing.point import Point
from sfumato.verbs.comparing.subject import Subject

__all__ = ["FILE", "Kept", "checked_folder"]

FILE = "points.jsonl"
_RELEASE = "release.json"
_WAIT_S, _POLL_S = 2.0, 0.05


def checked_folder(given: Any) -> Path | None:
    """The folder that is meant; refused where it is none, holds something else, or is one that others read."""
    if given is None:
        return None
    if not isinstance(given, (str, Path)) or not str(given) or "\0" in str(given):
        raise ParameterError(f"folder must be the path of a folder, got {given!r}; leave it out to keep nothing")
    folder = Path(given)
    with _told(folder, "cannot keep a comparison"):
        if any((each / _RELEASE).exists() for each in (folder, folder.absolute().parent)):
            raise ParameterError(f"'{folder}' is or lies in a release, which others read; choose another folder")
        if folder.is_dir() and not (folder / FILE).exists() and any(folder.iterdir()):
            raise ParameterError(f"'{folder}' holds something else than a comparison; choose a new or an empty folder")
    return folder


class Kept:
    """The folder of a comparison, or nothing at all where none is named."""

    def __init__(self, folder: Path | None, subject: Subject, seed: bytes, *, given: bool) -> None:
        """Open the folder; the seed of a comparison that goes on is the one that it began with."""
        self.seed = seed
        self._file = folder / FILE if folder is not None else None
        self._lines: dict[str, dict[str, Any]] = {}
        if self._file is None or folder is None or self._begun(folder, {**subject.to_dict(), "seed": seed.hex()}):
            return
        (_, head), *lines = self._read()
        difference = subject.differs_from(head)
        if difference is not None:
            raise ParameterError(f"'{folder}' holds a comparison {difference}; choose another folder")
        self.seed = seed_of(head, self._file)
        if given and self.seed != seed:
            raise ParameterError(f"'{folder}' holds a comparison with another seed; leave seed out to go on")
        for number, line in lines:
            self._lines[checked_point(line, number, self._file)] = line

    def known(self, points: Sequence[Point]) -> Iterator[Point]:
        """Those of the points that came to an end before; whatever was too slow or failed may come to one now."""
        for point in points:
            line = self._lines.get(point.key)
            if line is not None:
                told = {name: line[name] for name in ("came", "figures", "verdict", "seconds", "digest", "why")}
                made_by = method_from_dict(line["made_by"]) if "made_by" in line else None
                yield replace(point, found=tuple(line["found"]), made_by=made_by, **told)

    def keep(self, point: Point) -> None:
        """Write a point down."""
        if self._file is not None and point.came in ("done", "refused"):
            with _told(self._file, "cannot be written", "mend that and compare again, to go on"):
                self._append({"key": point.key, **point.to_dict()})

    def _begun(self, folder: Path, head: dict[str, Any]) -> bool:
        """Whether this comparison is the one that begins in the folder: of several at once, only one does."""
        with _told(folder, "cannot keep a comparison"):
            if (folder / FILE).exists():
                return False
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.chmod(0o700)
            try:
                self._append(head, os.O_CREAT | os.O_EXCL)
            except FileExistsError:
                return False
            return True

    def _append(self, line: dict[str, Any], how: int = 0) -> None:
        assert self._file is not None
        handle = os.open(self._file, how | os.O_WRONLY | os.O_APPEND, 0o600)
        with os.fdopen(handle, "ab") as file:
            if file.tell() and not self._ends_a_line():
                file.write(b"\n")
            file.write(json.dumps(line).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _ends_a_line(self) -> bool:
        assert self._file is not None
        with self._file.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"

    def _read(self) -> list[tuple[int, Any]]:
        """The lines with their numbers; what another comparison just begins to write is waited for."""
        assert self._file is not None
        with _told(self._file, "cannot be read"):
            until = time.monotonic() + _WAIT_S
            while b"\n" not in (content := self._file.read_bytes()) and time.monotonic() < until:
                time.sleep(_POLL_S)
        found = []
        for number, text in enumerate(content.split(b"\n"), start=1):
            try:
                found.append((number, json.loads(text)))
            except (ValueError, RecursionError):  # cut off
                continue
        if not found or found[0][0] != 1 or not isinstance(found[0][1], dict) or "seed" not in found[0][1]:
            raise ParameterError(f"'{self._file}' is no comparison that can go on; choose another folder")
        return found


@contextmanager
def _told(path: Path, what: str, way_out: str = "choose another folder") -> Iterator[None]:
    """Turn what the disk has against a file or folder into a sentence."""
    try:
        yield
    except OSError as error:
        raise ParameterError(f"'{path}' {what}: {error.strerror or error}; {way_out}") from None
