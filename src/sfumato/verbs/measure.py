"""`measure`: what a release lost and what it risks."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.baskets.measures import measure_baskets, measure_recoding, refuse_other_records
from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.data.table import Table
from sfumato.errors import ParameterError
from sfumato.figures import Measures
from sfumato.graphs.measures import measure_graph
from sfumato.published.baskets.baskets import aligned
from sfumato.published.shape import shape_of
from sfumato.published.tables.numbered_classes import read_republished
from sfumato.published.tables.subdomains import read_subdomains
from sfumato.published.tables.two_tables import read_permuted
from sfumato.randomness import Randomness, Seed
from sfumato.release import Release
from sfumato.tables.asked import Asked
from sfumato.tables.condensing.measures import measure_condensed
from sfumato.tables.measuring import measure_table
from sfumato.tables.perturbing.measures import measure_perturbed

__all__ = ["measure"]


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
    """
    if not isinstance(release, Release):
        raise ParameterError(f"measure takes a Release, got {type(release).__name__}; load one with load_release")
    owner = release.owner
    if isinstance(release.data, PublishedBaskets):
        return _of_baskets(release, original, n_queries=n_queries, seed=seed)
    table = original if original is not None else owner.original if owner is not None else None
    if isinstance(release.data, Graph):
        return _of_graph(release, release.data, table)
    if table is not None and not isinstance(table, Table):
        raise ParameterError(f"the release is of a table, and the original is {type(table).__name__}; give the table")
    sizes = [part.min_size() for part in release.promise.parts] if release.promise is not None else []
    asked = Asked(
        label=label, k=max(sizes, default=None), population=population, n_queries=n_queries,
        random=Randomness(seed) if seed is not None else None, relative=relative, olap_levels=olap_levels,
    )  # fmt: skip
    frame, rows = release.data.frame, owner.rows if owner is not None else None
    if "condensed" in release.public:
        return measure_condensed(frame, owner.files if owner is not None else {}, table, asked)
    if shape_of(release).name == "changed values":
        return measure_perturbed(frame, release.public, table, rows, asked)
    readers = (read_permuted, read_subdomains, read_republished)
    tables = (read(frame, release.files, release.public) for read in readers)
    seen = next((each for each in tables if each is not None), None)
    return measure_table(frame, release.forms, table, rows, asked, files=release.files, seen=seen)


def _of_graph(release: Release, published: Graph, original: Table | Baskets | Graph | None) -> Measures:
    """What a graph lost, as it stands."""
    if original is not None and (not isinstance(original, Graph) or len(original) != len(published)):
        raise ParameterError(
            f"the release is of a graph of {len(published):,} vertices, and the original is another; give the right one"
        )
    if original is not None:
        shape_of(release).refuse_other_original(original)
    return measure_graph(published, original, release.owner.rows if release.owner is not None else None)


def _of_baskets(
    release: Release, original: Table | Baskets | Graph | None, *, n_queries: int, seed: Seed | None
) -> Measures:  # fmt: skip
    """What baskets lost; the original is numbered as the published items are."""
    owner, published = release.owner, release.data
    assert isinstance(published, PublishedBaskets)
    known = original if original is not None else owner.original if owner is not None else None
    if known is not None and not isinstance(known, Baskets):
        raise ParameterError(f"the release is of baskets, and the original is a {type(known).__name__}; give baskets")
    if known is not None:
        refuse_other_records(published, known)
    recoded = owner.files.get("items") if owner is not None else None
    if recoded is not None and known is not None:
        return measure_recoding(known, dict(recoded.select("item", "shown_as").iter_rows()))
    own = aligned(known, published) if known is not None else None
    random = Randomness(seed) if seed is not None else None
    return measure_baskets(
        published, own, owner.rows if owner is not None else None, n_queries=n_queries, random=random
    )
