"""`measure`: what a release lost and what it risks."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.contracts.measurer import MeasureOptions, further_measures, measure_of
from sfumato.data.baskets import Baskets
from sfumato.data.given import given_table
from sfumato.data.graph import Graph
from sfumato.data.table import Table
from sfumato.ground.calls import says_what_it_takes
from sfumato.ground.errors import ParameterError
from sfumato.ground.figures import Measures
from sfumato.ground.randomness import Randomness, Seed
from sfumato.ground.surface import load_folder
from sfumato.ground.validate import any_whole, told
from sfumato.published.shape import shape_of
from sfumato.release.release import Release

__all__ = ["measure"]

_MOST_QUERIES = 1_000_000


@says_what_it_takes
def measure(
    release: Release,
    original: Table | Baskets | Graph | None = None,
    *,
    label: str | None = None,
    population: Table | None = None,
    n_queries: int = 200,
    relative: bool = True,
    olap_levels: Sequence[int] = (),
    seed: Seed | None = None,
) -> Measures:
    """Utility and risk of a release, by name.

    Losses need the `original` (by default the one the owner's part still holds); distortion needs the owner's row
    map too. `label` is the column that the classification metric predicts, the first sensitive one by default. A
    `population` that the records were drawn from adds the journalist's risk. The workload of `n_queries` random
    counts is the same for every release of a table, unless a `seed` draws another. `relative` adds the distortion in
    its printed form, relative to the value. `olap_levels`, such as (1, 2), adds how far group-by counts over so many
    quasi-identifiers are off for the most frequent value of `label`.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> measures = sf.measure(release, n_queries=0)
    >>> measures["prosecutor_max"], measures.figure("prosecutor_max").shown
    (0.2, '20.00%')
    """
    if not isinstance(release, Release):
        raise ParameterError(f"measure takes a Release, got {type(release).__name__}; load one with load_release")
    if any_whole("n_queries", n_queries, least=0) > _MOST_QUERIES:
        raise ParameterError(f"n_queries is at most {_MOST_QUERIES:,}, got {n_queries:,}; ask for fewer")
    if population is not None:
        given_table(population, f"population must be a Table, got {told(population)}; read it with read_table")
    shape = shape_of(release)
    known = original if original is not None else release.owner.original if release.owner is not None else None
    shape.refuse_other_data(known)
    sizes = [part.min_size() for part in release.promise.parts] if release.promise is not None else []
    asked = MeasureOptions(
        label=label, k=max(sizes, default=None), population=population, n_queries=n_queries,
        random=Randomness(seed) if seed is not None else None, relative=relative, olap_levels=olap_levels,
    )  # fmt: skip
    load_folder(f"{shape.room}.measures")
    found: Measures = measure_of(shape, known, asked)
    return found | further_measures(shape, known, asked)
