"""`verify`: check a promise on published data, without asking the method."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.calls import says_what_it_takes
from sfumato.ground.errors import DamagedReleaseError, DataError, ParameterError, SchemaError
from sfumato.ground.validate import told
from sfumato.privacy.of_population import promise_about
from sfumato.privacy.promise import Promise
from sfumato.privacy.verdict import Verdict
from sfumato.published.equivalence import Cells, PublishedClasses
from sfumato.published.evidence import Evidence
from sfumato.published.judge import judge
from sfumato.published.shape import Check, shape_of
from sfumato.release.release import Release, checked_releases
from sfumato.verbs.certificate_check import compare_with_certificate

__all__ = ["verify"]


@says_what_it_takes
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
    signed_by: str | Path | None = None,
) -> Verdict:
    """Check a promise on published data, from scratch and without asking the method.

    `published` is a `Release`, or any table with the `promise` and the columns given. With the `original`, every
    published row is also compared with the record behind it. With `previous` releases of a sequence, oldest first (by
    default those it was made after, where they are in memory), what is promised over releases is decided as well.
    Promises on a `population`, such as `KMap`, are decided with it: a loaded release has its fingerprint alone.
    With `signed_by`, the file of a public key, the certificate of a loaded release must be signed with it.

    Of a table that is no release, `quasi` and `sensitive` name the columns, and `cells` says how cells without a plain
    value are taken.

    >>> import sfumato as sf
    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": ["[20, 30]"] * 3, "zip": ["537*"] * 3})
    >>> sf.verify(frame, promise=sf.KAnonymity(3), quasi=["age", "zip"]).word
    'holds'
    """
    if promise is not None and not isinstance(promise, Promise):
        raise ParameterError(f"promise must be a promise such as KAnonymity(10), got {told(promise)}")
    earlier = checked_releases(previous if previous is not None else ())
    if earlier and not (isinstance(published, Release) and shape_of(published).name == "sequence"):
        raise ParameterError("previous is for releases that Republishing made; leave it out")
    for what, names in (("quasi", quasi), ("sensitive", sensitive)):
        _check_names(what, names)
    if cells is not None and not isinstance(cells, Cells):
        raise ParameterError(f"cells says what cells mean, as in Cells(empty='suppressed'), got {told(cells)}")
    if signed_by is not None and not isinstance(signed_by, (str, Path)):
        raise ParameterError(f"signed_by takes the file of a public key, got {told(signed_by)}")
    if population is not None:
        given = promise if promise is not None else getattr(published, "promise", None)
        promise = promise_about(given, population)
    if not isinstance(published, Release):
        if signed_by is not None:
            raise ParameterError("signed_by is for releases of sfumato; leave it out")
        return _verify_foreign(published, promise, quasi, sensitive, cells)
    if previous is None and published.owner is not None:
        earlier = published.owner.previous
    shape = shape_of(published)
    shape.refuse_other_data(original)
    asked = promise if promise is not None else published.promise
    check = Check(promise=asked, original=original, quasi=quasi, sensitive=sensitive, cells=cells, previous=earlier)
    try:
        verdict = shape.verify(check)
    except (DataError, ParameterError, SchemaError) as error:
        if promise is not None or published.certified is None or original is not None or quasi or sensitive or earlier:
            raise  # what was given does not fit
        raise DamagedReleaseError(f"the release cannot be checked by its own certificate: {error}") from None
    if published.certified is None:
        if signed_by is not None:
            raise ParameterError("only a release on disk is signed; save it, and give what load_release returns")
        return verdict
    key = None if signed_by is None else Path(signed_by)
    return compare_with_certificate(published, verdict, original, own=promise is None, signed_by=key)


def _check_names(what: str, names: Any) -> None:
    """Refuse anything but a list of columns, each named once; a promise on no quasi-identifier speaks of nobody."""
    if names is None:
        return
    if not isinstance(names, (list, tuple)):
        raise ParameterError(f"{what} takes a list of columns, as in {what}=['age'], got {told(names)}")
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise ParameterError(f"column {twice!r} is named twice; name it once")
    if what == "quasi" and not names:
        raise ParameterError("verify needs the quasi-identifiers, as in quasi=['age', 'zip']")


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
