"""What each column is: its role, its kind, and what is known of its values."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from sfumato.data.date_formats import is_date_format
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.values import as_number, date_from_text, text
from sfumato.ground.brief import brief_repr, name_some
from sfumato.ground.calls import SaysWhatItTakes
from sfumato.ground.errors import SchemaError, suggest
from sfumato.ground.validate import told

__all__ = ["Column", "Kind", "Missing", "Role", "Schema"]

Role: TypeAlias = Literal["identifier", "quasi", "sensitive", "plain"]
Kind: TypeAlias = Literal["integer", "number", "date", "category", "ordinal"]
Missing: TypeAlias = Literal["value", "refuse", "withhold"]

ROLES: tuple[str, ...] = get_args(Role)
KINDS: tuple[str, ...] = get_args(Kind)
MISSING_RULES: tuple[str, ...] = get_args(Missing)


def wrong_rule(given: Any) -> str:
    """Say what `missing` takes and, where cells were given, that `missing_values` declares them."""
    said = f"missing must be one of {', '.join(MISSING_RULES)}, got {told(given)}"
    if isinstance(given, str) and given.isalpha() and len(given) > 3:  # a word, as of another rule
        return said
    cells = given if isinstance(given, (list, tuple)) else [given]
    codes = ", ".join(f'"{text(cell)}"' for cell in cells[:5])
    return f"{said}; cells of a column that stand for no value are declared by missing_values = [{codes}]"


@dataclass(frozen=True, kw_only=True, repr=False)
class Column(SaysWhatItTakes):
    """One column of a schema; a `kind` of None is found from the data.

    `name` and `role` say which it is; `low` and `high` bound its values, `hierarchy` says how they are made coarser,
    and `missing` what it means that there is none: a `value`, or that the table is refused, or the row withheld.

    >>> import sfumato as sf
    >>> sf.Column(name="age", role="quasi", low=0, high=105)
    Column(name='age', role='quasi', low=0, high=105)
    """

    name: str
    role: Role = "plain"
    kind: Kind | None = None
    low: Any = None
    """Lower bound of the domain; the data's own minimum where None."""
    high: Any = None
    weight: float = 1.0
    """How much a loss in this column counts beside the others."""
    hierarchy: Hierarchy | None = None
    order: tuple[str, ...] | None = None
    """The values of an ordinal column, from lowest to highest."""
    missing: Missing = "value"
    missing_values: tuple[str, ...] = ()
    """Cells that stand for no value, as text: a code such as 998, or `n/a`."""
    date_format: str | None = None
    """How the dates of a text column are written, as in `dd.mm.yyyy`; see `date_formats`."""
    labels: Mapping[str, str] | None = None
    """What values mean, by their text, as in `{"1": "male", "2": "female"}`: told to readers beside the values."""

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        """Check the column without the data, and report every mistake at once."""
        problems = [*self._wrong_words(), *self._wrong_order(), *self._wrong_bounds(), *self._wrong_readings()]
        if problems:
            raise SchemaError("; ".join(f"column {self.name!r}: {problem}" for problem in problems))

    def _wrong_words(self) -> Iterator[str]:
        if not isinstance(self.name, str):
            yield f"a column is named by text; write '{self.name}'"
        if not isinstance(self.role, str) or self.role not in ROLES:
            yield f"role must be one of {', '.join(ROLES)}, got {self.role!r}"
        if self.kind is not None and (not isinstance(self.kind, str) or self.kind not in KINDS):
            yield f"kind must be one of {', '.join(KINDS)}, got {self.kind!r}"
        if not isinstance(self.missing, str) or self.missing not in MISSING_RULES:
            yield wrong_rule(self.missing)
        if isinstance(self.weight, bool) or not (
            isinstance(self.weight, (int, float)) and 0 < self.weight < float("inf")
        ):
            yield f"weight must be a number above 0, got {self.weight!r}"
        if self.hierarchy is not None and not isinstance(self.hierarchy, Hierarchy):
            yield f"hierarchy must be a Hierarchy, got {self.hierarchy!r}; read a file with Hierarchy.from_csv"

    def _wrong_order(self) -> Iterator[str]:
        if self.order is None:
            if isinstance(self.kind, str) and self.kind == "ordinal":
                yield "an ordinal column needs its order, the values from lowest to highest"
            return
        if not isinstance(self.order, (list, tuple)) or not self.order:
            yield f"order must list the values from lowest to highest, got {self.order!r}"
            return
        object.__setattr__(self, "order", tuple(text(value) for value in self.order))
        if self.kind is None:
            object.__setattr__(self, "kind", "ordinal")
        if self.kind in ("integer", "number", "date"):
            yield f"order is for ordinal columns, and the kind is {self.kind}; remove one of them"
        if len(set(self.order)) < len(self.order):
            yield "order names a value twice"

    def _wrong_readings(self) -> Iterator[str]:
        """What is wrong with how cells are to be read."""
        if not isinstance(self.missing_values, (list, tuple)):
            yield f"missing_values must list cells that stand for no value, got {told(self.missing_values)}"
        else:
            object.__setattr__(self, "missing_values", tuple(dict.fromkeys(map(text, self.missing_values))))
        if self.date_format is not None:
            if not isinstance(self.date_format, str) or not is_date_format(self.date_format):
                yield f"date_format must be a form such as dd.mm.yyyy or mm/dd/yyyy HH:MM, got {told(self.date_format)}"
            elif self.kind not in (None, "date"):
                yield f"date_format is for dates, and the kind is {self.kind}; remove one of them"
            object.__setattr__(self, "kind", "date")
        if self.labels is not None:
            if not isinstance(self.labels, Mapping) or not all(isinstance(each, str) for each in self.labels.values()):
                yield f'labels must say what each value means, as in {{ 1 = "male" }}, got {told(self.labels)}'
                return
            object.__setattr__(self, "labels", {text(value): label for value, label in self.labels.items()} or None)

    def _wrong_bounds(self) -> Iterator[str]:
        for key in ("low", "high"):
            given = getattr(self, key)
            bound = given.item() if isinstance(given, np.generic) else given
            try:
                if bound is not None:
                    object.__setattr__(self, key, date_from_text(bound))
                    as_number(getattr(self, key))
            except (TypeError, ValueError):
                object.__setattr__(self, key, None)
                yield f"a bound must be a number or a date, got {bound!r}"
        if self.low is None or self.high is None:
            return
        if isinstance(self.low, dt.date) != isinstance(self.high, dt.date):
            yield f"low and high must be two numbers or two dates, got {self.low} and {self.high}"
        elif as_number(self.low) >= as_number(self.high):
            yield f"low must be below high, got {self.low} and {self.high}"


