"""The file of a survey.

    title = "Health at work"
    explanation = "Asked every year, of everybody who works here."
    ask = "all"                       # every question; or "one" of them for each respondent, drawn at random

    [[question]]
    name = "smokes"
    text = "Do you smoke?"
    values = ["yes", "no"]
    epsilon = 1.0                     # the randomizer with the smallest variance is taken

    [[question]]
    name = "hours"
    text = "How many hours did you sleep?"
    bounds = [0, 12]
    epsilon = 1.0                     # that of the mean with the smallest variance

    [[question]]
    name = "pain"
    text = "How often were you in pain last week?"
    values = ["never", "once", "often"]
    randomizer = {name = "OptimalUnaryEncoding", epsilon = 1.0}

    [[question]]
    name = "has"
    text = "Which of these do you have?"
    items = ["asthma", "diabetes", "migraine"]
    randomizer = {name = "CutAndPaste", sizes = [2], padded = true, cutoff = 3, rho = 0.25}

Every mistake in the file is reported at once.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sfumato.collection.collector.survey import Question, Survey, check_epsilon
from sfumato.collection.randomizers.best_mean import best_mean
from sfumato.collection.randomizers.best_response import best_response
from sfumato.collection.randomizers.randomizer import Randomizer, known_randomizers, randomizer_from_dict
from sfumato.data.toml_checks import sentences_of, try_or_note
from sfumato.data.toml_file import read_toml
from sfumato.ground.calls import says_what_it_takes
from sfumato.ground.errors import ParameterError, RecipeError, SfumatoError

__all__ = ["read_survey"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Question(_Part):
    name: str
    text: str
    values: list[Any] | None = None
    items: list[Any] | None = None
    bounds: list[float] | None = Field(default=None, min_length=2, max_length=2)
    epsilon: float | None = None
    randomizer: dict[str, Any] | None = None


class _File(_Part):
    title: str
    explanation: str = ""
    ask: str = "all"
    question: list[_Question] = Field(min_length=1)


_WANTED = {"question": "a list of tables, as [[question]] makes them"}


@says_what_it_takes
def read_survey(path: str | Path) -> Survey:
    """Read and check the file of a survey at `path`.

    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from sfumato import collection
    >>> file = Path(mkdtemp()) / "survey.toml"
    >>> text = 'title = "Health"\\n[[question]]\\nname = "smokes"\\ntext = "Do you smoke?"\\n'
    >>> _ = file.write_text(text + 'values = ["yes", "no"]\\nepsilon = 1.0\\n')
    >>> collection.read_survey(file).questions[0].randomizer
    KaryResponse(values=('yes', 'no'), epsilon=1.0)
    """
    file = Path(path)
    given = read_toml(file, "survey", RecipeError, "check its path")
    problems: list[str] = []
    parsed: _File | None = None
    try:
        parsed = _File.model_validate(given)
    except ValidationError as error:
        problems += sentences_of(error, _WANTED)
    if parsed is None:
        raise RecipeError(f"survey '{file}': {'; '.join(problems)}")
    questions = [try_or_note(problems, lambda each=each: _question(each)) for each in parsed.question]
    made = None
    if not problems:
        made = try_or_note(problems, lambda: Survey(parsed.title, questions, parsed.explanation, parsed.ask))  # type: ignore[arg-type]
    if made is not None:
        try_or_note(problems, lambda: check_epsilon(made))
    if made is None or problems:
        raise RecipeError(f"survey '{file}': {'; '.join(problems)}")
    survey: Survey = made
    return survey


def _question(given: _Question) -> Question:
    """A question as the file says it; messages name it."""
    try:
        return Question(given.name, given.text, _randomizer(given))
    except SfumatoError as error:
        said = str(error)
        raise RecipeError(
            said if said.startswith(("question", "the name")) else f"question {given.name!r}: {said}"
        ) from None


def _randomizer(given: _Question) -> Randomizer:
    """The randomizer that is named, with what the question says of it; or the one with the smallest variance."""
    if given.randomizer is None:
        if given.items is not None:
            raise ParameterError("it has items, and needs a randomizer of sets: SelectASize or CutAndPaste")
        if (given.values is None) == (given.bounds is None) or given.epsilon is None:
            raise ParameterError("it needs values or bounds, and epsilon; or a randomizer")
        if given.bounds is not None:
            return best_mean(given.epsilon, *given.bounds)
        return best_response(given.epsilon, given.values)
    named = dict(given.randomizer)
    cls = {key.lower(): each for key, each in known_randomizers().items()}.get(str(named.get("name", "")).lower())
    takes = {each.name for each in fields(cls)} if cls is not None else set()  # type: ignore[arg-type]
    low, high = given.bounds if given.bounds is not None else (None, None)
    said = {"values": given.values, "items": given.items, "low": low, "high": high, "epsilon": given.epsilon}
    for key, value in said.items():
        if value is None:
            continue
        if key in named:
            raise ParameterError(f"{key} stands in the question and in its randomizer; leave one out")
        if cls is not None and key not in takes:
            called = "bounds" if key in ("low", "high") else key
            raise ParameterError(f"{cls.__name__} takes no {called}; leave it out, or take another randomizer")
        named[key] = value
    return randomizer_from_dict(named)
