"""A checker of releases that knows their files and nothing of sfumato: csv, json, pyarrow, fractions.

It reads a folder as a stranger would, groups the rows whose cells are written alike, and counts. With what the owner
kept and the records it also says whether each row is true. Slow and plain on purpose; nothing is shared with what it
checks but the definitions.
"""

from __future__ import annotations

import csv
import json
import math
from collections import Counter, defaultdict
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow.ipc as ipc
import pyarrow.parquet as pq

from support.plain_cells import Column, listed
from support.plain_distances import distance

TINY = 1e-9
"""What logarithms and sums of doubles may be off."""


def exact(number: float) -> Fraction:
    return Fraction(str(number)).limit_denominator(10**6)


class Folder:
    """The files of a release, and, where `owner` is given, what was kept of it."""

    def __init__(self, folder: Path, owner: Path | None = None, paths: dict[str, Any] | None = None) -> None:
        self.certificate = json.loads((folder / "release.json").read_text(encoding="utf-8"))
        public = self.public = self.certificate["public"]
        [self.data] = [folder / name for name in self.certificate["files"] if name.startswith("data.")]
        self.rows = _rows(self.data)
        if public.get("escaped"):  # an apostrophe before what a spreadsheet would take for a formula
            self.rows = [{name: cell and cell.removeprefix("'") for name, cell in row.items()} for row in self.rows]
        self.tables = {name.split(".")[0]: _rows(folder / name) for name in public.get("files", [])}
        said = public.get("schema", {}).get("columns", {})
        self.columns = {name: Column(column, (paths or {}).get(name)) for name, column in said.items()}
        self.roles = {name: column.get("role", "plain") for name, column in said.items()}
        self.forms = public.get("forms", {})
        self.kept = {path.stem: _rows(path) for path in sorted(owner.glob("*.parquet"))} if owner else {}
        self.map = [row["original_row"] for row in self.kept["rows"]] if owner else None

    def named(self, role: str) -> list[str]:
        return [name for name, its in self.roles.items() if its == role]

    @property
    def promises(self) -> list[dict[str, Any]]:
        promise = self.certificate["promise"]
        if promise is None:
            return []
        return promise["promises"] if promise["name"] == "All" else [promise]

    def classes(self) -> dict[Any, list[int]]:
        """Rows that look the same: in every quasi-identifier and in the bounds beside it, as it is written."""
        names = self.named("quasi")
        names += [end for name, ends in self.public.get("bounds", {}).items() if name in names for end in ends]
        found = defaultdict(list)
        for i, row in enumerate(self.rows):
            found[tuple((type(row[name]).__name__, repr(row[name])) for name in names)].append(i)
        return found

    def groups(self) -> dict[Any, list[dict[str, Any]]]:
        """The sensitive values that readers see together: of a class, of a numbered one, or listed for a group."""
        if "permutation" in self.public:
            said, found = self.public["permutation"], defaultdict(list)
            for entry in self.tables[said["table"]]:
                found[entry[said["group"]]] += [entry] * entry[said["count"]]
            return found
        if "republication" in self.public:
            found = defaultdict(list)
            for row in self.rows:
                found[row[self.public["republication"]["group"]]].append(row)
            return found
        return {key: [self.rows[i] for i in rows] for key, rows in self.classes().items()}


