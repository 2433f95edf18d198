"""RotationPerturbation: distances stay, columns do not."""

import numpy as np
import polars as pl
import pytest
from scipy.spatial.distance import pdist

import sfumato as sf
from sfumato.contracts.method import method_from_dict
from sfumato.ground.errors import DataError, ParameterError, SchemaError
from sfumato.ground.randomness import Randomness
from sfumato.published.tables.exact_numbers import unit_of
from sfumato.tables.perturbing.rotation import orthogonal
from support.changed_tables import numbers, people, saved, with_frame, with_public

NAMES = ["age", "income", "day"]


def points(frame):
    return np.array([frame[name].to_physical().cast(pl.Float64).to_numpy() for name in NAMES])


def scaled(table, release):
    own = points(table.frame)[:, release.owner.rows]
    return (own - own.mean(axis=1, keepdims=True)) / own.std(axis=1, keepdims=True)


def test_distances_are_kept():
    table = numbers()
    release = sf.publish(table, sf.RotationPerturbation(), seed=1)
    shown = points(release.data.frame)
    assert np.abs(pdist(shown.T) - pdist(scaled(table, release).T)).max() < 0.06  # the jitter: 1 year of 21
    assert np.abs(np.corrcoef(np.vstack([shown, scaled(table, release)]))[:3, 3:]).max() < 0.999
    assert release.verdict.found == ("distances between the records are those of the original but for jitter",)
    assert release.public["rotation"]["jitter"] == ["age", "day"]
    assert sf.measure(release)["neighbours_kept"] > 0.9
    assert "low" not in str(release.public["schema"])


def test_noise_has_the_deviation_that_was_asked_for():
    table = numbers(2_000)
    release = sf.publish(table, sf.RotationPerturbation(0.3), seed=1)
    shown, own = points(release.data.frame), scaled(table, release)
    left, _, right = np.linalg.svd(shown @ own.T)
    assert (shown - left @ right @ own).std() == pytest.approx(0.3, rel=0.05)


def test_matrices_are_uniform_among_the_orthogonal_ones():
    made = np.array([orthogonal(3, Randomness(seed)) for seed in range(3_000)])
    assert made @ np.transpose(made, (0, 2, 1)) == pytest.approx(np.broadcast_to(np.eye(3), made.shape), abs=1e-12)
    entries = made.reshape(3_000, 9)
    assert np.abs(entries.mean(axis=0)).max() < 5 / np.sqrt(3 * 3_000)
    assert (entries**2).mean(axis=0) == pytest.approx(1 / 3, abs=0.03)
    assert (np.abs(entries) < 0.5).mean(axis=0) == pytest.approx(0.5, abs=0.05)  # each entry is uniform on -1..1
    assert np.linalg.det(made).mean() == pytest.approx(0.0, abs=0.1)


@pytest.mark.parametrize("format", ["parquet", "csv", "arrow"])
def test_a_release_survives_the_disk(tmp_path, format):
    table = numbers()
    release = sf.publish(table, sf.RotationPerturbation(0.1), seed=1)
    loaded = saved(release, tmp_path / "out", format)
    assert sf.verify(loaded).word == "not decided"
    assert sf.verify(loaded, table)
    assert dict(loaded.measures) == {"linkage_chance": 1 / 200}


def test_what_is_no_rotation_is_seen():
    table = numbers()
    release = sf.publish(table, sf.RotationPerturbation(), seed=1)
    other = with_frame(release, release.data.frame.with_columns(pl.col("age") * 1.05))
    assert sf.verify(other).word == "not decided"
    assert "distances between the records are not those of the original" in str(sf.verify(other, table))
    told = release.public["rotation"]
    assert not sf.verify(with_public(release, rotation=told | {"noise": 0.2}), table)  # no noise is there
    assert "jitter is not told of" in str(sf.verify(with_public(release, rotation=told | {"jitter": []}), table))
    noisy = sf.publish(table, sf.RotationPerturbation(0.2), seed=1)
    assert not sf.verify(with_public(noisy, rotation=told | {"noise": 0.0}), table)
    empty = release.data.frame.with_columns(pl.when(pl.int_range(pl.len()) > 0).then("age").alias("age"))
    assert "missing or no number" in str(sf.verify(with_frame(release, empty)))


