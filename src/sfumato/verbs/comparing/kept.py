"""What a comparison found, kept in a folder while it runs, so that one that was ended goes on where it was.

`points.jsonl` has a line for the comparison (which data, which seed) and one for each point that came to an end. A line
that was cut off by a crash is passed over. The folder is the owner's: it holds the seed, and figures of the original.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.contracts.method import method_from_dict
from sfumato.ground.errors import ParameterError
from sfumato.verbs.comparing.point import Point

__all__ = ["Kept"]

_FILE = "points.jsonl"


class Kept:
    """The folder of a comparison, or nothing at all where none is named."""

    def __init__(self, folder: Path | None, data: str, seed: bytes, *, given: bool) -> None:
        """Open the folder; the seed of a comparison that goes on is the one that it began with."""
        self.seed = seed
        self._file = folder / _FILE if folder is not None else None
        self._lines: dict[str, dict[str, Any]] = {}
        if self._file is None or folder is None:
            return
        if self._file.exists():
            head, *lines = self._read()
            if head.get("data") != data:
                raise ParameterError(f"'{folder}' holds a comparison of other data; choose another folder")
            if given and head.get("seed") != seed.hex():
                raise ParameterError(f"'{folder}' holds a comparison with another seed; leave seed out to go on")
            self.seed = bytes.fromhex(str(head["seed"]))
            self._lines = {str(line["key"]): line for line in lines if "key" in line}
            return
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._write({"data": data, "seed": seed.hex()})
        except OSError as error:
            raise ParameterError(
                f"'{folder}' cannot keep a comparison: {error.strerror or error}; choose another folder"
            ) from None

    def known(self, points: Sequence[Point]) -> Iterator[Point]:
        """Those of the points that came to an end before; whatever was too slow may have more time now."""
        for point in points:
            line = self._lines.get(point.key)
            if line is not None:
                told = {name: line[name] for name in ("came", "figures", "verdict", "seconds", "digest", "why")}
                made_by = method_from_dict(line["made_by"]) if "made_by" in line else None
                yield replace(point, found=tuple(line["found"]), made_by=made_by, **told)

    def keep(self, point: Point) -> None:
        """Write a point down."""
        if point.came in ("done", "refused"):
            self._write({"key": point.key, **point.to_dict()})

    def _write(self, line: dict[str, Any]) -> None:
        if self._file is None:
            return
        handle = os.open(self._file, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
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

    def _read(self) -> list[dict[str, Any]]:
        assert self._file is not None
        found = []
        try:
            lines = self._file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError as error:
            raise ParameterError(f"'{self._file}' cannot be read: {error.strerror}; choose another folder") from None
        for text in lines:
            try:
                line = json.loads(text)
            except ValueError:  # cut off
                continue
            if isinstance(line, dict):
                found.append(line)
        if not found or "seed" not in found[0]:
            raise ParameterError(f"'{self._file}' is no comparison that can go on; choose another folder")
        return found
