"""The line of iDistance: by cluster, and by the distance from its centre."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.tables.grouping.axes import order_by_codes
from sfumato.tables.grouping.idistance import _k_means_centres, _points, idistance_line
from support.ordered_tables import all_quasi, columns_of
from support.tables_strategies import tables


def scattered(n=300, d=2):
    random = Randomness("scattered")
    return all_quasi(pl.DataFrame({f"x{c}": random.uniform(n) for c in range(d)}))


@settings(max_examples=60)
@given(tables(max_rows=30, sensitive=False), st.integers(1, 40), st.sampled_from([0.05, 0.5, 1.0]), st.integers(0, 3))
def test_the_line_of_idistance_is_an_order_that_rises(table, n_centres, sample, seed):
    columns = columns_of(table)
    line = idistance_line(columns, n_centres, sample, Randomness(seed))
    assert sorted(line.rows.tolist()) == list(range(len(table)))
    assert (np.diff(line.along) >= 0).all()
    again = idistance_line(columns, n_centres, sample, Randomness(seed))
    assert again.rows.tolist() == line.rows.tolist()
    assert again.along.tolist() == line.along.tolist()


@settings(max_examples=60)
@given(
    tables(max_rows=30, sensitive=False),
    st.integers(1, 8),
    st.sampled_from([0.3, 1.0]),
    st.randoms(use_true_random=False),
)
def test_the_order_of_the_file_makes_no_difference(table, n_centres, sample, random):
    """Neither the sample nor ties between records at the same distance follow it."""
    frame, found = table.to_polars(), []
    for each in (frame, frame[random.sample(range(len(frame)), len(frame))]):
        columns = columns_of(sf.Table(each, table.schema))
        line = idistance_line(columns, n_centres, sample, Randomness(1))
        found.append((columns.codes[:, line.rows].tolist(), line.along.tolist()))
    assert found[0] == found[1]


def test_other_seeds_give_other_lines():
    columns = columns_of(scattered())
    lines = {tuple(idistance_line(columns, 8, 0.1, Randomness(seed)).rows) for seed in range(5)}
    assert len(lines) > 1


@pytest.mark.parametrize(("n_centres", "sample"), [(1, 1.0), (7, 0.1), (20, 0.5), (64, 0.01)])
def test_records_of_one_centre_lie_together_by_their_distance(n_centres, sample):
    columns = columns_of(scattered())
    line = idistance_line(columns, n_centres, sample, Randomness(3))
    points = _points(columns)
    drawn = Randomness(3).spawn("sample").permutation(300)[: max(round(sample * 300), n_centres)]
    chosen = order_by_codes(columns)[drawn]
    centres = _k_means_centres(points[chosen], n_centres)
    distance = np.linalg.norm(points[line.rows][:, None] - centres[None], axis=2)
    nearest = distance.argmin(axis=1)
    visits = [centre for centre, _ in itertools.groupby(nearest)]
    assert len(visits) == len(set(visits)) > n_centres // 2
    for centre in visits:
        assert (np.diff(distance[nearest == centre].min(axis=1)) >= -1e-12).all()


def test_centres_are_the_means_of_what_is_nearest_to_them():
    """Two clusters far apart: the centres end where the clusters lie, wherever they began."""
    random = Randomness("clusters")
    points = np.concatenate([random.uniform(80).reshape(40, 2), random.uniform(80).reshape(40, 2) + 9.0])
    centres = _k_means_centres(points[random.permutation(80)], 2)
    expected = np.array([points[:40].mean(axis=0), points[40:].mean(axis=0)])
    assert np.sort(centres, axis=0) == pytest.approx(expected)


def test_more_centres_than_distinct_points():
    """Every distinct point is a centre: equal records lie together, at no distance from it."""
    frame = pl.DataFrame({"x": [3, 1, 3, 2, 1, 3, 1, 2], "c": list("abaaabab")})
    table = all_quasi(frame)
    line = idistance_line(columns_of(table), 512, 0.1, Randomness(1))
    rows = [frame.row(row) for row in line.rows.tolist()]
    runs = [key for key, _ in itertools.groupby(rows)]
    assert len(runs) == len(set(runs)) == frame.n_unique()
    assert len(np.unique(line.along)) == frame.n_unique()


@pytest.mark.parametrize(
    ("given_parameters", "message"),
    [
        ({"centres": 0}, "centres must be a whole number >= 1, got 0"),
        ({"centres": True}, "centres must be a whole number >= 1, got True"),
        ({"centres": 2.0}, r"centres must be a whole number >= 1, got 2\.0"),
        ({"sample": 0}, "sample must be above 0 and at most 1, got 0"),
        ({"sample": 1.5}, r"sample must be above 0 and at most 1, got 1\.5"),
        ({"sample": float("nan")}, "sample must be above 0 and at most 1, got nan"),
        ({"sample": True}, "sample must be above 0 and at most 1, got True"),
        ({"polish": "yes"}, "polish must be true, false or a number of steps, 1 or more, got 'yes'"),
        ({"fast": 1}, "fast must be true or false, got 1"),
        ({"solve": "best"}, "solve must be one of heuristic, optimal, dual, got 'best'"),
    ],
)
def test_parameters_of_idistance(given_parameters, message):
    with pytest.raises(ParameterError, match=message):
        sf.IDistance(**given_parameters)