def _rows(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        assert len(set(header)) == len(header)
        if len(header) == 1:  # a line with nothing on it is a missing value of the only column
            rows = [row or [""] for row in rows]
        return [{name: cell or None for name, cell in zip(header, row, strict=True)} for row in rows]
    table = pq.read_table(path) if path.suffix == ".parquet" else ipc.open_file(path).read_all()
    return table.to_pylist()


class Findings:
    """What was found false, and which promises were checked or left open."""

    def __init__(self) -> None:
        self.false: list[str] = []
        self.checked: list[str] = []
        self.open: list[str] = []


def check_files(
    folder: Folder, original: list[dict[str, Any]] | None = None, population: list[Any] | None = None
) -> Findings:
    """Check every promise of the certificate of a table, and its truth where records and the row map are there."""
    found = Findings()
    if folder.certificate.get("rows") not in (None, len(folder.rows)):
        found.false.append("the certificate counts other rows")
    _check_columns(folder, found)
    for promise in folder.promises:
        name = promise["name"]
        check = CHECKS.get(name)
        said = check(folder, promise, original, population) if check is not None else None
        (found.open if said is None else found.checked).append(name)
        found.false += [f"{name}: {each}" for each in said or []]
    if original is not None:
        from support.plain_truth import untrue

        found.false += untrue(folder, original)
    return found


def _check_columns(folder: Folder, found: Findings) -> None:
    apart = [end for ends in folder.public.get("bounds", {}).values() for end in ends]
    for key in ("permutation", "target", "republication"):
        apart += [folder.public[key]["group"]] if key in folder.public else []
    for name in folder.rows[0] if folder.rows else ():
        if name not in apart and folder.roles.get(name, "identifier") == "identifier":
            found.false.append(f"column {name} is published")
    for name, (low, high) in folder.public.get("bounds", {}).items():
        for row in folder.rows:
            text, column = row[name], folder.columns[name]
            ends = None if text in (None, "*") else listed(text.removesuffix(" or missing"))
            said = (None, None) if ends is None else (column.value(ends[0]), column.value(ends[-1]))
            if (column.value(row[low]), column.value(row[high])) != said:
                found.false.append(f"bounds of {name}: {text} {row[low]} {row[high]}")
                return


# -- how many look the same ------------------------------------------------------------------------------------------


def k_anonymity(folder: Folder, promise: dict[str, Any], original: Any, population: Any) -> list[str] | None:
    k = promise["k"]
    if "condensed" in folder.public:
        if not folder.kept:
            return None
        sizes = Counter(row["group"] for row in folder.kept["kept_groups"])
        return [f"a group of {size}" for size in sizes.values() if size < k]
    if "republication" in folder.public:
        said = folder.public["republication"]
        fakes = {entry[said["group"]]: entry[said["count"]] for entry in folder.tables[said["table"]]}
        numbers = [(rows, {folder.rows[i][said["group"]] for i in rows}) for rows in folder.classes().values()]
        sizes = [len(rows) - sum(fakes.get(number, 0) for number in own) for rows, own in numbers]
        return [f"a class of {size}" for size in sizes if size < k]
    if "blocks" in folder.tables:
        return None
    if any(form == "substitute" for form in folder.forms.values()) and promise["name"] != "KAnonymity":
        return None
    return [f"a class of {len(rows)}" for rows in folder.classes().values() if len(rows) < k]


def m_invariance(folder: Folder, promise: dict[str, Any], original: Any, population: Any) -> list[str]:
    [name] = folder.named("sensitive")
    shown = _histograms(folder, name, original)
    bad = [values for values in shown if sum(values.values()) < promise["m"] or max(values.values()) > 1]
    wrong = [f"a class shows {dict(values)}" for values in bad]
    by_number = defaultdict(set)
    for key, rows in folder.classes().items():
        for i in rows:
            by_number[folder.rows[i][folder.public["republication"]["group"]]].add(key)
    return wrong + [f"number {n} stands for several classes" for n, keys in by_number.items() if len(keys) > 1]


# -- sensitive values ------------------------------------------------------------------------------------------------


def _histograms(folder: Folder, name: str, original: Any) -> list[Counter[Any]]:
    column = folder.columns[name]
    if "condensed" in folder.public:  # decided on the records of the owner's groups
        groups = defaultdict(list)
        for record, row in zip(original, folder.kept["kept_groups"], strict=True):
            groups[row["group"]].append(record)
        return [Counter(column.value(record[name]) for record in records) for records in groups.values()]
    return [Counter(column.value(row[name]) for row in rows) for rows in folder.groups().values()]


def _asked(folder: Folder, promise: dict[str, Any]) -> list[str]:
    return list(promise.get("columns") or folder.named("sensitive"))


def _closed(folder: Folder, original: Any) -> bool:
    """Whether the groups that sensitive values are seen in are not known here."""
    hidden = "condensed" in folder.public and (not folder.kept or original is None)
    return hidden or "target" in folder.public or "blocks" in folder.tables


def l_diversity(folder: Folder, promise: dict[str, Any], original: Any, population: Any) -> list[str] | None:
    if _closed(folder, original):
        return None
    wrong, l, kind = [], promise["l"], promise.get("kind", "frequency")
    for name in _asked(folder, promise):
        for values in _histograms(folder, name, original):
            counts, n = sorted(values.values(), reverse=True), sum(values.values())
            if kind == "frequency":
                fine = counts[0] * exact(l) <= n
            elif kind == "distinct":
                fine = len(counts) >= l
            elif kind == "entropy":
                fine = -sum(c / n * math.log(c / n) for c in counts) >= math.log(l) - 1e-6
            else:
                fine = counts[0] < exact(promise["c"]) * sum(counts[int(l) - 1 :])
            if not fine:
                wrong.append(f"{kind} {l} on {name}: {counts}")
    return wrong


def _pairs(folder: Folder, name: str, original: Any) -> list[tuple[dict[Any, Fraction], dict[Any, Fraction]]]:
    """The shares of values in each class, and in all."""
    each = _histograms(folder, name, original)
    whole = sum(each, Counter())
    total = sum(whole.values())
    q = {value: Fraction(n, total) for value, n in whole.items()}
    return [({value: Fraction(h[value], sum(h.values())) for value in q}, q) for h in each]


def t_closeness(folder: Folder, promise: dict[str, Any], original: Any, population: Any) -> list[str] | None:
    if _closed(folder, original):
        return None
    wrong = []
    for name in _asked(folder, promise):
        for p, q in _pairs(folder, name, original):
            found = distance(folder.columns[name], promise, p, q)
            if found > promise["t"] + 1e-7:
                wrong.append(f"{promise.get('distance', 'emd')} {float(found):.6f} on {name}")
    return wrong


def beta_likeness(folder: Folder, promise: dict[str, Any], original: Any, population: Any) -> list[str] | None:
    if _closed(folder, original):
        return None
    wrong, beta = [], exact(promise["beta"])
    for name in _asked(folder, promise):
        for p, q in _pairs(folder, name, original):
            for value in q:
                gain = (p[value] - q[value]) / q[value]
                if gain > beta or (
                    promise.get("enhanced", True) and gain > 0 and float(gain) > -math.log(q[value]) + TINY
                ):
                    wrong.append(f"{value} gains {float(gain):.4f} on {name}")
    return wrong


def delta_disclosure(folder: Folder, promise: dict[str, Any], original: Any, population: Any) -> list[str] | None:
    if _closed(folder, original):
        return None
    wrong = []
    with localcontext(prec=50):
        factor = Fraction(Decimal(str(promise["delta"])).exp())
    for name in _asked(folder, promise):
        for p, q in _pairs(folder, name, original):
            wrong += [f"{value} on {name}" for value in q if not q[value] / factor < p[value] < q[value] * factor]
    return wrong


# -- a population ----------------------------------------------------------------------------------------------------


def _fitting(folder: Folder, population: list[dict[str, Any]]) -> list[tuple[int, list[int]]] | None:
    """For each class, how many rows it has and who of the population fits it; None where cells do not say."""
    quasi, found = folder.named("quasi"), []
    if any(folder.forms.get(name) not in ("range", "set", "node") for name in quasi):
        return None
    for rows in folder.classes().values():
        cells = folder.rows[rows[0]]
        fits = [
            i for i, person in enumerate(population)
            if all(folder.columns[name].covers(cells[name], folder.forms[name], person[name]) for name in quasi)
        ]  # fmt: skip
        found.append((len(rows), fits))
    return found


def k_map(folder: Folder, promise: dict[str, Any], original: Any, population: Any) -> list[str] | None:
    found = _fitting(folder, population) if population is not None else None
    if found is None:
        return None
    return [f"{len(fits)} people fit a class" for _, fits in found if len(fits) < promise["k"]]


def delta_presence(folder: Folder, promise: dict[str, Any], original: Any, population: Any) -> list[str] | None:
    found = _fitting(folder, population) if population is not None else None
    blank = any(all(row[name] == "*" for name in folder.named("quasi")) for row in folder.rows)
    if found is None or blank or folder.public.get("withheld_rows"):
        return None
    often = Counter(i for _, fits in found for i in fits)
    if any(n > 1 for n in often.values()):
        return ["somebody fits several classes"]
    low, high = exact(promise["low"]), exact(promise["high"])
    shares = [Fraction(min(size, len(fits)), len(fits)) for size, fits in found if fits]
    shares += [Fraction(0)] if len(often) < len(population) else []
    return [f"a chance of {float(share):.4f}" for share in shares if not low <= share <= high]


# -- subdomains ------------------------------------------------------------------------------------------------------


def p_private(folder: Folder, promise: dict[str, Any], original: Any, population: Any) -> list[str] | None:
    said = folder.public.get("target")
    if said is None:
        return None
    weights: dict[int, dict[int, int]] = defaultdict(dict)
    for entry in folder.tables[said["targets"]]:
        weights[entry["target"]][entry["place"]] = entry["weight"]
    follows = {entry[said["group"]]: entry["target"] for entry in folder.tables[said["groups"]]}
    lists, wrong = defaultdict(list), []
    for entry in folder.tables[said["table"]]:
        lists[entry[said["group"]]].append(entry)
    for group, entries in lists.items():
        weight = weights[follows[group]]
        whole, n = sum(weight.values()), sum(entry[said["count"]] for entry in entries)
        found: dict[int, Fraction] = defaultdict(Fraction)
        for entry in entries:
            inside = [place for place in weight if entry["first"] <= place <= entry["last"]]
            own = sum(weight[place] for place in inside)
            for place in inside:
                found[place] += Fraction(entry[said["count"]] * weight[place], own * n)
        off = sum(abs(found[place] - Fraction(w, whole)) for place, w in weight.items()) / 2
        if off > exact(promise.get("within", 0)):
            wrong.append(f"group {group} is {float(off):.4f} from its target")
    if promise["target"]["name"] == "uniform" and any(
        len(weight) != len(folder.tables[said["domain"]]) or len(set(weight.values())) > 1
        for weight in weights.values()
    ):
        wrong.append("a target is not uniform")
    return wrong


CHECKS = {
    "KAnonymity": k_anonymity, "Exchangeable": k_anonymity, "LDiversity": l_diversity, "TCloseness": t_closeness,
    "BetaLikeness": beta_likeness, "DeltaDisclosure": delta_disclosure, "KMap": k_map, "DeltaPresence": delta_presence,
    "MInvariance": m_invariance, "PPrivate": p_private,
}  # fmt: skip


__all__ = ["CHECKS", "Findings", "Folder", "check_files", "exact"]
