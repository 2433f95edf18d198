"""Distances between the values of one sensitive column, as the owner gives them."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.values import text
from sfumato.ground.errors import ParameterError

__all__ = ["Ground", "ground_of"]

_SLACK = 1e-12


@dataclass(frozen=True)
class Ground:
    """A symmetric table of distances from 0 to 1, with 0 on the diagonal; the empty text stands for a missing value."""

    values: tuple[str, ...]
    distances: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        """Refuse anything but a symmetric table of distances from 0 to 1."""
        m = len(self.values)
        twice = next((value for value in self.values if self.values.count(value) > 1), None)
        if twice is not None:
            raise ParameterError(f"the ground distances list the value {twice!r} twice; list it once")
        if not m or len(self.distances) != m or any(len(row) != m for row in self.distances):
            raise ParameterError(
                f"the ground distances must be a square, a row and a column for each of the {m} values, and are not"
            )
        for i, one in enumerate(self.values):
            for j, other in enumerate(self.values):
                self._check(one, other, self.distances[i][j], self.distances[j][i])

    def _check(self, one: str, other: str, given: float, back: float) -> None:
        between = f"the ground distance between {one!r} and {other!r}"
        if not math.isfinite(given) or given < 0:
            raise ParameterError(f"{between} is {given:g}; a distance is 0 or more")
        if one == other and given != 0:
            raise ParameterError(f"{between} is {given:g}; nothing is away from itself, so write 0")
        if given != back:
            raise ParameterError(f"{between} is {given:g} one way and {back:g} the other; write the same for both")
        if given > 1:
            most = max(map(max, self.distances))
            raise ParameterError(f"{between} is {given:g}, above 1; divide all distances by the largest, {most:g}")

    @cached_property
    def square(self) -> NDArray[np.float64]:
        """The distances as an array."""
        return np.array(self.distances, dtype=np.float64)

    @cached_property
    def metric(self) -> bool:
        """Whether the triangle inequality holds: going by a third value is never shorter."""
        square = self.square
        return all(bool((square <= square[:, [v]] + square[[v], :] + _SLACK).all()) for v in range(len(square)))

    def between(self, values: Sequence[str], occurs: NDArray[np.bool_], column: str) -> NDArray[np.float64]:
        """The distances between these values of a column, in this order; those that do not occur need not be listed."""
        place = {value: i for i, value in enumerate(self.values)}
        for value, there in zip(values, occurs, strict=True):
            if there and value not in place:
                said = f"the value {value!r}" if value else "missing values, which are listed as ''"
                raise ParameterError(f"column {column!r} holds {said}, and the ground distances lack it; add it")
        at = np.array([place.get(value, 0) for value in values], dtype=np.int64)
        return np.ascontiguousarray(self.square[np.ix_(at, at)])

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in a certificate."""
        return {"values": list(self.values), "distances": [list(row) for row in self.distances]}


def ground_of(given: Any) -> Ground:
    """Read distances from `{"values": [...], "distances": [[...]]}`, or from a CSV file with header row and column."""
    if isinstance(given, Ground):
        return given
    if isinstance(given, (str, Path)):
        given = _read_distances(Path(given))
    if not isinstance(given, Mapping) or set(given) != {"values", "distances"}:
        raise ParameterError(
            "ground takes {'values': [...], 'distances': [[...]]} or a CSV file with a header row and column"
        )
    try:
        values = tuple("" if value is None else text(value) for value in given["values"])
        distances = tuple(tuple(_number(cell) for cell in row) for row in given["distances"])
    except (TypeError, ValueError):
        raise ParameterError("the ground distances must be a list of rows, each a list of numbers") from None
    return Ground(values, distances)


def _number(cell: Any) -> float:
    if isinstance(cell, bool):
        raise TypeError("a yes or no is no distance")
    return float(cell)


def _read_distances(file: Path) -> dict[str, Any]:
    try:
        with file.open(encoding="utf-8-sig", newline="") as handle:
            header, *rows = [row for row in csv.reader(handle) if row]
    except (OSError, UnicodeDecodeError, ValueError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or "it is no CSV file with a header"
        raise ParameterError(f"the ground distances in '{file}' cannot be read: {reason}; check the path") from None
    values = header[1:]
    if [row[0] for row in rows] != values:
        raise ParameterError(f"the first row and the first column of '{file}' must list the same values in one order")
    for row in rows:
        for cell in row[1:]:
            try:
                float(cell)
            except ValueError:
                raise ParameterError(f"'{file}' has {cell!r} in the row of {row[0]!r}; write a number") from None
    return {"values": values, "distances": [row[1:] for row in rows]}
