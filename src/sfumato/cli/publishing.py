"""`sfumato publish`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.cli.options import (
    SETS_ALONE,
    asking_flags,
    holds_sets,
    parameters_from,
    promise_from,
    read_sets,
    read_source,
    refuse_unused,
    releases_from,
    say,
    seed_from,
    write_json,
)
from sfumato.contracts.method import Method, method_from_dict
from sfumato.data.baskets import Baskets
from sfumato.data.given import given_table
from sfumato.data.graph import Graph
from sfumato.data.reading_graphs import read_graph
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError
from sfumato.published.shape import shape_of
from sfumato.recipe import read_recipe
from sfumato.release.release import Release
from sfumato.verbs.publish import publish

if TYPE_CHECKING:
    from sfumato.cli.app import Promised, SetFile

__all__ = ["run", "summary"]


def run(
    source: str,
    *,
    output: Path | None,
    schema: Path | None,
    query: str | None,
    method: str | None,
    parameters: list[str],
    show: str | None,
    promise: Promised,
    sets: SetFile,
    format: str | None,
    seed: str | None,
    report: bool,
    population: str | None,
    previous: list[Path],
    saving: Mapping[str, Any],
    missing: str,
    as_json: bool,
) -> int:
    """Publish by a recipe, or by the options given; `saving` are those of `Release.save`."""
    asked = promise_from(promise)
    if source.endswith(".toml"):
        given = (schema, query, method, show, asked, *vars(sets).values())
        if any(each is not None for each in given) or missing or parameters:
            raise ParameterError("a recipe says the schema, method and promise itself; leave those options out")
        recipe = read_recipe(source)
        data, chosen, asked = recipe.data(), recipe.method, recipe.promise
        output, seed = output or recipe.folder, seed if seed is not None else recipe.seed  # type: ignore[assignment]
        previous = [*recipe.previous, *previous]
        options = dict(recipe.save)
        options["report"] = options["report"] and report
        options = options | {name: given for name, given in saving.items() if given}
    else:
        shown = {"show": show} if show is not None else {}
        declared: Schema | Path | None = schema
        if method is None:
            method, declared = _default_method(promise, schema, of_sets=holds_sets(source, sets))
        chosen = method_from_dict({"name": method, **shown, **parameters_from(parameters)})
        if chosen.needs_promise and chosen.promise_for(asked) is None:
            raise ParameterError(f"no promise is asked for; give {asking_flags()}")
        data = _read_data(source, chosen, declared, query, sets, missing)
        options = {"report": report, **saving}
    if output is None:
        raise ParameterError("--output is missing; name the folder to write, as in -o out")
    if format is not None:
        options["format"] = format
    _refuse_existing(output, overwrite=options["overwrite"])
    people = _people(data, population, missing)
    release = publish(data, chosen, asked, previous=releases_from(previous), seed=seed_from(seed))
    folder = release.save(output, population=people, **options)
    _report(data, release, folder, as_json=as_json)
    return 0


def _read_data(
    source: str, chosen: Method, schema: Schema | Path | None, query: str | None, sets: SetFile, missing: str
) -> Table | Baskets | Graph:
    """Read the data from their source, as the kind that the method publishes."""
    takes = Baskets if chosen.takes is not Graph and holds_sets(source, sets) else chosen.takes
    if takes is Table:
        if schema is None:
            raise ParameterError(f"--schema is missing; `sfumato inspect {source}` writes one to edit")
        refuse_unused(sets, "a table")
        return read_source(source, schema, query=query, missing=missing)
    if schema is not None or query is not None:
        what = "a graph has" if takes is Graph else "sets of items have"
        raise ParameterError(f"{what} no schema and no query; leave --schema and --query out")
    refuse_unused(sets, *(("a graph", "direction") if takes is Graph else ("sets of items", *SETS_ALONE)))
    if takes is Graph:
        return read_graph(source, direction=sets.direction or "any")
    return read_sets(source, sets, missing=missing)


def _people(data: Table | Baskets | Graph, population: str | None, missing: str) -> Table | None:
    """Read the population that the records were drawn from; None where none is named."""
    if population is None:
        return None
    table = given_table(data, "--population is for tables; leave it out")
    return read_source(population, _quasi_alone(table), missing=missing)


def _default_method(promise: Promised, schema: Path | None, *, of_sets: bool) -> tuple[str, Schema | Path | None]:
    """The name of the method where none is given: for tables with hierarchies the one that loses least.

    With it comes the schema, read where that had to be known.
    """
    if promise.m is not None:
        return "Apriori", schema
    if of_sets or promise.max_ncp is not None:
        return "Grouped" if of_sets else "Hilbert", schema
    if schema is None:
        return "Mondrian", None
    declared = Schema.from_toml(schema)
    with_hierarchy = any(declared.column(name).hierarchy for name in declared.quasi)
    return "LocalRecoding" if with_hierarchy else "Mondrian", declared


def _quasi_alone(table: Table) -> Schema:
    """The schema of a population: the quasi-identifiers, as nothing else need be in it."""
    return Schema.of(map(table.schema.column, table.schema.quasi))


def _refuse_existing(output: Path, *, overwrite: bool) -> None:
    """Raise before the work is done if its folder cannot be written."""
    if output.name == "owner":
        raise ParameterError(
            "a release cannot be called 'owner', as the owner's folder beside it is; choose another name"
        )
    if output.exists() and not overwrite:
        raise ParameterError(f"'{output}' exists already; choose another folder, or say --overwrite")


def _report(data: Table | Baskets | Graph, release: Release, folder: Path, *, as_json: bool) -> None:
    from sfumato.release.bundle import load_release

    saved = load_release(folder)
    if as_json:
        measures = saved.measures.to_dict() if saved.measures is not None else {}
        write_json({"folder": str(folder), "rows": len(release.data), "promise": repr(release.promise),
                    "verdict": saved.verdict.to_dict(), "measures": measures})  # fmt: skip
        return
    say(*summary(data, saved, folder))


def summary(data: Table | Baskets | Graph, release: Release, folder: Path) -> list[str]:
    """Lines of text on what was published, how it was verified and where it is."""
    shape = shape_of(release)
    lines = [
        f"Published {len(release.data) - shape.n_counterfeits:,} {shape.drawn_from} "
        f"{len(data):,} {shape.unit} with {release.method['name']}"
        + (f": {release.promise!r}" if release.promise is not None else ", without a promise")
    ]
    lines += [f"  verified: {found}" for found in release.verdict.found]
    lines += [f"  declared: {each}; the draw itself cannot be proved" for each in release.verdict.declared]
    lines += [f"  checked on {release.verdict.checked_on}"]
    if shape.order is not None:
        lines.append(f"  order that won: {shape.order}")
    undeclared = data.undeclared if isinstance(data, Table) and data.schema.rest == "identifier" else []
    if undeclared:
        lines.append(f"  not published, as the schema does not name them: {', '.join(undeclared)}")
    if shape.beside is not None:
        lines.append(f"  {shape.beside}")
    elif release.measures is not None and "gcp" in release.measures:
        lines.append(f"  information lost (GCP, 0 to 1): {release.measures['gcp']:.4f}")
    lines += [
        f"  release: {_from_here(folder)}",
        f"  kept apart, for you alone: {_from_here(folder.parent / 'owner' / folder.name)}",
    ]
    if (folder / "report.html").exists():
        lines.insert(-1, f"  report: {_from_here(folder / 'report.html')}")
    return lines


def _from_here(path: Path) -> str:
    """The path relative to the current folder where it lies below it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
