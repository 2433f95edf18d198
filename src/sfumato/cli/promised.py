"""The commands that take a promise, and its options as promises declare them: see `sfumato.privacy.option`."""

from __future__ import annotations

from dataclasses import field, make_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from sfumato.cli.app import NO_SETS, Json, Na, Names, Query, SchemaFile, SetFile
from sfumato.privacy.option import Option, options_in_order
from sfumato.privacy.promise import known_promises

__all__ = ["Promised", "Strengths", "compare", "publish", "verify"]


def _field(option: Option) -> tuple[str, Any, Any]:
    """The option as a field of a dataclass whose fields are read from the command line."""
    value = option.type | None if option.default is None else option.type
    return option.field, Annotated[value, Parameter(option.flag, help=option.help)], field(default=option.default)


if TYPE_CHECKING:

    class Promised:
        """The promise that options ask for: a field for each option, called as `Option.field` says."""

        def __getattr__(self, name: str) -> Any: ...
else:
    Promised = Parameter(name="*")(
        make_dataclass(
            "Promised", map(_field, options_in_order(known_promises().values())), frozen=True,
            namespace={"__doc__": "The promise that options ask for.", "__module__": __name__},
        )
    )  # fmt: skip

NO_PROMISE = Promised()


def _listed(option: Option) -> tuple[str, Any, Any]:
    """The option as a field that takes several values, separated by commas."""
    return option.field, Annotated[str | None, Parameter(option.flag, help=option.help)], field(default=None)


if TYPE_CHECKING:

    class Strengths:
        """The promises that options ask for, one for each combination of their values."""

        def __getattr__(self, name: str) -> Any: ...
else:
    Strengths = Parameter(name="*")(
        make_dataclass(
            "Strengths", map(_listed, options_in_order(known_promises().values())), frozen=True,
            namespace={"__doc__": "The promises that options ask for.", "__module__": __name__},
        )
    )  # fmt: skip

NO_STRENGTHS = Strengths()


def publish(source: str, *, output: Annotated[Path | None, Parameter(("--output", "-o"))] = None,
            schema: SchemaFile = None, query: Query = None, method: str | None = None,
            param: list[str] | None = None, show: Literal["ranges", "means", "permutation", "condensed"] | None = None,
            mu: float | None = None, within: float | None = None, promise: Promised = NO_PROMISE,
            sets: SetFile = NO_SETS, format: Literal["parquet", "csv", "arrow"] | None = None, seed: str | None = None,
            seed_of: Path | None = None, report: Annotated[bool, Parameter(negative="--no-report")] = True,
            population: str | None = None,
            previous: list[Path] | None = None, overwrite: bool = False, sign: Path | None = None,
            escape_formulas: Annotated[bool, Parameter(negative="")] = False, title: str | None = None,
            attack: Annotated[bool, Parameter(negative="")] = False,
            missing: Na = "", json: Json = False) -> int:  # fmt: skip
    """Anonymize a table, sets of items or a graph, verify the result and save the release.

    Parameters
    ----------
    source
        A recipe (TOML), or a data file or database URI with --schema and a promise. Sets of items need no schema; a
        graph, a list of edges, needs --mu alone.
    output
        The folder to write; it must not exist.
    method
        A method by name: `sfumato methods` lists them. By default Best for tables, which tries those that fit and
        keeps what loses least; Grouped for sets.
    param
        A parameter of the method, as in `--param strict=false`; repeat the option for more.
    show
        What a class shows: ranges; means and modes; in two tables, its records' own values (permutation); or new
        records drawn from its statistics (condensed).
    within
        Of Best: for how many seconds it looks for the least loss (5).
    mu
        Of graphs: flip every pair of vertices with this probability (the method EdgePerturbation); `sfumato risk` says
        which one stops whom.
    format
        Of the published file; by default CSV for tables of at most 100,000 rows, else Parquet.
    seed
        Repeat a run to the byte. It is as secret as the data.
    seed_of
        Repeat a run to the byte whose owner's folder this is, such as owner/out.
    report
        Write report.html beside the data.
    population
        The population the records were drawn from, for the journalist's risk.
    previous
        An earlier release of the same people that Republishing goes on from; repeat the option, oldest first.
    overwrite
        Replace a release that is there already.
    sign
        The file of a private key that the certificate is signed with; `sfumato keys` makes one.
    escape_formulas
        In CSV, put an apostrophe before texts that a spreadsheet would take for a formula.
    title
        Of the report; a recipe says more under [report].
    attack
        Attack the release of a table, and tell in the owner's report how far that got. It takes its time.
    """
    from sfumato.cli.publishing import run

    return run(
        source, output=output, schema=schema, query=query, method=method, parameters=param or [], show=show,
        mu=mu, within=within, promise=promise, sets=sets, format=format, seed=seed, seed_of=seed_of, report=report,
        population=population, previous=previous or [], missing=missing, as_json=json,
        saving={"overwrite": overwrite, "sign": sign, "escape_formulas": escape_formulas, "title": title,
                "attack": attack},
    )  # fmt: skip


