"""`compare`: which method, and how strong? Methods with promises on the same data, verified and measured."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from sfumato.data.baskets import Baskets
from sfumato.data.given import given_data, given_table
from sfumato.data.graph import Graph
from sfumato.data.table import Table
from sfumato.ground.calls import says_what_it_takes
from sfumato.ground.errors import Cancelled, DataError, ParameterError, SfumatoError
from sfumato.ground.progress import Progress, steps
from sfumato.ground.randomness import Randomness, Seed
from sfumato.ground.validate import any_whole, finite, told
from sfumato.verbs.comparing.common_figures import DEFAULTS, check_axis
from sfumato.verbs.comparing.frontier import Frontier
from sfumato.verbs.comparing.kept import Kept, checked_folder
from sfumato.verbs.comparing.plan import planned
from sfumato.verbs.comparing.point import Point
from sfumato.verbs.comparing.processes import try_all
from sfumato.verbs.comparing.sampled import sampling_of
from sfumato.verbs.comparing.samples import FEWEST_CLASSES, check_room, n_sampled, sizes_of
from sfumato.verbs.comparing.subject import subject_of
from sfumato.verbs.floor import Floor, floor

__all__ = ["compare"]

_ROOMS = {"table": "tables", "baskets": "baskets", "graph": "graphs"}
_UNITS = {"table": "rows", "baskets": "records", "graph": "vertices"}


@says_what_it_takes
def compare(
    data: Table | Baskets | Graph,
    methods: Sequence[object] | None = None,
    promises: Sequence[object] | None = None,
    *,
    risk: str | None = None,
    utility: str | None = None,
    within: float | None = None,
    each: float | None = 60.0,
    n_queries: int = 200,
    sample: int | None = None,
    folder: str | Path | None = None,
    seed: Seed | None = None,
    progress: Progress | None = None,
) -> Frontier:
    """Publish `data` by every method under every promise, verify and measure each release, and hold them against each
    other.

    `methods` are methods, classes or names; by default those that fit the data, with the strengths that they declare
    themselves. `promises` are by default k-anonymity with k = 5, 10, 20 and 50. `risk` and `utility` are the figures to
    compare by, names of `measure` or ideas that several kinds of releases have a figure for (`identification`,
    `counts`); a release without one is told to lack it. Points are tried side by side in processes of their own:
    `within` are the seconds that all may take together, `each` those of one (60), after which it is told as too slow;
    None is no limit. `n_queries` is that of `measure`.

    A table of more than 200,000 rows is compared on random samples of `sample` rows (60,000, or a 16th of the table), a
    half and a quarter of them; figures are extrapolated to all rows where they follow a power law, with intervals, and
    else told as those of a sample. A `sample` of all rows or more asks for the whole table.

    A comparison with a `folder` goes on where it was ended, and the folder is the owner's. A `seed` makes every release
    and sample the same again. A `progress` that the caller made has a step for each point, on samples three.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> found = sf.compare(hospital(200), ["Mondrian", "Ordered"], [sf.KAnonymity(5), sf.KAnonymity(10)], seed=1)
    >>> found.best.label
    'Ordered'
    """
    given_data(data, f"compare takes a Table, got {type(data).__name__}; wrap a frame as Table(frame, schema)")
    if not len(data):
        raise DataError(f"the data have no {_UNITS[data.data_kind]}, so that there is nothing to compare; give some")
    for name, value in (("methods", methods), ("promises", promises)):
        if isinstance(value, (str, bytes)) or (value is not None and not isinstance(value, Sequence)):
            raise ParameterError(f"{name} must be a list, got {told(value)}; write [{value!r}]")
    for name, limit in (("within", within), ("each", each)):
        if limit is not None:
            finite(name, limit, asked="a number of seconds above 0", above=0)
    any_whole("n_queries", n_queries, least=0)
    kept_in = checked_folder(folder)
    axes = DEFAULTS[data.data_kind]
    chosen_risk, chosen_utility = (axes[0] if risk is None else risk), (axes[1] if utility is None else utility)
    for axis in (chosen_risk, chosen_utility):
        check_axis(axis, _ROOMS[data.data_kind])
    n = n_sampled(data, sample)
    if n is None:
        points = planned(data, methods, promises)
    else:
        smallest = given_table(data, "only tables").head(sizes_of(n)[-1])
        points = planned(smallest, methods, promises, fewest_classes=FEWEST_CLASSES)
        check_room(n, [point.promise for point in points if point.promise is not None])
    start = Randomness(seed).seed
    kept = Kept(kept_in, subject_of(data, n_queries), start, given=seed is not None)
    sampling = sampling_of(given_table(data, "only tables"), n, kept.seed) if n is not None else None
    tries = points if sampling is None else sampling.tries(points)
    found = {point.key: point for point in tries if point.came == "refused"}
    found |= {point.key: point for point in kept.known([point for point in tries if point.key not in found])}
    waiting = [point for point in tries if point.key not in found]
    until = None if within is None else time.monotonic() + within
    with steps(len(tries)) if progress is None else nullcontext(progress) as bar:
        for _ in found:
            bar.step("kept from before")

        def tell(point: Point) -> None:
            found[point.key] = point
            kept.keep(point)
            rows = f" on {point.n_rows:,} rows" if point.n_rows is not None else ""
            bar.step(f"{point.label}, {point.strength}{rows}: {point.came}")

        if waiting:
            try_all(
                data if sampling is None else sampling.rows, waiting, kept.seed, n_queries=n_queries, until=until,
                each=each, tell=tell, moot=lambda point: sampling is not None and sampling.moot(point, found),
            )  # fmt: skip
    ended = [found.get(point.key, point) if sampling is None else sampling.together(point, found) for point in points]
    sizes = sampling.sizes if sampling is not None else ()
    found_all = Frontier(
        points=tuple(ended), risk=chosen_risk, utility=chosen_utility, data=data, seed=kept.seed, samples=sizes
    )
    return replace(found_all, floor=_floor_below(found_all))


def _floor_below(found: Frontier) -> Floor | None:
    """The floor under the promise of the best point, where it shows classes and is measured by their loss.

    None where no floor is known under the promise: that takes nothing from what was found.
    """
    if found.utility != "gcp" or not found.has_best:
        return None
    best = found.best
    if best.promise is None or "n_classes" not in best.figures:  # no classes: not a table, or values of another kind
        return None
    try:
        return floor(given_table(found.data, "only tables have classes"), best.promise, seed=found.seed)
    except Cancelled:
        raise
    except SfumatoError:
        return None
