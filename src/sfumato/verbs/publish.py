"""`publish`: anonymize data with a method, and have the result verified."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace

from sfumato.contracts.method import Method
from sfumato.contracts.trying import Streams
from sfumato.data.baskets import Baskets
from sfumato.data.given import given_data
from sfumato.data.graph import Graph
from sfumato.data.persons import refuse_repeated_persons
from sfumato.data.table import Table
from sfumato.ground.calls import says_what_it_takes
from sfumato.ground.compiling import begin_compiling
from sfumato.ground.errors import ParameterError, PromiseBrokenError
from sfumato.ground.progress import Progress, steps
from sfumato.ground.randomness import Randomness, Seed
from sfumato.ground.validate import told
from sfumato.privacy.promise import Promise
from sfumato.privacy.verdict import Verdict
from sfumato.published.shape import shape_type
from sfumato.release.fingerprint import content_digest
from sfumato.release.purpose import purpose_of
from sfumato.release.release import Owner, Release, checked_releases
from sfumato.verbs.default_method import chosen_method
from sfumato.verbs.verify import verify

__all__ = ["publish"]

_UNCHECKED = Verdict(found=(), checked_on="nothing yet", undecided=("everything",))


@says_what_it_takes
def publish(
    data: Table | Baskets | Graph,
    method: Method | type[Method] | str | None = None,
    promise: Promise | None = None,
    *,
    previous: Sequence[Release] = (),
    seed: Seed | None = None,
    progress: Progress | None = None,
) -> Release:
    """Anonymize `data` with `method` and have the result verified.

    `method` may be a class or a name too; left out, it is `Best` for tables, which tries those that fit and keeps what
    loses least: see `sfumato.verbs.default_method`. Nothing that breaks its promise is ever returned:
    `PromiseBrokenError` says which class broke it. `previous` are earlier releases of the same table, oldest first,
    that `Republishing` goes on from. A given `seed` makes the run repeat to the byte (of `Best`, the method that it
    chose), and is as secret as the data; other data, methods and promises get other numbers from it. A `progress`
    that the caller made (of four steps) shows how far the work is, and can stop it between steps.

    `data` is a `Table`, `Baskets` or a `Graph`; the `promise` is what the release must keep, several joined by `&`.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(100), sf.LocalRecoding(), sf.KAnonymity(5) & sf.LDiversity(2), seed=1)
    Release(100 rows, LocalRecoding, KAnonymity(k=5) & LDiversity(2) holds)
    """
    given_data(data, f"publish takes a Table, got {type(data).__name__}; wrap a frame as Table(frame, schema)")
    method = chosen_method(method, data, promise)
    if not isinstance(data, method.takes):
        raise ParameterError(
            f"{type(method).__name__} publishes {method.takes.__name__}, and the data are {type(data).__name__}; "
            f"choose another method"
        )
    if promise is not None and not isinstance(promise, Promise):
        raise ParameterError(f"promise must be a promise such as KAnonymity(10), got {told(promise)}")
    if seed is not None and not method.repeatable:
        raise ParameterError(f"{type(method).__name__} draws from a source that no seed repeats; leave seed out")
    refuse_repeated_persons(data)
    begin_compiling(type(method).__name__)
    promise, earlier = method.promise_for(promise), checked_releases(previous)
    going_on = method.after(earlier) if earlier else method
    random = Randomness(seed)
    digest = content_digest(data.frame)

    def stream(each: Method) -> Randomness:
        given = method if each is going_on else each
        return random.spawn(purpose_of(digest, given, promise, len(earlier)))

    with steps(4) if progress is None else nullcontext(progress) as progress:
        outcome = going_on.carry_out(data, promise, Streams(stream, repeats=seed is not None), progress)
        chosen = outcome.method or method
        progress.step("verifying")
        shape = shape_type(outcome.public)
        public = shape.public_of(data, outcome.frame, outcome.files, outcome.public)
        draft = Release(
            data=shape.data_of(outcome.frame, public, getattr(data, "source", "polars")), promise=promise,
            verdict=_UNCHECKED, public=public, method=chosen.public_parameters(),
            owner=Owner(
                seed=random.seed, rows=outcome.rows, original=data, files=outcome.kept, previous=earlier,
                tried=outcome.tried,
            ),
            files=outcome.files,
        )  # fmt: skip
        verdict = verify(draft, data)
    if not verdict.stands:
        why = "; ".join(verdict.broken or verdict.found)
        raise PromiseBrokenError(f"{type(chosen).__name__} broke its promise: {why}")
    return replace(draft, verdict=verdict)
