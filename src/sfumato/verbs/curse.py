"""The curse of dimensionality, shown on one's own data: how many quasi-identifiers it can stand at each k.

Aggarwal, "On k-anonymity and the curse of dimensionality", VLDB 2005: with every column fewer records look alike, and
what it takes to make them alike again grows until little is left of the columns. Columns are added one by one, at each
step the one that leaves most records in large classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.encoding import Coded, encode
from sfumato.data.given import given_table
from sfumato.data.table import Table
from sfumato.ground.brief import fit_screen
from sfumato.ground.calls import SaysWhatMethodsTake, says_what_it_takes
from sfumato.ground.cards import card, folded, grid, lines, small
from sfumato.ground.errors import DataError, ParameterError, SchemaError
from sfumato.ground.progress import Share, steps
from sfumato.ground.randomness import Randomness, Seed
from sfumato.ground.validate import finite, is_whole, whole
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.tables.coding.columns import flatten
from sfumato.tables.grouping.cutting.problem import Cut, Problem
from sfumato.tables.grouping.groups import GroupingMethod
from sfumato.tables.grouping.hilbert import Hilbert
from sfumato.tables.grouping.job import Job

if TYPE_CHECKING:
    from rich.console import Group

__all__ = ["Curse", "curse"]


@dataclass(frozen=True, kw_only=True, repr=False)
class Curse(SaysWhatMethodsTake):
    """What each further quasi-identifier does, for each k.

    `ks` and `max_loss` are what was asked for, `method` formed the groups; `n_sampled` of `n_rows` records were looked
    at.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.curse(hospital(100), (2, 5)).columns[:2]
    ('sex', 'marital')
    """

    columns: tuple[str, ...]
    """The quasi-identifiers in the order they were added."""
    left_out: tuple[str, ...]
    """Those that were not tried, where there are very many."""
    ks: tuple[int, ...]
    alone: tuple[float, ...]
    """By number of columns: the share of records that no other looks like, as recorded."""
    below: Mapping[int, tuple[float, ...]]
    """For each k, by number of columns: the share of records in classes below k, as recorded."""
    loss: Mapping[int, tuple[float, ...]]
    """For each k, by number of columns: the loss (GCP) of making them k-anonymous."""
    max_loss: float
    method: str
    n_rows: int
    n_sampled: int

    def stands(self, k: int) -> int:
        """How many columns, in this order, lose no more than `max_loss` at this k."""
        if k not in self.loss:
            raise ParameterError(f"k={k} was not tried; one of {', '.join(map(str, self.ks))} was")
        over = [n for n, loss in enumerate(self.loss[k], start=1) if loss > self.max_loss]
        return over[0] - 1 if over else len(self.columns)

    def said(self) -> list[str]:
        """The result in sentences, one for each k."""
        lines, n = [], len(self.columns)
        for k in self.ks:
            fit = self.stands(k)
            if fit == n:
                every = (
                    "The one column loses"
                    if n == 1
                    else f"All {n} columns{' that were tried' if self.left_out else ''} together lose"
                )
                lines.append(f"k = {k}: {every} {self.loss[k][-1]:.1%}, within {self.max_loss:.0%}.")
                continue
            up_to = f"{fit} column{'s' if fit != 1 else ''} will do" if fit else "not even one column will do"
            end = f"; all {n} lose {self.loss[k][-1]:.1%}" if fit + 1 < n else ""
            lines.append(
                f"k = {k}: {up_to}; {fit + 1} will not: with {self.columns[fit]!r} the loss is "
                f"{self.loss[k][fit]:.1%}, above {self.max_loss:.0%}{end}."
            )
        return lines

    def notes(self) -> list[str]:
        """What a reader of the figures must know."""
        notes = []
        if self.n_sampled < self.n_rows:
            notes.append(
                f"{self.n_sampled:,} of {self.n_rows:,} records, picked at random: all of them have more that look "
                f"alike, so that these figures are on the high side."
            )
        if self.left_out:
            notes.append(f"{len(self.left_out)} more quasi-identifiers were not tried.")
        notes.append(f"The loss is that of {self.method}; others may lose less.")
        return notes

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for `--json`."""
        return {
            "rows": self.n_rows, "sampled": self.n_sampled, "max_loss": self.max_loss, "method": self.method,
            "columns": list(self.columns), "left_out": list(self.left_out), "alone": list(self.alone),
            "k": [
                {"k": k, "stands": self.stands(k), "below": list(self.below[k]), "loss": list(self.loss[k])}
                for k in self.ks
            ],
            "said": self.said(), "notes": self.notes(),
        }  # fmt: skip

    def __str__(self) -> str:
        heads = ["columns", "added", *self._heads]
        rows = [[str(n), name, *cells] for n, name, cells in self._rows()]
        widths = [max(len(row[c]) for row in (heads, *rows)) for c in range(len(heads))]
        lines = []
        for row in (heads, *rows):
            pairs = zip(row, widths, strict=True)
            cells = [cell.ljust(w) if c == 1 else cell.rjust(w) for c, (cell, w) in enumerate(pairs)]
            lines.append("  ".join(cells).rstrip())
        return "\n".join([*lines, "", *self.said(), *self.notes()])

    def __repr__(self) -> str:
        return fit_screen("\n".join([f"Curse({self.n_rows:,} rows, {len(self.columns)} columns)", *self.said()]))

    def _repr_html_(self) -> str:
        rows = [(n, name, *cells) for n, name, cells in self._rows()]
        table = grid(("", "added", *self._heads), rows, numbers=(0, *range(2, 2 + len(self._heads))))
        title = f"{self.n_rows:,} rows, {len(self.columns)} quasi-identifiers, added one by one"
        return card(title, lines(self.said()), folded("column by column", table), small(lines(self.notes())))

    def render(self) -> Group:
        """The same for a terminal: print it with rich."""
        from rich.console import Group
        from rich.table import Table as Grid
        from rich.text import Text

        title = f"{self.n_rows:,} rows, {len(self.columns)} quasi-identifiers, added one by one"
        grid = Grid(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
        grid.add_column("", justify="right")
        grid.add_column("added", no_wrap=True, max_width=24)
        for head in self._heads:
            grid.add_column(head.replace(" ", "\n"), justify="right", no_wrap=True)
        for n, name, cells in self._rows():
            red = ["red" if self.loss[k][n - 1] > self.max_loss else "" for k in self.ks]
            over = [*([""] * (len(cells) - len(red))), *red]
            shown = [Text(cell, style=style) for cell, style in zip(cells, over, strict=True)]
            grid.add_row(str(n), Text(name), *shown)
        return Group(grid, "", *(Text(line, style="bold") for line in self.said()), *map(Text, self.notes()))

    @property
    def _heads(self) -> list[str]:
        return ["alone", *(f"below {k}" for k in self.ks if k > 2), *(f"loss k={k}" for k in self.ks)]

    def _rows(self) -> list[tuple[int, str, list[str]]]:
        return [
            (
                i + 1, name,
                [_percent(self.alone[i]), *(_percent(self.below[k][i]) for k in self.ks if k > 2),
                 *(_percent(self.loss[k][i]) for k in self.ks)],
            )
            for i, name in enumerate(self.columns)
        ]  # fmt: skip


def _percent(share: float) -> str:
    return "<0.1%" if 0 < share < 0.0005 else ">99.9%" if 0.9995 < share < 1 else f"{share:.1%}"


@says_what_it_takes
def curse(
    table: Table,
    ks: Sequence[int] = (2, 5, 10, 50),
    *,
    max_loss: float = 0.25,
    method: GroupingMethod | None = None,
    sample: int = 50_000,
    max_columns: int = 20,
    seed: Seed | None = None,
) -> Curse:
    """How many quasi-identifiers a table can stand: small classes as recorded, and the loss of making them k-anonymous.

    For every number of columns and every k, `method` (`Hilbert(fast=True)` by default) forms groups of k, and their
    loss is measured. Of larger tables a `sample` of records is taken. A record without a value that the schema insists
    on has no part in it.

    `ks` are the values of k to try, `max_loss` is the loss that is still borne, and no more than `max_columns` columns
    are added. The sample is the same each time, unless a `seed` is given. `table` is one with quasi-identifiers.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.curse(hospital(100), (2, 5)).stands(2)
    5
    """
    wanted = _check_arguments(table, ks, max_loss, sample, max_columns)
    maker = method if method is not None else Hilbert(fast=True)
    if not isinstance(maker, GroupingMethod):
        raise ParameterError(f"method must form groups, as Hilbert() or Mondrian() do, got {method!r}")
    random = Randomness(seed) if seed is not None else Randomness("curse")
    rows = table.complete
    n_rows = len(rows)
    if n_rows > sample:
        rows = np.sort(rows[random.spawn("sample").permutation(n_rows)[:sample]])
    if len(rows) < max(wanted):
        raise DataError(f"k={max(wanted)} needs at least {max(wanted)} records, and there are {len(rows):,}; lower k")
    coded = {column.name: column for column in encode(table.rows(rows), table.schema.quasi)}
    n_columns = min(max_columns, len(coded))
    loss: dict[int, list[float]] = {k: [] for k in wanted}
    with steps(1 + n_columns) as progress:
        progress.step("ordering columns")
        order, alone, below = _column_order(coded, wanted, n_columns, progress.share)
        for n in range(1, n_columns + 1):
            progress.step(f"{n} columns")
            quasi = [coded[name] for name in order[:n]]
            for i, k in enumerate(wanted):
                job = Job(quasi, (), KAnonymity(k), random.spawn(f"{n} columns, k = {k}"), progress)
                loss[k].append(_loss(maker, job.part(i / len(wanted), (i + 1) / len(wanted))))
    return Curse(
        columns=tuple(order), left_out=tuple(name for name in coded if name not in order), ks=wanted,
        alone=tuple(alone), below={k: tuple(below[k]) for k in wanted}, loss={k: tuple(loss[k]) for k in wanted},
        max_loss=float(max_loss), method=type(maker).__name__, n_rows=n_rows, n_sampled=len(rows),
    )  # fmt: skip


def _check_arguments(
    table: Table, ks: Sequence[int], max_loss: float, sample: int, max_columns: int
) -> tuple[int, ...]:
    """The values of k, rising, each once; an error if any argument is wrong."""
    given_table(table, f"curse takes a Table, got {type(table).__name__}; wrap a frame as Table(frame, schema)")
    if not table.schema.quasi:
        raise SchemaError("no column is declared quasi; name those an outsider may know, as in Schema(quasi=['age'])")
    wanted = tuple(sorted(set(ks)))
    if not wanted or any(not is_whole(k) or k < 2 for k in wanted):
        raise ParameterError(f"ks must be whole numbers >= 2, got {ks!r}")
    finite("max_loss", max_loss, asked="a share above 0 and at most 1", above=0.0, high=1.0)
    whole("sample", sample, least=1)
    whole("max_columns", max_columns, least=1)
    return wanted


def _column_order(
    coded: Mapping[str, Coded], ks: Sequence[int], most: int, share: Share
) -> tuple[list[str], list[float], dict[int, list[float]]]:
    """The order of columns that keeps records alike longest; the share that is alone, and in classes below k, by step.

    O(N d^2 log N).
    """
    order: list[str] = []
    alone: list[float] = []
    below: dict[int, list[float]] = {k: [] for k in ks}
    n = len(next(iter(coded.values())).codes)
    classes = np.zeros(n, dtype=np.int64)
    while len(order) < most:
        share(len(order) / most)
        best: tuple[tuple[float, int], str, NDArray[np.int64], NDArray[np.int64]] | None = None
        for name, column in coded.items():
            if name in order:
                continue
            keys = classes * np.int64(column.n_codes + 1) + column.codes + 1
            _, finer, sizes = np.unique(keys, return_inverse=True, return_counts=True)
            cost = (float(sum(sizes[sizes < k].sum() for k in ks)), len(sizes))
            if best is None or cost < best[0]:
                best = (cost, name, finer.astype(np.int64), sizes)
        assert best is not None
        _, name, classes, sizes = best
        order.append(name)
        alone.append(float((sizes == 1).sum()) / n)
        for k in ks:
            below[k].append(float(sizes[sizes < k].sum()) / n)
    return order, alone, below


def _loss(method: GroupingMethod, job: Job) -> float:
    """The loss (GCP) of the groups that the method forms."""
    groups, n = method.groups(job), job.n_rows
    problem = Problem(flatten(job.quasi), np.arange(n), np.zeros(n), (), job.promise)
    return problem.total(Cut(groups.order, groups.starts))
