"""Polish of classes: people of one value change places where that lowers the loss, and nothing else changes."""

from __future__ import annotations

import itertools
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from sfumato.tables.republishing.polish import polish_classes
from sfumato.tables.republishing.split import Places


class Made(NamedTuple):
    """Classes end to end, as `polish_classes` takes them; `value_of` is the sensitive value of every row."""

    places: Places
    rows: np.ndarray
    starts: np.ndarray
    values: np.ndarray
    bucket: np.ndarray
    fresh: np.ndarray
    value_of: np.ndarray

    @property
    def bucket_of_place(self):
        return np.repeat(self.bucket, np.diff(self.starts))

    def polished(self):
        """The rows after the polish."""
        rows = self.rows.copy()
        polish_classes(self.places, rows, self.starts, self.values, self.bucket, self.fresh)
        return rows

    def loss(self, rows):
        """By the definition: of each class its people times what it shows of every column."""
        total = 0.0
        for a, b in itertools.pairwise(self.starts.tolist()):
            people = [row for row in rows[a:b].tolist() if row >= 0]
            for position, weight, n in zip(
                self.places.position, self.places.weight.tolist(), self.places.n_in_set.tolist(), strict=True
            ):
                here = [float(position[row]) for row in people]
                n_shown = len(set(here))
                shown = (n_shown / n if n_shown > 1 else 0.0) if n else max(here) - min(here)
                total += len(people) * weight * shown
        return total

    def may_change(self, rows, a, b):
        """Whether the rows of two places may change places."""
        if min(rows[a], rows[b]) < 0 or self.values[a] != self.values[b]:
            return False
        return bool(self.bucket_of_place[a] == self.bucket_of_place[b] or (self.fresh[rows[a]] and self.fresh[rows[b]]))

    def arrangements(self):
        """Every way to give people of one value places of this value, old ones in their own bucket."""
        by_value = [np.flatnonzero((self.values == v) & (self.rows >= 0)) for v in np.unique(self.values)]
        home = dict(zip(self.rows.tolist(), self.bucket_of_place.tolist(), strict=True))
        for dealt in itertools.product(*(itertools.permutations(self.rows[at].tolist()) for at in by_value)):
            rows = self.rows.copy()
            for at, people in zip(by_value, dealt, strict=True):
                rows[at] = people
            if all(
                row < 0 or self.fresh[row] or home[row] == here
                for row, here in zip(rows.tolist(), self.bucket_of_place.tolist(), strict=True)
            ):
                yield rows


def made_of(signatures, bucket, rows, position, fresh, weight=(1.0,), n_in_set=(0,)):
    values = np.array([v for signature in signatures for v in signature])
    value_of = np.zeros(len(fresh), dtype=np.int64)
    rows = np.array(rows)
    value_of[rows[rows >= 0]] = values[rows >= 0]
    places = Places(np.array(position, dtype=np.float64), np.array(weight), np.array(n_in_set))
    starts = np.cumsum([0, *map(len, signatures)])
    return Made(places, rows, starts, values, np.array(bucket), np.array(fresh, dtype=bool), value_of)


def random_case(seed, n_classes=(2, 2), n_values=4):
    """Two buckets of different signatures, of numbers and a set, with new people, old ones and counterfeits."""
    rng = np.random.default_rng(seed)
    signatures, bucket = [], []
    for number, height in enumerate(n_classes):
        signature = np.sort(rng.choice(n_values, 2 + int(rng.integers(2)), replace=False)).tolist()
        signatures += [signature] * height
        bucket += [number] * height
    n = sum(map(len, signatures))
    rows = rng.permutation(n)
    first = np.cumsum([0, *map(len, signatures[:-1])])
    lacking = rng.random(n) < 0.15
    lacking[first] = False  # somebody is in every class
    position = np.stack([rng.random(n), rng.random(n), rng.integers(0, 3, n) / 2])
    fresh = rng.random(n) < 0.6
    return made_of(
        signatures, bucket, np.where(lacking, -1, rows), position, fresh, (1.0, 0.5, 0.7), (0, 0, 3)
    )  # fmt: skip


@cache
def least_loss(seed):
    """What the best arrangement of a tiny case loses."""
    made = random_case(seed)
    return min(map(made.loss, made.arrangements()))


CROSSED = [0, 1, 2, 3]  # of values 0, 1 and 0, 1: who is near whom lies in the other class


def test_people_who_lie_crosswise_change_places():
    made = made_of([(0, 1), (0, 1)], [0, 0], CROSSED, [[0.0, 1.0, 1.0, 0.0]], [False] * 4)
    assert made.loss(made.rows) == 4.0
    rows = made.polished()
    assert made.loss(rows) == 0.0
    assert sorted(map(sorted, rows.reshape(2, 2).tolist())) == [[0, 3], [1, 2]]


@pytest.mark.parametrize(("fresh", "after"), [((True, True), 0.0), ((True, False), 4.0), ((False, False), 4.0)])
def test_only_new_people_change_their_bucket(fresh, after):
    """Two buckets share a value; whoever has been in a release keeps the signature."""
    made = made_of([(0, 1), (0, 2)], [0, 1], CROSSED, [[0.0, 1.0, 1.0, 0.0]], [fresh[0], False, fresh[1], False])
    assert made.loss(made.polished()) == after


def test_counterfeits_stay_where_they_are():
    made = made_of([(0, 1), (0, 1)], [0, 0], [0, 1, -1, 2], [[0.0, 1.0, 0.0]], [True] * 3)
    rows = made.polished()
    assert rows.tolist() == [0, 2, -1, 1]
    assert made.loss(rows) == 0.0


@pytest.mark.parametrize("seed", range(60))
def test_classes_show_what_they_showed_and_lose_no_more(seed):
    """Signatures, sizes and how many people a class has; old people keep their bucket."""
    made = random_case(seed, n_classes=(5, 4))
    rows = made.polished()
    assert sorted(rows.tolist()) == sorted(made.rows.tolist())
    assert ((rows < 0) == (made.rows < 0)).all()
    people = rows >= 0
    assert (made.value_of[rows[people]] == made.values[people]).all()
    where, before = np.full(len(rows), -1), np.full(len(rows), -1)
    where[rows[people]], before[made.rows[people]] = made.bucket_of_place[people], made.bucket_of_place[people]
    assert (where == before)[~made.fresh].all()
    assert made.loss(rows) <= made.loss(made.rows) + 1e-12


@pytest.mark.parametrize("seed", range(60))
def test_no_exchange_is_left_that_would_help(seed):
    made = random_case(seed)
    rows = made.polished()
    assert least_loss(seed) - 1e-12 <= made.loss(rows) <= made.loss(made.rows) + 1e-12
    for a, b in itertools.combinations(range(len(rows)), 2):
        if made.may_change(rows, a, b):
            other = rows.copy()
            other[a], other[b] = rows[b], rows[a]
            assert made.loss(other) >= made.loss(rows) - 1e-9


def test_the_polish_finds_the_best_arrangement_mostly():
    """On tiny cases; a change that makes it worse should be seen."""
    n_best = n_better = 0
    for seed in range(60):
        made = random_case(seed)
        found = made.loss(made.polished())
        n_best += found <= least_loss(seed) + 1e-12
        n_better += found < made.loss(made.rows) - 1e-12
    assert n_best >= 47
    assert n_better >= 49
