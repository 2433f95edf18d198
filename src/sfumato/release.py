"""Publishing and verifying: `publish`, `verify`, and the `Release` between them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.baskets import Baskets
from sfumato.data.given import given_data
from sfumato.data.graph import Graph
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import ParameterError, PromiseBrokenError
from sfumato.method import Method
from sfumato.privacy.of_population import about
from sfumato.privacy.promise import Promise
from sfumato.privacy.verdict import Verdict
from sfumato.progress import Progress, steps
from sfumato.published.equivalence import Cells, PublishedClasses
from sfumato.published.evidence import Evidence
from sfumato.published.judging import judge
from sfumato.published.shape import Check, shape_of, shape_type
from sfumato.purpose import purpose_of
from sfumato.randomness import Randomness, Seed

if TYPE_CHECKING:
    from sfumato.figures import Measures

__all__ = ["Owner", "Release", "fingerprint", "publish", "verify"]

_UNCHECKED = Verdict(found=(), checked_on="nothing yet", undecided=("everything",))


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


@dataclass(frozen=True, kw_only=True, eq=False)
class Release:
    """Published data, what they promise and the verdict on it; and, apart, what the owner keeps."""

    data: Table | PublishedBaskets | Graph
    promise: Promise | None
    verdict: Verdict
    public: Mapping[str, Any]
    """What a reader must be told: the schema of the original's published columns, and the form of each."""
    method: Mapping[str, Any]
    """The method's name and public parameters."""
    owner: Owner | None = None
    measures: Measures | None = None
    """What was measured when the release was saved."""
    damage: tuple[str, ...] = ()
    """What is wrong with the files it was loaded from."""
    files: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    """Tables published beside the data, by name, such as the properties that hold."""

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
    ) -> Path:
        """Write the release to `folder`, and what the owner keeps to `owner/` beside it; all or nothing.

        With the `population` that the records were drawn from, the measures and the report hold the journalist's risk.
        """
        from sfumato.bundle import save

        return save(
            self, Path(folder), format=format, report=report, population=population, overwrite=overwrite
        )  # fmt: skip

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


def publish(
    data: Table | Baskets | Graph,
    method: Method,
    promise: Promise | None = None,
    *,
    previous: Sequence[Release] = (),
    seed: Seed | None = None,
    progress: Progress | None = None,
) -> Release:
    """Anonymize `data` with `method` and have the result verified.

    Nothing that breaks its promise is ever returned: `PromiseBrokenError` says which class broke it. `previous` are
    earlier releases of the same table, oldest first, that `Republishing` goes on from. A given `seed` makes the run
    repeat to the byte, and is as secret as the data; other data, methods and promises get other numbers from it. A
    `progress` that the caller made (of four steps) is told how far the work is, and can stop it between steps.
    """
    given_data(data, f"publish takes a Table, got {type(data).__name__}; wrap a frame as Table(frame, schema)")
    if not isinstance(method, Method):
        raise ParameterError(f"method must be a method such as Mondrian(), got {method!r}")
    if not isinstance(data, method.takes):
        raise ParameterError(
            f"{type(method).__name__} publishes {method.takes.__name__}, and the data are {type(data).__name__}; "
            f"choose another method"
        )
    if promise is not None and not isinstance(promise, Promise):
        raise ParameterError(f"promise must be a promise such as KAnonymity(10), got {promise!r}")
    if seed is not None and not method.repeatable:
        raise ParameterError(f"{type(method).__name__} draws from a source that no seed repeats; leave seed out")
    promise, earlier = method.promised(promise), checked_releases(previous)
    going_on = method.after(earlier) if earlier else method
    random = Randomness(seed)
    stream = random.spawn(purpose_of(data.frame, method, promise, len(earlier))) if seed is not None else random
    with steps(4) if progress is None else nullcontext(progress) as progress:
        outcome = going_on.run(data, promise, stream, progress)
        progress.step("verifying")
        shape = shape_type(outcome.public)
        public = shape.public_of(data, outcome.frame, outcome.files, outcome.public)
        draft = Release(
            data=shape.data_of(outcome.frame, public, getattr(data, "source", "polars")), promise=promise,
            verdict=_UNCHECKED, public=public, method=method.told(),
            owner=Owner(
                seed=random.seed, rows=outcome.rows, original=data, files=outcome.kept, previous=earlier
            ),
            files=outcome.files,
        )  # fmt: skip
        verdict = verify(draft, data)
    if not verdict.stands:
        why = "; ".join(verdict.broken or verdict.found)
        raise PromiseBrokenError(f"{type(method).__name__} broke its promise: {why}")
    return replace(draft, verdict=verdict)


