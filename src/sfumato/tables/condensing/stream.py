"""Condensation of a stream: of every group of records only sums are kept, and these are split when they grow.

Aggarwal & Yu, "A condensation approach to privacy preserving data mining", EDBT 2004; Aggarwal, "Data Mining: The
Textbook", section 20.3.1.4. A record goes to the group with the nearest centroid; a group that reaches 2k is split in
two along its longest eigenvector, as if its records were uniform along it. O(G d + d^2) a record, O(G (d^2 + v)) room
for G groups and v categories in all.
"""

from __future__ import annotations

import json
import os
import secrets
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.numbers import from_numbers
from sfumato.data.schema import Schema
from sfumato.data.schema_file import schema_from_dict, schema_to_dict
from sfumato.data.table import Table
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.errors import DataError, InfeasibleError, ParameterError, SchemaError, SfumatoError, suggest
from sfumato.ground.randomness import Randomness, Seed
from sfumato.ground.validate import finite, whole
from sfumato.tables.condensing.condensation import Condensation
from sfumato.tables.condensing.sparse import pool_sparse_columns
from sfumato.tables.condensing.statistics import GroupStatistics, deal_values, n_drawn, sort_by_group
from sfumato.tables.condensing.stream_columns import StreamColumns, polars_type
from sfumato.tables.condensing.stream_kernels import condense_records, covariance_of
from sfumato.tables.condensing.value_limits import Limits, fit_to_domain

__all__ = ["CondensationStream"]

FORMAT = "sfumato condensation 1"


