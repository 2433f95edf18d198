"""The shape of changed values, and the check of what they must keep: what the release says of the change, row by row.

Knows nothing of the methods: only what a release says of itself. Nothing that is found or broken tells a number of the
original.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.encoding import encode_series
from sfumato.data.numbers import as_numbers
from sfumato.data.table import Table
from sfumato.published.equivalence import PublishedClasses
from sfumato.published.evidence import Evidence
from sfumato.published.shape import CHANGES, Check
from sfumato.published.tables.classes import ClassesShape
from sfumato.published.tables.coding_check import coding_flaws
from sfumato.published.tables.density_check import expected_fits
from sfumato.published.tables.exact_numbers import two_digits_up, unit_of
from sfumato.published.tables.linkage_rates import linked_shares

__all__ = ["ChangedShape", "ChangedValues"]

_NEED_ROWS = {
    "swapping": "that no value moved further than is told",
    "rotation": "that distances between the records are those of the original",
}
"""What is decided by the original and the owner's row map alone."""
_SIGMAS = 6.0
"""How many standard deviations chance may be off before it is no chance any more."""
_UNREADABLE = (AttributeError, IndexError, KeyError, TypeError, ValueError, OverflowError, pl.exceptions.PolarsError)
_NAMES = {
    "swapping": "swapped values", "pram": "randomised categories", "coding": "thresholds",
    "rotation": "the rotation", "uncertain": "densities",
}  # fmt: skip


class ChangedShape(ClassesShape):
    """Values that were swapped, randomised, cut off, rotated or made uncertain, row by row."""

    name = "changed values"
    drawn_anew = False  # a changed value may come out as the record's own

    @property
    def change(self) -> str:
        """How values were changed: `swapping`, `pram`, `coding`, `rotation` or `uncertain`."""
        return next(name for name in CHANGES if name in self.public)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters of the change, as the release tells them."""
        parameters: Mapping[str, Any] = self.public[self.change]
        return parameters

    @property
    def needs_original(self) -> bool:
        """True of densities: how many records fit one follows from the records alone."""
        return self.change == "uncertain"

    def tables_beside(self) -> Sequence[str]:
        """The table of the spreads of densities, where there are densities."""
        return ("densities",) if self.change == "uncertain" else ()

    def own_check(self, check: Check) -> tuple[list[str], list[str]]:
        """Check that values were changed in the way that the release says."""
        return self._changed_values(check).check()

    def undecided_and_declared(self, check: Check) -> tuple[Sequence[str], Sequence[str]]:
        """What needs the row map, and what no release can prove; nothing where a promise is asked for."""
        if check.promise is not None:
            return (), ()
        if self.change == "pram":
            return (), ("categories were randomised by the published matrices",)
        if self.change in _NEED_ROWS and self._changed_values(check).row_map is None:
            return (_NEED_ROWS[self.change],), ()
        return (), ()

    def evidence(self, check: Check, shown: PublishedClasses, *, sound: bool) -> Evidence:
        """Find the evidence on the classes, how many records fit each density, and what attacks link."""
        found = super().evidence(check, shown, sound=sound)
        linked = linked_shares(check, self.frame, self.schema.quasi, self.rows)
        return replace(found, expected_fits=self._changed_values(check).expected_fits(), linked=linked)

    def _changed_values(self, check: Check) -> ChangedValues:
        return ChangedValues(self.frame, self.public, self.files, self.schema.quasi, check.original, self.rows)


@dataclass(frozen=True, eq=False)
class ChangedValues:
    """A release of changed values, and the original behind it where there is one; `rows` is the owner's row map."""

    frame: pl.DataFrame
    public: Mapping[str, Any]
    files: Mapping[str, pl.DataFrame]
    quasi: Sequence[str]
    original: Table | None = None
    rows: NDArray[np.int64] | None = None

    def check(self) -> tuple[list[str], list[str]]:
        """Check every change that the release tells of; return what was found, and what is broken."""
        found: list[str] = []
        broken: list[str] = []
        changes = [name for name in _NAMES if name in self.public]
        forms = self.public.get("forms")
        if not isinstance(forms, Mapping):
            return found, ["what the release says of the forms of its columns cannot be read"]
        if len(changes) > 1:
            broken.append(f"the release says that it has both {_NAMES[changes[0]]} and {_NAMES[changes[1]]}")
        if "substitute" not in forms.values():
            return found, [*broken, f"the release tells of {_NAMES[changes[0]]}, and no column was changed"]
        for name in changes:
            try:
                drawn = sorted(name for name, form in forms.items() if form == "substitute")
                if sorted(_changed_columns(self.public[name])) != drawn:
                    broken.append(f"what the release says of {_NAMES[name]} is not about the columns that were changed")
                    continue
                _CHECKS[name](self, self.public[name], found, broken)
            except _UNREADABLE:
                broken.append(f"what the release says of {_NAMES[name]} cannot be read")
        untouched = [name for name in self.quasi if name not in forms]
        if untouched:
            found.append(f"as recorded: {', '.join(map(repr, untouched))}")
        return found, broken

    def expected_fits(self) -> NDArray[np.float64] | None:
        """How many records each published density is expected to fit as well as its own; None where not known."""
        parameters, densities = self.public.get("uncertain"), self.files.get("densities")
        if parameters is None or densities is None or self.original is None or self.row_map is None:
            return None
        try:
            names, uniform = list(parameters["columns"]), parameters["density"] == "uniform"
            if set(names) != set(self.quasi):  # what is as recorded tells the records apart
                return None
            if any(name not in densities.columns for name in names) or densities.height != self.frame.height:
                return None
            behind = self.original.frame[self.row_map]
            true = np.array([as_numbers(behind[name]) for name in names])
            spreads = np.array([densities[name].cast(pl.Float64).to_numpy() for name in names])
        except _UNREADABLE:  # `check` says so
            return None
        if np.isnan(true).any() or np.isnan(spreads).any():
            return None
        return expected_fits(true, spreads, uniform)

    @property
    def row_map(self) -> NDArray[np.int64] | None:
        """The owner's row map; None where there is none, or it does not fit the rows and the original."""
        rows, original = self.rows, self.original
        if rows is None or original is None or len(rows) != self.frame.height or not len(rows):
            return None
        return rows if rows.min() >= 0 and rows.max() < len(original) else None

    def true_values(self, name: str) -> pl.Series | None:
        """The records' own values, row by row where there is a map and else in any order; None where not known."""
        if self.original is None or name not in self.original.columns:
            return None
        if self.row_map is not None:
            return self.original.frame[name].gather(self.row_map)
        complete = self.original.frame[name].gather(self.original.complete)
        return complete if len(complete) == self.frame.height else None


