"""Small tables that people join and leave, and plain ways to judge releases of them."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import polars as pl
import pytest

import sfumato as sf

ILLS = ["flu", "gout", "cold", "HIV", "mumps"]


SCHEMA = sf.Schema(identifier=["id"], quasi=["age", "town"], sensitive=["illness"])


def people(n, values, seed=0):
    """A pool of people, each with an illness that stays."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "id": [f"p{i:03}" for i in range(n)],
            "age": rng.integers(20, 80, n),
            "town": rng.choice(["Pisa", "Rome", "Turin"], n),
            "illness": values,
        }
    )


def table(pool, rows, schema=SCHEMA):
    return sf.Table(pool[sorted(rows)], schema)


def published(pool, stays, m, **parameters):
    """Release after release, each over the rows of the pool that are in it."""
    releases = []
    for i, rows in enumerate(stays):
        method = sf.Republishing(**{"counterfeits": 100.0, **parameters})
        releases.append(sf.publish(table(pool, rows), method, sf.MInvariance(m), previous=releases, seed=i))
    return releases


def classes_of(release):
    """By number: who is in the class, by id, and the values that it shows."""
    ids = release.owner.original.frame["id"].to_list()
    found = {}
    frame = release.data.frame
    for number, value, row in zip(frame["group"], frame["illness"], release.owner.rows.tolist(), strict=True):
        members, values = found.setdefault(number, ([], []))
        values.append(value)
        if row >= 0:
            members.append(ids[row])
    return found


def signatures(release):
    return {person: frozenset(values) for members, values in classes_of(release).values() for person in members}


def least_counterfeits(old, new, values, m):
    """The fewest counterfeits there are, by trying every signature for everybody who is new.

    `old` are (value, signature) of people who have one, `new` the values of those who have none.
    """
    choices = [
        [frozenset(s) for k in range(m, len(values) + 1) for s in itertools.combinations(values, k) if v in s]
        for v in new
    ]
    best = None
    for chosen in itertools.product(*choices):
        counts = {}
        for value, signature in [*old, *zip(new, chosen, strict=True)]:
            counts.setdefault(signature, Counter())[value] += 1
        n = sum(max(c.values()) * len(s) - sum(c.values()) for s, c in counts.items())
        best = n if best is None else min(best, n)
    return best


def posteriors(releases):
    """Everybody's chances of each value, over all assignments of values to people that agree with every release.

    The classes that people are in are known; a class gives each of its values to one of its people, or to a counterfeit.
    """
    known = [list(classes_of(release).values()) for release in releases]
    everybody = sorted({person for classes in known for members, _ in classes for person in members})
    possible = dict.fromkeys(everybody)
    for classes in known:
        for members, values in classes:
            for person in members:
                possible[person] = set(values) if possible[person] is None else possible[person] & set(values)
    together = {person: [] for person in everybody}
    for classes in known:
        for members, values in classes:
            counts = Counter(values)
            for person in members:
                together[person].append((members, counts))
    worlds = Counter()
    n_worlds = 0
    world = {}

    def fits(person, value):
        return all(
            sum(world.get(other) == value for other in members if other != person) < counts[value]
            for members, counts in together[person]
        )

    def extend(i):
        nonlocal n_worlds
        if i == len(everybody):
            n_worlds += 1
            worlds.update(world.items())
            return
        person = everybody[i]
        for value in sorted(possible[person]):
            if fits(person, value):
                world[person] = value
                extend(i + 1)
                del world[person]

    extend(0)
    return {pair: count / n_worlds for pair, count in worlds.items()}


def assert_refused(data, error, match, method=None, promise=None, previous=()):
    with pytest.raises(error, match=match) as caught:
        sf.publish(
            data, method or sf.Republishing(), sf.MInvariance(2) if promise is None else promise, previous=previous
        )
    assert "\n" not in str(caught.value)


def second_of_sequence():
    """The second release of twenty people, of whom some left: some rows are counterfeits."""
    pool = people(20, [ILLS[i % 4] for i in range(16)] + ["flu"] * 4)
    return published(pool, [range(16), [*range(10), 16, 17, 18, 19]], 2)[1]


def half_counterfeits():
    """Three classes of one person and one counterfeit each."""
    pool = people(6, ["flu", "gout"] * 3).with_columns(age=pl.Series([20, 21, 40, 41, 60, 61]), town=pl.lit("Pisa"))
    return published(pool, [range(6), [0, 2, 4]], 2)[1]
