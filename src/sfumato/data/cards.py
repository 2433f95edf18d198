"""Tables, schemas, hierarchies and first looks as cards for a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.data.hierarchy_rules import Automatic
from sfumato.data.schema import ROLES, Column, Schema
from sfumato.data.values import text
from sfumato.ground.cards import Html, card, chip, facts, folded, grid, lines, roles_legend, small
from sfumato.ground.errors import SfumatoError

if TYPE_CHECKING:
    from sfumato.data.hierarchy import Hierarchy
    from sfumato.data.inspecting import Inspection
    from sfumato.data.table import Table
    from sfumato.data.tree import Tree

__all__ = ["hierarchy_card", "inspection_card", "schema_card", "table_card"]

_ROWS, _COLUMNS, _NAMES, _CHILDREN, _NODES = 5, 20, 60, 12, 300


def table_card(table: Table) -> str:
    """How many rows, the roles of columns by colour, and the first rows as they are."""
    names = table.columns[:_COLUMNS]
    roles = [table.schema.role(name) for name in names]
    rows = [["" if cell is None else text(cell)[:60] for cell in row] for row in table.frame[names].head(_ROWS).rows()]
    right = [i for i, name in enumerate(names) if table.frame[name].dtype.is_numeric()]
    more = [f"{len(table) - _ROWS:,} more rows"] if len(table) > _ROWS else []
    more += [f"{len(table.columns) - _COLUMNS:,} more columns"] if len(table.columns) > _COLUMNS else []
    return card(
        f"Table: {len(table):,} rows, {len(table.columns)} columns",
        roles_legend(role for role in ROLES if role in roles),
        grid(names, rows, numbers=right, tones=roles),
        small("and " + ", ".join(more)) if more else "",
    )


def schema_card(schema: Schema) -> str:
    """A line for each column: role, kind and what else is known of it."""
    columns = list(schema.columns.values())
    rows = [
        (chip(column.role, column.role), column.name, column.kind or small("as the data are"), _known_of(column))
        for column in sorted(columns, key=lambda each: ROLES.index(each.role))[:_NAMES]
    ]
    more = f"and {len(columns) - _NAMES:,} more columns" if len(columns) > _NAMES else ""
    rest = Html(f"columns that are not named: {chip(schema.rest, schema.rest)}")
    return card(
        f"Schema: {len(columns)} column{'s' if len(columns) != 1 else ''}",
        grid(("role", "column", "kind", ""), rows) if rows else "",
        small(more) if more else "",
        rest,
        "every row is another person, although identifiers repeat" if schema.rows_are_persons else "",
    )


def _known_of(column: Column) -> str:
    said = []
    if column.low is not None or column.high is not None:
        said.append(f"{text(column.low) if column.low is not None else '…'} to "
                    f"{text(column.high) if column.high is not None else '…'}")  # fmt: skip
    said += [f"{column.hierarchy.kind} hierarchy"] if column.hierarchy is not None else []
    said += [f"{len(column.order)} values in order"] if column.order is not None else []
    said += [f"weight {column.weight:g}"] if column.weight != 1 else []
    said += [f"missing: {column.missing}"] if column.missing != "value" else []
    said += [f"no value: {', '.join(column.missing_values[:4])}"] if column.missing_values else []
    said += [f"written {column.date_format}"] if column.date_format else []
    said += [f"{len(column.labels)} labels"] if column.labels else []
    return "; ".join(said)


def hierarchy_card(hierarchy: Hierarchy) -> str:
    """The tree over what the rule itself names, folded below its first level."""
    if isinstance(hierarchy, Automatic):
        return card("Hierarchy: automatic", "fitted to the data when a table is made")
    try:
        tree = hierarchy.tree(hierarchy._examples())
    except SfumatoError:
        tree = None
    if tree is None or not tree.leaves:
        rule = {key: text(value)[:120] for key, value in hierarchy.to_dict().items() if key != "type"}
        return card(f"Hierarchy: {hierarchy.kind}", facts(rule))
    below = _children(tree)
    budget = [_NODES]
    top = _branch(tree, below, 0, budget, is_open=True)
    example = "example " if hierarchy.kind in ("prefixes", "calendar") else ""
    return card(f"Hierarchy: {hierarchy.kind}, {len(tree.leaves):,} {example}values", top)


def _children(tree: Tree) -> dict[int, list[int]]:
    below: dict[int, list[int]] = {}
    for node in range(1, len(tree.labels)):
        below.setdefault(int(tree.parent[node]), []).append(node)
    return below


def _branch(tree: Tree, below: dict[int, list[int]], node: int, budget: list[int], *, is_open: bool) -> Html:
    """A node and what lies below it; of very large trees the first nodes."""
    children = below.get(node, [])
    if not children:
        return lines([tree.labels[node]])
    shown = []
    for child in children[:_CHILDREN]:
        if budget[0] <= 0:
            break
        budget[0] -= 1
        shown.append(_branch(tree, below, child, budget, is_open=False))
    left = len(children) - len(shown)
    inner = Html("".join(f"<div>{each}</div>" for each in shown) + (small(f"and {left:,} more") if left else ""))
    n_leaves = int(tree.last[node] - tree.first[node]) + 1
    summary = Html(f"{lines([tree.labels[node]])} {small(f'{n_leaves:,} values')}")
    return folded(summary, inner, open=is_open)


def inspection_card(found: Inspection) -> str:
    """Who stands out, what to ask oneself, and the role suggested for each column."""
    rows = [
        (chip(look.role, look.role), look.name, look.kind, f"{look.distinct:,}", f"{look.missing:,}",
         f"{look.unique_share:.1%}", small(look.reason))
        for look in found.columns[:_NAMES]
    ]  # fmt: skip
    more = f"and {len(found.columns) - _NAMES:,} more columns" if len(found.columns) > _NAMES else ""
    heads = ("role", "column", "kind", "distinct", "missing", "unique", "why")
    return card(
        f"First look: {found.n_rows:,} rows, {len(found.columns)} columns",
        found._summary(),
        lines(f"? {question}" for question in found.questions) if found.questions else "",
        grid(heads, rows, numbers=(3, 4, 5)),
        small(more) if more else "",
    )
