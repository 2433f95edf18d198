"""The commands and their options. Each calls the function of the same name and prints what it returns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from sfumato import __version__
from sfumato.errors import ParameterError

__all__ = ["app"]

app = App(
    name="sfumato",
    help="Publish data about people so that no one in it can be picked out, and prove it on the published bytes.",
    version=__version__,
    help_format="plaintext",
    default_parameter=Parameter(negative=()),
)

Json = Annotated[bool, Parameter("--json", help="Print the result as JSON.")]
SchemaFile = Annotated[Path | None, Parameter(help="Schema file (TOML), as `inspect` writes it.")]
Query = Annotated[str | None, Parameter(help="SQL query, for a database URI or a DuckDB file.")]
Names = Annotated[str | None, Parameter(help="Column names, separated by commas.")]
Na = Annotated[str, Parameter("--missing", help="Cells that mean a missing value, separated by commas.")]


@Parameter(name="*")
@dataclass(frozen=True)
class Promised:
    """The promise that options ask for."""

    k: Annotated[float | None, Parameter("--k", help="k-anonymity: the least size of a class.")] = None
    l: Annotated[float | None, Parameter("--l", help="l-diversity of the sensitive columns.")] = None  # noqa: E741
    l_kind: Annotated[
        Literal["frequency", "distinct", "entropy", "recursive"], Parameter("--l-kind", help="Which l-diversity.")
    ] = "frequency"
    c: Annotated[float | None, Parameter("--c", help="The c of recursive (c, l)-diversity.")] = None
    t: Annotated[float | None, Parameter("--t", help="t-closeness of the sensitive columns.")] = None
    distance: Annotated[
        Literal["emd", "variational", "kl"], Parameter("--distance", help="The distance of t-closeness.")
    ] = "emd"
    ground: Annotated[
        Path | None, Parameter("--ground", help="The distances between sensitive values: CSV, for --t.")
    ] = None
    beta: Annotated[float | None, Parameter("--beta", help="Enhanced beta-likeness of the sensitive columns.")] = None
    max_ncp: Annotated[
        float | None, Parameter("--max-ncp", help="The most that a class may lose; as much privacy as that allows.")
    ] = None
    m: Annotated[
        int | None, Parameter("--m", help="k^m-anonymity of baskets, with --k: how many items may be known.")
    ] = None


_NO_PROMISE = Promised()


@Parameter(name="*")
@dataclass(frozen=True)
class SetFile:
    """How a file of sets of items, or of the edges of a graph, is written."""

    baskets: Annotated[
        Literal["fimi", "long", "lists", "one-hot"] | None,
        Parameter("--baskets", help="The data are sets of items, written so; .dat and .fimi files are known."),
    ] = None
    record: Annotated[str | None, Parameter("--record", help="Of long tables: the column of the record.")] = None
    item: Annotated[str | None, Parameter("--item", help="Of baskets: the column of the item, or of the lists.")] = None
    label: Annotated[str | None, Parameter("--label", help="Of baskets: the column of the sensitive label.")] = None
    labels: Annotated[str | None, Parameter("--labels", help="Of baskets: a file with the labels.")] = None
    direction: Annotated[
        Literal["any", "both"] | None,
        Parameter("--direction", help="Of graphs: an edge is there if any end names the other, or only if both do."),
    ] = None


_NO_SETS = SetFile()


@app.command
def inspect(source: str, *, query: Query = None, sets: SetFile = _NO_SETS,
            output: Annotated[Path | None, Parameter(("--output", "-o"))] = None, overwrite: bool = False,
            curse: bool = False, schema: SchemaFile = None, k: Annotated[str | None, Parameter("--k")] = None,
            max_loss: float | None = None, plot: Path | None = None,
            missing: Na = "", json: Json = False) -> int:  # fmt: skip
    """Describe a table, suggest a role for each column, and write an editable schema; or describe sets of items, or
    with --direction a graph; or with --curse say how many quasi-identifiers a table can stand.

    Parameters
    ----------
    source
        CSV, Parquet, Arrow or another file, or a database URI.
    output
        Where to write the schema; `schema.toml` beside the data by default.
    overwrite
        Replace a schema file that is there already.
    curse
        Add quasi-identifiers one by one, and say what making them k-anonymous loses. Writes no schema.
    schema
        With --curse: the schema that names the quasi-identifiers; without it, those that are suggested.
    k
        With --curse: values of k, separated by commas; 2,5,10,50 by default.
    max_loss
        With --curse: the loss (GCP) up to which columns will do; 0.25 by default.
    plot
        With --curse: a file to draw it to, .html, .svg or .png.
    """
    if curse:
        from sfumato.cli.cursing import run as run_curse

        return run_curse(
            source, query=query, sets=sets, output=output, schema=schema, ks=k, max_loss=max_loss, plot=plot,
            missing=missing, as_json=json,
        )  # fmt: skip
    if any(given is not None for given in (schema, k, max_loss, plot)):
        raise ParameterError("--schema, --k, --max-loss and --plot go with --curse; add it, or leave them out")
    from sfumato.cli.inspecting import run

    return run(source, query=query, sets=sets, output=output, overwrite=overwrite, missing=missing, as_json=json)


@app.command
def publish(source: str, *, output: Annotated[Path | None, Parameter(("--output", "-o"))] = None,
            schema: SchemaFile = None, query: Query = None, method: str | None = None,
            param: list[str] | None = None, show: Literal["ranges", "means", "permutation", "condensed"] | None = None,
            promise: Promised = _NO_PROMISE, sets: SetFile = _NO_SETS,
            format: Literal["parquet", "csv", "arrow"] | None = None, seed: str | None = None,
            report: Annotated[bool, Parameter(negative="--no-report")] = True, population: str | None = None,
            previous: list[Path] | None = None, overwrite: bool = False,
            missing: Na = "", json: Json = False) -> int:  # fmt: skip
    """Anonymize a table or sets of items, verify the result and save the release.

    Parameters
    ----------
    source
        A recipe (TOML), or a data file or database URI with --schema and a promise; sets of items need no schema.
    output
        The folder to write; it must not exist.
    method
        LocalRecoding (the default where a column has a hierarchy), Mondrian (else), Hilbert, or any other method, by
        name; Grouped for sets.
    param
        A parameter of the method, as in `--param strict=false`; repeat the option for more.
    show
        What a class shows: ranges; means and modes; in two tables, its records' own values (permutation); or new
        records drawn from its statistics (condensed).
    format
        Of the published file.
    seed
        Repeat a run to the byte. It is as secret as the data.
    report
        Write report.html beside the data.
    population
        The population the records were drawn from, for the journalist's risk.
    previous
        An earlier release of the same people that Republishing goes on from; repeat the option, oldest first.
    overwrite
        Replace a release that is there already.
    """
    from sfumato.cli.publishing import run

    return run(
        source, output=output, schema=schema, query=query, method=method, parameters=param or [], show=show,
        promise=promise, sets=sets, format=format, seed=seed, report=report, population=population,
        previous=previous or [], overwrite=overwrite, missing=missing, as_json=json,
    )  # fmt: skip


@app.command
def verify(source: str, *, quasi: Names = None, sensitive: Names = None, promise: Promised = _NO_PROMISE,
           original: str | None = None, schema: SchemaFile = None, population: str | None = None,
           sets: SetFile = _NO_SETS, suppressed: str = "*",
           empty: Literal["value", "suppressed"] = "value", suppressed_rows: Literal["aside", "class"] | None = None,
           previous: list[Path] | None = None, missing: Na = "", json: Json = False) -> int:  # fmt: skip
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
    """
    from sfumato.cli.verifying import run

    return run(
        source, quasi=quasi, sensitive=sensitive, original=original, schema=schema, population=population,
        promise=promise, sets=sets, suppressed=suppressed, empty=empty, suppressed_rows=suppressed_rows,
        previous=previous or [], missing=missing, as_json=json,
    )  # fmt: skip


