"""The part of the plain checker that reads sets of items and graphs; it knows nothing of sfumato either."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from itertools import combinations

from support.plain_checker import Findings, Folder, exact


def check_baskets(folder: Folder, original: list[set[str]] | None, labels: list[str] | None) -> Findings:
    """Check the promises on sets of items, by the edges that the owner kept."""
    found, records = Findings(), []
    for row in folder.rows:
        base, differs = (set(json.loads(row[n]) if isinstance(row[n], str) else row[n]) for n in ("base", "differs"))
        most = int(row["threshold"]) if row.get("threshold") is not None else len(differs)
        records.append((base, differs, most, row.get("label")))
    edges = [row["original"] for row in folder.kept.get("kept_edges", [])]
    if original is not None and edges:
        leaving = Counter(i for candidates in edges for i in candidates)
        for (base, differs, most, _), candidates, own in zip(records, edges, folder.map, strict=True):
            fits = [(original[i] ^ base) <= differs and len(original[i] ^ base) <= most for i in candidates]
            if not all(fits) or own not in candidates or len(set(candidates)) < len(candidates):
                found.false.append("an edge is no possible world, or the record's own is none")
            if any(leaving[i] != len(candidates) for i in candidates):
                found.false.append("edges do not split into assignments")
    for promise in folder.promises:
        name, wrong = promise["name"], None
        if name == "KMAnonymity" and not any(differs for _, differs, _, _ in records):
            times = Counter(
                items
                for base, *_ in records
                for n in range(1, promise["m"] + 1)
                for items in combinations(sorted(base), n)
            )
            wrong = [f"{items} is held by {n}" for items, n in times.items() if n < promise["k"]]
        elif original is not None and edges and name == "KAnonymity":
            sizes = [*leaving.values(), *map(len, edges)] + [0] * (len(leaving) < len(original))
            wrong = [f"{n} candidates" for n in sizes if n < promise["k"]]
        elif original is not None and edges and name == "LDiversity":
            carried = defaultdict(Counter)
            for (*_, label), candidates in zip(records, edges, strict=True):
                for i in candidates:
                    carried[i][label] += 1
            wrong = [
                f"labels {dict(c)}" for c in carried.values()
                if (len(c) < promise["l"] if promise.get("kind") == "distinct"
                    else max(c.values()) * exact(promise["l"]) > sum(c.values()))
            ]  # fmt: skip
        (found.open if wrong is None else found.checked).append(name)
        found.false += [f"{name}: {each}" for each in wrong or []]
    if labels is not None and folder.map is not None:
        found.false += [
            "a label is another's" for (*_, label), i in zip(records, folder.map, strict=True) if label != labels[i]
        ]
    return found


def check_graph(folder: Folder) -> Findings:
    """Count the vertices of every degree."""
    found, degree = Findings(), Counter()
    for row in folder.rows:
        degree[int(row["source"])] += 1
        degree[int(row["target"])] += 1
    often = Counter(degree.values())
    often[0] = folder.public["graph"]["vertices"] - len(degree)
    for promise in folder.promises:
        found.checked.append(promise["name"])
        found.false += [f"{n} of degree {d}" for d, n in often.items() if 0 < n < promise["k"]]
    return found


__all__ = ["check_baskets", "check_graph"]