def verify(source: str, *, quasi: Names = None, sensitive: Names = None, promise: Promised = NO_PROMISE,
           original: str | None = None, schema: SchemaFile = None, population: str | None = None,
           sets: SetFile = NO_SETS, suppressed: str = "*",
           empty: Literal["value", "suppressed"] = "value", suppressed_rows: Literal["aside", "class"] | None = None,
           previous: list[Path] | None = None, signed_by: Path | None = None, missing: Na = "",
           json: Json = False) -> int:  # fmt: skip
    """Check what a release promises, on its files alone; or any table, against a promise given here.

    Parameters
    ----------
    source
        A release folder, or a data file that need not come from sfumato (then --quasi and a promise).
    original
        The original data: every published row is compared with the record behind it.
    population
        The population that a promise of the release speaks of, such as KMap: the release has its fingerprint alone.
    suppressed
        Cells that show nothing, separated by commas.
    empty
        Whether an empty or NaN cell is a missing value, a value of its own, or shows nothing.
    suppressed_rows
        Whether rows that show nothing are set aside, as by default in other people's files, or are a class like any
        other, as in releases.
    previous
        An earlier release of the sequence, with its owner's folder beside it; repeat the option, oldest first.
    signed_by
        The file of the public key that the certificate must be signed with.
    """
    from sfumato.cli.verifying import run

    return run(
        source, quasi=quasi, sensitive=sensitive, original=original, schema=schema, population=population,
        promise=promise, sets=sets, suppressed=suppressed, empty=empty, suppressed_rows=suppressed_rows,
        previous=previous or [], signed_by=signed_by, missing=missing, as_json=json,
    )  # fmt: skip


def compare(source: str, *, output: Annotated[Path | None, Parameter(("--output", "-o"))] = None,
            schema: SchemaFile = None, query: Query = None, methods: str | None = None,
            strengths: Strengths = NO_STRENGTHS, risk: str | None = None, utility: str | None = None,
            within: float | None = None, each: float | None = 60.0, sample: int | None = None,
            sets: SetFile = NO_SETS, seed: str | None = None, missing: Na = "", json: Json = False) -> int:  # fmt: skip
    """Which method, and how strong? Publish by many, verify and measure each, and say which to take and why.

    Options of promises take several values here, separated by commas: `--k 5,10,50 --l 3`. Nothing is published.

    Parameters
    ----------
    source
        A data file or database URI, with --schema for a table.
    output
        A folder for the page (compare.html) and what was found; a comparison that was ended goes on from there. It is
        for the owner alone.
    methods
        Methods by name, separated by commas; by default all that fit.
    risk
        The figure of risk to compare by, such as prosecutor_max; by default the chance that a person is found.
    utility
        The figure of utility to compare by; by default the loss (gcp) of tables.
    within
        Seconds that all may take together.
    each
        Seconds that one may take; 60 by default.
    sample
        Rows of the largest random sample of a table; by default all rows up to 200,000, else 60,000 or a 16th. All
        rows or more ask for the whole table.
    seed
        Repeat all releases to the byte. It is as secret as the data.
    """
    from sfumato.cli.comparing import run

    return run(
        source, output=output, schema=schema, query=query, methods=methods, strengths=strengths, risk=risk,
        utility=utility, within=within, each=each, sample=sample, sets=sets, seed=seed, missing=missing, as_json=json,
    )  # fmt: skip
