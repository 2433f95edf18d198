"""`sfumato estimate`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from sfumato.cli.collecting import say_answers
from sfumato.cli.options import say, seed_from, split_names, write_json
from sfumato.graphs.estimates.estimate import Estimate
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import whole
from sfumato.published.collection.reports import reports_shape
from sfumato.release.bundle import load_release
from sfumato.verbs.estimate import FrequencyEstimates, estimate

__all__ = ["run"]

_PLAIN = ("edges", "density", "squared_degrees", "triangles", "triples", "transitivity")


def run(folder: Path, *, metrics: str | None, patterns: bool, repeats: int, seed: str | None, as_json: bool) -> int:
    """Print estimates of what the original of a perturbed graph or of randomised categories was like."""
    if folder.is_file():
        raise ParameterError(
            f"'{folder}' is a file, and a release is a folder; to learn from a file of reports, name the survey that "
            f"they belong to: --survey survey.toml"
        )
    release = load_release(folder)
    asked = split_names(metrics)
    whole("repeats", repeats, least=0)
    found = estimate(release, metrics=asked, repeats=repeats, seed=seed_from(seed))
    if isinstance(found, FrequencyEstimates):
        return _frequencies(found, as_json=as_json)
    if isinstance(found, dict):
        return say_answers(
            {asked.name: asked.text for asked in reports_shape(release).questions}, found, as_json=as_json
        )
    shown: dict[str, Estimate] = {name: found[name] for name in _PLAIN}
    for name in ("triads", "graphlets") if patterns else ():
        shown |= found[name]
    for name in asked:
        shown |= {f"{name}, by SIMEX": found[name].simex, f"{name}, by sampling": found[name].posterior}
    if as_json:
        write_json({name: _plain(each) for name, each in shown.items()})
        return 0
    wide = max(map(len, shown))
    say(
        f"{'of the original'.ljust(wide)}  {'estimate':>14}  {'std. error':>12}  95% interval",
        *(f"{name.ljust(wide)}  {_in_words(each)}" for name, each in shown.items()),
    )
    return 0


def _frequencies(found: FrequencyEstimates, *, as_json: bool) -> int:
    if as_json:
        write_json({name: counts.to_dict() for name, counts in found.items()})
        return 0
    for name, counts in found.items():
        wide = max(len(key[0]) for key, _ in counts)
        say(f"{name.ljust(wide + 2)}  {'estimate':>14}  {'std. error':>12}  95% interval",
            *(f"  {key[0].ljust(wide)}  {each.value:>14,.6g}  {_stderr(each.spread)}  "
              f"{each.low:,.6g} to {each.high:,.6g}" for key, each in counts))  # fmt: skip
    return 0


def _plain(each: Estimate) -> dict[str, Any]:
    return {key: value for key, value in asdict(each).items() if key not in ("least", "most")}


def _in_words(each: Estimate) -> str:
    """An estimate as one line of text, within what a graph can have."""
    if each.value is None:
        return f"not told by so much noise; {each.note}"
    if each.low is not None and each.high is not None and (each.high < each.least or each.low > each.most):
        return "no graph fits what is published and the mu that is told"
    low, high = (None if end is None else min(max(end, each.least), each.most) for end in (each.low, each.high))
    between = "none is known" if low is None or high is None else f"{low:,.6g} to {high:,.6g}"
    said = f"{each.possible_value:>14,.6g}  {_stderr(each.stderr)}  {between}"
    return said + (f"  ({each.note})" if each.note else "")


def _stderr(value: float | None) -> str:
    return f"{value:>12,.4g}" if value is not None else " " * 12