@app.command
def measure(release: Path, original: str | None = None, *, schema: SchemaFile = None, sets: SetFile = _NO_SETS,
            population: str | None = None, n_queries: int = 200, olap: str | None = None, missing: Na = "",
            json: Json = False) -> int:  # fmt: skip
    """Say what a release lost and what it risks.

    Parameters
    ----------
    release
        A release folder.
    original
        The original data; without them only class sizes and risks are measured.
    sets
        Of tables, --label is the column that the classification metric predicts.
    population
        The population the records were drawn from, for the journalist's risk.
    n_queries
        How many random range counts to compare.
    olap
        Levels of the data cube to compare, separated by commas: 1,2 is counts by every one and every two
        quasi-identifiers.
    """
    from sfumato.cli.measuring import run

    return run(
        release, original, schema=schema, sets=sets, population=population, n_queries=n_queries,
        olap=olap, missing=missing, as_json=json,
    )  # fmt: skip


@app.command
def attack(release: Path, original: str, *, attack: str | None = None, param: list[str] | None = None,
           schema: SchemaFile = None, sets: SetFile = _NO_SETS, previous: list[Path] | None = None,
           previous_original: list[str] | None = None, seed: str | None = None, missing: Na = "",
           json: Json = False) -> int:  # fmt: skip
    """Let an adversary try: what somebody who knows something of people finds in a release, and without it.

    Parameters
    ----------
    release
        A release folder with the owner's folder beside it.
    original
        The original data, to tell whether the adversary is right.
    attack
        The adversary, by name: ItemKnowledge of sets of items, which is usual there; StructuralAttack (usual),
        IntervalWalkAttack, WalkBasedAttack, KnownGraphAttack, DegreeAttack or RefinementAttack of graphs; of tables
        LinkageAttack, HomogeneityAttack and others. Of a table and without a name: singling out, linkability and
        inference, each by the attack that gets furthest.
    param
        A parameter of the attack, as in `--param items=4`; repeat the option for more.
    previous
        An earlier release of the same people, for IntersectionAttack; repeat the option for more.
    previous_original
        The original of that earlier release; repeat the option as often as --previous.
    seed
        Attack other people than the usual ones.
    """
    from sfumato.cli.attacking import run

    return run(
        release, original, name=attack, parameters=param or [], schema=schema, sets=sets, previous=previous or [],
        originals=previous_original or [], seed=seed, missing=missing, as_json=json,
    )  # fmt: skip


