"""UncertainPublication: densities that k records are expected to fit."""

import datetime as dt
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

import sfumato as sf
from sfumato.contracts.method import method_from_dict
from sfumato.ground.errors import (
    DataError,
    InfeasibleError,
    ParameterError,
    PromiseBrokenError,
    ReleaseError,
    SchemaError,
)
from sfumato.published.tables.density_check import expected_fits
from sfumato.published.tables.exact_numbers import two_digits_up
from support.changed_tables import drawn, numbers, people, saved, with_frame

FEW = settings(max_examples=30, deadline=None)
NAMES = ["age", "income", "day"]


def columns(frame, names=NAMES):
    found = []
    for name in names:
        unit = 86_400e6 if isinstance(frame[name].dtype, pl.Datetime) else 1.0
        found.append(frame[name].to_physical().cast(pl.Float64).to_numpy() / unit)
    return np.array(found)


def naive(true, spreads, density):
    """The expected number of fits, pair by pair."""
    expected = []
    for i in range(true.shape[1]):
        gaps = np.abs(true - true[:, [i]])
        if density == "normal":
            fits = norm.sf(np.sqrt(((gaps / spreads[:, [i]]) ** 2).sum(axis=0)) / 2)
        else:
            fits = np.prod(np.maximum(1 - gaps / (2 * spreads[:, [i]]), 0), axis=0)
        expected.append(np.where(gaps.any(axis=0), fits, 1.0).sum())
    return np.array(expected)


@pytest.mark.parametrize("density", ["normal", "uniform"])
@pytest.mark.parametrize("k", [2, 5, 20])
def test_k_are_expected_to_fit_and_with_less_spread_fewer_would(density, k):
    table = numbers(120)
    release = sf.publish(table, sf.UncertainPublication(k, density), seed=1)
    true = columns(table.frame)[:, release.owner.rows]
    spreads = columns(release.files["densities"])
    expected = naive(true, spreads, density)
    assert expected.min() >= k - 1e-9
    assert naive(true, spreads / 2**0.5, density).max() < k + 1e-9  # the least of the steps
    assert expected_fits(true, spreads, density == "uniform") == pytest.approx(expected)
    scales = np.array([[two_digits_up(deviation)] for deviation in true.std(axis=1)])
    levels = np.log2(spreads / scales) * 2
    assert levels == pytest.approx(np.rint(levels))  # few steps, the same in every column
    assert (levels == levels[0]).all() or np.ptp(levels, axis=0).max() < 1e-6


@pytest.mark.parametrize("density", ["normal", "uniform"])
def test_drawn_often_k_fit_on_average(density):
    table = numbers(60)
    counts = []
    for seed in range(150):
        release = drawn(sf.UncertainPublication(6, density), table, seed)
        true = columns(table.frame)[:, release.rows]
        off = (
            np.abs(columns(release.frame)[:, :, None] - true[:, None, :])
            / columns(release.files["densities"])[:, :, None]
        )
        poor = (off**2).sum(axis=0) if density == "normal" else (off.max(axis=0) > 1).astype(float)
        own = np.diag(poor)[:, None]
        if density == "uniform":
            assert own.max() == 0
        fits = (poor <= own + 1e-9).sum(axis=1)
        counts.append(fits[np.argsort(release.rows)])
    average = np.array(counts).mean(axis=0)
    noise = np.array(counts).std(axis=0) / np.sqrt(150)
    assert (average > 6 - 4.5 * noise).all()
    assert average.mean() == pytest.approx(naive(true, columns(release.files["densities"]), density).mean(), rel=0.05)


@FEW
@given(
    st.integers(2, 40),
    st.integers(2, 6),
    st.integers(1, 12),
    st.sampled_from(["normal", "uniform"]),
    st.integers(0, 500),
)
def test_equal_records_fit_as_well(n, k, values, density, seed):
    rng = np.random.default_rng(seed)
    table = sf.Table(
        pl.DataFrame({"x": rng.integers(0, values, n), "y": rng.integers(0, 2, n)}), sf.Schema(quasi=["x", "y"])
    )
    try:
        release = sf.publish(table, sf.UncertainPublication(k, density), seed=seed)
    except InfeasibleError:
        assert n <= k if density == "uniform" else n < 2 * k
        return
    assert release.verdict
    assert release.verdict.reached == {f"ExpectedAnonymity(k={k})": k}


@pytest.mark.parametrize("format", ["parquet", "csv", "arrow"])
def test_without_the_original_nothing_is_decided(tmp_path, format):
    table = numbers()
    release = sf.publish(table, sf.UncertainPublication(5), seed=1)
    assert release.promise == sf.ExpectedAnonymity(5)
    loaded = saved(release, tmp_path / "out", format)
    assert sf.verify(loaded, table)
    alone = sf.verify(loaded)
    assert not alone
    assert alone.said == "is NOT decided"
    assert alone.undecided == ("ExpectedAnonymity(k=5)",)
    assert sf.verify(replace(loaded, owner=None), table).said == "is NOT decided"
    forged = replace(loaded, owner=None, files={**loaded.files, "fitting": pl.DataFrame({"expected": [9.0]})})
    assert not sf.verify(forged)
    with pytest.raises(ReleaseError, match="cannot be decided without the original"):
        loaded.save(tmp_path / "again")
    said = " ".join([*loaded.verdict.found, *alone.found])
    assert "." not in said.replace("ExpectedAnonymity", "")  # no number of the original


