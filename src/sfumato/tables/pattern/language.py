"""A small language for linear relations among values.

    age[3] - age[1] <= age[7] - age[3]           values by row, counted from 0
    2 * income[0] <= income[1] + 500
    mean(income[region = 'north']) <= 40000      means and sums over the rows that a condition picks (SQL)
    sum(cost) within 1%                          stays within 1% of what it is
    mean(age[sex = 'f']) - mean(age[sex = 'm']) within 0.5
    `blood pressure`[2] = 120                    names that are no plain word stand between backticks

`<` is read as `<=`: a point drawn at random lies on the border with probability 0.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from sfumato.ground.errors import ParameterError

__all__ = ["Linear", "Pick", "Statement", "parse_property"]

Relation: TypeAlias = Literal["<=", ">=", "==", "within"]


@dataclass(frozen=True)
class Pick:
    """Values of one column: a row, or the sum or mean over the rows that a condition picks."""

    column: str
    row: int | None = None
    condition: str | None = None
    """SQL; None for all rows."""
    mean: bool = False


@dataclass(frozen=True)
class Linear:
    """A weighted sum of values and a constant."""

    terms: tuple[tuple[Pick, float], ...] = ()
    constant: float = 0.0

    def plus(self, other: Linear, sign: float = 1.0) -> Linear:
        """The sum, or with `sign` -1 the difference, of two."""
        more = tuple((pick, sign * weight) for pick, weight in other.terms)
        return Linear((*self.terms, *more), self.constant + sign * other.constant)

    def times(self, factor: float) -> Linear:
        """A multiple."""
        return Linear(tuple((pick, factor * weight) for pick, weight in self.terms), factor * self.constant)


@dataclass(frozen=True)
class Statement:
    """`left relation 0`, or that `left` stays within a margin of what it is."""

    left: Linear
    relation: Relation
    margin: float = 0.0
    relative: bool = field(default=False)


_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*)|`(?P<quoted>[^`]+)`"
    r"|(?P<relation><=|>=|==|<|>|=|≤|≥)|(?P<sign>[-+*/()%\[\]]))"
)
_RELATIONS: dict[str, Relation] = {"<": "<=", "≤": "<=", ">": ">=", "≥": ">=", "=": "=="}
_DEEPEST = 50
_FUNCTIONS = ("mean", "avg", "sum")


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.at, self.last, self.depth = text, 0, 0, 0

    def fail(self, wanted: str, *, taken: bool = False) -> ParameterError:
        """A mistake at what comes next, or at what was taken last."""
        rest = self.text[self.last if taken else self.at :].strip()
        found = f"found {rest[:20]!r}" if rest else "the text ends"
        return ParameterError(f"property {self.text!r}: expected {wanted}, {found}")

    def peek(self) -> tuple[str, str]:
        """The kind and text of what comes next."""
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            return ("end" if not self.text[self.at :].strip() else "odd"), ""
        kind = str(match.lastgroup)
        return kind, match[kind]

    def take(self) -> tuple[str, str]:
        found = self.peek()
        match = _TOKEN.match(self.text, self.at)
        self.last = self.at
        if match is not None:
            self.at = match.end()
        return found

    def skip(self, sign: str) -> bool:
        if self.peek() == ("sign", sign):
            self.take()
            return True
        return False

    def expect(self, sign: str) -> None:
        if not self.skip(sign):
            raise self.fail(repr(sign))

    def linear(self) -> Linear:
        total = self.term(-1.0 if self.skip("-") else 1.0)
        while self.peek() in (("sign", "+"), ("sign", "-")):
            sign = -1.0 if self.take()[1] == "-" else 1.0
            total = total.plus(self.term(sign))
        return total

    def term(self, factor: float) -> Linear:
        result = self.atom().times(factor)
        while self.peek() in (("sign", "*"), ("sign", "/")):
            by = self.take()[1]
            other = self.atom()
            if by == "/":
                if other.terms or other.constant == 0.0:
                    raise self.fail("a number other than 0 to divide by: properties are linear")
                result = result.times(1.0 / other.constant)
            elif other.terms and result.terms:
                raise self.fail("no product of two values: properties are linear")
            else:
                result = other.times(result.constant) if other.terms else result.times(other.constant)
        return result

    def atom(self) -> Linear:
        kind, text = self.peek()
        if kind == "number":
            if not math.isfinite(float(text)):
                raise self.fail("a number that is finite")
            self.take()
            return Linear(constant=float(text))
        if self.skip("("):
            self.depth += 1
            if self.depth > _DEEPEST:
                raise self.fail(f"at most {_DEEPEST} brackets inside each other")
            inner = self.linear()
            self.expect(")")
            self.depth -= 1
            return inner
        if kind == "name" and text.lower() in _FUNCTIONS and re.match(r"\s*\w+\s*\(", self.text[self.at :]):
            self.take()
            self.expect("(")
            pick = self.pick(mean=text.lower() != "sum", aggregate=True)
            self.expect(")")
            return Linear(((pick, 1.0),))
        if kind in ("name", "quoted"):
            return Linear(((self.pick(mean=False, aggregate=False), 1.0),))
        raise self.fail("a number, a value such as age[3], or mean(...) or sum(...)")

    def pick(self, *, mean: bool, aggregate: bool) -> Pick:
        kind, column = self.take()
        if kind not in ("name", "quoted"):
            raise self.fail("the name of a column", taken=True)
        if self.peek() != ("sign", "["):
            if aggregate:
                return Pick(column, mean=mean)
            raise self.fail(f"the row in brackets, as in {column}[3]")
        inside = self.brackets()
        if aggregate:
            return Pick(column, condition=_single_signs(inside), mean=mean)
        if re.fullmatch(r"-\s*\d+", inside):
            raise ParameterError(f"property {self.text!r}: rows count from 0, got {column}[{inside}]")
        if not re.fullmatch(r"\d+", inside):
            raise ParameterError(
                f"property {self.text!r}: {column}[{inside}] picks rows by a condition; say mean({column}[{inside}]) "
                f"or sum({column}[{inside}])"
            )
        return Pick(column, row=int(inside))

    def brackets(self) -> str:
        """What stands between the brackets; brackets and quotes inside are matched."""
        self.expect("[")
        depth, quote, start = 1, "", self.at
        for at in range(start, len(self.text)):
            char = self.text[at]
            if quote:
                quote = "" if char == quote else quote
            elif char in "'\"":
                quote = char
            elif char == "[":
                depth += 1
            elif char == "]":
                depth -= 1
                if not depth:
                    self.at = at + 1
                    return self.text[start:at].strip()
        raise self.fail("']'")


def _single_signs(condition: str) -> str:
    """SQL's `=` for `==`, outside quotes."""
    return re.sub(r"""('[^']*'|"[^"]*")|==""", lambda match: match[1] or "=", condition)


