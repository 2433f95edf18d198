"""`Release`: published data, what they promise and the verdict on it; and `Owner`, what stays behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.trying import Tried
from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.brief import fit_screen
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.errors import ParameterError
from sfumato.ground.optional import load_optional
from sfumato.privacy.promise import Promise
from sfumato.privacy.verdict import Verdict
from sfumato.published.shape import shape_of
from sfumato.release.fingerprint import content_digest

if TYPE_CHECKING:
    import pandas as pd

    from sfumato.ground.figures import Measures
    from sfumato.release.showing import Report
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
    tried: tuple[Tried, ...] = field(default=(), repr=False)
    """The methods that were tried, where `Best` chose one of them, and what each loses."""

    @property
    def original_sha256(self) -> str:
        """The fingerprint of the original, to tell later whether a table is the one the release came from."""
        return self.known_sha256 or (content_digest(self.original.frame) if self.original is not None else "")


@dataclass(frozen=True, kw_only=True)
class Certified:
    """What is known of the files that a release was loaded from, beside the release itself."""

    format: str
    """The version of the certificate."""
    uncovered: tuple[str, ...] = ()
    """Files that lie in the folder and that the certificate does not list."""
    unread: tuple[str, ...] = ()
    """Statements of the certificate that no check looks at."""
    signature: Signature | None = None
    """The signature beside it, not yet held against any key."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Release(SaysWhatMethodsTake):
    """Published data, what they promise and the verdict on it; and, apart, what the owner keeps.

    `data` are what is published, under the `promise` and with the `verdict` on it; the `owner` keeps what would undo
    it.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> release.to_polars(bounds=True).columns[-4:]
    ['cost', 'diagnosis', 'age_low', 'age_high']
    """

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
        format: Literal["auto", "parquet", "csv", "arrow"] = "auto",
        report: bool = True,
        population: Table | None = None,
        overwrite: bool = False,
        sign: str | Path | None = None,
        escape_formulas: bool = False,
        title: str | None = None,
        about: Mapping[str, Any] | None = None,
        attack: bool = False,
    ) -> Path:
        """Write the release to `folder`, and what the owner keeps to `owner/` beside it; all or nothing.

        The `format` of the published rows is CSV for tables of at most 100,000 rows that CSV can hold, else Parquet,
        unless another is named. With the `population` that the records were drawn from, the measures and the report
        hold the journalist's risk. `sign` names the file of a private key (`sfumato keys` makes one) that the
        certificate is signed with. With `escape_formulas`, texts in a CSV file that a spreadsheet would take for a
        formula begin with an apostrophe.

        `title` heads the report, and `about` says what else stands there, by the keys of `[report]` in a recipe. With
        `attack` the owner's report of a table tells how far attacks got, as `threats` does, which takes its time.
        """
        from sfumato.release.saving import Saving, save
        from sfumato.report.identity import identity_of

        how = Saving(
            format=format, report=report, population=population, overwrite=overwrite,
            sign=None if sign is None else Path(sign), escape_formulas=escape_formulas,
            about=identity_of(about, title=title), attack=attack,
        )  # fmt: skip
        return save(self, Path(folder), how)

    def sql(self, dialect: Literal["duckdb", "postgres"] = "duckdb", folder: str | Path | None = None) -> str:
        """The script that makes the tables behind `Answer.sql` in a reader's own database, from the published files.

        With a `folder`, it is written there as `views.sql`, together with the files it reads.
        """
        from sfumato.tables.answers.scripts import script

        return script(shape_of(self), dialect, folder)

    def export(self, path: str | Path, *, overwrite: bool = False) -> list[Path]:
        """Write a copy of the published data to a file of another kind: .xlsx, .dta, .sav, .csv or .parquet.

        Bounds stand beside ranges, and labels are written where the kind of file has a place for them. Tables that are
        published beside the data are further sheets, or further files. The certificate is of the release's own folder,
        and no copy can lie there. Returns the files that were written.
        """
        from sfumato.release.export import export

        return export(self, Path(path), overwrite=overwrite)

    def to_polars(self, *, bounds: bool = False) -> pl.DataFrame:
        """The published rows as a polars frame.

        With `bounds`, every column that shows ranges of numbers or dates is followed at the end by `age_low` and
        `age_high`: their ends as numbers or dates, empty where a cell tells none.
        """
        from sfumato.release.showing import frame_of

        return frame_of(self, bounds=bounds)

    def to_pandas(self, *, bounds: bool = False) -> pd.DataFrame:
        """The published rows as a pandas frame, which is installed apart (`pip install pandas`).

        With `bounds`, the ends of ranges stand beside them as numbers or dates, as `to_polars` says.
        """
        load_optional("pandas", to="a pandas frame")
        return self.to_polars(bounds=bounds).to_pandas()

    def report(
        self, *, owner: bool = False, title: str | None = None, about: Mapping[str, Any] | None = None
    ) -> Report:  # fmt: skip
        """The report as a page that a notebook shows and `.save(path)` writes.

        It is the copy for readers; with `owner`, the one that shows the original beside the release. `title` and
        `about` stand at its head, as `save` says; the date is that of today unless `about` has another.
        """
        from sfumato.release.showing import report_of
        from sfumato.report.identity import identity_of

        return report_of(self, owner=owner, identity=identity_of(about, title=title).dated())

    def __len__(self) -> int:
        return len(self.data)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        said = f"{self.method.get('name')}, {self.promise!r} {self.verdict.said}"
        return fit_screen(f"Release({len(self.data):,} rows, {said})")

    def _repr_html_(self) -> str:
        from sfumato.release.showing import release_card

        return release_card(self)


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
