"""Publishing and verifying: `publish`, `verify`, and the `Release` between them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.data.schema import Column, Schema
from sfumato.data.schema_file import schema_from_dict, schema_to_dict
from sfumato.data.table import Source, Table
from sfumato.data.values import MISSING
from sfumato.errors import DataError, ParameterError, PromiseBrokenError
from sfumato.method import Method, Outcome
from sfumato.privacy.of_population import about
from sfumato.privacy.promise import Promise
from sfumato.privacy.verdict import Verdict
from sfumato.progress import steps
from sfumato.published.baskets.baskets import verify_baskets
from sfumato.published.equivalence import Cells, PublishedClasses
from sfumato.published.graphs.graph import verify_graph
from sfumato.published.judging import judge
from sfumato.published.tables.sequence import refuse_counterfeits
from sfumato.purpose import purpose_of
from sfumato.randomness import Randomness, Seed
from sfumato.verification import verify_release

if TYPE_CHECKING:
    from sfumato.figures import Measures

__all__ = ["Owner", "Release", "publish", "published_graph", "published_table", "verify"]


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
        forms: Mapping[str, Any] = self.public.get("forms", {})
        return forms

    @property
    def schema(self) -> Schema:
        """The published columns as the original had them: roles, kinds, hierarchies."""
        return schema_from_dict(dict(self.public["schema"]))

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

        if not isinstance(self.data, Table):
            raise ParameterError("only a release of a table can be asked in a database; use ask for baskets")
        refuse_counterfeits(self.data.frame, self.files, self.public)
        return script(self.data.frame, self.files, self.public, dialect, folder)

    def __repr__(self) -> str:
        state = "holds" if self.verdict.holds else "does NOT hold"
        return f"Release({len(self.data):,} rows, {self.method.get('name')}, {self.promise!r} {state})"

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
) -> Release:
    """Anonymize `data` with `method` and have the result verified.

    Nothing that breaks its promise is ever returned: `PromiseBrokenError` says which class broke it. `previous` are
    earlier releases of the same table, oldest first, that `Republishing` goes on from. A given `seed` makes the run
    repeat to the byte, and is as secret as the data; other data, methods and promises get other numbers from it.
    """
    if not isinstance(data, (Table, Baskets, Graph)):
        raise ParameterError(f"publish takes a Table, got {type(data).__name__}; wrap a frame as Table(frame, schema)")
    if not isinstance(method, Method):
        raise ParameterError(f"method must be a method such as Mondrian(), got {method!r}")
    if not isinstance(data, method.takes):
        raise ParameterError(
            f"{type(method).__name__} publishes {method.takes.__name__}, and the data are {type(data).__name__}; "
            f"choose another method"
        )
    if promise is not None and not isinstance(promise, Promise):
        raise ParameterError(f"promise must be a promise such as KAnonymity(10), got {promise!r}")
    promise, earlier = method.promised(promise), checked_releases(previous)
    going_on = method.after(earlier) if earlier else method
    random = Randomness(seed)
    stream = random.spawn(purpose_of(data.frame, method, promise, len(earlier))) if seed is not None else random
    with steps(4) as progress:
        outcome = going_on.run(data, promise, stream, progress)
        progress.step("verifying")
        public, published = _published(data, outcome)
        draft = Release(
            data=published, promise=promise, verdict=Verdict(holds=False, found=(), checked_on="nothing yet"),
            public=public, method=method.told(),
            owner=Owner(
                seed=random.seed, rows=outcome.rows, original=data, files=outcome.kept, previous=earlier
            ),
            files=outcome.files,
        )  # fmt: skip
        verdict = verify(draft, data)
    if not verdict.holds:
        why = "; ".join(verdict.broken or verdict.found)
        raise PromiseBrokenError(f"{type(method).__name__} broke its promise: {why}")
    return replace(draft, verdict=verdict)


def _published(
    data: Table | Baskets | Graph, outcome: Outcome
) -> tuple[dict[str, Any], Table | PublishedBaskets | Graph]:  # fmt: skip
    """What readers are told, and the data they get."""
    if isinstance(data, Graph):
        return dict(outcome.public), published_graph(outcome.frame, outcome.public)
    if isinstance(data, Baskets):
        return dict(outcome.public), PublishedBaskets.from_frame(outcome.frame, outcome.public["baskets"]["items"])
    public = {"schema": schema_to_dict(_published_schema(data, outcome)), **outcome.public}
    return public, published_table(outcome.frame, schema_from_dict(public["schema"]), public, data.source)


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
    if earlier and not (isinstance(published, Release) and "republication" in published.public):
        raise ParameterError("previous is for releases that Republishing made; leave it out")
    for given in (quasi, sensitive):
        twice = next((name for name in given or () if list(given or ()).count(name) > 1), None)
        if twice is not None:
            raise ParameterError(f"column {twice!r} is named twice; name it once")
    if population is not None:
        promise = about(promise or getattr(published, "promise", None), population)
    if isinstance(published, Release):
        asked = promise or published.promise
        if isinstance(published.data, PublishedBaskets):
            return verify_baskets(published, original, asked)
        if isinstance(published.data, Graph):
            return verify_graph(published, original, asked)
        if original is not None and not isinstance(original, Table):
            raise ParameterError(
                f"the release is of a table, and the original is {type(original).__name__}; give the table"
            )
        if previous is None and published.owner is not None:
            earlier = published.owner.previous
        return verify_release(published, original, asked, cells, quasi, sensitive, earlier)
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
    classes = PublishedClasses(table.frame, names, secret, columns, cells)
    classes.unfit = "only a release says how its cells are to be read"
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


def _published_schema(data: Table, outcome: Outcome) -> Schema:
    """What readers are told of the published columns: no value of a hierarchy that no cell shows.

    Columns that were moved (shifted or scaled) are told without the bounds of the original. Those that are published in
    a table of their own are told as well, and those that the original lacks are not.
    """
    frame, moved = outcome.frame, outcome.public.get("moved", ())
    beside = _told_beside(outcome)
    columns = []
    for name in data.columns if beside or "republication" in outcome.public else frame.columns:
        if name not in frame.columns and name not in beside:
            continue
        shown = frame[name] if name in frame.columns else pl.Series(name, [])
        column = replace(data.schema.column(shown.name), missing="value")
        if shown.name in moved:
            column = replace(column, low=None, high=None)
        if column.hierarchy is not None and column.role == "quasi":
            labels = shown.drop_nulls().unique().cast(pl.String).str.strip_suffix(f" or {MISSING}")
            column = replace(column, hierarchy=column.hierarchy.published(set(labels)))
        columns.append(column)
    return Schema.of(columns)


def _told_beside(outcome: Outcome) -> list[str]:
    """The sensitive columns that are published in a table of their own."""
    public = outcome.public
    if "target" in public:
        return [public["target"]["column"]]
    return outcome.files[public["permutation"]["table"]].columns if "permutation" in public else []


def published_table(
    frame: pl.DataFrame, schema: Schema, public: Mapping[str, Any], source: Source = "polars"
) -> Table:  # fmt: skip
    """The published rows as a Table, in the type that the original came in: generalised columns are text.

    Where sensitive values are in a table of their own, the rows have the number of a group in their place.
    """
    columns, forms = [], public.get("forms", {})
    declared = list(schema.columns.values())
    told = public.get("permutation", public.get("target"))
    if told is not None:
        group = str(told["group"])
        declared = [column for column in declared if column.role != "sensitive"]
        declared.append(Column(name=group, role="plain", kind="integer"))
    if "republication" in public:
        declared.append(Column(name=str(public["republication"]["group"]), role="plain", kind="integer"))
    for column in declared:
        if column.name not in forms:
            columns.append(column)
        elif frame[column.name].dtype == pl.String:
            columns.append(Column(name=column.name, role=column.role, kind="category"))
        else:
            columns.append(Column(name=column.name, role=column.role))
    return Table(frame, Schema.of(columns), source=source)


def published_graph(frame: pl.DataFrame, public: Mapping[str, Any]) -> Graph:
    """The published edges as a graph; loops and edges that are listed twice are refused."""
    ends = [frame[name] for name in ("source", "target")] if frame.columns == ["source", "target"] else []
    if not ends or any(end.null_count() or not end.dtype.is_integer() for end in ends):
        raise DataError("a published graph has the columns source and target, whole numbers in every row")
    graph = Graph.from_edges(ends[0].to_numpy(), ends[1].to_numpy(), int(public["graph"]["vertices"]))
    if graph.n_edges != frame.height:
        raise DataError("a published graph lists some edge twice, or from a vertex to itself")
    return graph


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