def test_bad_parameters_and_columns():
    for noise in (-1, True, "much", float("inf")):
        with pytest.raises(ParameterError, match="noise must be a number >= 0"):
            sf.RotationPerturbation(noise)
    with pytest.raises(
        SchemaError, match=r"'edu' is .* ordinal, and RotationPerturbation changes numbers and dates only"
    ):
        sf.publish(people(), sf.RotationPerturbation())
    lone = sf.Table(pl.DataFrame({"x": [1, 2]}), sf.Schema(quasi=["x"]))
    with pytest.raises(SchemaError, match="column 'x' alone cannot be rotated"):
        sf.publish(lone, sf.RotationPerturbation())
    with pytest.raises(DataError, match="'age' has missing values, and RotationPerturbation needs every number"):
        sf.publish(numbers(age=[None, *range(199)]), sf.RotationPerturbation())
    assert method_from_dict(sf.RotationPerturbation(0.5).to_dict()) == sf.RotationPerturbation(0.5)


def test_a_column_with_one_value_and_withheld_rows():
    frame = pl.DataFrame({"x": [1.0, 2.0, None, 4.0], "y": [5, 5, 5, 5], "z": [3, 1, 2, 9]})
    table = sf.Table(frame, sf.Schema(quasi=["x", "y", "z"], missing="withhold"))
    release = sf.publish(table, sf.RotationPerturbation(), seed=1)
    assert release.public["withheld_rows"] == 1
    assert release.data.frame.height == 3


def test_columns_without_a_grid_keep_distances_exactly():
    rng = np.random.default_rng(3)
    table = sf.Table(pl.DataFrame({"x": rng.normal(size=50), "y": rng.gamma(2, 9, 50)}), sf.Schema(quasi=["x", "y"]))
    release = sf.publish(table, sf.RotationPerturbation(), seed=1)
    own = table.frame[release.owner.rows].to_numpy()
    assert pdist(release.data.frame.to_numpy()) == pytest.approx(pdist((own - own.mean(axis=0)) / own.std(axis=0)))
    assert release.verdict.found == ("distances between the records are those of the original",)
    assert sf.measure(release)["neighbours_kept"] == pytest.approx(1.0, abs=0.01)


def test_a_rotated_grid_does_not_show_how_it_was_rotated():
    rng = np.random.default_rng(5)
    days = pl.Series(rng.integers(0, 400, 150)).cast(pl.Int32).cast(pl.Date)
    for y in (rng.integers(0, 20, 150), rng.integers(0, 20, 150) * 0.25, days):
        frame = pl.DataFrame({"x": rng.integers(20, 60, 150) * 1000, "y": y})
        release = sf.publish(sf.Table(frame, sf.Schema(quasi=["x", "y"])), sf.RotationPerturbation(), seed=2)
        apart = pdist(release.data.frame.to_numpy())
        assert len(np.unique(np.round(apart, 7))) > 0.99 * len(apart)  # on a grid the same differences come again
        assert np.sort(apart)[1] > 0


def test_the_step_of_a_grid():
    def unit(*values, temporal=False):
        return unit_of(np.array(values, dtype=float), temporal=temporal)

    assert unit(1000, 3000, 6000) == 1000
    assert unit(17, 18, 25) == 1
    assert unit(0.1, 0.25, 0.3) == pytest.approx(0.05)
    assert unit(5, 5) == unit() == 0
    assert unit(19_000 + 1 / 24, 19_000 + 2 / 24, 19_001, temporal=True) == pytest.approx(1 / 24)
    rng = np.random.default_rng(1)
    assert unit(*rng.normal(size=30)) == unit(*rng.gamma(2, 1000, 30)) == 0


@pytest.mark.parametrize("values", [[1e-300 * i for i in range(12)], [1e12 + i * 1e-2 for i in range(12)]])
@pytest.mark.parametrize(
    "method", [sf.RotationPerturbation(), sf.UncertainPublication(3), sf.Condensation()], ids=lambda m: type(m).__name__
)
def test_numbers_that_cannot_be_computed_with_are_refused(method, values):
    table = sf.Table(pl.DataFrame({"x": values, "y": range(12)}), sf.Schema(quasi=["x", "y"]))
    promise = sf.KAnonymity(3) if isinstance(method, sf.Condensation) else None
    with pytest.raises(DataError, match="'x' holds numbers too large, too small or too near each other"):
        sf.publish(table, method, promise, seed=1)
