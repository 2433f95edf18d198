"""`Release`: published data, what they promise and the verdict on it; and `Owner`, what stays behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError
from sfumato.privacy.promise import Promise
from sfumato.privacy.verdict import Verdict
from sfumato.published.shape import shape_of
from sfumato.release.fingerprint import fingerprint

if TYPE_CHECKING:
    from sfumato.ground.figures import Measures
    from sfumato.release.signing import Signature

__all__ = ["Certified", "Owner", "Release", "checked_releases"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Owner:
    """What stays with the owner: it would undo the release."""

    seed: bytes = field(repr=False)
    rows: NDArray[np.int64] = field(repr=False)
    """For each published row, its row in the original."""
    original: Table | Baskets | Graph | None = field(default=None, repr=False)
    known_sha256: str = ""
    files: Mapping[str, pl.DataFrame] = field(default_factory=dict, repr=False)
    """What else the check of the release needs, by name."""
    previous: tuple[Release, ...] = field(default=(), repr=False)
    """The releases that this one goes on from, oldest first; not saved with it."""

    @property
    def original_sha256(self) -> str:
        """The fingerprint of the original, to tell later whether a table is the one the release came from."""
        return self.known_sha256 or (fingerprint(self.original.frame) if self.original is not None else "")


@dataclass(frozen=True, kw_only=True)
class Certified:
    """What is known of the files that a release was loaded from, beside the release itself."""

    format: str
    """The version of the certificate."""
    uncovered: tuple[str, ...] = ()
    """Files that lie in the folder and that the certificate does not list."""
    signature: Signature | None = None
    """The signature beside it, not yet held against any key."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Release:
    """Published data, what they promise and the verdict on it; and, apart, what the owner keeps."""

    data: Table | PublishedBaskets | Graph
    promise: Promise | None
    verdict: Verdict
    public: Mapping[str, Any]
    """What a reader must know: the schema of the original's published columns, and the form of each."""
    method: Mapping[str, Any]
    """The method's name and public parameters."""
    owner: Owner | None = None
    measures: Measures | None = None
    """What was measured when the release was saved."""
    damage: tuple[str, ...] = ()
    """What is wrong with the files it was loaded from."""
    files: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    """Tables published beside the data, by name, such as the properties that hold."""
    certified: Certified | None = None
    """What is known of the files it was loaded from; None where it was made here."""

    @property
    def forms(self) -> Mapping[str, Any]:
        """How each quasi-identifier is shown: `range`, `set`, `node` or `value`."""
        return shape_of(self).forms

    @property
    def schema(self) -> Schema:
        """The published columns as the original had them: roles, kinds, hierarchies."""
        return shape_of(self).schema

    def save(
        self,
        folder: str | Path,
        *,
        format: Literal["parquet", "csv", "arrow"] = "parquet",
        report: bool = True,
        population: Table | None = None,
        overwrite: bool = False,
        sign: str | Path | None = None,
        escape_formulas: bool = False,
    ) -> Path:
        """Write the release to `folder`, and what the owner keeps to `owner/` beside it; all or nothing.

        With the `population` that the records were drawn from, the measures and the report hold the journalist's risk.
        `sign` names the file of a private key (`sfumato keys` makes one) that the certificate is signed with. With
        `escape_formulas`, texts in a CSV file that a spreadsheet would take for a formula begin with an apostrophe.
        """
        from sfumato.release.saving import Saving, save

        how = Saving(
            format=format, report=report, population=population, overwrite=overwrite,
            sign=None if sign is None else Path(sign), escape_formulas=escape_formulas,
        )  # fmt: skip
        return save(self, Path(folder), how)

    def sql(self, dialect: Literal["duckdb", "postgres"] = "duckdb", folder: str | Path | None = None) -> str:
        """The script that makes the tables behind `Answer.sql` in a reader's own database, from the published files.

        With a `folder`, it is written there as `views.sql`, together with the files it reads.
        """
        from sfumato.tables.answers.scripts import script

        return script(shape_of(self), dialect, folder)

    def __repr__(self) -> str:
        return f"Release({len(self.data):,} rows, {self.method.get('name')}, {self.promise!r} {self.verdict.said})"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p><b>{escape(repr(self))}</b><br>{'<br>'.join(escape(text) for text in self.verdict.found)}</p>"


def checked_releases(given: Sequence[Release]) -> tuple[Release, ...]:
    """The given releases as a tuple; an error where something else is among them."""
    if not isinstance(given, (list, tuple)):
        raise ParameterError(
            f"previous takes a list of releases, oldest first, got {type(given).__name__}; write [release]"
        )
    wrong = next((each for each in given if not isinstance(each, Release)), None)
    if wrong is not None:
        raise ParameterError(f"previous takes releases, got {type(wrong).__name__}; load them with load_release")
    return tuple(given)
