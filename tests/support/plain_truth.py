"""Whether the rows of a published table are true, by what the owner kept: cell by cell, in plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from support.plain_checker import Folder


def untrue(folder: Folder, original: list[dict[str, Any]]) -> list[str]:
    """What the records contradict."""
    if "condensed" in folder.public:
        return []  # rows stand for nobody
    assert folder.map is not None
    if len(folder.map) != len(folder.rows):
        return ["the row map is of another length"]
    wrong = []
    recorded = "permutation" in folder.public or "target" in folder.public
    for row, at in zip(folder.rows, folder.map, strict=True):
        if at < 0:
            continue  # a counterfeit
        for name in row:
            column, form = folder.columns.get(name), folder.forms.get(name)
            if column is None or form == "substitute" or (form == "value" and not recorded):
                continue
            if not column.covers(row[name], form if form and not recorded else "value", original[at][name]):
                wrong.append(f"{name}: {row[name]!r} does not cover {original[at][name]!r}")
    true = [i for i in folder.map if i >= 0]
    if len(set(true)) < len(true):
        wrong.append("two rows stand for one record")
    if len(true) + folder.public.get("withheld_rows", 0) != len(original):
        wrong.append("records are missing that nobody counts")
    if "permutation" in folder.public:
        wrong += _other_lists(folder, original)
    if "target" in folder.public:
        wrong += _outside_lists(folder, original)
    return wrong


def _other_lists(folder: Folder, original: list[dict[str, Any]]) -> list[str]:
    said, names = folder.public["permutation"], folder.named("sensitive")
    listed, true = Counter(), Counter()
    for entry in folder.tables[said["table"]]:
        key = (entry[said["group"]], *(folder.columns[name].value(entry[name]) for name in names))
        listed[key] += entry[said["count"]]
    for row, at in zip(folder.rows, folder.map, strict=True):
        true[int(row[said["group"]]), *(folder.columns[name].value(original[at][name]) for name in names)] += 1
    return [] if listed == true else ["a group lists other values than its records have"]


def _outside_lists(folder: Folder, original: list[dict[str, Any]]) -> list[str]:
    """Groups whose records cannot each have a subdomain of their own that holds their value."""
    import numpy as np
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import maximum_bipartite_matching

    said = folder.public["target"]
    column = folder.columns[said["column"]]
    place = {column.value(entry["value"]): entry["place"] for entry in folder.tables[said["domain"]]}
    lists, values, wrong = defaultdict(list), defaultdict(list), []
    for entry in folder.tables[said["table"]]:
        lists[entry[said["group"]]] += [(entry["first"], entry["last"])] * min(entry[said["count"]], len(folder.rows))
    for row, at in zip(folder.rows, folder.map, strict=True):
        values[int(row[said["group"]])].append(place[column.value(original[at][said["column"]])])
    for group, own in values.items():
        fits = np.array([[low <= value <= high for low, high in lists[group]] for value in own])
        if (maximum_bipartite_matching(csr_matrix(fits), perm_type="column") < 0).any():
            wrong.append(f"group {group} lists no subdomain for one of its records")
    return wrong


__all__ = ["untrue"]
