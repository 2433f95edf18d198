"""A comparison on samples: each point is tried on three of them, and one is made of these that tells of all rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sfumato.data.table import Table
from sfumato.ground.randomness import Seed
from sfumato.verbs.comparing.common_figures import PROMISED
from sfumato.verbs.comparing.extrapolation import Estimate, estimates_of
from sfumato.verbs.comparing.likeness import why_unlike
from sfumato.verbs.comparing.point import Point, Sample
from sfumato.verbs.comparing.repeats import Copies, copies_of
from sfumato.verbs.comparing.samples import drawn, sizes_of

__all__ = ["Sampling", "sampling_of"]


@dataclass(frozen=True, eq=False)
class Sampling:
    """The largest sample, whose first rows are the smaller ones; the sizes; and how rows repeat, there and in all.

    `unlike` says why nothing is extrapolated, where the table is not like those that intervals were measured on.
    """

    rows: Table
    sizes: tuple[int, int, int]
    copies: tuple[Copies, ...]
    whole: Copies
    unlike: str = ""

    def tries(self, points: Iterable[Point]) -> list[Point]:
        """Each point on each sample, the largest first: without it the others would tell nothing."""
        return [
            replace(point, n_rows=size) if point.came == "not tried" else point
            for point in points
            for size in (self.sizes if point.came == "not tried" else self.sizes[:1])
        ]

    def moot(self, try_: Point, found: Mapping[str, Point]) -> bool:
        """Whether a smaller sample need not be tried, since there is no release of the largest."""
        largest = found.get(replace(try_, n_rows=self.sizes[0]).key)
        return largest is not None and largest.came != "done"

    def together(self, point: Point, found: Mapping[str, Point]) -> Point:
        """One point out of its tries: that of the largest sample, with what it tells of the whole table."""
        if point.came == "refused":
            return point
        tries = [found.get(each.key, each) for each in self.tries([point])]
        largest = tries[0]
        if largest.came != "done":
            why = f"on a sample of {self.sizes[0]:,} rows: {largest.why}" if largest.why else ""
            return replace(largest, why=why)
        samples = tuple(Sample(each.n_rows or 0, each.figures) for each in tries if each.came == "done")
        missing = next((each for each in tries if each.came != "done"), None)
        estimates = self._estimates(point, samples) if missing is None else {}
        why = ""
        if missing is not None:
            why = f"on {missing.n_rows:,} rows {missing.came}" + (f": {missing.why}" if missing.why else "")
        return replace(largest, samples=samples, estimates=estimates, digest="", why=why, made_by=None)

    def _estimates(self, point: Point, samples: Sequence[Sample]) -> dict[str, Estimate]:
        if point.promise is None:
            return {}
        figures = [sample.figures for sample in samples]
        found = estimates_of(figures, self.copies, self.whole, point.k) if not self.unlike else {}
        promised = samples[0].figures.get(PROMISED.name)  # the same for any number of rows
        return found if promised is None else {**found, PROMISED.name: Estimate(promised, promised, promised)}


def sampling_of(table: Table, n: int, seed: Seed) -> Sampling:
    """Draw the samples of a table, and count how often its records repeat."""
    rows, sizes = drawn(table, n, seed), sizes_of(n)
    copies = tuple(copies_of(rows.rows(slice(0, size))) for size in sizes)
    return Sampling(rows, sizes, copies, copies_of(table), why_unlike(table))