def verify(
    published: Release | Table | pl.DataFrame | Any,
    original: Table | Baskets | Graph | None = None,
    *,
    promise: Promise | None = None,
    quasi: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    cells: Cells | None = None,
    previous: Sequence[Release] | None = None,
    population: Table | None = None,
) -> Verdict:
    """Check a promise on published data, from scratch and without asking the method.

    `published` is a `Release`, or any table with the `promise` and the columns given. With the `original`, every
    published row is also compared with the record behind it. With `previous` releases of a sequence, oldest first (by
    default those it was made after, where they are in memory), what is promised over releases is decided as well.
    Promises on a `population`, such as `KMap`, are decided with it: a loaded release has its fingerprint alone.
    """
    earlier = checked_releases(previous or ())
    if earlier and not (isinstance(published, Release) and shape_of(published).name == "sequence"):
        raise ParameterError("previous is for releases that Republishing made; leave it out")
    for given in (quasi, sensitive):
        twice = next((name for name in given or () if list(given or ()).count(name) > 1), None)
        if twice is not None:
            raise ParameterError(f"column {twice!r} is named twice; name it once")
    if population is not None:
        promise = about(promise or getattr(published, "promise", None), population)
    if not isinstance(published, Release):
        return _verify_foreign(published, promise, quasi, sensitive, cells)
    if previous is None and published.owner is not None:
        earlier = published.owner.previous
    shape = shape_of(published)
    shape.refuse_other_data(original)
    return shape.verify(
        Check(
            promise=promise or published.promise, original=original, quasi=quasi, sensitive=sensitive, cells=cells,
            previous=earlier,
        )
    )  # fmt: skip


def _verify_foreign(
    published: Any,
    promise: Promise | None,
    quasi: Sequence[str] | None,
    sensitive: Sequence[str] | None,
    cells: Cells | None,
) -> Verdict:
    """Check a promise on a table that anybody made."""
    table = published if isinstance(published, Table) else Table(published, Schema(rest="plain"))
    if promise is None:
        raise ParameterError(
            "verify needs the promise to check, as in verify(frame, promise=KAnonymity(5), quasi=['age'])"
        )
    names = list(quasi) if quasi is not None else table.schema.quasi
    if not names:
        raise ParameterError("verify needs the quasi-identifiers, as in quasi=['age', 'zip']")
    secret = list(sensitive) if sensitive is not None else table.schema.sensitive
    columns = {name: table.schema.column(name) for name in secret}
    unfit = Evidence(unfit="only a release says how its cells are to be read")
    classes = PublishedClasses(table.frame, names, secret, columns, cells, evidence=unfit)
    return judge(promise, classes, checked_on=f"{len(table):,} published rows alone")


def checked_releases(given: Sequence[Release]) -> tuple[Release, ...]:
    """Earlier releases, or a sentence on what else was given."""
    if not isinstance(given, (list, tuple)):
        raise ParameterError(
            f"previous takes a list of releases, oldest first, got {type(given).__name__}; write [release]"
        )
    wrong = next((each for each in given if not isinstance(each, Release)), None)
    if wrong is not None:
        raise ParameterError(f"previous takes releases, got {type(wrong).__name__}; load them with load_release")
    return tuple(given)


def fingerprint(frame: pl.DataFrame) -> str:
    """SHA-256 of the records as an Arrow stream, to tell later whether a table is the one a release came from."""
    import pyarrow as pa

    class Sink:
        closed = False

        def __init__(self) -> None:
            self.digest = hashlib.sha256()

        def write(self, data: Any) -> int:
            self.digest.update(data)
            return len(data)

        def flush(self) -> None: ...

        def close(self) -> None: ...

        def writable(self) -> bool:
            return True

        def readable(self) -> bool:
            return False

        def seekable(self) -> bool:
            return False

        def tell(self) -> int:
            return 0

    sink: Any = Sink()
    arrow = frame.to_arrow()
    with pa.ipc.new_stream(pa.PythonFile(sink, mode="w"), arrow.schema) as writer:
        writer.write_table(arrow, max_chunksize=65_536)
    return str(sink.digest.hexdigest())
