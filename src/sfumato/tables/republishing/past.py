"""What the owner keeps of a release so that the next one can follow it: everybody's class and signature.

It does not keep whose value is which: of a person it says no more than the release says to those who know their class.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from sfumato.ground.errors import ParameterError, ReleaseError
from sfumato.published.shape import shape_of
from sfumato.published.tables.sequence import SequenceShape

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = ["PEOPLE", "VALUES", "Past", "Values", "kept_tables", "signature_text"]

PEOPLE, VALUES = "people", "values"
"""The owner's tables: everybody who was ever published, and every sensitive value that a signature names."""

Values: TypeAlias = frozenset[str | None]
"""The texts of a signature's values; None for a missing one."""


@dataclass(frozen=True, eq=False)
class Past:
    """The releases so far: everybody's signature and since which release, and the values behind the texts."""

    people: dict[str, tuple[Values, int]]
    values: pl.DataFrame | None = None
    column: str | None = None
    n_releases: int = 0

    @staticmethod
    def of(previous: Sequence[Release]) -> Past:
        """Read the owners' parts of releases, oldest first; of a person in several, the latest one counts."""
        people: dict[str, tuple[Values, int]] = {}
        values: list[pl.DataFrame] = []
        column, n_releases = None, 0
        for release in previous:
            shape = shape_of(release)
            if not isinstance(shape, SequenceShape):
                raise ParameterError(
                    "previous takes releases that Republishing made, oldest first; start the sequence with one of them"
                )
            kept = release.owner.files if release.owner is not None else {}
            if PEOPLE not in kept or VALUES not in kept:
                raise ReleaseError(
                    "an earlier release has no owner's part, which says who had which signature; load it from beside "
                    "its owner's folder"
                )
            if column not in (None, shape.parameters["column"]):
                raise ParameterError(
                    f"earlier releases publish {column!r} and {shape.parameters['column']!r}; "
                    f"give those of one sensitive column"
                )
            column, n_releases = shape.parameters["column"], max(n_releases + 1, int(shape.parameters["release"]))
            try:
                for person, signature, since in kept[PEOPLE].select("person", "signature", "since").iter_rows():
                    people[person] = frozenset(json.loads(signature)), int(since)
            except (TypeError, ValueError, pl.exceptions.PolarsError):
                raise ReleaseError(
                    "the table of people in the owner's part of an earlier release is damaged; load it from a copy"
                ) from None
            values.append(kept[VALUES])
        known = pl.concat(values, how="vertical_relaxed").unique("text", maintain_order=True) if values else None
        return Past(people, known, column, n_releases)


def signature_text(values: Iterable[str | None]) -> str:
    """The values of a signature as one text, sorted."""
    return json.dumps(sorted(values, key=lambda each: (each is None, each)), ensure_ascii=False)


def kept_tables(
    past: Past,
    people: pl.DataFrame,
    values: pl.DataFrame,
) -> dict[str, pl.DataFrame]:
    """The owner's tables after a release: `people` who are in it, and those who were in an earlier one."""
    here = set(people["person"].to_list())
    gone = [
        (person, None, signature_text(signature), since)
        for person, (signature, since) in past.people.items()
        if person not in here
    ]
    before = pl.DataFrame(gone, schema=people.schema, orient="row")
    return {PEOPLE: pl.concat([people, before]).sort("person"), VALUES: values}
