"""Best: try the methods that fit a table, and keep what loses least under the promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sfumato.contracts.method import Outcome, known_method, make_by_name
from sfumato.contracts.trying import Streams
from sfumato.data.table import Table
from sfumato.ground.compiling import begin_compiling, compiles_alone
from sfumato.ground.errors import ParameterError
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import finite, told
from sfumato.privacy.of_population import without_population
from sfumato.privacy.promise import Promise
from sfumato.tables.choosing.candidates import candidate_names
from sfumato.tables.choosing.race import Clock, race
from sfumato.tables.grouping.groups import GroupingMethod, Groups
from sfumato.tables.grouping.job import Job

__all__ = ["Best"]


@dataclass(frozen=True)
class Best(GroupingMethod):
    """Any promise on classes, by whichever method loses least on this table.

    It is the default. `within` are the seconds that the search may take, without what a first run compiles: the first
    method is always run to its end, others join while there is time, and what is left is spent on taking groups of the
    leaders apart and forming them anew (`polish=STEPS`). `methods` names those that compete; by default `LocalRecoding`
    and `Ordered` as far as they finish in seconds, else `Hilbert`. The release is that of the method which won, with
    the number of its steps: certificate and recipe record this one, and it makes the same release alone, to the byte.
    `release.owner.tried` tells what each of them loses.

    Which method won may tell something of the records, and where the promise looks at sensitive values, of them too
    (the minimality attack knows the method): see Not covered in the report.

    `show` says what readers see of a group: `ranges`, `means`, `permutation` (two tables) or `condensed` (drawn anew).

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Best(within=1), sf.KAnonymity(5), seed=1)
    >>> [each.method for each in release.owner.tried][0].polish > 100
    True
    """

    recommended = "where nobody knows which, and seconds may be spent"

    within: float = 5.0
    show: str = "ranges"
    methods: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the seconds and the names."""
        super().__post_init__()
        finite("within", self.within, asked="a number of seconds above 0", above=0)
        given: Any = self.methods
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise ParameterError(f"methods must be a list of names, as in ['Ordered', 'Mondrian'], got {told(given)}")
        object.__setattr__(self, "methods", tuple(given))
        for name in self.methods:
            self._named(name)

    def to_dict(self) -> dict[str, Any]:
        """The parameters as plain data, the names as a list."""
        return {**super().to_dict(), "methods": list(self.methods)}

    def run(self, table: Table, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Search, with the same random numbers for every method."""
        return self.carry_out(table, promise, Streams(lambda _: random, repeats=True), progress)

    def carry_out(self, data: Table, promise: Promise | None, streams: Streams, progress: Progress) -> Outcome:
        """Search, and publish what won as it would publish itself."""
        progress.step("reading values")
        methods = self._candidates(data)
        begin_compiling(type(methods[0]).__name__)
        prepared = self.prepare(data, promise)
        progress.step("choosing")
        found = race(
            methods, lambda method, inner: method.job_for(prepared, streams.of(method), inner), progress,
            Clock(self.within), waits=streams.repeats or compiles_alone(),
        )  # fmt: skip
        progress.step("showing groups")
        outcome = found.method.shown_outcome(data, prepared, found.groups, streams.of(found.method))
        return replace(outcome, method=found.method, tried=found.tried)

    def groups(self, job: Job) -> Groups:
        """The groups of the method that wins, each with the randomness of the job."""
        promise = without_population(job.promise, type(self).__name__)
        own = replace(job, promise=promise)
        names = self.methods or ("LocalRecoding", "Ordered")
        return race(
            [self._named(name) for name in names], lambda _, inner: replace(own, progress=inner, span=(0.0, 1.0)),
            job.progress, Clock(self.within), waits=True,
        ).groups  # fmt: skip

    def _candidates(self, table: Table) -> list[GroupingMethod]:
        """The methods that compete on a table, the most promising first."""
        return [self._named(name) for name in self.methods or candidate_names(table.schema, len(table))]

    def _named(self, name: Any) -> GroupingMethod:
        kind = known_method(name) if isinstance(name, str) else None
        if kind is None or not issubclass(kind, GroupingMethod) or issubclass(kind, Best):
            raise ParameterError(
                f"methods names methods that form groups, such as Ordered and LocalRecoding, got {told(name)}"
            )
        method: GroupingMethod = make_by_name("method", {kind.__name__: kind}, {"name": name, "show": self.show})
        return method