def _changed_columns(parameters: Mapping[str, Any]) -> list[str]:
    return list(parameters["columns"])


def _check_swapping(seen: ChangedValues, parameters: Mapping[str, Any], found: list[str], broken: list[str]) -> None:
    """Every column holds the values of the original, none further than p percent of the ranks from its place."""
    p, whole = float(parameters["p"]), True
    for name in parameters["columns"]:
        true, shown = seen.true_values(name), seen.frame[name]
        if true is None:
            whole = False
            continue
        if not shown.sort().equals(true.cast(shown.dtype).sort(), check_names=False):
            broken.append(f"column {name!r} does not hold the values of the original, each as often")
            continue
        if seen.row_map is None:
            continue
        assert seen.original is not None
        codes = encode_series(pl.concat([true, shown.cast(true.dtype)]), seen.original.schema.column(name)).codes
        own, now = codes[: len(true)], codes[len(true) :]
        known = (own >= 0) & (now >= 0)
        counts = np.bincount(own[known], minlength=int(codes.max(initial=0)) + 1)
        last = np.cumsum(counts)
        a, b = np.minimum(own, now)[known], np.maximum(own, now)[known]
        gap = np.where(a == b, 0, last[b] - counts[b] - last[a] + 1)  # between the nearest of equal ranks
        if (gap > known.sum() * p / 100.0 + 1e-9).any():
            broken.append(f"column {name!r} has values that moved by more than {p:g}% of the ranks")
    if whole and not broken:
        near = f", none moved by more than {p:g}% of the ranks" if seen.row_map is not None else ""
        found.append(f"every swapped column holds the values of the original{near}")


