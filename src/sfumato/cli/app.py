"""The commands and their options. Each calls the function of the same name and prints what it returns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from sfumato import __version__
from sfumato.ground.errors import ParameterError

if TYPE_CHECKING:
    from sfumato.cli.promised import Promised as Promised

__all__ = ["app"]

app = App(
    name="sfumato",
    help="Publish data about people so that nobody is picked out beyond the chance you allow, "
    "and prove it on the published bytes.",
    version=__version__,
    help_format="plaintext",
    default_parameter=Parameter(negative=()),
    suppress_keyboard_interrupt=False,
)

Json = Annotated[bool, Parameter("--json", help="Print the result as JSON.")]
SchemaFile = Annotated[Path | None, Parameter(help="Schema file (TOML), as `inspect` writes it.")]
Query = Annotated[str | None, Parameter(help="SQL query, for a database URI, a DuckDB or an SQLite file.")]
Names = Annotated[str | None, Parameter(help="Column names, separated by commas.")]
Na = Annotated[str, Parameter("--missing", help="Cells that mean a missing value, separated by commas.")]


@Parameter(name="*")
@dataclass(frozen=True)
class SetFile:
    """How a file of sets of items, or of the edges of a graph, is written; and which sheet of a workbook to read."""

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
    sheet: Annotated[str | None, Parameter("--sheet", help="Of an Excel file with several: the sheet to read.")] = None


NO_SETS = SetFile()


@app.command
def inspect(source: str, *, query: Query = None, sets: SetFile = NO_SETS,
            output: Annotated[Path | None, Parameter(("--output", "-o"))] = None, overwrite: bool = False,
            curse: bool = False, schema: SchemaFile = None, k: Annotated[str | None, Parameter("--k")] = None,
            max_loss: float | None = None, plot: Path | None = None, html: Path | None = None, wide: bool = False,
            missing: Na = "", json: Json = False) -> int:  # fmt: skip
    """Describe a table, suggest a role for each column, and write an editable schema; or describe sets of items or a
    graph; or with --curse say how many quasi-identifiers a table can stand.

    Parameters
    ----------
    source
        CSV, Excel, Stata, SPSS, SAS, Parquet or another file, or a database URI.
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
    html
        Write a profile page of the data to this file, with distributions; it is for the owner alone.
    wide
        Print all pairs, and every reason and question in full.
    """
    if curse:
        if html is not None or wide:
            raise ParameterError("--html and --wide are of no use with --curse, which draws by --plot; leave them out")
        from sfumato.cli.cursing import run as run_curse

        return run_curse(
            source, query=query, sets=sets, output=output, schema=schema, ks=k, max_loss=max_loss, plot=plot,
            missing=missing, as_json=json,
        )  # fmt: skip
    if any(given is not None for given in (schema, k, max_loss, plot)):
        raise ParameterError("--schema, --k, --max-loss and --plot go with --curse; add it, or leave them out")
    from sfumato.cli.inspecting import run

    return run(
        source, query=query, sets=sets, output=output, overwrite=overwrite, missing=missing, as_json=json, html=html,
        wide=wide,
    )  # fmt: skip


# These take the options of promises, which promises declare; their files are read when one of them is run.
app.command(
    "sfumato.cli.promised:publish",
    help="Anonymize a table, sets of items or a graph, verify the result and save the release.",
)
app.command(
    "sfumato.cli.promised:compare",
    help="Say which method to take and how strong: publish by many, verify and measure each. Nothing is published.",
)
app.command(
    "sfumato.cli.promised:verify",
    help="Check what a release promises, on its files alone; or any table, against a promise given here.",
)
app.command("sfumato.cli.collected:serve", help="Serve pages from this machine: a survey that people answer.")
app.command(
    "sfumato.cli.collected:collect", help="Randomize answers by a survey, and take reports out of a store.",
)  # fmt: skip


@app.command
def measure(release: Path, original: str | None = None, *, schema: SchemaFile = None, sets: SetFile = NO_SETS,
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
           schema: SchemaFile = None, sets: SetFile = NO_SETS, previous: list[Path] | None = None,
           previous_original: list[str] | None = None, seed: str | None = None, within: float = 60,
           missing: Na = "", json: Json = False) -> int:  # fmt: skip
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
    within
        Seconds after which an attack stops with what it found so far, and says on how many; 0 sets no limit.
    """
    from sfumato.cli.attacking import run

    return run(
        release, original, name=attack, parameters=param or [], schema=schema, sets=sets, previous=previous or [],
        originals=previous_original or [], seed=seed, within=within, missing=missing, as_json=json,
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
def estimate(release: Path, *, metrics: str | None = None, patterns: bool = False, repeats: int = 10,
             seed: str | None = None, survey: Path | None = None, population: Literal["fixed", "sampled"] = "fixed",
             json: Json = False) -> int:  # fmt: skip
    """Say what the original of a perturbed graph was like, how frequent values were before PRAM changed them, or what
    was answered to a survey: each number with its standard error and 95% interval.

    Parameters
    ----------
    release
        A release folder; or with --survey a file of randomized reports.
    metrics
        Also these, separated by commas: average_path_length, effective_diameter, global_efficiency. They take longer.
    patterns
        Also all patterns on three and on four vertices.
    repeats
        How often errors without a formula are bootstrapped; 0 leaves them out.
    seed
        Draw other graphs for these than the usual ones.
    survey
        The survey (TOML) whose reports the file holds.
    population
        With --survey: estimate for those who answered (fixed), or for all whom they were drawn from at random.
    """
    if survey is not None:
        if metrics is not None or patterns or seed is not None:
            raise ParameterError(
                "--metrics, --patterns and --seed are for graphs, and --survey is given; leave them out"
            )
        from sfumato.cli.collecting import run_estimate

        return run_estimate(str(release), survey, population=population, as_json=json)
    if population != "fixed":
        raise ParameterError("--population goes with --survey; add it, or leave --population out")
    from sfumato.cli.estimating import run

    return run(release, metrics=metrics, patterns=patterns, repeats=repeats, seed=seed, as_json=json)


@app.command
def risk(graph: str, *, mu: str | None = None, accounts: int = 20, width: int = 5, errors: int = 2,
         success: float = 0.1, error: float = 0.1, trials: int = 0, direction: Literal["any", "both"] = "any",
         seed: str | None = None, json: Json = False) -> int:  # fmt: skip
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
def methods(name: str | None = None, *, json: Json = False) -> int:
    """List all methods by the data that they publish, recommended ones first; or tell one of them in full.

    Parameters
    ----------
    name
        A method; without it, all are listed.
    """
    from sfumato.cli.listing import list_methods

    return list_methods(name, as_json=json)


@app.command
def promises(name: str | None = None, *, json: Json = False) -> int:
    """List all promises and the options that ask for them; or tell one of them in full.

    Parameters
    ----------
    name
        A promise; without it, all are listed.
    """
    from sfumato.cli.listing import list_promises

    return list_promises(name, as_json=json)


@app.command
def export(release: Path, file: Path, *, overwrite: bool = False, json: Json = False) -> int:
    """Write a copy of the published data for another program: Excel, Stata, SPSS, CSV or Parquet.

    Parameters
    ----------
    release
        A release folder.
    file
        Where to write the copy, outside that folder: it ends in .xlsx, .dta, .sav, .csv or .parquet.
    overwrite
        Replace a file that is there already.
    """
    from sfumato.cli.exporting import run

    return run(release, file, overwrite=overwrite, as_json=json)


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


@app.command
def keys(name: Path, *, json: Json = False) -> int:
    """Make a pair of keys to sign releases with: NAME.key, which is yours alone, and NAME.pub for readers.

    Parameters
    ----------
    name
        What the two files are called.
    """
    from sfumato.cli.keys import run

    return run(name, as_json=json)