def test_other_spreads_and_centres_are_seen():
    table = numbers()
    release = sf.publish(table, sf.UncertainPublication(5), seed=1)
    small = release.files["densities"].with_columns(pl.col(NAMES) / 4)
    assert "fewer than 5 records" in str(sf.verify(replace(release, files={"densities": small}), table))
    own = table.frame.select(NAMES)[release.owner.rows.tolist()]
    bare = with_frame(release, release.data.frame.with_columns(own))  # the records themselves, as if they were drawn
    assert "do not lie around their records" in str(sf.verify(bare, table))
    assert not sf.verify(replace(release, files={}), table)
    short = replace(release, files={"densities": release.files["densities"][:-1]})
    assert "do not fit the published rows" in str(sf.verify(short, table))
    with pytest.raises(PromiseBrokenError, match="no densities are published"):
        sf.publish(table, sf.AdditiveNoise(0.1), sf.ExpectedAnonymity(5))
    with pytest.raises(ParameterError, match="is about densities"):
        sf.publish(table, sf.Mondrian(), sf.ExpectedAnonymity(5))


def test_other_promises_join_its_own():
    table = numbers()
    with pytest.raises(PromiseBrokenError, match="smallest class 1"):
        sf.publish(table, sf.UncertainPublication(5), sf.KAnonymity(2))
    assert sf.UncertainPublication(5).promise_for(sf.ExpectedAnonymity(5)) == sf.ExpectedAnonymity(5)
    with pytest.raises(PromiseBrokenError, match="fewer than 50"):
        sf.publish(table, sf.UncertainPublication(5), sf.ExpectedAnonymity(50))


def test_bad_parameters_and_columns():
    for k in (1, 0, True, 2.5):
        with pytest.raises(ParameterError, match="k must be a whole number >= 2"):
            sf.UncertainPublication(k)
        with pytest.raises(ParameterError, match="k must be a whole number >= 2"):
            sf.ExpectedAnonymity(k)
    with pytest.raises(ParameterError, match="did you mean 'normal'"):
        sf.UncertainPublication(5, "normall")
    with pytest.raises(SchemaError, match="UncertainPublication changes numbers and dates only"):
        sf.publish(people(), sf.UncertainPublication(5))
    with pytest.raises(DataError, match="'age' has missing values, and UncertainPublication needs every number"):
        sf.publish(numbers(age=[None, *range(199)]), sf.UncertainPublication(5))
    few = sf.Table(pl.DataFrame({"x": [1, 2, 4, 8]}), sf.Schema(quasi=["x"]))
    with pytest.raises(InfeasibleError, match="needs at least 5 records"):
        sf.publish(few, sf.UncertainPublication(5))
    with pytest.raises(InfeasibleError, match="lower k, or use density='uniform'"):
        sf.publish(few, sf.UncertainPublication(4))
    method = sf.UncertainPublication(5, "uniform")
    assert method_from_dict(method.to_dict()) == method


def test_a_recipe_and_the_commands_know_the_methods(tmp_path, capsys, monkeypatch):
    from sfumato.cli import run

    monkeypatch.chdir(tmp_path)
    people(80).frame.write_csv("people.csv")
    roles = {"age": "quasi", "income": "quasi", "sex": "plain", "disease": "sensitive", "name": "identifier"}
    (tmp_path / "schema.toml").write_text(
        "".join(f'[columns.{name}]\nrole = "{role}"\n' for name, role in roles.items())
    )
    options = [
        "--schema",
        "schema.toml",
        "--method",
        "UncertainPublication",
        "--param",
        "k=5",
        "-o",
        "out",
        "--seed",
        "1",
    ]
    assert run(["publish", "people.csv", *options]) == 0
    assert "ExpectedAnonymity(k=5)" in capsys.readouterr().out
    assert run(["verify", "out", "--original", "people.csv"]) == 0
    assert run(["verify", "out"]) == 1
    capsys.readouterr()
    (tmp_path / "pram.toml").write_text(
        '[input]\npath = "people.csv"\nschema = "schema.toml"\n[method]\nname = "pram"\nkeep = 0.9\n'
        'columns = ["sex"]\n[output]\nfolder = "changed"\n'
    )
    assert run(["publish", "pram.toml", "--seed", "1"]) == 0
    assert run(["estimate", "changed"]) == 0
    lines = capsys.readouterr().out.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("sex "))
    assert lines[head + 1].split()[0] == "f"


def test_spreads_tell_two_digits_of_a_deviation():
    assert [two_digits_up(x) for x in (2.0, 0.1234, 99.01, 123_456, 1.0000001, 0)] == [2, 0.13, 100, 130_000, 1.1, 0]
    table = numbers()
    release = sf.publish(table, sf.UncertainPublication(5), seed=1)
    for name in NAMES:
        steps = release.files["densities"][name].unique() / two_digits_up(columns(table.frame, [name]).std())
        assert np.log2(steps.to_numpy()) * 2 == pytest.approx(np.rint(np.log2(steps.to_numpy()) * 2))
    exact = release.files["densities"].with_columns(pl.col("age") * 1.0123)
    said = str(sf.verify(replace(release, files={"densities": exact}), table))
    assert "no steps of the column's deviation, rounded up to two digits" in said


def test_dates_beyond_the_years_that_there_are_are_refused():
    ends = [dt.date(year, 1, 1 + i) for year in (1, 9999) for i in range(10)]
    with pytest.raises(ParameterError, match="take column 'day' out of the years that dates can have; lower k"):
        sf.publish(sf.Table(pl.DataFrame({"day": ends}), sf.Schema(quasi=["day"])), sf.UncertainPublication(9), seed=1)
