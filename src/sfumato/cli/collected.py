"""The commands of a survey: `sfumato serve collect` asks people, `sfumato collect` works on answers and reports."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from sfumato.cli.app import Json

__all__ = ["collect", "serve"]

Output = Annotated[Path, Parameter(("--output", "-o"), help="Where to write the reports: .parquet or .csv.")]
StoreAddress = Annotated[
    str | None, Parameter("--store", help="An SQLite file or postgresql://...; beside the survey by default.")
]

serve = App(
    name="serve",
    help="Serve pages from this machine.",
    help_format="plaintext",
    default_parameter=Parameter(negative=()),
)
collect = App(
    name="collect", help="Randomize answers by a survey, and take reports out of a store.", help_format="plaintext",
    default_parameter=Parameter(negative=()),
)  # fmt: skip


@serve.command(name="collect")
def serve_collect(survey: Path, *, port: int = 8000, host: str = "127.0.0.1", store: StoreAddress = None,
                  certificate: Path | None = None, key: Path | None = None, json: Json = False) -> int:  # fmt: skip
    """Ask people by a form that randomizes answers in their browsers, keep reports alone, and show estimates.

    Parameters
    ----------
    survey
        The survey (TOML): a title, questions, and the randomizer of each.
    port
        The port to listen on; 0 for any that is free.
    host
        The address to listen on; others than this machine's own need --certificate and --key.
    certificate
        A certificate of TLS, in PEM.
    key
        The key of the certificate, in PEM.
    """
    from sfumato.cli.collecting import run_server

    return run_server(survey, port=port, host=host, store=store, certificate=certificate, key=key, as_json=json)


@collect.command
def randomize(answers: str, survey: Path, *, output: Output, overwrite: bool = False, json: Json = False) -> int:
    """Turn answers into reports, where the answers are known: a column for each question of the survey.

    Parameters
    ----------
    answers
        CSV, Parquet or another file of answers, a row for each respondent.
    survey
        The survey (TOML).
    overwrite
        Replace a file that is there already.
    """
    from sfumato.cli.collecting import run_randomize

    return run_randomize(answers, survey, output, overwrite=overwrite, as_json=json)


@collect.command
def export(survey: Path, *, output: Output, store: StoreAddress = None, overwrite: bool = False,
           json: Json = False) -> int:  # fmt: skip
    """Write the reports that a store holds to a file, which `sfumato estimate` reads.

    Parameters
    ----------
    survey
        The survey (TOML) that the store belongs to.
    overwrite
        Replace a file that is there already.
    """
    from sfumato.cli.collecting import run_export

    return run_export(survey, output, store=store, overwrite=overwrite, as_json=json)


@collect.command
def publish(survey: Path, *, output: Annotated[Path, Parameter(("--output", "-o"))], reports: str | None = None,
            store: StoreAddress = None, overwrite: bool = False, json: Json = False) -> int:  # fmt: skip
    """Save the reports to a survey as a release: with its randomizers, what they promise, estimates and a certificate.

    Parameters
    ----------
    survey
        The survey (TOML).
    output
        The folder to write the release to.
    reports
        A file of reports, in place of a store.
    overwrite
        Replace a release that is there already.
    """
    from sfumato.cli.collecting import run_publish

    return run_publish(survey, output, reports=reports, store=store, overwrite=overwrite, as_json=json)