@app.command
def ask(release: Path, question: str | None = None, *, sql: Literal["duckdb", "postgres"] | None = None,
        views: Literal["duckdb", "postgres"] | None = None,
        output: Annotated[Path | None, Parameter(("--output", "-o"))] = None, json: Json = False) -> int:  # fmt: skip
    """Answer an aggregate question about a release, with bounds that cannot be wrong.

    Parameters
    ----------
    release
        A release folder.
    question
        SQL, as in "SELECT AVG(salary) FROM release WHERE age > 30".
    sql
        Print the plain SQL behind the answer instead, for that database.
    views
        Print the script that makes the tables that this SQL needs in that database.
    output
        With --views: a folder to write the script and the files it reads to.
    """
    from sfumato.cli.asking import run

    return run(release, question, sql=sql, views=views, output=output, as_json=json)


@app.command
def estimate(release: Path, *, metrics: Names = None, patterns: bool = False, repeats: int = 10,
             seed: str | None = None, json: Json = False) -> int:  # fmt: skip
    """Say what the original of a perturbed graph was like, each number with its standard error and 95% interval.

    Parameters
    ----------
    release
        A release folder.
    metrics
        Also these, separated by commas: average_path_length, effective_diameter, global_efficiency. They take longer.
    patterns
        Also all patterns on three and on four vertices.
    repeats
        How often errors without a formula are bootstrapped; 0 leaves them out.
    seed
        Draw other graphs for these than the usual ones.
    """
    from sfumato.cli.estimating import run

    return run(release, metrics=metrics, patterns=patterns, repeats=repeats, seed=seed, as_json=json)


@app.command
def risk(graph: str, *, mu: Names = None, accounts: int = 20, width: int = 5, errors: int = 2, success: float = 0.1,
         error: float = 0.1, trials: int = 0, direction: Literal["any", "both"] = "any", seed: str | None = None,
         json: Json = False) -> int:  # fmt: skip
    """Say what adversaries would find in a graph perturbed with each mu, what estimates would be worth, and which mu
    stops whom.

    Parameters
    ----------
    graph
        The original graph, a list of edges.
    mu
        Probabilities of flipping a pair, separated by commas, as in 0.0001,0.001.
    accounts
        How many accounts the adversary makes before publication.
    width
        How far from the expected degree the interval-walk attack looks.
    errors
        How many wrong edges it allows.
    success
        Tell the least mu at which each attack succeeds with this probability at most.
    error
        Tell the largest mu at which each estimate is within this share of the truth.
    trials
        Also attack so many publications for each mu. A second or so for each.
    direction
        An edge is there if any end names the other, or only if both do.
    seed
        Plant other accounts than the usual ones.
    """
    from sfumato.cli.risks import run

    return run(
        graph, mus=mu, accounts=accounts, width=width, errors=errors, success=success, error=error, trials=trials,
        direction=direction, seed=seed, as_json=json,
    )  # fmt: skip


@app.command
def demo(folder: Path = Path("sfumato-demo"), *, rows: int = 2_000, json: Json = False) -> int:
    """Make a hospital table, publish it under 10-anonymity and 3-diversity, and show where the report is.

    Parameters
    ----------
    folder
        Where to put everything.
    rows
        How many patients to make up.
    """
    from sfumato.cli.demo import run

    return run(folder, rows=rows, as_json=json)
