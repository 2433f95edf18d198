"""t-closeness: distances against linear programming and against their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from support.naive import earth_movers
from support.promised_classes import classes_of, kernel_says
from support.tables_strategies import EUROPE


@pytest.mark.parametrize(("salaries", "t"), [([3, 4, 5], 0.375), ([6, 8, 11], 1 / 6), ([4, 5, 6], 0.2777777778)])
def test_vectors_f1_and_f2_distances_of_the_salary_example(salaries, t):
    """Li, Li & Venkatasubramanian, ICDE 2007: the class against the uniform table of 3k..11k."""
    rest = [salary for salary in range(3, 12) if salary not in salaries]
    groups = [salaries, rest[:3], rest[3:]]
    for distance, value in (("emd", t), ("variational", 2 / 3), ("kl", math.log(3))):
        classes = classes_of([salaries, rest])
        block = next(classes.distributions("s"))[1]
        promise = sf.TCloseness(0.5, distance=distance)
        whole = np.full(9, 1 / 9)
        found = promise._distance(block - whole, block, whole, classes.column("s"))[0]
        assert found == pytest.approx(value, abs=1e-9)
        assert kernel_says(sf.TCloseness(value, distance=distance), [groups[0], groups[1] + groups[2]])
        assert not kernel_says(sf.TCloseness(value - 1e-6, distance=distance), [groups[0], groups[1] + groups[2]])


COUNTRIES = ["Italy", "France", "Spain", "US", "Brazil", "Chile"]


def height(node):
    return {"*": 3, "America": 2, "Europe": 1, "South": 1}[node] / 3


def country_distance(a, b):
    if a == b:
        return 0.0
    if a is None or b is None:
        return 1.0
    paths = {path[0]: path for path in EUROPE.paths}
    return height(next(node for node in paths[a][1:] if node in paths[b]))


@settings(max_examples=60)
@given(st.lists(st.lists(st.sampled_from([*COUNTRIES, None]), min_size=1, max_size=6), min_size=2, max_size=3))
def test_hierarchical_emd_equals_linear_programming(groups):
    values = [*COUNTRIES, None]
    everyone = [value for group in groups for value in group]
    if all(value is None for value in everyone):
        return
    q = [everyone.count(value) / len(everyone) for value in values]
    ground = [[country_distance(a, b) for b in values] for a in values]
    expected = max(earth_movers([g.count(v) / len(g) for v in values], q, ground) for g in groups)
    column = sf.Column(name="s", role="sensitive", hierarchy=EUROPE)
    (finding,) = sf.TCloseness(0.5).check(classes_of(groups, column=column))
    assert finding.value == pytest.approx(expected, abs=1e-7)
    for t in (0.1, 0.3, 0.5, 0.7):
        if abs(expected - t) > 1e-6:
            assert kernel_says(sf.TCloseness(t), groups, column) == (expected <= t)


@settings(max_examples=60)
@given(st.lists(st.lists(st.sampled_from([1, 2, 5, None]), min_size=1, max_size=6), min_size=2, max_size=3),
       st.sampled_from(["emd", "variational", "kl"]))  # fmt: skip
def test_ordered_distances_equal_their_definition(groups, distance):
    everyone = [value for group in groups for value in group]
    if all(value is None for value in everyone):
        return
    values = sorted({value for value in everyone if value is not None})
    values = [*([None] if None in everyone else []), *values]
    m = len(values)
    q = [everyone.count(value) / len(everyone) for value in values]
    expected = 0.0
    for group in groups:
        p = [group.count(value) / len(group) for value in values]
        if distance == "emd":
            ground = [[abs(i - j) / max(m - 1, 1) for j in range(m)] for i in range(m)]
            expected = max(expected, earth_movers(p, q, ground))
        elif distance == "variational":
            expected = max(expected, sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2)
        else:
            expected = max(expected, sum(a * math.log(a / b) for a, b in zip(p, q, strict=True) if a))
    promise = sf.TCloseness(0.4, distance=distance)
    assert promise.check(classes_of(groups))[0].value == pytest.approx(expected, abs=1e-7)
    for t in (0.1, 0.4, 0.8):
        if abs(expected - t) > 1e-6:
            assert kernel_says(sf.TCloseness(t, distance=distance), groups) == (expected <= t)
