"""Planted attacks, really made: `WalkBasedAttack`, `IntervalWalkAttack`, `StructuralAttack` search for the accounts.

The accounts are made in `planting.py`; the closed form of the structural attack is in `structural.py`.

A release that is out cannot be attacked in this way any more, unless the accounts were in it. What is measured is
therefore its method: `trials` times, accounts are planted in the original, it is published anew, and they are sought.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.contracts.attack import Attack, Attacked, Success, cut_short, mean_success, share_success
from sfumato.contracts.method import Method, method_from_dict
from sfumato.data.graph import Graph
from sfumato.graphs.attacks.likelihood_search import likeliest_placement, place_beside_victims, weigh_accounts
from sfumato.graphs.attacks.planting import MOST_ACCOUNTS, Planted, plant, usual_links, usual_victims
from sfumato.graphs.attacks.victim_links import assigned_victims, exact_victims, likely_victims
from sfumato.graphs.attacks.walk_search import find_walks
from sfumato.graphs.estimates.degree_law import degree_intervals
from sfumato.graphs.flip_rate import FlipRates, flip_rates
from sfumato.ground.errors import ParameterError
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import whole
from sfumato.privacy.promise import Promise
from sfumato.published.graphs.graph import graph_shape
from sfumato.published.shape import Bare

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = [
    "IntervalWalkAttack", "PlantedAttack", "SearchCutShort", "StructuralAttack", "Tally", "Trial", "WalkBasedAttack",
]  # fmt: skip

_TURNS = 4  # turns of naming victims and placing accounts anew beside them
_STEPS = 1_000_000_000  # candidates looked at in one publication, by all widths and errors together


class SearchCutShort(Exception):  # noqa: N818
    """A search reached its limit before it found anything, so that it is not known whether there is anything."""


@dataclass(frozen=True, eq=False)
class Trial:
    """One publication that was attacked."""

    planted: Planted
    published: Graph
    rates: FlipRates
    truth: NDArray[np.int64]
    """The published vertex of every vertex of the planted graph."""
    found: NDArray[np.int32] | None
    """The published vertices that the adversary takes for the accounts, or None."""
    victims: NDArray[np.int64]
    """The published vertices taken for the victims; -1 where the adversary cannot tell."""
    gave_up: bool = False
    """Whether the search was cut short before anything was found."""

    @property
    def accounts(self) -> NDArray[np.int64]:
        """The published vertices that are the accounts."""
        return self.truth[self.planted.accounts]

    @property
    def accounts_found(self) -> float:
        """The share of accounts that were found."""
        return 0.0 if self.found is None else float((self.found == self.accounts).mean())

    @property
    def victims_found(self) -> float:
        """The share of victims who were found."""
        return float((self.victims == self.truth[self.planted.victims]).mean()) if len(self.victims) else 0.0


@dataclass(frozen=True)
class PlantedAttack(Attack, register=False):
    """Makes `accounts` accounts, joined along a path and by coins, and joins each of `victims` people to `links` of
    them, so that two people's accounts differ by `apart` on either side. Attacks `trials` publications by the method
    of the release. By default there are accounts^2 / 4 victims, and 5 links; fewer where accounts are
    too few.
    """

    example = "accounts = 4\nlinks = 2\ntrials = 3"

    accounts: int = 20
    victims: int | None = None
    links: int | None = None
    apart: int = 2
    trials: int = 100
    takes: ClassVar[type] = Graph

    def __post_init__(self) -> None:
        """Check the numbers."""
        for name in ("accounts", "apart", "trials"):
            whole(name, getattr(self, name), least=1)
        for name in ("victims", "links"):
            if getattr(self, name) is not None:
                whole(name, getattr(self, name), least=1)
        if not 2 <= self.accounts <= MOST_ACCOUNTS:
            raise ParameterError(f"accounts must be from 2 to {MOST_ACCOUNTS}, got {self.accounts}")
        links = self._links
        if links > self.accounts or self.apart > links:
            raise ParameterError(
                f"links must not be more than accounts, and apart not more than links; got links={links} and "
                f"apart={self.apart} for {self.accounts} accounts"
            )

    @property
    def _links(self) -> int:
        return usual_links(self.accounts) if self.links is None else self.links

    @abstractmethod
    def recover(self, published: Graph, planted: Planted, rates: FlipRates) -> NDArray[np.int32] | None:
        """The published vertices that are taken for the accounts, from what the adversary knows."""

    def tell_victims(
        self, published: Graph, accounts: NDArray[np.int32], links: NDArray[np.bool_], rates: FlipRates
    ) -> NDArray[np.int64]:
        """The published vertices that are taken for the victims."""
        return likely_victims(published, accounts, links, rates)

    def attempt(self, graph: Graph, method: Method, promise: Promise | None, random: Randomness) -> Trial:
        """Plant accounts, publish, and look for them."""
        victims = usual_victims(self.accounts, len(graph)) if self.victims is None else self.victims
        planted = plant(
            graph, self.accounts, victims, random.spawn("planting"), links=self._links, apart=self.apart,
            or_fewer=self.victims is None,
        )  # fmt: skip
        outcome = method.run(planted.graph, promise, random.spawn("publishing"), Progress(3, shown=False))
        source, target = (outcome.frame[name].to_numpy() for name in ("source", "target"))
        published = Graph.from_edges(source, target, len(planted.graph))
        truth = np.empty(len(planted.graph), dtype=np.int64)
        truth[outcome.rows] = np.arange(len(truth))
        rates = flip_rates(graph_shape(Bare(data=outcome, public=outcome.public)).parameters, published)
        nobody = np.full(len(planted.victims), -1, dtype=np.int64)
        return self.look(Trial(planted, published, rates, truth, None, nobody))

    def look(self, given: Trial) -> Trial:
        """Attack the publication of a trial again; returns the trial with what this attack found."""
        published, planted, rates = given.published, given.planted, given.rates
        nobody = np.full(len(planted.victims), -1, dtype=np.int64)
        try:
            found = self.recover(published, planted, rates)
        except SearchCutShort:
            return replace(given, found=None, victims=nobody, gave_up=True)
        victims = nobody if found is None else self.tell_victims(published, found, planted.links, rates)
        return replace(given, found=found, victims=victims, gave_up=False)

    def run(self, release: Release, original: Any, random: Randomness, progress: Progress) -> Attacked:
        """Attack fresh publications of the original with accounts planted in it."""
        method = method_from_dict(release.method)
        progress.step("attacking")
        found = self.rates_of(original, method, release.promise, random, progress)
        notes = [
            "computed from the original: for its owner alone",
            f"of {len(found.victims):,} fresh publications by the same method, each with accounts planted in the "
            f"original",
        ]
        if len(found.victims) < self.trials:
            notes.append(cut_short(len(found.victims), self.trials, "publications"))
        if found.gave_up.any():
            notes.append(f"in {int(found.gave_up.sum()):,} of them the search was cut short, and might have succeeded")
        return Attacked(self, found.figures(len(original)), tuple(notes))

    def rates_of(
        self, graph: Graph, method: Method, promise: Promise | None, random: Randomness, progress: Progress
    ) -> Tally:
        """Run all trials, in threads, and count what they found; no more are begun once the time is over."""
        done = count(1)

        def one(number: int) -> tuple[float, float, bool, bool] | None:
            if number and progress.is_over:
                return None
            trial = self.attempt(graph, method, promise, random.spawn(f"trial {number}"))
            progress.share(next(done) / self.trials)
            return trial.accounts_found, trial.victims_found, trial.found is not None, trial.gave_up

        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            rows = [row for row in pool.map(one, range(self.trials)) if row is not None]
        placed, victims, named, gave_up = (np.array(column) for column in zip(*rows, strict=True))
        shares = (placed.astype(np.float64), victims.astype(np.float64))
        return Tally(*shares, named.astype(bool), gave_up.astype(bool), self.accounts)


@dataclass(frozen=True, eq=False)
class Tally:
    """What was found, by trial."""

    accounts_found: NDArray[np.float64]
    """The share of accounts that were found."""
    victims: NDArray[np.float64]
    """The share of victims who were found."""
    named_any: NDArray[np.bool_]
    """Whether the adversary took any vertices for the accounts."""
    gave_up: NDArray[np.bool_]
    """Whether the search was cut short before anything was found."""
    accounts: int
    """How many accounts were planted."""

    @property
    def successes(self) -> NDArray[np.bool_]:
        """Whether all accounts were found, and some victim."""
        return np.asarray((self.accounts_found == 1) & (self.victims > 0))

    def victims_found(self, n: int) -> Success:
        """The share of victims who were found, on average."""
        return mean_success(self.victims, 1 / n, "share of the victims who were found")

    def figures(self, n: int) -> dict[str, Success]:
        """The figures of the attack, as shares with intervals; a search that was cut short may have succeeded."""
        success = share_success(self.successes, 0.0, "publications in which all accounts were found, and a victim")
        if self.gave_up.any():
            most = share_success(self.successes | self.gave_up, 0.0, "")
            success = replace(success, high=most.high)
        return {
            "victims": self.victims_found(n),
            "success": success,
            "accounts": mean_success(
                self.accounts_found, 1 / (n + self.accounts), "share of the accounts that were found"
            ),
            "mistaken": share_success(
                self.named_any & (self.accounts_found < 1), 0.0,
                "publications in which others were taken for some account",
            ),
        }  # fmt: skip


@dataclass(frozen=True)
class WalkBasedAttack(PlantedAttack):
    """Follows the path of its accounts by their exact degrees and edges (Backstrom, Dwork & Kleinberg, 2007).

    The accounts are joined to so many `victims`, each by so many `links`, with `apart` accounts that differ at least;
    the attack is tried in so many `trials`.

    >>> import sfumato as sf
    >>> sf.WalkBasedAttack(accounts=4, links=2, trials=3)
    WalkBasedAttack(accounts=4, victims=None, links=2, apart=2, trials=3)
    """

    def recover(self, published: Graph, planted: Planted, rates: FlipRates) -> NDArray[np.int32] | None:
        """The path, if there is just one."""
        walks = find_walks(published, planted.inside, planted.degrees, planted.degrees, most=2)
        if not walks.complete and len(walks.paths) < 2:
            raise SearchCutShort
        return np.array(walks.paths[0]) if len(walks.paths) == 1 else None

    def tell_victims(
        self, published: Graph, accounts: NDArray[np.int32], links: NDArray[np.bool_], rates: FlipRates
    ) -> NDArray[np.int64]:
        """The vertex that is joined to exactly the accounts of each victim."""
        return exact_victims(published, accounts, links)


@dataclass(frozen=True)
class IntervalWalkAttack(PlantedAttack):
    """Follows the path of its accounts with degrees up to `width` from what is expected, and then with up to `errors`
    edges that are not as planted; it stops at the first path found, the likeliest of several (thesis, s. 4.4).

    The accounts are joined to so many `victims`, each by so many `links`, with `apart` accounts that differ at least;
    the attack is tried in so many `trials`.

    >>> import sfumato as sf
    >>> sf.IntervalWalkAttack(accounts=4, links=2, trials=3)
    IntervalWalkAttack(accounts=4, victims=None, links=2, apart=2, trials=3, width=5, errors=2)
    """

    width: int = 5
    errors: int = 2

    def __post_init__(self) -> None:
        """Check the numbers."""
        super().__post_init__()
        whole("width", self.width, least=0)
        whole("errors", self.errors, least=0)

    def recover(self, published: Graph, planted: Planted, rates: FlipRates) -> NDArray[np.int32] | None:
        """Widen intervals, then allow errors, until there is a path."""
        n, left = len(published), _STEPS
        pairs = self.accounts * (self.accounts - 1) // 2
        for w, m in self._settings(int(published.degrees.max(initial=0)), pairs):
            low, high = degree_intervals(n, planted.degrees, rates, w)
            walks = find_walks(published, planted.inside, low, high, m, steps=left)
            if len(walks.paths):
                return _likeliest(walks.paths, published, planted, rates)
            left -= walks.steps
            if not walks.complete:
                raise SearchCutShort
        return None

    def _settings(self, largest: int, pairs: int) -> Iterator[tuple[int, int]]:
        """Pairs of a width and a number of errors to try, rising, up to where more would make no difference."""
        widest = min(self.width, 2 * largest + 1)
        yield from ((w, 0) for w in range(widest + 1))
        yield from ((widest, m) for m in range(1, min(self.errors, pairs) + 1))


@dataclass(frozen=True)
class StructuralAttack(PlantedAttack):
    """Looks for the likeliest vertices, whether or not the path is whole, keeping `beam` placements at a time
    and many more while few accounts are placed.

    The accounts are joined to so many `victims`, each by so many `links`, with `apart` accounts that differ at least;
    the attack is tried in so many `trials`.

    >>> import sfumato as sf
    >>> sf.StructuralAttack(accounts=4, links=2, trials=3)
    StructuralAttack(accounts=4, victims=None, links=2, apart=2, trials=3, beam=1000)
    """

    beam: int = 1000

    def __post_init__(self) -> None:
        """Check the numbers."""
        super().__post_init__()
        whole("beam", self.beam, least=1)

    def recover(self, published: Graph, planted: Planted, rates: FlipRates) -> NDArray[np.int32] | None:
        """The likeliest placement found, corrected in turns: name victims, then place accounts anew beside them."""
        evidence = weigh_accounts(published, planted.inside, planted.degrees, rates)
        found = likeliest_placement(published, evidence, self.beam)
        if found is None:
            return None
        for _ in range(_TURNS):
            victims = self.tell_victims(published, found, planted.links, rates)
            named = np.flatnonzero(victims >= 0)
            again = place_beside_victims(published, evidence, found, victims[named], planted.links[named])
            if np.array_equal(again, found):
                break
            found = again
        return found

    def tell_victims(
        self, published: Graph, accounts: NDArray[np.int32], links: NDArray[np.bool_], rates: FlipRates
    ) -> NDArray[np.int64]:
        """All victims named together, each as another vertex."""
        return assigned_victims(published, accounts, links, rates)


def _likeliest(paths: NDArray[np.int32], published: Graph, planted: Planted, rates: FlipRates) -> NDArray[np.int32]:
    """The path that is likeliest the accounts'."""
    best = 0
    if len(paths) > 1:
        evidence = weigh_accounts(published, planted.inside, planted.degrees, rates)
        best = int(np.argmax([evidence.of(path, published) for path in paths]))
    return np.array(paths[best])
