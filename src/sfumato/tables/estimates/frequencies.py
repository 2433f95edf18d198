"""Reading randomised categories: how many records of the original had each value, from the published matrices.

A matrix P gives the probability that a value becomes another. A record that shows x counts for the value v by the entry
(x, v) of the inverse of P, and the sum over the records is unbiased; over several columns, which were changed
independently, entries multiply. A record's count is 1 or 0 in expectation, so that the sum of its squares less the sum
itself is unbiased for the variance. Under an invariant matrix the counts of a single column are unbiased as they are,
and vary less than what the inverse makes of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.answer import Answer, Answers
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.errors import ParameterError, ReleaseError, suggest

__all__ = ["FrequencyEstimates"]

_Z95 = 1.959963984540054
_MOST_CELLS = 100_000
_MOST_CONDITION = 1e8
_SLACK = 1e-9


class FrequencyEstimates(SaysWhatMethodsTake, Mapping[str, Answers]):
    """How many records of the original had each value, by column; `[a, b]` counts the combinations of columns.

    Every answer has an unbiased `value`, which may lie below 0, its standard error as `spread`, and a 95% interval.
    Columns that were not changed may be among those combined. Counts are worked out when they are asked for.

    They are made from the published `frame` and the `parameters` that the release tells.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.PRAM(0.8), seed=1)
    >>> "sex" in sf.estimate(release)
    True
    """

    def __init__(self, frame: pl.DataFrame, parameters: Mapping[str, Any]) -> None:
        self._frame = frame
        if not isinstance(parameters, Mapping) or not isinstance(parameters.get("columns"), Mapping):
            raise ReleaseError("the release does not say how its categories were changed; ask the owner for a new copy")
        self._invariant = bool(parameters.get("invariant"))
        self._changed = {name: _read_matrix(name, said) for name, said in parameters["columns"].items()}

    def __getitem__(self, names: str | tuple[str, ...]) -> Answers:
        """The counts of one column, or of the combinations of several."""
        asked = (names,) if isinstance(names, str) else tuple(names)
        for name in asked:
            if name not in self._frame.columns:
                raise ParameterError(f"the release has no column {name!r}{suggest(str(name), self._frame.columns)}")
        if not asked or len(set(asked)) < len(asked):
            raise ParameterError(f"name columns, each once, got {names!r}")
        if self._invariant and len(asked) == 1 and asked[0] in self._changed:
            return self._count_as_shown(asked[0])
        return self._estimate_by_inverse(asked)

    def __contains__(self, names: object) -> bool:
        return names in self._changed

    def __iter__(self) -> Iterator[str]:
        """The columns that were changed."""
        return iter(self._changed)

    def __len__(self) -> int:
        return len(self._changed)

    def __repr__(self) -> str:
        return f"FrequencyEstimates({', '.join(self._changed)})"

    def _count_as_shown(self, name: str) -> Answers:
        """The counts of one column as published, which an invariant matrix leaves unbiased."""
        categories, matrix = self._changed[name]
        codes = _codes(self._frame[name], categories)
        counts = np.bincount(codes[codes >= 0], minlength=len(categories)).astype(np.float64)
        variance = counts @ (matrix * (1.0 - matrix))
        return self._answers([name], [(value,) for value in categories], counts, variance)

    def _estimate_by_inverse(self, names: Sequence[str]) -> Answers:
        """The counts of combinations of columns, corrected by the inverse of every matrix."""
        weights, keys = [], []
        for name in names:
            if name in self._changed:
                categories, matrix = self._changed[name]
                if np.linalg.cond(matrix) > _MOST_CONDITION:
                    raise ParameterError(f"column {name!r} was changed so much that nothing can be told from it")
                weights.append((_codes(self._frame[name], categories), np.linalg.inv(matrix)))
                keys.append(list(categories))
            else:
                values = self._frame[name].unique().drop_nulls().sort()
                keys.append(values.to_list())
                texts = values.cast(pl.String).to_list()
                weights.append((_codes(self._frame[name], texts), np.eye(len(values))))
        shape = tuple(len(key) for key in keys)
        if int(np.prod(shape)) > _MOST_CELLS:
            raise ParameterError(f"{', '.join(names)} have more than {_MOST_CELLS:,} combinations; name fewer columns")
        seen = np.stack([codes for codes, _ in weights])
        here = (seen >= 0).all(axis=0)
        counts = np.zeros(shape)
        np.add.at(counts, tuple(seen[:, here]), 1.0)
        sums, squares = counts, counts
        for axis, (_, inverse) in enumerate(weights):
            sums = np.moveaxis(np.tensordot(sums, inverse, axes=(axis, 0)), -1, axis)
            squares = np.moveaxis(np.tensordot(squares, inverse**2, axes=(axis, 0)), -1, axis)
        cells = [tuple(key[i] for key, i in zip(keys, at, strict=True)) for at in np.ndindex(*shape)]
        return self._answers(names, cells, sums.ravel(), (squares - sums).ravel())

    def _answers(
        self, names: Sequence[str], cells: Sequence[tuple[Any, ...]], counts: NDArray[np.float64],
        variance: NDArray[np.float64],
    ) -> Answers:  # fmt: skip
        """Counts as answers with a 95% interval, a row for each cell."""
        n, rows = self._frame.height, []
        for cell, count, noise in zip(cells, counts.tolist(), variance.tolist(), strict=True):
            error = float(np.sqrt(max(noise, 0.0)))
            ends = (count - _Z95 * error, count + _Z95 * error)
            rows.append((cell, Answer("COUNT(*)", count, *ends, False, error, 0, n)))
        return Answers(names, rows)


def _read_matrix(name: str, said: Mapping[str, Any]) -> tuple[list[str], NDArray[np.float64]]:
    """The values of a column and the probabilities of each to become another, as published; refused where damaged."""
    try:
        categories, matrix = list(map(str, said["categories"])), np.array(said["matrix"], dtype=np.float64)
    except (KeyError, TypeError, ValueError, OverflowError):
        raise ReleaseError(f"the matrix of column {name!r} cannot be read; ask the owner for a new copy") from None
    m = len(categories)
    if not m or len(set(categories)) < m or matrix.shape != (m, m):
        raise ReleaseError(f"the matrix of column {name!r} does not fit its values; ask the owner for a new copy")
    if not ((matrix >= 0) & (matrix <= 1)).all() or np.abs(matrix.sum(axis=1) - 1.0).max() > _SLACK:
        raise ReleaseError(f"the matrix of column {name!r} is none of probabilities; ask the owner for a new copy")
    return categories, matrix


def _codes(series: pl.Series, categories: Sequence[str]) -> NDArray[np.int64]:
    """The position of each value among the categories; -1 for any other value."""
    lookup = pl.DataFrame({"text": pl.Series(categories, dtype=pl.String), "code": np.arange(len(categories))})
    texts = pl.DataFrame({"text": series.cast(pl.String)})
    codes = texts.join(lookup, on="text", how="left", maintain_order="left")["code"]
    return codes.fill_null(-1).to_numpy().astype(np.int64)