@dataclass(frozen=True, init=False, repr=False)
class Schema(SaysWhatItTakes):
    """The columns of a table, by role.

    Columns that are not mentioned take the role `rest`. It is `identifier` unless said otherwise: what nobody
    declared is not published. Rows are taken for persons where the identifiers, taken together, tell them all apart;
    where these repeat and every row is another person all the same, `rows_are_persons` says so.

    `identifier`, `quasi`, `sensitive` and `plain` name the columns of each role. What is known of columns is given by
    their names: `kinds`, `bounds` (low and high), `weights`, `hierarchies`, `orders` (of ordinal values),
    `missing_values` (codes for no value), `date_formats` and `labels` (what values mean). `missing` is what a missing
    value means, for all or by column.

    >>> Schema(identifier=["name"], quasi=["age", "zip"], sensitive=["disease"]).role("zip")
    'quasi'
    """

    columns: Mapping[str, Column] = field()
    rest: Role = "identifier"
    _wrong_kind = SchemaError
    rows_are_persons: bool = False
    """Whether every row is said to be another person, although the identifiers repeat."""

    def __init__(  # noqa: PLR0913  one parameter for each thing that is known of columns
        self,
        *,
        identifier: Sequence[str] = (),
        quasi: Sequence[str] = (),
        sensitive: Sequence[str] = (),
        plain: Sequence[str] = (),
        kinds: Mapping[str, Kind] | None = None,
        bounds: Mapping[str, tuple[Any, Any]] | None = None,
        weights: Mapping[str, float] | None = None,
        hierarchies: Mapping[str, Hierarchy] | None = None,
        orders: Mapping[str, Sequence[str]] | None = None,
        missing: Missing | Mapping[str, Missing] = "value",
        missing_values: Mapping[str, Sequence[Any]] | None = None,
        date_formats: Mapping[str, str] | None = None,
        labels: Mapping[str, Mapping[Any, str]] | None = None,
        rest: Role = "identifier",
        rows_are_persons: bool = False,
    ) -> None:
        by_role: dict[Role, Sequence[str]] = {
            "identifier": identifier, "quasi": quasi, "sensitive": sensitive, "plain": plain,
        }  # fmt: skip
        roles: dict[str, Role] = {}
        for role, names in by_role.items():
            if isinstance(names, str):
                raise SchemaError(f"{role} takes a list of columns, got the text {names!r}; write [{names!r}]")
            for name in names:
                if name in roles:
                    twice = f"has two roles, {roles[name]} and {role}" if roles[name] != role else "is named twice"
                    raise SchemaError(f"column {name!r} {twice}; keep one")
                roles[name] = role
        if rest not in ROLES:
            raise SchemaError(f"rest must be one of {', '.join(ROLES)}, got {rest!r}")
        if not isinstance(rows_are_persons, bool):
            raise SchemaError(f"rows_are_persons must be true or false, got {told(rows_are_persons)}")
        details: dict[str, Mapping[str, Any]] = {
            "kinds": kinds or {}, "bounds": bounds or {}, "weights": weights or {},
            "hierarchies": hierarchies or {}, "orders": orders or {},
            "missing": missing if isinstance(missing, Mapping) else {}, "missing_values": missing_values or {},
            "date_formats": date_formats or {}, "labels": labels or {},
        }  # fmt: skip
        for what, given in details.items():
            for name in given:
                if name not in roles:
                    raise SchemaError(f"{what} names the column {name!r}, which has no role{suggest(name, roles)}")
        columns: dict[str, Column] = {}
        for name, role in roles.items():
            pair = details["bounds"].get(name, (None, None))
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise SchemaError(f"column {name!r}: bounds take a pair (low, high), got {pair!r}")
            columns[name] = Column(
                name=name, role=role, kind=details["kinds"].get(name), low=pair[0], high=pair[1],
                weight=details["weights"].get(name, 1.0), hierarchy=details["hierarchies"].get(name),
                order=details["orders"].get(name),
                missing=details["missing"].get(name, missing if isinstance(missing, str) else "value"),
                missing_values=details["missing_values"].get(name, ()),
                date_format=details["date_formats"].get(name), labels=details["labels"].get(name),
            )  # fmt: skip
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "rest", rest)
        object.__setattr__(self, "rows_are_persons", rows_are_persons)

    def __repr__(self) -> str:
        said = [f"{role}={name_some(self.named(role))}" for role in get_args(Role) if self.named(role)]
        said += [f"rest={self.rest!r}"] if self.rest != "identifier" else []
        said += ["rows_are_persons=True"] if self.rows_are_persons else []
        return f"Schema({', '.join(said)})"

    def _repr_html_(self) -> str:
        from sfumato.data.cards import schema_card

        return schema_card(self)

    @classmethod
    def of(
        cls, columns: Iterable[Column], *, rest: Role = "identifier", rows_are_persons: bool = False
    ) -> Schema:  # fmt: skip
        """From whole `Column`s."""
        schema = cls(rest=rest, rows_are_persons=rows_are_persons)
        by_name: dict[str, Column] = {}
        for column in columns:
            if column.name in by_name:
                raise SchemaError(f"column {column.name!r} is named twice; keep one")
            by_name[column.name] = column
        object.__setattr__(schema, "columns", by_name)
        return schema

    @classmethod
    def from_toml(cls, path: str | Path) -> Schema:
        """Read a schema file, as `sfumato inspect` writes it."""
        from sfumato.data.schema_file import read_schema

        return read_schema(path)

    def to_toml(self) -> str:
        """The schema as the text of a schema file."""
        from sfumato.data.schema_file import write_schema

        return write_schema(self)

    def named(self, role: Role) -> list[str]:
        """The columns declared with this role, in the order they were given."""
        return [name for name, column in self.columns.items() if column.role == role]

    @property
    def identifier(self) -> list[str]:
        """Columns that name a person: never published."""
        return self.named("identifier")

    @property
    def quasi(self) -> list[str]:
        """Columns that an outsider may know: made coarser, so that rows look alike."""
        return self.named("quasi")

    @property
    def sensitive(self) -> list[str]:
        """Columns that an outsider wants to know."""
        return self.named("sensitive")

    @property
    def plain(self) -> list[str]:
        """Columns published as they are."""
        return self.named("plain")

    def role(self, name: str) -> Role:
        """The role of a column, declared or by default."""
        column = self.columns.get(name)
        return column.role if column is not None else self.rest

    def column(self, name: str) -> Column:
        """The column of that name; one that was never declared has the default role."""
        return self.columns.get(name) or Column(name=name, role=self.rest)

    def with_columns(self, *columns: Column) -> Schema:
        """A copy with these columns in place of those of the same name, or added."""
        merged = dict(self.columns) | {column.name: column for column in columns}
        return Schema.of(merged.values(), rest=self.rest, rows_are_persons=self.rows_are_persons)

    def with_kinds(self, kinds: Mapping[str, Kind]) -> Schema:
        """A copy with kinds filled in for declared columns that have none."""
        return self.with_columns(
            *(replace(c, kind=kinds[c.name]) for c in self.columns.values() if c.kind is None and c.name in kinds)
        )
