"""How a condition uses a column: compared with constants only, or in some other way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["Uses", "uses"]

_DAY = len("2024-02-29")


@dataclass(frozen=True)
class Uses:
    """The constants that a column is compared with, and whether it is used in any other way."""

    texts: tuple[str, ...]
    """Constants in quotes."""
    numbers: tuple[str, ...]
    """Constants without quotes, as they are written."""
    compared: bool
    """Whether the column is used in comparisons with constants and in IS NULL only."""
    equality: bool
    """Whether these ask for equality only."""
    calendar: bool
    """Whether every other use takes the year, quarter, month or day of it."""


def uses(parts: Sequence[exp.Expression], column: str) -> Uses:
    """How `parts` of a condition use a column."""
    from sqlglot import exp

    texts: list[str] = []
    numbers: list[str] = []
    compared = equality = calendar = True
    for part in parts:
        for node in part.find_all(exp.Column):
            if node.name != column:
                continue
            beside = _compared_with(node)
            constants = [_constant(each) for each in beside or ()]
            if beside is None or None in constants:
                compared = equality = False
                calendar = calendar and isinstance(_enclosing(node), (exp.Year, exp.Quarter, exp.Month, exp.Day))
                continue
            for constant in constants:
                assert constant is not None
                (texts if constant[0] else numbers).append(constant[1])
            equality = equality and isinstance(_enclosing(node), (exp.EQ, exp.NEQ, exp.In, exp.Is))
    return Uses(tuple(texts), tuple(numbers), compared, equality, calendar)


def _enclosing(node: exp.Expression) -> Any:
    """The expression around a node, brackets left out."""
    from sqlglot import exp

    above: Any = node.parent
    while isinstance(above, exp.Paren):
        above = above.parent
    return above


def _compared_with(node: exp.Expression) -> list[exp.Expression] | None:
    """The expressions that a column is compared with; None where it is used in another way."""
    from sqlglot import exp

    above = _enclosing(node)
    if isinstance(above, (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)):
        left = above.this.unnest()
        return [above.expression] if left is node else [above.this]
    if isinstance(above, exp.Between) and above.this.unnest() is node and not above.args.get("symmetric"):
        return [above.args["low"], above.args["high"]]
    if isinstance(above, exp.In) and above.this.unnest() is node:
        return list(above.expressions)
    if isinstance(above, exp.Is) and isinstance(above.expression, exp.Null):
        return []
    return None


def _constant(node: exp.Expression) -> tuple[bool, str] | None:
    """Whether a constant is a text, and how it is written; None for anything else."""
    from sqlglot import exp

    node = cast("exp.Expression", node.unnest())
    if isinstance(node, exp.Cast) and node.to.this.value in ("DATE", "TIMESTAMPNTZ"):
        inner = node.this.unnest()
        whole = node.to.this.value == "TIMESTAMPNTZ" or len(inner.name) == _DAY
        return (True, inner.name) if isinstance(inner, exp.Literal) and inner.is_string and whole else None
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal) and not node.this.is_string:
        return False, f"-{node.this.name}"
    if isinstance(node, exp.Literal):
        return bool(node.is_string), node.name
    return None
