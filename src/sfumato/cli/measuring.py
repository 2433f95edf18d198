"""`sfumato measure`."""

from __future__ import annotations

from pathlib import Path

from sfumato.bundle import load_release
from sfumato.cli.options import names, read, say, write_json
from sfumato.cli.verifying import declared_schema, original_of
from sfumato.data.schema import Schema
from sfumato.errors import ParameterError
from sfumato.verbs.measure import measure

__all__ = ["run"]


def run(
    folder: Path,
    original: str | None,
    *,
    schema: Path | None,
    label: str | None,
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
    table = original_of(release, original, schema, missing) if original is not None else None
    people = None
    if population is not None:
        declared = declared_schema(release, schema)
        people = read(population, Schema.of(map(declared.column, release.schema.quasi)), missing=missing)
    measures = measure(
        release, table, label=label, population=people, n_queries=n_queries, olap_levels=_levels(olap)
    )  # fmt: skip
    if as_json:
        write_json(measures.to_dict())
    else:
        say(repr(measures))
    return 0


def _levels(given: str | None) -> list[int]:
    """Levels of the data cube from `1,2`."""
    try:
        return [int(level) for level in names(given)]
    except ValueError:
        raise ParameterError(f"--olap takes whole numbers separated by commas, as in 1,2; got {given!r}") from None
