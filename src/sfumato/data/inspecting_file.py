"""The schema file that a first look suggests: the reason above each column, and what the owner may uncomment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.data.hierarchy_rules import Intervals
from sfumato.data.inspecting_questions import percent
from sfumato.data.schema_file import toml_value, write_schema

if TYPE_CHECKING:
    from sfumato.data.inspecting import ColumnLook, Inspection

__all__ = ["HIPAA", "schema_text"]

HIPAA = "HIPAA and a letter: on Safe Harbor's list of identifiers, 45 CFR 164.514(b)(2)(i)."


def schema_text(found: Inspection, notice: str) -> str:
    """The text of the file."""
    head = (
        f"Schema suggested by `sfumato inspect` from {found.n_rows:,} rows.\n{notice}\n"
        "Read every reason, change what is wrong, and delete this line when you have.\n\n"
        "role: identifier (never published), quasi (an outsider may know it: made coarser),\n"
        "      sensitive (an outsider wants to know it), plain (published as it is)\n"
        "kind: integer, number, date, category, ordinal (give its order = [...])\n"
        f"{HIPAA}"
    )
    loud = found.nothing_sensitive
    if loud is not None:
        first, _, rest = loud.partition(": ")
        head += f"\n\n{first.upper()}: {rest}"
    below = []
    if found.refused:
        below = [" ".join(found.questions[0].split()), "rows_are_persons = true"]
    comments = {look.name: _comments(look, found) for look in found.columns}
    return _with_choices(write_schema(found.schema, comments, head, below), found)


def _with_choices(text: str, found: Inspection) -> str:
    """The file with what the owner may uncomment below each column."""
    blocks = text.rstrip("\n").split("\n\n")
    at = len(blocks) - len(found.columns)  # what comes before is the head
    for i, look in enumerate(found.columns, start=at):
        if not look.declared:
            blocks[i] = _with_kind_told(blocks[i], look) + "".join(f"\n# {line}" for line in _choices(look))
    return "\n\n".join(blocks) + "\n"


def _with_kind_told(block: str, look: ColumnLook) -> str:
    if look.readings:
        told = "text until you know what is day and what is month: then put one of the lines below here instead"
        return block.replace('\nkind = "category"', f'\nkind = "category"  # {told}', 1)
    return block


def _choices(look: ColumnLook) -> list[str]:
    """Lines of TOML that hold once the owner has answered what they ask."""
    lines = [f"date_format = {toml_value(form)}" for form in look.readings]
    found = look.suspected
    waits = found is not None and found.read_as is not None
    if found is not None:
        n_cells = f"{found.n_rows:,} cell{'s' if found.n_rows != 1 else ''}"
        then = f": the column then holds {found.read_as}s" if waits else ""
        they = f'they mean "unknown"{then}' if len(found.values) > 1 else f'it means "unknown"{then}'
        lines.append(f"missing_values = {toml_value(list(found.values))}  # {n_cells} {found.why}; uncomment if {they}")
    if waits and look.date_format is not None:
        lines.append(f"date_format = {toml_value(look.date_format)}  # with the missing_values")
    if look.hierarchy is not None and (waits or isinstance(look.hierarchy, Intervals)):
        told = "  # with the missing_values" if found is not None else ""
        lines.append(f"hierarchy = {toml_value(look.hierarchy.to_dict())}{told}")
    return lines


def _comments(look: ColumnLook, found: Inspection) -> list[str]:
    figures = f"{look.distinct:,} distinct, {look.missing:,} missing, {percent(look.unique_share)} of rows unique"
    beside = " beside those that may mean none" if look.suspected is not None else ""
    lines = [f"{look.role}: {look.reason}", figures + beside]
    if look.code is not None:
        lines.append(f"category: whole numbers that seem to be codes ({look.code}); a range of codes means nothing")
    if look.date_format is not None and "yyyy" not in look.date_format:
        lines.append("years of two digits: each is the last such year that is not in the future")
    if isinstance(look.hierarchy, Intervals) and not look.declared:
        lines.append("numbers are shown as ranges; uncomment the hierarchy for fixed intervals")
    lines += [each.long for each in found.asked if look.name in each.columns[:1] and not _is_first(each.columns, found)]
    return [" ".join(line.split()) for line in lines]


def _is_first(columns: tuple[str, ...], found: Inspection) -> bool:
    """Whether these are all identifiers together, which are asked about at the head of the file."""
    return len(columns) > 1 and columns == found.identifiers
