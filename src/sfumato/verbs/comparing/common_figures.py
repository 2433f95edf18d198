"""Figures that releases of different kinds have in common, so that they can stand on one axis.

A figure says itself which idea it measures (`About.stands_for`): the chance that a person is found is the average
prosecutor risk where rows form classes, and the share of records that the strongest attack links where values were
changed or drawn anew. A release without any such figure lacks the idea, and is told to.
"""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.ground.errors import ParameterError, UnknownNameError, suggest
from sfumato.ground.figures import About, catalogue, declare
from sfumato.ground.surface import load_folder

__all__ = ["DEFAULTS", "IDENTIFICATION", "PROMISED", "about_axis", "check_axis", "name_of", "value_of"]

PROMISED = declare(
    name="promised_risk", label="Chance that the promise leaves", group="risk", unit="share", audience="public",
    meaning="1 in the smallest class that the promise allows: 1/k under k-anonymity",
)  # fmt: skip
IDENTIFICATION = declare(
    name="identification", label="Chance that a person is found", group="risk", unit="share", audience="owner",
    meaning="on average, by who knows all quasi-identifiers: 1 in the class, or what the strongest attack links; in a "
    "graph by who knows the number of neighbours",
    stands_for="identification",
)  # fmt: skip
COUNT_ERROR = declare(
    name="counts", label="Error of counts", group="utility", unit="share", audience="owner",
    meaning="median relative error of random counts, each kind of release with its own workload",
    stands_for="counts",
)  # fmt: skip

DEFAULTS: Mapping[str, tuple[str, str]] = {
    "table": ("identification", "gcp"), "baskets": ("promised_risk", "query_error_present"),
    "graph": ("identification", "degree_error"),
}  # fmt: skip
"""The axes of risk and utility for each kind of data."""


def check_axis(name: str, room: str) -> None:
    """Refuse a name that no figure of this room has, or of one without a better end, before anything is tried."""
    load_folder(f"{room}.measures")
    known = catalogue()
    family = (each for pattern, each in known.items() if "{" in pattern and name.startswith(pattern.partition("{")[0]))
    about = known.get(name) or next(family, None)
    if about is None:
        raise UnknownNameError(
            f"no figure is called {name!r}{suggest(name, [each for each in known if '{' not in each])}"
        )
    if about.smaller_is_better is None:
        raise ParameterError(f"{name} is neither better nor worse where it is smaller; compare by another figure")


def about_axis(name: str) -> About:
    """What an axis is called and means."""
    unknown = About(
        name=name, label=name, group="utility", meaning="a figure", unit="number", smaller_is_better=True,
        audience="owner",
    )  # fmt: skip
    return catalogue().get(name, unknown)


def name_of(name: str, figures: Mapping[str, float]) -> str | None:
    """The figure itself, or the one that stands for it; None where a release has neither."""
    if name in figures:
        return name
    known = catalogue()
    idea = known[name].stands_for if name in known else ""
    standing = (each for each in figures if idea and each in known and known[each].stands_for == idea)
    return max(standing, key=lambda each: figures[each], default=None)


def value_of(name: str, figures: Mapping[str, float]) -> float | None:
    """The value of that figure, or of the one that stands for it; None where a release has neither."""
    standing = name_of(name, figures)
    return figures[standing] if standing is not None else None
