"""`sfumato measure`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.cli.options import read_source, say, split_names, write_json
from sfumato.cli.verifying import declared_schema, original_of
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError
from sfumato.published.shape import shape_of
from sfumato.release.bundle import load_release
from sfumato.verbs.measure import measure

if TYPE_CHECKING:
    from sfumato.cli.app import SetFile

__all__ = ["run"]


def run(
    folder: Path,
    original: str | None,
    *,
    schema: Path | None,
    sets: SetFile,
    population: str | None,
    n_queries: int,
    olap: str | None,
    missing: str,
    as_json: bool,
) -> int:
    """Measure a release folder."""
    if olap is not None and original is None:
        raise ParameterError("--olap compares with the original; name its file too, as in sfumato measure out data.csv")
    release = load_release(folder)
    of_sets = shape_of(release).original_type is not Table
    data = original_of(release, original, schema, sets, missing) if original is not None else None
    people = None
    if of_sets and (population is not None or olap is not None):
        raise ParameterError("--population and --olap are for tables; leave them out")
    if population is not None:
        declared = declared_schema(release, schema)
        people = read_source(population, Schema.of(map(declared.column, release.schema.quasi)), missing=missing)
    measures = measure(
        release, data, label=None if of_sets else sets.label, population=people, n_queries=n_queries,
        olap_levels=_levels(olap),
    )  # fmt: skip
    if as_json:
        write_json(measures.to_dict())
    else:
        say(repr(measures))
    return 0


def _levels(given: str | None) -> list[int]:
    """Levels of the data cube from `1,2`."""
    try:
        return [int(level) for level in split_names(given)]
    except ValueError:
        raise ParameterError(f"--olap takes whole numbers separated by commas, as in 1,2; got {given!r}") from None
