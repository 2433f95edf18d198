"""Table: a frame with a schema. Polars inside; pandas, polars and pyarrow in and out."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np
import polars as pl
import polars.selectors as cs
from numpy.typing import NDArray

from sfumato.data.casting import cast_to_kinds, kind_of
from sfumato.data.checking import check_values
from sfumato.data.dates import check_dates
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.hierarchy_rules import Automatic
from sfumato.data.schema import Column, Schema
from sfumato.ground.calls import SaysWhatItTakes
from sfumato.ground.errors import DataError, SchemaError, suggest
from sfumato.ground.optional import load_optional
from sfumato.ground.validate import any_whole, one_of, told

if TYPE_CHECKING:
    import narwhals as nw
    import pandas as pd
    import pyarrow as pa

__all__ = ["Source", "Table", "kind_of"]

Source = Literal["polars", "pandas", "pyarrow"]


class Table(SaysWhatItTakes):
    """Records about people, one a row, and what each column is.

    `frame` may come from pandas, polars or pyarrow and is never changed; `to_native` gives that type back, or the one
    that `source` names. `NaN` counts as missing. `labels` say what values mean, by column and by their text: declared
    columns that the schema gives none have these.

    `schema` says what the columns are.

    >>> import sfumato as sf
    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [31, 47], "illness": ["flu", "gout"]})
    >>> sf.Table(frame, sf.Schema(quasi=["age"], sensitive=["illness"]))
    Table(2 rows x 2 columns: 1 quasi, 1 sensitive)
    """

    data_kind: ClassVar[str] = "table"
    """What kind of data it is, in a word."""

    def __init__(
        self,
        frame: Any,
        schema: Schema | None = None,
        *,
        source: Source | None = None,
        labels: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        if source is not None:
            one_of("source", source, get_args(Source))
        self._frame, given_in = _to_polars(frame)
        self._source: Source = source or given_in
        given = schema if schema is not None else Schema()
        if not isinstance(given, Schema):
            raise SchemaError(f"schema must be a Schema, got {type(given).__name__}; read a file with Schema.from_toml")
        for name in given.columns:
            if name not in self._frame.columns:
                raise SchemaError(
                    f"the schema names the column {name!r}, which the data lack{suggest(name, self._frame.columns)}"
                )
        meant = labels.values() if isinstance(labels, Mapping) else [labels]
        if labels is not None and not all(isinstance(each, Mapping) for each in meant):
            raise SchemaError(f"labels must say what values mean, as in {{'sex': {{'1': 'male'}}}}, got {told(labels)}")
        self._labels = {name: dict(meanings) for name, meanings in (labels or {}).items() if meanings}
        given = given.with_columns(
            *(replace(each, labels=self._labels[each.name]) for each in given.columns.values()
              if each.labels is None and each.name in self._labels)
        )  # fmt: skip
        check_dates(self._frame)
        self._frame = cast_to_kinds(self._frame, given)
        check_dates(self._frame)
        given = given.with_kinds({name: kind_of(self._frame[name]) for name in given.columns})
        kept = _published_rows(self._frame, given)
        self._schema = given.with_columns(*_fit_hierarchies(kept, given))
        check_values(self._frame, self._schema, kept)

    @property
    def frame(self) -> pl.DataFrame:
        """The records as a polars frame."""
        return self._frame

    @property
    def schema(self) -> Schema:
        """The declared columns, every kind filled in."""
        return self._schema

    @property
    def source(self) -> Source:
        """The library the records came in."""
        return self._source

    @property
    def labels(self) -> Mapping[str, Mapping[str, str]]:
        """What values mean as the file said that the records came in, by column and by their text, declared or not."""
        return self._labels

    @property
    def columns(self) -> list[str]:
        """All column names, declared or not."""
        return self._frame.columns

    @property
    def undeclared(self) -> list[str]:
        """Columns that the schema does not mention."""
        return [name for name in self._frame.columns if name not in self._schema.columns]

    def __len__(self) -> int:
        return self._frame.height

    def __repr__(self) -> str:
        roles = {role: len(self._schema.named(role)) for role in ("identifier", "quasi", "sensitive", "plain")}
        shown = ", ".join(f"{n} {role}" for role, n in roles.items() if n)
        return f"Table({len(self):,} rows x {len(self.columns)} columns{': ' + shown if shown else ''})"

    def _repr_html_(self) -> str:
        from sfumato.data.cards import table_card

        return table_card(self)

    def head(self, n: int = 5) -> Table:
        """The first `n` records, as a table."""
        return self.rows(slice(0, any_whole("n", n, least=0)))

    def with_schema(self, schema: Schema) -> Table:
        """The same records under another schema."""
        return Table(self._frame, schema, source=self._source, labels=self._labels)

    @property
    def complete(self) -> NDArray[np.int64]:
        """The positions of the rows that lack no value the schema insists on; the others are withheld."""
        strict = _required_columns(self._schema)
        if not strict:
            return np.arange(len(self))
        complete = self._frame.select(pl.all_horizontal(pl.col(name).is_not_null() for name in strict)).to_series()
        return complete.arg_true().to_numpy().astype(np.int64)

    def rows(self, keep: Any) -> Table:
        """Return the records at these positions; they are not checked again."""
        table = copy.copy(self)
        table._frame = self._frame[keep]
        return table

    def to_polars(self) -> pl.DataFrame:
        """As a polars frame."""
        return self._frame

    def to_pandas(self) -> pd.DataFrame:
        """As a pandas frame; pandas is installed apart, with `pip install pandas`."""
        load_optional("pandas", to="a pandas frame")
        return self._frame.to_pandas()

    def to_arrow(self) -> pa.Table:
        """As a pyarrow table."""
        return self._frame.to_arrow()

    def to_native(self) -> Any:
        """As whatever the records came in."""
        return {"polars": self.to_polars, "pandas": self.to_pandas, "pyarrow": self.to_arrow}[self._source]()


def _published_rows(frame: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    """Return the rows that will not be withheld: hierarchies are fitted to these alone, and tell nothing of others."""
    strict = _required_columns(schema)
    return frame.drop_nulls(strict) if strict else frame


def _required_columns(schema: Schema) -> list[str]:
    """The columns in which a missing value withholds the row."""
    return [column.name for column in schema.columns.values()
            if column.missing == "withhold" and column.role in ("quasi", "sensitive")]  # fmt: skip


def _fit_hierarchies(frame: pl.DataFrame, schema: Schema) -> list[Column]:
    """Return the columns whose hierarchy is automatic, each with one fitted to its data."""
    return [
        replace(column, hierarchy=Hierarchy.automatic(frame[column.name]))
        for column in schema.columns.values()
        if isinstance(column.hierarchy, Automatic)
    ]


def _to_polars(frame: Any) -> tuple[pl.DataFrame, Source]:
    if isinstance(frame, pl.DataFrame):
        native, source = frame, "polars"
    elif isinstance(frame, pl.LazyFrame):
        native, source = frame.collect(), "polars"
    else:
        import narwhals as nw
        from narwhals.exceptions import DuplicateError

        try:
            wrapped = nw.from_native(frame, eager_only=True)
            names = [str(name) for name in wrapped.columns]
        except DuplicateError:
            names = [str(name) for name in getattr(frame, "column_names", frame.columns)]
        except TypeError:
            kind = type(frame).__name__
            raise DataError(
                f"a table is made from a pandas, polars or pyarrow frame, got {kind}; files go through read_table"
            ) from None
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise DataError(f"the column {twice!r} appears twice; rename one of them")
        source = "pyarrow" if wrapped.implementation.is_pyarrow() else "pandas"
        native = _collect(wrapped)
    if "" in native.columns:
        raise DataError("a column has an empty name; give it one")
    one_zero = cs.float().fill_nan(None).replace(0.0, 0.0)  # -0 and 0 are one value
    return native.with_columns(one_zero), source  # type: ignore[return-value]


def _collect(wrapped: nw.DataFrame[Any]) -> pl.DataFrame:
    """Return the frame in polars; refuse a column that mixes types, by name."""
    import pyarrow as pa

    try:
        return wrapped.to_polars()
    except pa.ArrowException:
        for name in wrapped.columns:
            try:
                wrapped[name].to_polars()
            except pa.ArrowException:
                raise DataError(f"column {str(name)!r} mixes values of several types; bring it to one type") from None
        raise
