"""Shapes: what kind of thing was published, read from a release's own files.

`shape_of(release)` is the only place that asks what a release is; everything else starts from the shape it gives. A
release says what it is by the keys of `public`, and shapes are tried in the order of `_SHAPES`, the first that claims
it being the one:

1. `graph`, `baskets`, `collection`: other data than tables, and reports of surveys. `noisy_counts`: counts, which are
   no records.
2. `target`: subdomains of the sensitive values, which would also be groups of two tables.
3. `condensed`: drawn rows, whose quasi-identifiers look like drawn values.
4. `republication`: one of a sequence, whose classes have numbers.
5. `permutation`: two tables.
6. `swapping`, `pram`, `coding`, `rotation`, `uncertain`: changed values, which are substitutes as well.
7. `noise`, or a column in the form `substitute`: values that had noise added, or were drawn anew.
8. classes: everything else.

A shape is imported when a release claims it, so that reading one kind of release does not load the others.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import ReferenceType, WeakKeyDictionary, ref

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.ground.errors import DataError, ParameterError
from sfumato.privacy.promise import Promise
from sfumato.privacy.verdict import Verdict

if TYPE_CHECKING:
    from sfumato.data.schema import Schema
    from sfumato.published.equivalence import Cells
    from sfumato.release.release import Release

__all__ = ["CHANGES", "Bare", "Check", "Shape", "known_shapes", "shape_of", "shape_type", "unread_keys"]

CHANGES = ("swapping", "pram", "coding", "rotation", "uncertain")
"""Ways of changing values that a release may tell of."""
_TOLD = frozenset((
    "schema", "forms", "files", "permutation", "target", "walk", "resolution", "moved", "escaped", "match_rank",
    "noise", *CHANGES, "baskets", "graph", "condensed", "bounds", "types", "republication", "identifiers_repeat",
    "withheld_rows", "suppressed_rows", "levels", "order", "collection", "noisy_counts",
))  # fmt: skip
"""What a release may tell of itself, whatever its shape."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Check:
    """What a check is asked (the promise) and what it is given (the original, earlier releases)."""

    promise: Promise | None
    original: Any = None
    quasi: Sequence[str] | None = None
    """The quasi-identifiers that the promise is decided on; by default those of the release."""
    sensitive: Sequence[str] | None = None
    cells: Cells | None = None
    """What cells mean that say no plain value."""
    previous: Sequence[Release] = ()
    """Earlier releases of a sequence, oldest first."""

    @property
    def parts(self) -> tuple[Promise, ...]:
        """The single promises that are asked for."""
        return self.promise.parts if self.promise is not None else ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Bare:
    """What a method made, read as a release is read, though it has no promise and no owner's part."""

    data: Any
    """Whatever has the frame."""
    public: Mapping[str, Any]
    files: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    method: Mapping[str, Any] = field(default_factory=dict)
    promise: None = None
    owner: None = None
    damage: tuple[str, ...] = ()


class Shape(ABC):
    """The kind of thing that was published, and how a stranger reads it: by its files and what it says of itself."""

    name: ClassVar[str]
    """The name of the shape, in words."""
    original_type: ClassVar[type]
    """The class of the data that such a release is made from."""
    data_type: ClassVar[type]
    """The class of its published data."""
    called: ClassVar[str]
    """What its data are called, with an article: `a table`, `baskets`, `a graph`."""
    unit: ClassVar[str]
    """What its records are called."""
    proved_by_rows: ClassVar[bool] = True
    """Whether what a promise reaches is read off the published records, so that the owner's part proves no more."""
    drawn_from: ClassVar[str] = "of"
    """The words between the numbers of published and original records: `of`, or `drawn from`."""

    holds_records: ClassVar[bool] = True
    """Whether something is published for every record, or drawn in its place; counts hold none."""

    def __init__(self, release: Release | Bare) -> None:
        self.release = release
        self.public = release.public

    @property
    def room(self) -> str:
        """The folder of the code that measures such releases and answers questions from them, such as `tables`."""
        return type(self).__module__.split(".")[2]

    # -- files ---------------------------------------------------------------------------------------------------------

    @classmethod
    @abstractmethod
    def data_of(cls, frame: pl.DataFrame, public: Mapping[str, Any], source: str = "polars") -> Any:
        """Return the published data, made from the frame that a method made or a file holds."""

    @classmethod
    def public_of(cls, original: Any, frame: pl.DataFrame, files: Mapping[str, pl.DataFrame],
                  public: Mapping[str, Any]) -> dict[str, Any]:  # fmt: skip
        """Return what the release says of itself, made from what the method says."""
        return dict(public)

    @classmethod
    @abstractmethod
    def read(cls, path: Path, public: Mapping[str, Any]) -> Any:
        """Read the published data from their file."""

    @abstractmethod
    def frame_to_write(self, format: str) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return the frame that a file of this format holds, and `public` with what readers need to read that file."""

    # -- checks --------------------------------------------------------------------------------------------------------

    @abstractmethod
    def verify(self, check: Check) -> Verdict:
        """Decide a promise on what was published; with the original, also whether what was published is true."""

    def refuse_other_data(self, original: Any) -> None:
        """Refuse an original of another kind than the release was made from."""
        if original is not None and not isinstance(original, self.original_type):
            raise ParameterError(
                f"the release is of {self.called}, and the original is {type(original).__name__}; give the "
                f"{self.called.removeprefix('a ')}"
            )

    def refuse_other_original(self, original: Any) -> None:  # noqa: B027  most shapes find out while they compare
        """Refuse an original that the release cannot have been made from in the way that it says."""

    def tables_beside(self) -> Sequence[str]:
        """The names of the tables that such a release may publish beside the data."""
        return ()

    def unnamed_tables(self) -> list[str]:
        """Tables that are published and that no such release has, a clause each: no promise speaks of them."""
        known = self.tables_beside()
        return [
            f"the table {name!r} is published, and the release does not name it"
            for name in self.release.files if name not in known
        ]  # fmt: skip

    @property
    def rows(self) -> NDArray[np.int64] | None:
        """For each published row, its row in the original; None without the owner's part."""
        return self.release.owner.rows if self.release.owner is not None else None

    @property
    def owner_files(self) -> Mapping[str, pl.DataFrame]:
        """The tables that the owner keeps for the check, by name; none without the owner's part."""
        return self.release.owner.files if self.release.owner is not None else {}

    @property
    def damage(self) -> list[str]:
        """What is wrong with the files that the release was loaded from."""
        return list(self.release.damage)

    # -- what is told --------------------------------------------------------------------------------------------------

    @property
    def schema(self) -> Schema:
        """The published columns as the original had them."""
        raise ParameterError(f"a release of {self.called} has no schema, which is for tables")

    @property
    def forms(self) -> Mapping[str, Any]:
        """How each quasi-identifier is shown: `range`, `set`, `node`, `value` or `substitute`."""
        return {}

    @property
    def n_withheld(self) -> int:
        """How many records of the original the release says that it withholds."""
        return 0

    @property
    def n_counterfeits(self) -> int:
        """How many of the published rows stand for nobody."""
        return 0

    @property
    def measured_for_readers(self) -> bool:
        """Whether the figures for readers are measured once more without the owner's part.

        They are where the owner's part changes figures: with it, the same figures would tell something of the records.
        """
        return True

    @property
    def beside(self) -> str | None:
        """A sentence on where readers find what the published data do not hold; None where they hold everything."""
        return None

    @property
    def order(self) -> str | None:
        """The order of the records that the method chose among several; None where it did not choose."""
        return str(self.public["order"]) if "order" in self.public else None

    @property
    def is_text(self) -> bool:
        """Whether the data were read from a format that holds text alone."""
        return "types" in self.public

    def certificate_fields(self) -> dict[str, Any]:
        """Return the fields that the certificate of such a release has beside those that all have."""
        return {}


