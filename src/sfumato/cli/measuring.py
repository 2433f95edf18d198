"""`sfumato measure`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.cli.loss_lines import judgements
from sfumato.cli.options import in_columns, read_source, say, split_names, write_json
from sfumato.cli.verifying import declared_schema, original_of
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError
from sfumato.ground.figures import Figure, FigureGroup, Measures, format_value
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
        say(*_lines(measures))
    return 0


_FIRST = (
    "gcp", "ncp", "query_error_median", "items_changed", "items_per_record", "pair_error", "itemsets_kept", "item_loss",
    "items_withheld", "edges_kept", "edges_false", "count_error", "prosecutor_max", "journalist_max", "marketer",
)  # fmt: skip
_FIRST_WITHOUT_CLASSES = ("distortion", "neighbours_kept")
_GROUPS: dict[FigureGroup, str] = {"utility": "more on what was lost", "risk": "more on the risk"}


def _lines(measures: Measures) -> list[str]:
    """The figures as text: those to look at first, then all others by group, each with what it means."""
    wanted = _FIRST if "gcp" in measures else (*_FIRST_WITHOUT_CLASSES, *_FIRST)
    first = [figure for name in wanted for figure in measures.figures if figure.name == name]
    if not first or len(first) == len(measures.figures):
        return [*_table(measures, measures.figures), *_ends(measures)]
    lines = ["look at these first", *_table(measures, first), *(f"  {each}" for each in judgements(measures))]
    for group, title in _GROUPS.items():
        others = [figure for figure in measures.figures if figure.group == group and figure not in first]
        if others:
            lines += ["", title, *_table(measures, others)]
    return [*lines, *_ends(measures)]


def _ends(measures: Measures) -> list[str]:
    return ["", *(f"note: {note}" for note in measures.notes)] if measures.notes else []


def _table(measures: Measures, figures: Sequence[Figure]) -> list[str]:
    """Name, value and meaning of each figure, and its split by column below it where it has one."""
    rows = []
    for figure in figures:
        rows.append((figure.name, figure.shown, figure.meaning))
        split = measures.by_column.get(figure.name, {})
        if split:
            told = (f"{column} {format_value(value, figure.unit)}" for column, value in split.items())
            rows.append(("", "", f"  {', '.join(told)}"))
    return in_columns(rows, right=(1,))


def _levels(given: str | None) -> list[int]:
    """Levels of the data cube from `1,2`."""
    try:
        return [int(level) for level in split_names(given)]
    except ValueError:
        raise ParameterError(f"--olap takes whole numbers separated by commas, as in 1,2; got {given!r}") from None
