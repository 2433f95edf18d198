"""`sfumato ask`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from sfumato.cli.options import say, write_json
from sfumato.contracts.answer import Answer, Answers
from sfumato.ground.errors import ParameterError
from sfumato.release.bundle import load_release
from sfumato.tables.answers.scripts import SCRIPT
from sfumato.verbs.ask import ask

__all__ = ["run"]


def run(
    folder: Path,
    question: str | None,
    *,
    sql: Literal["duckdb", "postgres"] | None,
    views: Literal["duckdb", "postgres"] | None,
    output: Path | None,
    as_json: bool,
) -> int:
    """Answer a question about a release folder, or write what a reader's own database needs for it."""
    if (question is None) == (views is None):
        raise ParameterError('give a question, as in "SELECT COUNT(*) FROM release", or --views, and not both')
    if output is not None and views is None:
        raise ParameterError("-o is where --views writes to; add --views duckdb or --views postgres")
    if sql is not None and as_json:
        raise ParameterError("--sql prints a statement and --json an answer; give one of them")
    release = load_release(folder)
    if views is not None:
        script = release.sql(views, output)
        print(script.rstrip("\n") if output is None else f"wrote {output / SCRIPT}")
        return 0
    assert question is not None
    answer = ask(release, question)
    if sql is not None:
        one = answer if isinstance(answer, Answer) else next((each for _, each in answer), None)
        if one is None:
            raise ParameterError("no record is selected, so that there is no statement to show")
        print(one.sql_for(sql))
    elif as_json:
        write_json(answer.to_dict())
    else:
        say(repr(answer))
        if any(each.spread is not None for each in _answers(answer)):
            say("(spread: the standard deviation of the estimate, where values lie by chance in what is shown)")
    return 0


def _answers(answer: Answer | Answers) -> list[Answer]:
    return [answer] if isinstance(answer, Answer) else [each for _, each in answer]
