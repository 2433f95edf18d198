"""`sfumato serve collect`, `sfumato collect randomize` and `export`, and `sfumato estimate` of a file of reports."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sfumato.cli.options import read_source, say, write_json
from sfumato.collection.collector.report_file import check_is_of, write_reports
from sfumato.collection.collector.survey import Survey, estimate_rows
from sfumato.collection.collector.survey_file import read_survey
from sfumato.contracts.answer import Answer
from sfumato.ground.errors import DataError, ParameterError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["run_estimate", "run_export", "run_publish", "run_randomize", "run_server", "say_answers"]

_ENDINGS = (".parquet", ".csv")


def run_server(
    file: Path, *, port: int, host: str, store: str | None, certificate: Path | None, key: Path | None, as_json: bool
) -> int:
    """Serve the form of a survey until it is interrupted."""
    from sfumato.collection.collector.server import Collector, check_can_be_served, listen, serve

    survey = read_survey(file)
    check_can_be_served(survey)
    listening = listen(host, port, certificate=certificate, key=key)
    opened = _open(file, survey, store)
    collector = Collector(survey, opened, hosts=listening.hosts)
    owners = f"{listening.address}estimates#{collector.token}"
    if as_json:
        write_json({"form": listening.address, "estimates": owners, "store": opened.where})
    else:
        say(
            f"{survey.title}: people answer at {listening.address}",
            f"  the estimates, for you alone: {owners}",
            f"  reports are kept in {opened.where}; stop with Ctrl-C",
        )
    sys.stdout.flush()
    for name in ("SIGTERM", "SIGHUP"):  # the store is left in order, as with Ctrl-C
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.default_int_handler)
    try:
        serve(collector, listening)
    except KeyboardInterrupt:
        pass
    finally:
        stopped = _stopped(opened)
    if not as_json:
        say(stopped)
    return 0


def _stopped(opened: Any) -> str:
    """Close a store, and say how many submissions it has; or why that cannot be told."""
    try:
        n = opened.count()
        return f"Stopped; {n:,} {'submission is' if n == 1 else 'submissions are'} in {opened.where}"
    except DataError as error:
        return f"Stopped; how many submissions there are cannot be told now: {error}"
    finally:
        opened.close()


def run_randomize(answers: str, file: Path, output: Path, *, overwrite: bool, as_json: bool) -> int:
    """Write the reports of answers."""
    _check_output(output, overwrite=overwrite)
    survey = read_survey(file)
    reports = survey.randomize(read_source(answers).frame)
    return _write(survey, reports, output, as_json=as_json)


def run_export(file: Path, output: Path, *, store: str | None, overwrite: bool, as_json: bool) -> int:
    """Write the reports that a store holds."""
    _check_output(output, overwrite=overwrite)
    survey = read_survey(file)
    return _write(survey, _stored(file, survey, store), output, as_json=as_json)


def run_publish(
    file: Path, output: Path, *, reports: str | None, store: str | None, overwrite: bool, as_json: bool
) -> int:  # fmt: skip
    """Save the reports to a survey as a release."""
    from sfumato.verbs.publish_reports import publish_reports

    if reports is not None and store is not None:
        raise ParameterError("--reports and --store each say where the reports are; leave one out")
    survey = read_survey(file)
    given = _read(survey, reports) if reports is not None else _stored(file, survey, store)
    release = publish_reports(survey, given)
    saved = release.save(output, overwrite=overwrite, title=survey.title)
    if as_json:
        write_json({"folder": str(saved), "rows": len(release), "verdict": release.verdict.to_dict()})
        return 0
    say(f"Wrote the reports of {len(release):,} respondents to {output}", f"  {release.promise!r} {release.verdict}")
    return 0


def _stored(file: Path, survey: Survey, store: str | None) -> pl.DataFrame:
    """The reports that the store of a survey holds."""
    where = _where(file, store)
    if "://" not in where and not Path(where).is_file():
        raise ParameterError(f"there is no store '{where}'; name it by --store")
    opened = _open(file, survey, store)
    reports = survey.report_frame(opened.submissions())
    opened.close()
    return reports


def run_estimate(reports: str, file: Path, *, population: Literal["fixed", "sampled"], as_json: bool) -> int:
    """Print what was answered to each question of a survey, from a file of reports."""
    survey = read_survey(file)
    found = survey.estimate(_read(survey, reports), population=population)
    return say_answers({each.name: each.text for each in survey.questions}, found, as_json=as_json)


def say_answers(texts: Mapping[str, str], found: Mapping[str, Any], *, as_json: bool) -> int:
    """Print what was answered to each question, whose `texts` are by its name."""
    if as_json:
        write_json({name: estimate_rows(each) for name, each in found.items()})
        return 0
    for name, each in found.items():
        _say_shares(texts[name], each)
    return 0


def _say_shares(text: str, found: Any) -> None:
    """A question, and a line for each of its answers or items, or for the mean of numbers."""
    rows = estimate_rows(found)
    shares = not isinstance(found, Answer)
    head, form = ("share of", ".2%") if shares else ("", ",.6g")
    wide = max(len(head), *(len(str(row["value"])) for row in rows))
    say(text, f"  {head.ljust(wide)}  {'estimate':>9}  {'std. error':>10}  95% interval",
        *(f"  {str(row['value']).ljust(wide)}  {row['share']:>9{form}}  {row['stderr']:>10{form}}  "
          f"{row['low']:{form}} to {row['high']:{form}}" for row in rows))  # fmt: skip


def _read(survey: Survey, reports: str) -> pl.DataFrame:
    """The reports of a file, which belongs to this survey as far as it says."""
    check_is_of(survey, reports)
    return read_source(reports).frame


def _where(file: Path, store: str | None) -> str:
    return store if store is not None else str(file.with_suffix(".sqlite"))


def _open(file: Path, survey: Survey, store: str | None) -> Any:
    from sfumato.collection.collector.store import open_store

    return open_store(_where(file, store), survey)


def _check_output(output: Path, *, overwrite: bool) -> None:
    if output.suffix.lower() not in _ENDINGS:
        raise ParameterError(f"reports are written to a file that ends in {' or '.join(_ENDINGS)}, got '{output.name}'")
    if output.exists() and not overwrite:
        raise ParameterError(f"'{output}' is there already; name another file, or say overwrite")


def _write(survey: Survey, reports: pl.DataFrame, output: Path, *, as_json: bool) -> int:
    """Write reports, and say what they promise."""
    write_reports(reports, output, survey)
    if as_json:
        epsilon = survey.privacy.epsilon if survey.privacy.gamma is not None else None
        write_json({"file": str(output), "reports": reports.height, "epsilon": epsilon})
        return 0
    say(f"Wrote the reports of {reports.height:,} respondents to {output}", f"  {survey.privacy}")
    return 0