def _check_pram(seen: ChangedValues, parameters: Mapping[str, Any], found: list[str], broken: list[str]) -> None:
    """Matrices are of probabilities, cells show their categories, and values changed about as often as matrices say."""
    for name, said in parameters["columns"].items():
        categories, matrix = list(map(str, said["categories"])), np.array(said["matrix"], dtype=np.float64)
        m = len(categories)
        sound = matrix.shape == (m, m) and m > 0 and len(set(categories)) == m and np.isfinite(matrix).all()
        if not sound or (matrix < 0).any() or np.abs(matrix.sum(axis=1) - 1.0).max() > 1e-9:
            broken.append(f"the matrix of column {name!r} is none of probabilities")
            continue
        if m > 1 and np.array_equal(matrix, np.eye(m)):
            broken.append(f"the matrix of column {name!r} changes nothing")
            continue
        shown = _category_codes(seen.frame[name], categories)
        if (shown == -2).any():
            broken.append(f"column {name!r} shows a value that its matrix does not have")
            continue
        true = seen.true_values(name)
        if true is None:
            continue
        own = _category_codes(true, categories)
        if (own == -2).any():
            broken.append(f"the matrix of column {name!r} lacks a value of the original")
            continue
        counts = np.bincount(own[own >= 0], minlength=m)
        shares = counts / max(counts.sum(), 1)
        if parameters["invariant"] and np.abs(shares @ matrix - shares).max() > 1e-6:
            broken.append(f"the matrix of column {name!r} is said to be invariant, and changes expected frequencies")
        if seen.row_map is not None:
            _check_frequencies(name, own, shown, counts, matrix, broken)
    if not broken:
        words = "cells and matrices fit each other"
        held = all(seen.true_values(name) is not None for name in parameters["columns"])
        if held and seen.row_map is not None:
            words = "categories changed as often as their matrices say"
        found.append(words)


def _check_frequencies(
    name: str, own: NDArray[np.int64], shown: NDArray[np.int64], counts: NDArray[np.int64],
    matrix: NDArray[np.float64], broken: list[str],
) -> None:  # fmt: skip
    known = (own >= 0) & (shown >= 0)
    if (matrix[own[known], shown[known]] <= 0).any():
        broken.append(f"column {name!r} has a change that its matrix rules out")
    stays = np.diag(matrix)
    off = float((own == shown)[known].sum() - counts @ stays)
    if abs(off) > _SIGMAS * np.sqrt(float(counts @ (stays * (1.0 - stays)))) + 1.0:
        broken.append(f"column {name!r} did not change as often as its matrix says")


def _category_codes(series: pl.Series, categories: Sequence[str]) -> NDArray[np.int64]:
    """The number of the category that each cell shows; -1 where the cell is missing, -2 where it shows none of them."""
    lookup = pl.DataFrame({"text": list(categories), "code": np.arange(len(categories))})
    texts = pl.DataFrame({"text": series.cast(pl.String)})
    codes = texts.join(lookup, on="text", how="left", maintain_order="left")["code"].fill_null(-2).to_numpy()
    return np.asarray(np.where(series.is_null().to_numpy(), -1, codes), dtype=np.int64)


def _check_coding(seen: ChangedValues, parameters: Mapping[str, Any], found: list[str], broken: list[str]) -> None:
    """Nothing lies beyond a threshold, and what lies between is as recorded."""
    least, compared = int(parameters["least"]), True
    for name, ends in parameters["columns"].items():
        true = seen.true_values(name)
        compared = compared and true is not None
        broken += coding_flaws(name, seen.frame[name], ends, least, true, in_order=seen.row_map is not None)
    if not broken:
        found.append("values between the thresholds are as recorded" if compared else "no value is beyond a threshold")