def parse_property(text: str) -> list[Statement]:
    """The statements of a property: one, or two where it is a chain such as `a <= b <= c`.

    >>> parse_property("age[3] <= 2 * age[1]")[0].relation
    '<='
    """
    reader = _Reader(text)
    left = reader.linear()
    kind, found = reader.take()
    if kind == "name" and found.lower() == "within":
        kind, number = reader.take()
        if kind != "number":
            raise reader.fail("a number, as in `within 1%`", taken=True)
        relative = reader.skip("%")
        if reader.peek()[0] != "end":
            raise reader.fail("nothing more")
        margin = float(number) / 100 if relative else float(number)
        if not math.isfinite(margin):
            raise reader.fail("a margin that is finite", taken=True)
        statements = [Statement(left, "within", margin, relative)]
    else:
        statements = []
        while kind == "relation":
            relation = _RELATIONS.get(found, found)
            right = reader.linear()
            statements.append(Statement(left.plus(right, -1.0), relation))  # type: ignore[arg-type]
            left = right
            kind, found = reader.take()
        if not statements or kind != "end":
            raise reader.fail("a relation (<=, >=, =) or `within`", taken=True)
    if any(not statement.left.terms for statement in statements):
        raise ParameterError(f"property {text!r} names no value of a column, as in age[3] or mean(age)")
    return statements
