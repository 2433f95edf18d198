"""`sfumato publish`."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.cli.loss_lines import loss_lines, owners_measures
from sfumato.cli.options import (
    asking_flags,
    holds_sets,
    kind_of,
    parameters_from,
    promise_from,
    read_source,
    releases_from,
    say,
    seed_from,
    write_json,
)
from sfumato.cli.reading import check_schema, read_data
from sfumato.contracts.method import Method, method_from_dict
from sfumato.contracts.trying import own_parameters
from sfumato.data.baskets import Baskets
from sfumato.data.given import given_table
from sfumato.data.graph import Graph
from sfumato.data.nothing_sensitive import nothing_sensitive
from sfumato.data.schema import Schema
from sfumato.data.schema_file import toml_value
from sfumato.data.table import Table
from sfumato.ground.compiling import begin_compiling
from sfumato.ground.errors import ParameterError
from sfumato.published.shape import shape_of
from sfumato.recipe import read_recipe
from sfumato.release.release import Release
from sfumato.release.signing import sign_bytes
from sfumato.tables.choosing.candidates import candidate_names
from sfumato.tables.lattice.full_domain import columns_all_or_nothing
from sfumato.verbs.default_method import default_method
from sfumato.verbs.lighter_methods import lighter_methods
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
    mu: float | None,
    within: float | None,
    promise: Promised,
    sets: SetFile,
    format: str | None,
    seed: str | None,
    seed_of: Path | None,
    report: bool,
    population: str | None,
    previous: list[Path],
    saving: Mapping[str, Any],
    missing: str,
    as_json: bool,
) -> int:
    """Publish by a recipe, or by the options given; `saving` are those of `Release.save`."""
    asked = promise_from(promise)
    read: Callable[[], Table | Baskets | Graph]
    chosen: Method | None
    if source.endswith(".toml"):
        given = (schema, query, method, show, mu, within, asked, *vars(sets).values())
        if any(each is not None for each in given) or missing or parameters:
            raise ParameterError("a recipe says the schema, method and promise itself; leave those options out")
        more: dict[str, Any] = {}  # a method that the recipe leaves out is the default one as it is
        recipe = read_recipe(source)
        read, chosen, asked = recipe.data, recipe.method, recipe.promise
        output, seed = output or recipe.folder, seed if seed is not None else recipe.seed  # type: ignore[assignment]
        previous = [*recipe.previous, *previous]
        options = dict(recipe.save)
        options["report"] = options["report"] and report
        options = options | {name: given for name, given in saving.items() if given}
    else:
        kind = kind_of(source, sets)
        if kind is Graph and (schema is not None or query is not None):
            kind = Table  # as whoever gives a schema says
        named = _method_named(source, kind, method, mu)
        more = {"show": show} if show is not None else {}
        more |= _search_time(within, named, kind)
        more |= ({"mu": mu} if mu is not None else {}) | parameters_from(parameters)
        chosen = method_from_dict({"name": named, **more}) if named is not None else None
        if asked is None and (chosen is None or (chosen.needs_promise and chosen.promise_for(None) is None)):
            raise ParameterError(f"no promise is asked for; give {asking_flags()}")
        takes = _takes(chosen, source, sets) if chosen is not None else kind
        declared = check_schema(source, takes, schema, query, sets)
        begin_compiling(_likely_method(chosen, takes, declared))
        read = partial(read_data, source, takes, declared, query, sets, missing)
        options = {"report": report, **saving}
    if output is None:
        raise ParameterError("--output is missing; name the folder to write, as in -o out")
    if format is not None:
        options["format"] = format
    if chosen is not None:
        chosen.promise_for(asked)
    given_seed = seed_from(seed, seed_of)
    _refuse_unwritable(output, options)
    data = read()
    if chosen is None:
        chosen = default_method(data, asked)
        chosen = method_from_dict({"name": type(chosen).__name__, **more}) if more else chosen
    people = _people(data, population, missing)
    release = publish(data, chosen, asked, previous=releases_from(previous), seed=given_seed)
    folder = release.save(output, population=people, **options)
    _report(data, release, folder, as_json=as_json)
    return 0


def _method_named(source: str, kind: type, method: str | None, mu: float | None) -> str | None:
    """The name of the method that the options ask for; None where it goes by the data."""
    if mu is not None:
        if method is not None and method.lower() != "edgeperturbation":
            raise ParameterError(
                f"--mu is for EdgePerturbation, which flips pairs, and not for {method}; leave one out"
            )
        return "EdgePerturbation"
    if method is None and kind is Graph:
        raise ParameterError(
            f"'{source}' holds a graph, which is published by --mu 0.001 or another probability of flipping a pair: "
            f"`sfumato risk {shlex.quote(source)}` says which one stops whom; or name a --method, as in "
            f"--method KDegree --param k=10"
        )
    return method


def _search_time(within: float | None, named: str | None, kind: type) -> dict[str, float]:
    """The parameter of `Best` that `--within` is."""
    if within is None:
        return {}
    if (named is not None and named.lower() != "best") or kind is not Table:
        of = named if named is not None else f"{kind.__name__.lower()}, which have one method"
        raise ParameterError(
            f"--within is for Best, which chooses among methods of tables, and not for {of}; leave it out"
        )
    return {"within": within}


def _takes(chosen: Method, source: str, sets: SetFile) -> type:
    """The kind of data to read: what the method publishes; sets where the source holds them."""
    return Baskets if chosen.takes is not Graph and holds_sets(source, sets) else chosen.takes


def _likely_method(chosen: Method | None, takes: type, schema: Schema | None) -> str:
    """The method that will be asked for as far as can be told before data are read, so that compiling begins now."""
    if chosen is not None:
        return type(chosen).__name__
    return "Grouped" if takes is Baskets or schema is None else candidate_names(schema, n_rows=0)[0]


def _people(data: Table | Baskets | Graph, population: str | None, missing: str) -> Table | None:
    """Read the population that the records were drawn from; None where none is named."""
    if population is None:
        return None
    table = given_table(data, "--population is for tables; leave it out")
    return read_source(population, _quasi_alone(table), missing=missing)


def _quasi_alone(table: Table) -> Schema:
    """The schema of a population: the quasi-identifiers, as nothing else need be in it."""
    return Schema.of(map(table.schema.column, table.schema.quasi))


def _refuse_unwritable(output: Path, options: Mapping[str, Any]) -> None:
    """Raise before data are read if the release could not be written as the options say."""
    if output.name == "owner":
        raise ParameterError(
            "a release cannot be called 'owner', as the owner's folder beside it is; choose another name"
        )
    if output.exists() and not options["overwrite"]:
        raise ParameterError(f"'{output}' exists already; choose another folder, or say --overwrite")
    if options.get("escape_formulas") and options.get("format", "csv") != "csv":
        raise ParameterError(f"--escape-formulas is for CSV files, not {options['format']}; leave one of them out")
    if options.get("sign") is not None:
        sign_bytes(b"", options["sign"])  # refuses what is no private key


def _report(data: Table | Baskets | Graph, release: Release, folder: Path, *, as_json: bool) -> None:
    from sfumato.release.bundle import load_release

    saved = load_release(folder)
    if as_json:
        measures = saved.measures.to_dict() if saved.measures is not None else {}
        write_json({"folder": str(folder), "rows": len(release.data), "promise": repr(release.promise),
                    "verdict": saved.verdict.to_dict(), "measures": measures})  # fmt: skip
        return
    say(*summary(data, saved, folder, list(_hints(data, release, folder))))


def _hints(data: Table | Baskets | Graph, release: Release, folder: Path) -> Iterator[str]:
    """What is not covered or left out, and what would lose less: missing hierarchies, other methods."""
    schema = _schema_of(data)
    if schema is None:
        return
    if schema.plain:
        named = ", ".join(schema.plain)
        yield f"  covered by no promise, as published as recorded: {named}; see Not covered in the report"
    if schema.identifier:
        yield f"  left out, as identifiers: {', '.join(schema.identifier)}"
    if release.method.get("show") == "levels" and (whole := columns_all_or_nothing(schema)):
        yield (
            f"  {', '.join(map(repr, whole))} without a hierarchy: shown whole or not at all; give one, or use another "
            f"method"
        )
    yield from _choice(release, folder)
    for name, loss in lighter_methods(release, data):
        yield f"  another method would lose less: {name}, {loss:.4f}"


def _choice(release: Release, folder: Path) -> Iterator[str]:
    """What `Best` tried, how to make the same release again, and what the choice may tell."""
    if release.owner is None or not release.owner.tried:
        return
    won, *others = release.owner.tried
    yield f"  tried: {'; '.join(map(str, (won, *others)))}"
    words = [f"--method {type(won.method).__name__}"]
    words += [f"--param {name}={toml_value(value)}" for name, value in own_parameters(won.method).items()]
    words += ["--seed-of", shlex.quote(str(_from_here(folder.parent / "owner" / folder.name)))]
    yield f"  the same again: {' '.join(words)}"
    if release.promise is not None and any(part.speaks_of == "groups" for part in release.promise.parts):
        yield (
            "  chosen by what it loses, which sensitive values have a part in: that this method was taken can tell of "
            "them"
        )


def summary(data: Table | Baskets | Graph, release: Release, folder: Path, hints: Sequence[str] = ()) -> list[str]:
    """Lines of text on what was published, how it was verified, what else to know (`hints`) and where it is."""
    shape = shape_of(release)
    lines = [
        f"Published {len(release.data) - shape.n_counterfeits:,} {shape.drawn_from} "
        f"{len(data):,} {shape.unit} with {release.method['name']}" + _promised(release)
    ]
    lines += [f"  verified: {found}" for found in release.verdict.found]
    lines += [f"  declared: {each}; the draw itself cannot be proved" for each in release.verdict.declared]
    lines += [f"  checked on {release.verdict.checked_on}"]
    if shape.order is not None:
        lines.append(f"  order that won: {shape.order}")
    schema = _schema_of(data)
    undeclared = getattr(data, "undeclared", []) if schema is not None and schema.rest == "identifier" else []
    if undeclared and shape.holds_records:
        lines.append(f"  not published, as the schema does not name them: {', '.join(undeclared)}")
    if shape.beside is not None:
        lines.append(f"  {shape.beside}")
    measures = owners_measures(folder) or release.measures
    lines += [f"  {line}" for line in (loss_lines(release, measures) if measures is not None else ())]
    open_to_all = nothing_sensitive(schema) if schema is not None and shape.holds_records else None
    if open_to_all is not None:
        lines.append(f"  WARNING: {open_to_all}")
    lines += [
        *hints,
        f"  release: {_from_here(folder)}",
        f"  kept apart, for you alone: {_from_here(folder.parent / 'owner' / folder.name)}",
    ]
    if (folder / "report.html").exists():
        lines.insert(-1, f"  report: {_from_here(folder / 'report.html')}")
    if schema is not None:
        copy = f"{shlex.quote(_from_here(folder))} {shlex.quote(f'{folder.name}.xlsx')}"
        lines.append(f"  for Excel, Stata or SPSS: sfumato export {copy}")
    return lines


def _schema_of(data: Table | Baskets | Graph) -> Schema | None:
    """The schema of a table; None for data that have none."""
    return data.schema if isinstance(data, Table) else None


def _promised(release: Release) -> str:
    """The promise of a release as the end of a line; what a mechanism declares is told below."""
    if release.promise is not None:
        return f": {release.promise!r}"
    return "" if release.verdict.declared else ", without a promise"


def _from_here(path: Path) -> str:
    """The path relative to the current folder where it lies below it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
