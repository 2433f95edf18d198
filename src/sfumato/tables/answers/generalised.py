"""Answers where quasi-identifiers are shown as ranges, sets or nodes: values are exact, who is selected is not.

Every class is judged by the condition itself, on every combination of values that its cells may stand for: it holds for
all of them, for some or for none. The share of combinations that it holds for, each value of a cell as likely as any
other, gives the estimate. Where a class is in doubt and the values under one of its nodes are not known there is none.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl

from sfumato.contracts.answer import Answer, Answers
from sfumato.contracts.dialects import condition, quote
from sfumato.contracts.question import Question, columns_of, read_question
from sfumato.data.schema import Schema
from sfumato.data.shown import Form, parse
from sfumato.ground.errors import ParameterError
from sfumato.tables.answers.bounds_from_ranges import bounded_aggregate, bounded_count
from sfumato.tables.answers.cell_extents import Extent, extent
from sfumato.tables.answers.elements import elements
from sfumato.tables.answers.engine import Engine
from sfumato.tables.answers.exact_answers import refuse_kind
from sfumato.tables.answers.labelled import values_for_labels
from sfumato.tables.answers.listed_values import margin, plain_types, refuse_twins
from sfumato.tables.answers.rounding import clip
from sfumato.tables.answers.unpublished_values import with_notes
from sfumato.tables.answers.uses import uses
from sfumato.tables.answers.withheld import NONE, Withheld, none_published

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["GeneralisedCells"]

_MOST_OF_A_CLASS = 1_000_000
_MOST = 50_000_000


class GeneralisedCells:
    """A release whose cells are ranges, sets or nodes, in a database, ready to answer questions."""

    def __init__(
        self, frame: pl.DataFrame, forms: Mapping[str, Any], schema: Schema, withheld: Withheld = NONE
    ) -> None:  # fmt: skip
        _refuse_other_forms(forms)
        self._schema = schema
        self._withheld = withheld
        self._forms = forms
        self._texts: dict[str, pl.Series] = {}
        self._read: dict[str, list[Extent]] = {}
        rows = plain_types(frame)
        for name in forms:
            texts = rows[name].unique(maintain_order=True)
            lookup = pl.DataFrame({"text": texts, "cell": np.arange(len(texts), dtype=np.int64)})
            self._texts[name] = texts
            texts_of_rows = rows[name].alias("text").to_frame()
            placed = texts_of_rows.join(lookup, on="text", how="left", nulls_equal=True, maintain_order="left")
            rows = rows.with_columns(placed["cell"].alias(name))
        refuse_twins(rows.columns)
        self._rows = rows
        self._mark = "_"
        """A prefix for the names of our own columns, which no column of the release begins with."""
        while any(name.lower().startswith(self._mark) for name in rows.columns):
            self._mark += "_"
        self._lock = threading.Lock()
        self._engine = Engine({"release": rows})
        self._margins = {
            name: margin(rows[name], rows.height, withheld.n) for name in rows.columns if name not in self._texts
        }  # fmt: skip

    def _cells(self, name: str) -> list[Extent]:
        """What each distinct cell of a column may stand for."""
        if name not in self._read:
            form, column = self._forms[name], self._schema.column(name)
            shown = self._texts[name].to_list()
            self._read[name] = [extent(parse(cell, cast("Form", form)), form, column) for cell in shown]
        return self._read[name]

    def answer(self, sql: str) -> Answer | Answers:
        """The answer to a question in SQL."""
        question = values_for_labels(read_question(sql, self._rows.columns), self._schema)
        for name in (*question.by, *([question.column] if question.column is not None else [])):
            if name in self._texts:
                what = "grouped by" if name in question.by else "aggregated"
                raise ParameterError(
                    f"column {name!r} is shown as ranges, sets or nodes and cannot be {what}; put it into the condition"
                )
        if question.column is not None:
            refuse_kind(question, self._rows[question.column].dtype)
        with self._lock:
            selected = self._select(question)
        return with_notes(self._answer_rows(question, selected), question, self._schema, self._shown_instead)

    def _shown_instead(self, name: str, value: str) -> set[str] | None:
        """What rows show in a column of categories, where none shows the value; None where one does, or may mean it."""
        if name not in self._texts:
            rows = self._rows[name]
            shown = set(rows.drop_nulls().unique()) if rows.dtype == pl.String else {value}
        else:
            cells = self._cells(name)
            shown = {each for cell in cells for each in (*(cell.members or ()), cell.label) if each is not None}
            if self._forms[name] == "node" and value not in shown and self._may_be(name, value):
                return None  # under a node, or where nothing is shown
        return None if value in shown else shown

    def _may_be(self, name: str, value: str) -> bool:
        """Whether some row may have the value."""
        from sqlglot import exp

        asked = exp.column(name, quoted=True).eq(exp.Literal.string(value))
        with self._lock:
            return self._select(Question("COUNT", None, (asked,))).height > 0

    def _select(self, question: Question) -> pl.DataFrame:
        """The records that may be selected: their keys, the value, whether they surely are, and how likely.

        How likely is null where it is not known.
        """
        known = [part for part in question.where if not self._uncertain(part)]
        doubtful = [part for part in question.where if self._uncertain(part)]
        filtered = f" WHERE {condition(known)}" if known else ""
        joins, sure, share, maybe = "", "TRUE", "1.0", []
        m = self._mark
        for i, parts in enumerate(self._independent_parts(doubtful)):
            columns = list(dict.fromkeys(name for part in parts for name in columns_of(part)))
            self._judge(f"_verdict_{i}", parts, columns, filtered)
            same = " AND ".join(f"v{i}.{quote(name)} IS NOT DISTINCT FROM r.{quote(name)}" for name in columns)
            joins += f" JOIN _verdict_{i} AS v{i} ON {same}"
            sure, share = f"{sure} AND v{i}.{m}holds", f"{share} * v{i}.{m}share"
            maybe.append(f"v{i}.{m}may")
        keys = "".join(f"r.{quote(name)} AS _key_{i}, " for i, name in enumerate(question.by))
        value = f"r.{quote(question.column)} AS _value, " if question.column is not None else ""
        return self._engine.frame(
            f"SELECT {keys}{value}({sure}) AS _sure, CAST({share} AS DOUBLE) AS _share "
            f"FROM (SELECT * FROM release{filtered}) AS r{joins} WHERE {' AND '.join(maybe) or 'TRUE'}"
        )

    def _uncertain(self, part: exp.Expression) -> bool:
        return any(name in self._texts for name in columns_of(part))

    def _independent_parts(self, parts: Sequence[exp.Expression]) -> list[list[exp.Expression]]:
        """The condition in parts that share no generalised column, and so are independent within a class."""
        apart: list[tuple[set[str], list[exp.Expression]]] = []
        for part in parts:
            names = {name for name in columns_of(part) if name in self._texts}
            touching = [each for each in apart if each[0] & names]
            apart = [each for each in apart if not each[0] & names]
            joined = names.union(*(each[0] for each in touching))
            apart.append((joined, [*(inner for each in touching for inner in each[1]), part]))
        return [inner for _, inner in apart]

    def _judge(self, table: str, parts: Sequence[exp.Expression], columns: Sequence[str], filtered: str) -> None:
        """Put a table into the database that says for which share of its combinations the condition holds.

        One row for each class: whether it holds for all combinations of values that the class may stand for, whether
        for any, and for which share of them (null where that is not known).
        """
        m = self._mark
        shown = [name for name in columns if name in self._texts]
        plain = [name for name in columns if name not in self._texts]
        listed = ", ".join(map(quote, columns))
        kinds = self._engine.frame(f"SELECT DISTINCT {listed} FROM release{filtered}")
        sizes = np.ones(kinds.height)
        for i, name in enumerate(shown):
            days = not self._texts[name].str.contains(":").any()
            column, used = self._schema.column(name), uses(parts, name)
            made = elements(self._cells(name), column, used, self._forms[name], whole_days=days)
            sizes *= np.bincount(made["cell"].to_numpy(), minlength=len(self._cells(name)))[kinds[name].to_numpy()]
            self._engine.put(f"_elements_{i}", made)
        if sizes.max(initial=0) > _MOST_OF_A_CLASS or sizes.sum() > _MOST:
            raise ParameterError(
                f"a condition that joins {', '.join(map(repr, shown))} in this way has too many combinations to be "
                f"tried; join simpler conditions by AND"
            )
        self._engine.put("_kinds", kinds)
        values = [f"e{i}.value AS {quote(name)}" for i, name in enumerate(shown)]
        cells = [f"k.{quote(name)} AS {m}cell_{i}" for i, name in enumerate(shown)]
        others = [f"k.{quote(name)}" for name in plain]
        weight = " * ".join(f"e{i}.weight" for i in range(len(shown)))
        unknown = " OR ".join(f"e{i}.open" for i in range(len(shown)))
        weighed = " AND ".join(f"e{i}.known" for i in range(len(shown)))
        joins = " ".join(f"JOIN _elements_{i} AS e{i} ON e{i}.cell = k.{quote(n)}" for i, n in enumerate(shown))
        by = ", ".join([*(f"{m}cell_{i}" for i in range(len(shown))), *map(quote, plain)])
        named = [f"{m}cell_{i} AS {quote(name)}" for i, name in enumerate(shown)] + [quote(name) for name in plain]
        found = self._engine.frame(
            f"SELECT {', '.join(named)}, BOOL_AND({m}met AND NOT {m}open) AS {m}holds, "
            f"BOOL_OR({m}met OR {m}open) AS {m}may, CASE WHEN BOOL_AND({m}met AND NOT {m}open) THEN 1.0 "
            f"WHEN BOOL_AND({m}known) AND SUM({m}weight) > 0 "
            f"THEN SUM(CASE WHEN {m}met THEN {m}weight ELSE 0 END) / SUM({m}weight) ELSE NULL END AS {m}share "
            f"FROM (SELECT *, CASE WHEN {condition(parts)} THEN TRUE ELSE FALSE END AS {m}met "
            f"FROM (SELECT {', '.join([*values, *cells, *others])}, {weight} AS {m}weight, ({unknown}) AS {m}open, "
            f"({weighed}) AS {m}known FROM _kinds AS k {joins})) GROUP BY {by}"
        )
        self._engine.put(table, found)

    def _answer_rows(self, question: Question, selected: pl.DataFrame) -> Answer | Answers:
        if not question.by:
            return self._answer_one(question, selected)
        keys = [f"_key_{i}" for i in range(len(question.by))]
        parts = selected.sort(keys, nulls_last=True).partition_by(keys, maintain_order=True, as_dict=True)
        answers = [(key, self._answer_one(question, part)) for key, part in parts.items()]
        return Answers(question.by, answers, self._withheld.n)

    def _answer_one(self, question: Question, part: pl.DataFrame) -> Answer:
        """The answer for one key, from the records that may be selected."""
        if question.column is not None:  # what is missing is aggregated by nothing, but its key is there
            part = part.drop_nulls("_value")
        sure = part["_sure"].to_numpy().astype(bool)
        estimated = not part["_share"].has_nulls()
        share = np.clip(part["_share"].fill_null(1.0).to_numpy(), 0.0, 1.0)
        n_low, n_high, w = int(sure.sum()), part.height, self._withheld.n
        if question.aggregate == "COUNT":
            value, low, high, spread = bounded_count(sure, share)
            low, high = self._withheld.counts(question, low, high)
            told = (clip(value, low, high), spread if low < high else 0.0) if estimated else (None, None)
            return Answer(question.label, told[0], low, high, True, told[1], low, high, withheld=w)
        ends = self._withheld.ends(str(question.column), part["_value"].dtype)
        lost = self._margins[str(question.column)]
        if not n_high:
            return none_published(question, ends, lost)
        values = part["_value"].alias(str(question.column))
        figures = bounded_aggregate(question.aggregate, values, sure, share, lost, ends)
        low, high = figures[1:3]
        value, off = (figures[0], figures[3]) if estimated or low == high else (None, None)
        return Answer(question.label, value, low, high, True, off, n_low, n_high + w, withheld=w)


def _refuse_other_forms(forms: Mapping[str, Any]) -> None:
    """Refuse releases that show means or drawn values, from which no bounds follow."""
    odd = {"value": "a mean or mode", "substitute": "a value that was drawn anew"}
    for name, form in forms.items():
        if form not in ("range", "set", "node"):
            raise ParameterError(
                f"column {name!r} shows {odd.get(form, form)}, from which nothing certain follows; ask a release of "
                f"ranges or of groups"
            )
    if not forms:
        raise ParameterError(
            "this release shows no ranges and no groups, so that nothing certain follows; ask a release of ranges or "
            "of groups"
        )
