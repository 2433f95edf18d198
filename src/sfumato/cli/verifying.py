"""`sfumato verify`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sfumato.cli.options import (
    asking_flags,
    promise_from,
    read_sets,
    read_source,
    refuse_unused,
    releases_from,
    say,
    split_names,
    write_json,
)
from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.data.hierarchy_rules import Paths
from sfumato.data.reading_graphs import read_graph
from sfumato.data.schema import Column, Schema
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError
from sfumato.privacy.of_population import population_schema
from sfumato.privacy.promise import Promise
from sfumato.privacy.verdict import Verdict
from sfumato.published.equivalence import Cells
from sfumato.published.shape import shape_of
from sfumato.release.bundle import load_release
from sfumato.release.release import Release
from sfumato.verbs.verify import verify

if TYPE_CHECKING:
    from sfumato.cli.app import Promised, SetFile

__all__ = ["declared_schema", "original_of", "run"]


def run(
    source: str,
    *,
    quasi: str | None,
    sensitive: str | None,
    original: str | None,
    schema: Path | None,
    population: str | None,
    promise: Promised,
    sets: SetFile,
    suppressed: str,
    empty: Literal["value", "suppressed"],
    suppressed_rows: Literal["aside", "class"] | None,
    previous: list[Path],
    signed_by: Path | None,
    missing: str,
    as_json: bool,
) -> int:
    """Verify a release folder or any table; the exit code is 1 where the promise is broken or not decided."""
    asked = promise_from(promise)
    of_release = Path(source).is_dir()
    if not of_release and "://" not in source and not Path(source).exists():
        raise ParameterError(f"'{source}' does not exist; name a release folder or a file")
    cells = Cells(
        suppressed=tuple(split_names(suppressed)), empty=empty,
        suppressed_rows=suppressed_rows or ("class" if of_release else "aside"),
    )  # fmt: skip
    if of_release:
        if quasi is not None or sensitive is not None:
            raise ParameterError("a release says itself which columns are which; leave --quasi and --sensitive out")
        release = load_release(source, check=False)
        _refuse_other_options(release, sets)
        if sets.sheet is not None and original is None:
            raise ParameterError("--sheet names a sheet of the --original; give that, or leave --sheet out")
        verdict = verify(
            release, original_of(release, original, schema, sets, missing) if original is not None else None,
            promise=asked, cells=cells, population=_people(release, population, schema, missing),
            previous=releases_from(previous, check=False) or None, signed_by=signed_by,
        )  # fmt: skip
        unasked = "the mechanism" if verdict.word == "declared" else "what the method keeps"
        checked = asked if asked is not None else release.promise
        promised = repr(checked) if checked is not None else unasked
    else:
        _refuse_for_files(original=original, population=population, previous=previous, signed_by=signed_by)
        if asked is None:
            raise ParameterError(f"no promise to check; give {asking_flags()}")
        refuse_unused(sets, "a table")
        verdict, promised = _of_file(source, asked, quasi, sensitive, schema, cells, missing, sets.sheet), repr(asked)
    _print(promised, verdict, as_json=as_json)
    return 0 if verdict.stands else 1


def _people(release: Release, population: str | None, schema: Path | None, missing: str) -> Table | None:
    """Read the population that a promise of the release is about; None where none is named."""
    if population is None:
        return None
    if shape_of(release).original_type is not Table:
        raise ParameterError("--population is for releases of tables; leave it out")
    return read_source(population, population_schema(declared_schema(release, schema)), missing=missing)


def _refuse_for_files(
    *, original: str | None, population: str | None, previous: list[Path], signed_by: Path | None
) -> None:
    """Raise for options that need a release folder, where the source is a plain file."""
    if signed_by is not None:
        raise ParameterError("--signed-by needs a release folder, whose certificate can be signed")
    if previous:
        raise ParameterError("--previous needs a release folder, and the earlier ones of its sequence")
    for option, given in (("--original", original), ("--population", population)):
        if given is not None:
            raise ParameterError(f"{option} needs a release folder, which says how its cells are to be read")


def _of_file(
    source: str, asked: Promise, quasi: str | None, sensitive: str | None, schema: Path | None, cells: Cells,
    missing: str, sheet: str | None,
) -> Verdict:  # fmt: skip
    """The verdict on a plain file, whoever made it."""
    declared = Schema.from_toml(schema) if schema is not None else Schema()
    wanted = split_names(quasi) or declared.quasi
    secret = split_names(sensitive) or declared.sensitive
    if not wanted:
        raise ParameterError("name the quasi-identifiers, as in --quasi age,zip")
    about_values = [part.option.flag for part in asked.parts if part.speaks_of != "classes" and part.option is not None]
    if about_values and not secret:
        verb = "speaks" if len(about_values) == 1 else "speak"
        raise ParameterError(f"{' and '.join(about_values)} {verb} of sensitive columns; name them with --sensitive")
    known = Schema.of(
        [
            *(declared.column(name) for name in secret if schema is not None),
            *(Column(name=name, role="plain", kind="category", missing_values=declared.column(name).missing_values)
              for name in wanted if name not in secret),
        ],
        rest="plain",
    )  # fmt: skip  # quasi-identifiers as the text they are: 1.0 is not 1
    table = read_source(source, known, sheet=sheet, missing=missing)
    return verify(table, promise=asked, quasi=wanted, sensitive=secret, cells=cells)


def original_of(
    release: Release, source: str, schema: Path | None, sets: SetFile, missing: str
) -> Table | Baskets | Graph:  # fmt: skip
    """The original of a release, read by the schema given, or by what the release says of its columns."""
    _refuse_other_options(release, sets)
    readers: dict[type, Callable[[], Table | Baskets | Graph]] = {
        Baskets: lambda: read_sets(source, sets, missing=missing),
        Graph: lambda: read_graph(source, direction=sets.direction or "any"),
        Table: lambda: read_source(source, declared_schema(release, schema), sheet=sets.sheet, missing=missing),
    }
    return readers[shape_of(release).original_type]()


def _refuse_other_options(release: Release, sets: SetFile) -> None:
    """Raise for options on how sets of items or graphs are written, where the release is of something else."""
    shape = shape_of(release)
    of_sets = {"--baskets": sets.baskets, "--record": sets.record, "--item": sets.item, "--label": sets.label,
               "--labels": sets.labels}  # fmt: skip
    for kind, words, options in (
        (Baskets, "sets of items", of_sets), (Graph, "graphs", {"--direction": sets.direction}),
    ):  # fmt: skip
        given = next((option for option, value in options.items() if value is not None), None)
        if given is not None and shape.original_type is not kind:
            raise ParameterError(f"{given} is for {words}, and the release is of {shape.called}; leave it out")


def declared_schema(release: Release, schema: Path | None) -> Schema:
    """The schema given, or else that of the release, which will do unless a hierarchy was cut for publication."""
    if schema is not None:
        return Schema.from_toml(schema)
    cut = [name for name in release.schema.quasi if isinstance(release.schema.column(name).hierarchy, Paths)]
    if cut:
        raise ParameterError(f"the release does not hold the whole hierarchy of column {cut[0]!r}; give the --schema")
    return release.schema


def _print(promised: str, verdict: Verdict, *, as_json: bool) -> None:
    if as_json:
        write_json({"promise": promised, **verdict.to_dict()})
    else:
        say(f"{promised} {verdict}")
