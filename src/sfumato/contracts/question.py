"""A question: one SELECT with one aggregate, read from SQL. Whatever is not known to be harmless is refused by name."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from sfumato.ground.errors import ParameterError, suggest

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["NESTED", "Aggregate", "Question", "columns_of", "conjuncts", "read_question"]

NESTED = "the condition nests brackets, NOT, signs or functions too deeply to be read; write it flatter"
"""What is said of a statement that the reader of SQL runs out of depth on."""
MOST_CHARACTERS = 1_000_000
MOST_VALUES = 50_000
MOST_WORDS = 10_000
"""How much a statement may hold: the time to read it grows with each."""

Aggregate: TypeAlias = Literal["COUNT", "SUM", "AVG", "MIN", "MAX", "MEDIAN"]

_AGGREGATES = ("Count", "Sum", "Avg", "Min", "Max", "Median")
_CLAUSES = {
    "with_": "WITH", "having": "HAVING", "order": "ORDER BY", "limit": "LIMIT", "offset": "OFFSET", "joins": "a join",
    "laterals": "LATERAL", "distinct": "DISTINCT", "qualify": "QUALIFY", "windows": "WINDOW", "sample": "a sample",
    "into": "INTO", "pivots": "PIVOT",
}  # fmt: skip
_CONDITIONS = (
    "And", "Or", "Not", "Paren", "EQ", "NEQ", "GT", "GTE", "LT", "LTE", "Between", "In", "Is", "Like", "ILike",
    "Escape", "Add", "Sub", "Mul", "Div", "Mod", "Neg", "Abs", "Lower", "Upper", "Length", "Coalesce", "Substring",
    "Year", "Quarter", "Month", "Day", "Cast", "DataType", "Column", "Identifier", "Literal", "Boolean", "Null",
)  # fmt: skip
_TYPES = {
    "DATE": "DATE",
    "TIMESTAMPNTZ": "TIMESTAMP",
    "INT": "INTEGER",
    "BIGINT": "BIGINT",
    "DOUBLE": "DOUBLE",
    "TEXT": "TEXT",
}


@dataclass(frozen=True, eq=False)
class Question:
    """One aggregate of a column (None: of the records), the conditions on the records, and the columns to group by."""

    aggregate: Aggregate
    column: str | None
    where: tuple[exp.Expression, ...]
    """The condition as the parts that AND joins; their columns are named as the release names them."""
    by: tuple[str, ...] = ()
    alias: str | None = None

    @property
    def label(self) -> str:
        """The aggregate as a reader writes it, such as `AVG(salary)`."""
        return f"{self.aggregate}({self.column if self.column is not None else '*'})"


def read_question(sql: str, columns: Sequence[str]) -> Question:
    """Read the question that a statement asks of a table `release` with these columns."""
    if not isinstance(sql, str):
        raise ParameterError(f"ask takes SQL as text, got {type(sql).__name__}")
    try:
        sql.encode()
    except UnicodeEncodeError:
        raise ParameterError("the SQL holds bytes that are no text; write it in UTF-8") from None
    if len(sql) > MOST_CHARACTERS:
        raise ParameterError(
            f"the SQL has {len(sql):,} characters, and at most {MOST_CHARACTERS:,} are read; ask in several questions"
        )
    if not sql.strip():
        raise ParameterError("nothing is asked; ask as in SELECT AVG(salary) FROM release")
    select = _one_select(sql, columns)
    _refuse_clauses(select)
    names = _Names(columns)
    where = select.args.get("where")
    condition = where.this if where is not None else None
    if condition is not None:
        _refuse_unknown(condition)
        condition = names.resolve_columns(condition)
    by = _group_by_columns(select, names)
    aggregate, column, alias = _find_aggregate(select, names, by)
    return Question(aggregate, column, tuple(conjuncts(condition)), by, alias)


def conjuncts(condition: exp.Expression | None) -> Iterator[exp.Expression]:
    """Yield the parts that AND joins at the top of a condition."""
    from sqlglot import exp

    pending = [condition] if condition is not None else []
    while pending:
        part = pending.pop()
        inner = part.unnest()
        if isinstance(inner, exp.And):
            pending += [inner.expression, inner.this]
        else:
            yield part


def columns_of(part: exp.Expression) -> list[str]:
    """Return the columns that a condition uses, each once."""
    from sqlglot import exp

    return list(dict.fromkeys(column.name for column in part.find_all(exp.Column)))


def _one_select(sql: str, columns: Sequence[str]) -> exp.Select:
    from sqlglot import exp
    from sqlglot.dialects.dialect import Dialect
    from sqlglot.errors import SqlglotError

    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    dialect = Dialect.get_or_raise("duckdb")
    words: Sequence[Any] = ()
    try:
        words = dialect.tokenize(sql)
        _refuse_many(words)
        statements = [each for each in dialect.parser().parse(words, sql) if each is not None]
    except RecursionError:
        raise ParameterError(NESTED) from None
    except SqlglotError as error:
        _refuse_words_of_sql(words, columns)
        said = getattr(error, "errors", None) or [{}]
        near = said[0].get("highlight")
        where = f" near {near!r}" if near else ""
        raise ParameterError(f"the SQL cannot be read{where}; {_how_to_ask(columns)}") from None
    if len(statements) != 1:
        raise ParameterError(f"ask takes one statement, got {len(statements)}; ask each on its own")
    if not isinstance(statements[0], exp.Select):
        raise ParameterError(f"ask takes a SELECT, got {_sql_excerpt(statements[0])}; {_how_to_ask(columns)}")
    return statements[0]


def _refuse_words_of_sql(words: Sequence[Any], columns: Sequence[str]) -> None:
    """Say of a statement that cannot be read which of its words are columns that need quotes, if any."""
    named = {name.lower(): name for name in columns}
    for word in words:
        name = named.get(word.text.lower())
        if name is not None and word.token_type.name not in ("VAR", "IDENTIFIER", "STRING", "NUMBER"):
            raise ParameterError(f'{word.text!r} is a word of SQL: write "{name}" in double quotes for the column')


def _how_to_ask(columns: Sequence[str]) -> str:
    """Two examples and the columns that there are, as the end of a sentence."""
    shown = ", ".join(f'"{name}"' for name in columns[:12]) + (" ..." if len(columns) > 12 else "")
    there = f"; the columns are {shown}" if columns else ""
    return (
        "ask as in SELECT AVG(salary) FROM release WHERE age > 30, or SELECT COUNT(*) FROM release GROUP BY sex" + there
    )


def _refuse_many(words: Sequence[Any]) -> None:
    """Refuse a statement of so many values or other words that reading it would take long."""
    kinds = Counter(word.token_type.name for word in words)
    n_values = kinds["NUMBER"] + kinds["STRING"]
    n_words = len(words) - n_values - kinds["COMMA"] - kinds["DASH"]
    if n_values > MOST_VALUES:
        raise ParameterError(
            f"the SQL has {n_values:,} values, and at most {MOST_VALUES:,} are read; ask for a part of them, or "
            f"compare by BETWEEN"
        )
    if n_words > MOST_WORDS:
        raise ParameterError(
            f"the SQL has {n_words:,} words, and at most {MOST_WORDS:,} are read; list values in IN instead of joining "
            f"comparisons by OR"
        )


def _refuse_clauses(select: exp.Select) -> None:
    from sqlglot import exp

    for key, given in select.args.items():
        if given and key not in ("expressions", "from_", "where", "group"):
            raise ParameterError(f"{_CLAUSES.get(key, key.strip('_').upper())} cannot be answered; leave it out")
    source = select.args.get("from_")
    table: Any = source.this if source is not None else None
    plain = isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier)
    if not plain or table.name.lower() != "release" or any(v for k, v in table.args.items() if k != "this"):
        got = f"got {_sql_excerpt(table)}" if table is not None else "got none"
        raise ParameterError(f"the one table to ask is release, {got}; write FROM release")


def _refuse_unknown(condition: exp.Expression) -> None:
    """Refuse anything in a condition that `_CONDITIONS` does not list."""
    from sqlglot import exp

    for node in condition.walk():
        if type(node).__name__ not in _CONDITIONS:
            raise ParameterError(
                f"{_sql_excerpt(node)} cannot stand in a condition; use comparisons, IN, BETWEEN, LIKE, IS NULL"
            )
        if isinstance(node, exp.In) and any(v for k, v in node.args.items() if k not in ("this", "expressions")):
            raise ParameterError("IN takes a list of values; a subquery cannot be answered")
        if isinstance(node, exp.DataType) and (node.this.value not in _TYPES or node.expressions):
            raise ParameterError(
                f"a value cannot be cast to {node.sql('duckdb')}; cast to {', '.join(_TYPES.values())}"
            )
        if isinstance(node, exp.Column) and not isinstance(node.this, exp.Identifier):
            raise ParameterError(f"{_sql_excerpt(node)} cannot stand in a condition; name a column")
        if isinstance(node, exp.Literal) and not node.is_string and _is_vast(node.name):
            raise ParameterError(
                f"the number {_sql_excerpt(node)} is too long to be compared with; write a shorter one"
            )


def _is_vast(number: str) -> bool:
    """Whether a number has hundreds of digits."""
    digits, _, power = number.lower().partition("e")
    return len(digits) > 400 or len(power) > 5 or abs(int(power or 0)) > 400


def _group_by_columns(select: exp.Select, names: _Names) -> tuple[str, ...]:
    from sqlglot import exp

    group = select.args.get("group")
    if group is None:
        return ()
    if any(given for key, given in group.args.items() if key != "expressions"):
        raise ParameterError("GROUP BY takes columns; ROLLUP, CUBE and the like cannot be answered")
    for each in group.expressions:
        if not isinstance(each, exp.Column):
            raise ParameterError(f"GROUP BY takes columns, got {_sql_excerpt(each)}; name the columns")
    return tuple(dict.fromkeys(names.name(each) for each in group.expressions))


def _find_aggregate(select: exp.Select, names: _Names, by: Sequence[str]) -> tuple[Aggregate, str | None, str | None]:
    """Return the one aggregate that is selected, its column and its alias; other columns must be grouped by."""
    from sqlglot import exp

    found: tuple[Aggregate, str | None, str | None] | None = None
    for each in select.expressions:
        alias, inner = (each.alias, each.this) if isinstance(each, exp.Alias) else (None, each)
        if isinstance(inner, exp.Column) and not isinstance(inner.this, exp.Star):
            name = names.name(inner)
            if name not in by:
                raise ParameterError(f"column {name!r} is selected and not grouped by; add GROUP BY {name}")
            continue
        if type(inner).__name__ not in _AGGREGATES:
            raise ParameterError(
                f"{_sql_excerpt(inner)} cannot be answered; select one of COUNT, SUM, AVG, MIN, MAX, MEDIAN of a column"
            )
        if found is not None:
            raise ParameterError(
                f"one aggregate is answered at a time, got {_sql_excerpt(inner)} too; ask it on its own"
            )
        found = (*_read_aggregate(inner, names), alias)
    if found is None:
        raise ParameterError("nothing is aggregated; select one of COUNT, SUM, AVG, MIN, MAX, MEDIAN of a column")
    return found


def _read_aggregate(inner: exp.Expression, names: _Names) -> tuple[Aggregate, str | None]:
    """Return the name of an aggregate and its column, None for COUNT(*)."""
    from sqlglot import exp

    aggregate: Any = type(inner).__name__.upper()
    if any(v for k, v in inner.args.items() if k not in ("this", "big_int")):
        raise ParameterError(f"{_sql_excerpt(inner)} cannot be answered; {aggregate} takes one column")
    of = inner.this
    if isinstance(of, exp.Star) and aggregate == "COUNT" and not any(of.args.values()):
        return aggregate, None
    if not isinstance(of, exp.Column) or not isinstance(of.this, exp.Identifier):
        raise ParameterError(f"{_sql_excerpt(inner)} cannot be answered; {aggregate} takes one column")
    return aggregate, names.name(of)


def _sql_excerpt(node: Any) -> str:
    """A part of the statement in quotes, cut where it is long, for messages."""
    shown = node.sql("duckdb") if hasattr(node, "sql") else str(node)
    return repr(shown if len(shown) <= 60 else shown[:57] + "...")


class _Names:
    """Finds the columns that SQL names: in any case where only one fits, and to the letter where the name is quoted."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = list(columns)

    def name(self, column: exp.Column) -> str:
        if any(v for k, v in column.args.items() if k not in ("this", "table")) or (
            column.table and column.table.lower() != "release"
        ):
            raise ParameterError(f"{_sql_excerpt(column)} is no column of release; name the column alone")
        asked = column.name
        if column.this.args.get("quoted") or asked in self.columns:
            alike = [name for name in self.columns if name == asked]
        else:
            alike = [name for name in self.columns if name.lower() == asked.lower()]
        if len(alike) > 1:
            raise ParameterError(f"column {asked!r} can be any of {', '.join(alike)}; quote the one you mean")
        if not alike:
            raise ParameterError(f"no column is called {asked!r}{suggest(asked, self.columns)}")
        return alike[0]

    def resolve_columns(self, condition: exp.Expression) -> exp.Expression:
        """Return the condition with every column under the name that the release has for it."""
        from sqlglot import exp

        def rename(node: exp.Expression) -> exp.Expression:
            return exp.column(self.name(node), quoted=True) if isinstance(node, exp.Column) else node

        return condition.transform(rename, copy=False)