def _check_rotation(seen: ChangedValues, parameters: Mapping[str, Any], found: list[str], broken: list[str]) -> None:
    """Distances between records are those of the original, but for the jitter and the noise that the release names."""
    names, noise, jitter = list(parameters["columns"]), float(parameters["noise"]), list(parameters["jitter"])
    shown = np.array([as_numbers(seen.frame[name]) for name in names])
    if not np.isfinite(shown).all():
        broken.append("a rotated value is missing or no number")
        return
    if seen.row_map is None or seen.original is None:
        return
    behind = [seen.true_values(name) for name in names]
    true = np.array([as_numbers(each) for each in behind])  # type: ignore[arg-type]
    spread = true.std(axis=1, keepdims=True)
    centred = true - true.mean(axis=1, keepdims=True)
    points = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)
    steps = [unit_of(line, temporal=each.dtype.is_temporal()) for line, each in zip(true, behind, strict=True)]  # type: ignore[union-attr]
    if sorted(jitter) != sorted(name for name, step in zip(names, steps, strict=True) if step):
        broken.append("jitter is not told of the columns that lie on a grid")
        return
    units = np.divide(steps, spread[:, 0], out=np.zeros(len(names)), where=spread[:, 0] > 0)
    left, _, right = np.linalg.svd(shown @ points.T)
    off = shown - left @ right @ points  # the nearest that any rotation comes
    expected = noise**2 + float((units**2).mean()) / 12.0
    chance = 2.0 * noise**4 + noise**2 * float((units**2).mean()) / 3.0 + float((units**4).mean()) / 180.0
    slack = _SIGMAS * np.sqrt(chance / off.size)
    fitted = len(names) ** 2 / off.size * (noise**2 + float((units**2).max()) / 12.0)
    deviation = float(np.sqrt((off**2).mean()))
    blurred = " and ".join([*["jitter"] * bool(jitter), *["noise"] * (noise > 0)])
    words = f" but for {blurred}" if blurred else ""
    low, high = np.sqrt(max(expected - slack - fitted, 0.0)) - 1e-7, np.sqrt(expected + slack) + 1e-7
    if not low <= deviation <= high:
        broken.append("distances between the records are not those of the original" + words)
    else:
        found.append("distances between the records are those of the original" + words)


def _check_densities(seen: ChangedValues, parameters: Mapping[str, Any], found: list[str], broken: list[str]) -> None:
    """Spreads lie on the steps that the column allows, and centres lie around their records as the spreads say."""
    names, density = list(parameters["columns"]), parameters["density"]
    table = seen.files.get(str(parameters["table"]))
    if table is None or table.columns != names or table.height != seen.frame.height or density not in _DENSITIES:
        broken.append("the densities are not published, or do not fit the published rows")
        return
    if not all(table[name].dtype.is_numeric() for name in names):
        raise TypeError("a spread is a number")
    spreads = np.array([table[name].cast(pl.Float64).to_numpy() for name in names])
    centres = np.array([as_numbers(seen.frame[name]) for name in names])
    if not np.isfinite(spreads).all() or (spreads < 0).any() or not np.isfinite(centres).all():
        broken.append("a density has no centre, or a spread that is no number")
        return
    if seen.row_map is None or seen.original is None:
        return
    true = np.array([as_numbers(seen.true_values(name)) for name in names])  # type: ignore[arg-type]
    if not _in_steps(true, spreads):
        broken.append("the spreads are no steps of the column's deviation, rounded up to two digits")
        return
    off, wide = centres - true, spreads > 0
    if np.abs(off[~wide]).max(initial=0.0) > 1e-6:
        broken.append("a density without a spread is not at its record")
    share = off[wide] / spreads[wide]
    variance, deviation = _DENSITIES[density]
    slack = _SIGMAS * deviation / np.sqrt(max(share.size, 1)) + 1e-6
    beyond = density == "uniform" and bool((np.abs(share) > 1.0 + 1e-6).any())
    if beyond or (share.size and abs(float((share**2).mean()) - variance) > slack):
        broken.append("the centres of the densities do not lie around their records as the spreads say")
    else:
        found.append("centres lie around their records as the spreads say")


def _in_steps(true: NDArray[np.float64], spreads: NDArray[np.float64]) -> bool:
    """Whether every spread is the deviation of its column, rounded up to two digits, times a power of the root of 2."""
    scales = np.array([[two_digits_up(float(line.std()))] for line in true])
    if (spreads[scales[:, 0] == 0] > 0).any() or (spreads[scales[:, 0] > 0] <= 0).any():
        return False
    steps = 2.0 * np.log2(spreads[scales[:, 0] > 0] / scales[scales[:, 0] > 0])
    return bool((np.abs(steps - np.rint(steps)) <= 1e-6).all())


_DENSITIES = {"normal": (1.0, np.sqrt(2.0)), "uniform": (1.0 / 3.0, np.sqrt(4.0 / 45.0))}
"""The mean square of a draw of spread 1, and the standard deviation of its square."""
_CHECKS: dict[str, Callable[[ChangedValues, Mapping[str, Any], list[str], list[str]], None]] = {
    "swapping": _check_swapping, "pram": _check_pram, "coding": _check_coding, "rotation": _check_rotation,
    "uncertain": _check_densities,
}  # fmt: skip