_SHAPES: tuple[tuple[tuple[str, ...], str], ...] = (
    (("graph",), "sfumato.published.graphs.graph:GraphShape"),
    (("baskets",), "sfumato.published.baskets.baskets:BasketsShape"),
    (("collection",), "sfumato.published.collection.reports:ReportsShape"),
    (("noisy_counts",), "sfumato.published.tables.noisy_counts:NoisyCountsShape"),
    (("target",), "sfumato.published.tables.subdomains:SubdomainsShape"),
    (("condensed",), "sfumato.published.tables.condensed:CondensedShape"),
    (("republication",), "sfumato.published.tables.sequence:SequenceShape"),
    (("permutation",), "sfumato.published.tables.two_tables:TwoTablesShape"),
    (CHANGES, "sfumato.published.tables.changed:ChangedShape"),
    (("noise",), "sfumato.published.tables.redrawn:RedrawnShape"),
)
"""The keys that tell of a shape, first come first served, and where it is."""
_REDRAWN = "sfumato.published.tables.redrawn:RedrawnShape"
_CLASSES = "sfumato.published.tables.classes:ClassesShape"


_KNOWN: WeakKeyDictionary[Release | Bare, ReferenceType[Shape]] = WeakKeyDictionary()
"""Shapes in use. They hold their release, which must not hold them: its tables are freed as soon as it is gone."""


def shape_of(release: Release | Bare) -> Shape:
    """Return the shape of a release; refuse data of another kind than the release says it has."""
    known = _KNOWN[release]() if release in _KNOWN else None
    if known is not None:
        return known
    kind = shape_type(release.public)
    if not isinstance(release, Bare) and not isinstance(release.data, kind.data_type):
        raise DataError(
            f"the release says that it is of {kind.called}, and its data are {type(release.data).__name__}; ask its "
            f"owner for a new copy"
        )
    shape = kind(release)
    _KNOWN[release] = ref(shape)
    return shape


def known_shapes() -> tuple[type[Shape], ...]:
    """Every shape, in the order in which they are tried."""
    return tuple(dict.fromkeys(_shape_at(where) for where in (*(where for _, where in _SHAPES), _REDRAWN, _CLASSES)))


def shape_type(public: Mapping[str, Any]) -> type[Shape]:
    """Return the class of shapes that these keys of `public` stand for."""
    where = next((where for keys, where in _SHAPES if any(key in public for key in keys)), None)
    if where is None:
        forms = public.get("forms")
        drawn = isinstance(forms, Mapping) and "substitute" in forms.values()
        where = _REDRAWN if drawn else _CLASSES
    return _shape_at(where)


def unread_keys(public: Mapping[str, Any]) -> list[str]:
    """The keys of `public` that no release has: nothing reads what stands there, and it may be anything."""
    return [key for key in public if key not in _TOLD]


def _shape_at(where: str) -> type[Shape]:
    module, _, name = where.partition(":")
    found: type[Shape] = getattr(importlib.import_module(module), name)
    return found