class CondensationStream(SaysWhatMethodsTake):
    """Groups of k to 2k - 1 records, kept as sums alone, while records keep coming.

    `schema` is a `Schema`, of which every column but the identifiers is condensed, or a list of columns. A record is
    forgotten as soon as it is added. Columns are measured by their standard deviation so far, or by `scales` where
    given. Two tables drawn at different times can be compared, and what came between them stands out if it was little:
    draw seldom.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> numbers = sf.Table(hospital(40).frame.select("age", "cost"), sf.Schema(quasi=["age", "cost"]))
    >>> stream = sf.CondensationStream(numbers.schema, 5)
    >>> stream.add(numbers)
    CondensationStream(k=5, 40 records in 6 groups)
    """

    def __init__(
        self, schema: Schema | Sequence[str], k: int, *, scales: Mapping[str, float] | None = None
    ) -> None:  # fmt: skip
        whole("k", k, least=2)
        if isinstance(schema, str):
            raise SchemaError(f"columns come as a list, got the text {schema!r}; write [{schema!r}]")
        names = [] if isinstance(schema, Schema) else schema
        if not isinstance(names, Sequence) or any(not isinstance(name, str) for name in names):
            raise SchemaError(f"a stream needs a Schema or a list of columns, as in ['age'], got {schema!r}")
        self._schema = schema if isinstance(schema, Schema) else Schema(quasi=list(schema))
        self._k = k
        self._columns = StreamColumns(self._schema)
        self._given = dict(scales or {})
        known = [column.name for column in self._columns.columns]
        for name, scale in self._given.items():
            if name not in known:
                raise ParameterError(f"scales names the column {name!r}, which is not condensed{suggest(name, known)}")
            finite(f"the scale of column {name!r}", scale, asked="a number above 0", above=0.0)
        self._n_records = self._n_withheld = self._n_groups = 0
        self._state: dict[str, NDArray[np.float64]] = {}

    @property
    def k(self) -> int:
        """The least number of records in a group."""
        return self._k

    @property
    def n_records(self) -> int:
        """How many records came, without those that were withheld for lack of a value."""
        return self._n_records

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return self._n_groups

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many records each group stands for."""
        return np.rint(self._used_part("sizes")).astype(np.int64)

    def __repr__(self) -> str:
        return f"CondensationStream(k={self._k}, {self._n_records:,} records in {self._n_groups:,} groups)"

    def add(self, records: Any) -> CondensationStream:
        """Add a frame (of any library), a Table, a mapping from column to value, or a list of these; in their order.

        Either all are added or, where one is not as the schema says, none.
        """
        numbers, codes, n_withheld = self._columns.read(records)
        self._grow(len(numbers) if len(self._columns.numeric) else len(codes))
        state = self._state
        self._n_groups = condense_records(
            numbers, codes, self._k, self._n_groups, state["sizes"], state["counts"], state["means"], state["moments"],
            state["frequencies"], state["running"],
            np.array([self._given.get(column.name, 0.0) for column in self._columns.numeric], dtype=np.float64),
        )  # fmt: skip
        self._n_records += len(codes)
        self._n_withheld += n_withheld
        return self

    @property
    def statistics(self) -> GroupStatistics:
        """Counts, means and covariances of the numeric columns, by group, in the order of the schema: the owner's."""
        self._refuse_early()
        counts, moments = self._used_part("counts"), self._used_part("moments")
        covariances = [covariance_of(n, m) for n, m in zip(counts, moments, strict=True)]
        means = self._used_part("means").copy()
        return GroupStatistics(counts.copy(), means, np.array(covariances).reshape(moments.shape))

    def synthesize(
        self, *, alpha: float = 1.0, noise: float = 0.0, keep_means: bool = False, seed: Seed | None = None
    ) -> Table:
        """Records drawn from the groups as they are now, in random order; a group of equal records gives these again.

        See `Condensation` for `alpha` and `keep_means`; `noise` is a share of the column's standard deviation here.
        Where a group has fewer than k values of a column, it draws them from several groups together. Raises
        `InfeasibleError` while fewer than k records, or values of a quasi-identifier, came; another column that has
        fewer is left empty.
        """
        self._refuse_early()
        Condensation(alpha=alpha, noise=noise, keep_means=keep_means)  # refuses what makes no sense
        random = Randomness(seed)
        (statistics, too_few), sizes = pool_sparse_columns(self.statistics, self._k), self._used_part("sizes")
        self._refuse_few(too_few)
        group = np.repeat(np.arange(self._n_groups), n_drawn(sizes, alpha))
        group = group[random.spawn("order").permutation(len(group))]
        order, starts = sort_by_group(group, self._n_groups)
        scales = self._scales()
        points = statistics.draw(group, scales, random.spawn("along"))
        drawn: dict[str, pl.Series] = {}
        for c, column in enumerate(self._columns.numeric):
            values, known = points[:, c], statistics.counts[:, c]
            if noise:
                uniform = random.spawn(f"on {column.name}").uniform(len(group))
                values = values + noise * scales[c] * (2.0 * uniform - 1.0)
            known = np.zeros_like(known) if too_few[c] else known
            lacking = np.maximum(np.stack([known, sizes - known], axis=1), 0.0)
            if lacking[:, 1].any():
                none = deal_values(lacking, order, starts, random.spawn(f"missing {column.name}"))
                values = np.where(none == 1, np.nan, values)
            dtype = polars_type(self._columns.dtypes[column.name])
            means = statistics.means[:, c] if keep_means else None
            fitted = fit_to_domain(values, Limits.of(column, dtype), order, starts, means)
            drawn[column.name] = from_numbers(fitted, pl.Series(column.name, [], dtype=dtype))
        for column in self._columns.categories:
            codes = self._columns.codes_of(column.name)
            frequencies = self._used_part("frequencies")[:, codes]
            chosen = deal_values(frequencies, order, starts, random.spawn(f"of {column.name}"))
            texts = pl.Series(column.name, [self._columns.values[code][1] for code in codes], dtype=pl.String)
            drawn[column.name] = texts.gather(chosen)
        frame = pl.DataFrame([drawn[column.name] for column in self._columns.columns])
        return Table(frame, Schema.of(replace(column, missing_values=()) for column in self._columns.columns))

    def save(self, path: str | Path) -> Path:
        """Write everything that is needed to go on to one file; a crash leaves the old one or the new one.

        It holds sums of as few as one record: keep it as you keep the data. It is readable by its owner alone.
        """
        target = Path(path)
        kept = {
            "format": FORMAT, "k": self._k, "schema": schema_to_dict(self._schema), "scales": self._given,
            "dtypes": self._columns.dtypes, "kinds": {c.name: c.kind for c in self._columns.columns},
            "values": self._columns.values, "records": self._n_records, "withheld": self._n_withheld,
            "groups": self._n_groups,
        }  # fmt: skip
        arrays = {name: (array if name == "running" else self._used_part(name)) for name, array in self._state.items()}
        described = np.frombuffer(json.dumps(kept, ensure_ascii=False, default=str).encode(), dtype=np.uint8)
        partial = target.parent / f".{target.name}.partial-{os.getpid()}-{secrets.token_hex(4)}"
        try:
            with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                np.savez(file, told=described, **arrays)  # type: ignore[arg-type]
                file.flush()
                os.fsync(file.fileno())
            partial.replace(target)
        except OSError as error:
            raise DataError(f"could not write '{target.name}': {error.strerror or error}; nothing was saved") from error
        finally:
            partial.unlink(missing_ok=True)
        return target

    @classmethod
    def load(cls, path: str | Path) -> CondensationStream:
        """Go on from a file that `save` wrote, as if nothing had happened in between."""
        file = Path(path)
        try:
            with file.open("rb") as opened, np.load(opened, allow_pickle=False) as saved:
                arrays = {name: saved[name] for name in saved.files}
            kept = json.loads(arrays.pop("told").tobytes())
            if kept["format"] != FORMAT:
                raise ValueError("unknown format")
            stream = cls(schema_from_dict(kept["schema"]), int(kept["k"]), scales=kept["scales"])
            stream._restore(kept, arrays)
        except FileNotFoundError:
            raise DataError(f"there is no file '{file}'; save a stream first") from None
        except (OSError, EOFError, KeyError, TypeError, ValueError, zipfile.BadZipFile, SfumatoError) as error:
            raise DataError(
                f"'{file.name}' holds no stream that can be read ({type(error).__name__}); go back to an earlier one"
            ) from None
        return stream

    def _restore(self, kept: Mapping[str, Any], arrays: dict[str, NDArray[np.float64]]) -> None:
        """Take over the counts, categories and arrays of a saved stream."""
        self._columns.restore(kept["kinds"], kept["dtypes"], [(name, value) for name, value in kept["values"]])
        self._n_records, self._n_withheld = int(kept["records"]), int(kept["withheld"])
        self._n_groups = int(kept["groups"])
        if self._n_records:
            if any(len(arrays[name]) != self._n_groups for name in ("sizes", "counts", "means", "moments")):
                raise ValueError("arrays of different lengths")
            self._state = arrays
            self._grow(0)

    def _refuse_early(self) -> None:
        """Raise `InfeasibleError` while fewer than k records came."""
        if self._n_records < self._k:
            raise InfeasibleError(
                f"{self._n_records:,} records came so far, and k={self._k} needs {self._k}; nothing is given out before"
            )

    def _refuse_few(self, too_few: NDArray[np.bool_]) -> None:
        """Raise `InfeasibleError` where a quasi-identifier has fewer than k values."""
        for c, column in enumerate(self._columns.numeric):
            if too_few[c] and column.role == "quasi":
                raise InfeasibleError(
                    f"column {column.name!r} has fewer than k={self._k} values so far, and nothing can be drawn from "
                    f"so few; wait for more, or declare it plain"
                )

    def _used_part(self, name: str) -> NDArray[np.float64]:
        """The lines of an array that belong to groups; the rest is room for more."""
        return self._state[name][: self._n_groups] if name in self._state else np.empty(0)

    def _scales(self) -> NDArray[np.float64]:
        """The scale of each numeric column: as given, else its standard deviation so far, or 1 where that is 0."""
        n, _, squares, _ = self._state["running"]
        spread = np.sqrt(squares / np.maximum(n, 1.0))
        given = np.array([self._given.get(column.name, 0.0) for column in self._columns.numeric])
        return np.where(given > 0, given, np.where(spread > 0, spread, 1.0))

    def _grow(self, n: int) -> None:
        """Make room for what `n` more records can need: a group for every k, and every category."""
        d, v = len(self._columns.numeric), len(self._columns.values)
        if not self._state:
            self._state = {
                "sizes": np.zeros(0), "counts": np.zeros((0, d)), "means": np.zeros((0, d)),
                "moments": np.zeros((0, d, d)), "frequencies": np.zeros((0, v)), "running": np.zeros((4, d)),
            }  # fmt: skip
        wanted = (self._n_records + n) // self._k + 2
        for name in ("sizes", "counts", "means", "moments", "frequencies"):
            old = self._state[name]
            room = len(old) if len(old) >= wanted else max(wanted, len(old) * 3 // 2)
            shape = (room, v) if name == "frequencies" else (room, *old.shape[1:])
            if shape != old.shape:
                new = np.zeros(shape)
                new[tuple(slice(0, n) for n in old.shape)] = old
                self._state[name] = new
