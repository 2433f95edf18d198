"""MDAV against naive ones, and the two kernels against each other."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.ground.errors import ParameterError
from sfumato.tables.coding.boxes import records
from sfumato.tables.coding.columns import flatten
from sfumato.tables.grouping.mdav import standard_coordinates
from sfumato.tables.grouping.mdav_kernels import classes_by_scan
from sfumato.tables.grouping.mdav_tree import classes_by_tree

PATHS = [("Bonn", "Germany", "*"), ("Köln", "Germany", "*"), ("Pisa", "Italy", "*"), ("Rome", "Italy", "*")]
CITIES = sf.Hierarchy.from_paths(PATHS)
COUNTRY = {path[0]: path[1] for path in PATHS}
FEW = settings(max_examples=60, deadline=None)


def classes(order, starts):
    return sorted(tuple(sorted(order[a:b].tolist())) for a, b in pairwise(starts))


def by_scan(quasi, k):
    points, which = standard_coordinates(quasi)
    columns = flatten(quasi)
    weights = np.array([quasi[c].weight for c in which])
    return classes(*classes_by_scan(points, records(columns), columns, which, weights, k))


def naive(points, k):
    """MDAV as it is printed, on numbers without ties."""
    left, found = list(range(len(points))), []

    def around(row):
        near = sorted(left, key=lambda other: np.sum((points[other] - points[row]) ** 2))[:k]
        found.append(tuple(sorted(near)))
        left[:] = [other for other in left if other not in near]

    def farthest(point):
        return max(left, key=lambda row: np.sum((points[row] - point) ** 2))

    while len(left) >= 3 * k:
        first = farthest(points[left].mean(axis=0))
        second = farthest(points[first])
        around(first)
        around(second)
    if len(left) >= 2 * k:
        around(farthest(points[left].mean(axis=0)))
    return sorted([*found, tuple(left)])


def table(columns, **roles):
    return sf.Table(pl.DataFrame(columns), sf.Schema(quasi=list(columns), **roles))


@pytest.mark.parametrize(("n", "d", "k"), [(3, 1, 2), (40, 2, 3), (61, 3, 4), (59, 1, 5), (300, 2, 7), (9, 2, 9)])
def test_classes_are_those_of_a_naive_mdav(n, d, k):
    points = np.random.default_rng(n + d).normal(size=(n, d))
    made = table({f"c{i}": points[:, i] for i in range(d)})
    quasi = encode(made, made.schema.quasi)
    scaled = (points - points.mean(axis=0)) / points.std(axis=0)
    assert standard_coordinates(quasi)[0] == pytest.approx(scaled)
    assert by_scan(quasi, k) == naive(scaled, k)
    assert classes(*classes_by_tree(standard_coordinates(quasi)[0], k)) == naive(scaled, k)


@FEW
@given(st.integers(1, 400), st.integers(1, 3), st.integers(1, 9), st.integers(1, 30), st.integers(0, 10_000))
def test_tree_and_scan_agree_to_the_last_tie(n, d, k, values, seed):
    rng = np.random.default_rng(seed)
    k = min(k, n)
    made = table({f"c{i}": rng.integers(0, values, n) for i in range(d)})
    quasi = encode(made, made.schema.quasi)
    found = by_scan(quasi, k)
    assert found == classes(*classes_by_tree(standard_coordinates(quasi)[0], k))
    assert sorted(row for group in found for row in group) == list(range(n))
    assert all(k <= len(group) <= max(2 * k - 1, 1) for group in found)


def test_of_equals_the_lower_row_goes_first():
    made = table({"x": [5] * 10})
    assert by_scan(encode(made, ["x"]), 3) == [(0, 1, 2), (3, 4, 5), (6, 7, 8, 9)]


def test_categories_hierarchies_ordinals_and_missing_values_have_distances():
    frame = pl.DataFrame({
        "job": ["cook", "cook", "smith", "smith", None, None],
        "city": ["Bonn", "Rome", "Köln", "Pisa", "Köln", "Pisa"],
    })  # fmt: skip
    jobs = sf.Table(frame.select("job"), sf.Schema(quasi=["job"]))
    assert by_scan(encode(jobs, ["job"]), 2) == [(0, 1), (2, 3), (4, 5)]
    cities = sf.Table(frame.select("city")[:4], sf.Schema.of([sf.Column(name="city", role="quasi", hierarchy=CITIES)]))
    assert by_scan(encode(cities, ["city"]), 2) == [(0, 2), (1, 3)]
    sizes = sf.Column(name="size", role="quasi", kind="ordinal", order=("s", "m", "l", "xl"))
    ordered = sf.Table(pl.DataFrame({"size": ["s", "xl", "m", "l"]}), sf.Schema.of([sizes]))
    assert by_scan(encode(ordered, ["size"]), 2) == [(0, 2), (1, 3)]
    gaps = table({"x": [1.0, None, 1.1, None, 9.0, 9.1]})
    assert by_scan(encode(gaps, ["x"]), 2) == [(0, 2), (1, 3), (4, 5)]


def naive_mixed(numbers, jobs, cities, k):
    """MDAV over a number without ties, a category and a city; the centre of categories is their mode."""
    scaled = (numbers - numbers.mean()) / numbers.std()
    losses = {True: 0.5, False: 1.0}  # two of four leaves, or all

    def apart(a, b):
        city = 0.0 if a[2] == b[2] else losses[COUNTRY[a[2]] == COUNTRY[b[2]]]
        return (a[0] - b[0]) ** 2 + (a[1] != b[1]) + city**2

    people = list(zip(scaled.tolist(), jobs, cities, strict=True))
    left, found = list(range(len(people))), []

    def mode(values, order):
        return max(order, key=lambda value: (values.count(value), -order.index(value)))

    def centre():
        here = [people[row] for row in left]
        leaves = [path[0] for path in PATHS]
        return (
            float(np.mean([each[0] for each in here])), mode([each[1] for each in here], sorted(set(jobs))),
            mode([each[2] for each in here], leaves),
        )  # fmt: skip

    def around(row):
        near = sorted(left, key=lambda other: (apart(people[other], people[row]), other))[:k]
        found.append(tuple(sorted(near)))
        left[:] = [other for other in left if other not in near]

    def farthest(point):
        return max(left, key=lambda row: (apart(people[row], point), -row))

    while len(left) >= 2 * k:
        both = len(left) >= 3 * k
        first = farthest(centre())
        around(first)
        if both:
            around(farthest(people[first]))
    return sorted([*found, tuple(left)])


@pytest.mark.parametrize(("n", "k", "seed"), [(30, 3, 1), (80, 5, 2), (101, 4, 3), (100, 7, 4)])
def test_mixed_classes_are_those_of_a_naive_mdav(n, k, seed):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({
        "x": rng.normal(size=n), "job": rng.choice(["cook", "smith", "tailor"], n), "city": rng.choice(list(COUNTRY), n),
    })  # fmt: skip
    columns = [
        sf.Column(name="x", role="quasi"), sf.Column(name="job", role="quasi"),
        sf.Column(name="city", role="quasi", hierarchy=CITIES),
    ]  # fmt: skip
    made = sf.Table(frame, sf.Schema.of(columns))
    quasi = encode(made, made.schema.quasi)
    assert by_scan(quasi, k) == naive_mixed(frame["x"].to_numpy(), frame["job"].to_list(), frame["city"].to_list(), k)


def test_a_heavier_column_decides():
    frame = pl.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})

    def of(a, b):
        columns = [sf.Column(name="a", role="quasi", weight=a), sf.Column(name="b", role="quasi", weight=b)]
        made = sf.Table(frame, sf.Schema.of(columns))
        return by_scan(encode(made, ["a", "b"]), 2)

    assert of(9, 1) == [(0, 1), (2, 3)]
    assert of(1, 9) == [(0, 2), (1, 3)]


def test_a_release_has_means_and_holds():
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({
        "age": rng.integers(17, 90, 2_500), "pay": rng.gamma(2, 1000, 2_500), "s": rng.choice(["a", "b"], 2_500),
    })  # fmt: skip
    people = sf.Table(frame, sf.Schema(quasi=["age", "pay"], sensitive=["s"]))
    release = sf.publish(people, sf.MDAV(), sf.KAnonymity(4), seed=1)
    sizes = release.data.frame.group_by("age", "pay").len()["len"]
    assert sizes.min() == 4
    assert sizes.max() <= 7
    assert release.data.frame["pay"].mean() == pytest.approx(frame["pay"].mean())
    points = standard_coordinates(encode(people, ["age", "pay"]))[0]
    assert release.data.frame.select("age", "pay").n_unique() == len(classes(*classes_by_tree(points, 4)))
    wide = sf.publish(people, sf.MDAV("ranges"), sf.KAnonymity(4), seed=1)
    assert sf.verify(wide, people)


def test_what_it_does_not_keep_is_refused():
    made = table({"x": [1, 2, 3, 4]})
    with pytest.raises(ParameterError, match=r"MDAV keeps k-anonymity only, not LDiversity\(2\)"):
        sf.publish(
            sf.Table(pl.DataFrame({"x": [1, 2], "s": ["a", "b"]}), sf.Schema(quasi=["x"], sensitive=["s"])),
            sf.MDAV(), sf.LDiversity(2),
        )  # fmt: skip
    with pytest.raises(ParameterError, match="needs a promise"):
        sf.publish(made, sf.MDAV())
    with pytest.raises(ParameterError, match="show must be one of"):
        sf.MDAV("meens")
