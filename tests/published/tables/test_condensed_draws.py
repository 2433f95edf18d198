"""Rows that their group does not allow are found, and what is drawn passes."""

import datetime as dt
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.ground.errors import InfeasibleError
from support.condensed_tables import stays, with_values


@pytest.mark.parametrize(
    ("column", "change", "said"),
    [
        ("stay_days", lambda v: [v[0] + 500, *v[1:]], "'stay_days' strays further"),
        ("age", lambda v: [106, *v[1:]], "'age' leaves the bounds"),
        ("age", lambda v: [None if x is not None else 5 for x in v], "'age' shows some value"),
        ("sex", lambda v: ["female"] * len(v), "'sex' shows some value"),
        ("diagnosis", lambda v: [*v[1:], v[0]], "'diagnosis' differs"),
        ("cost", lambda v: [v[0] + 1, *v[1:]], "'cost' differs"),
        ("admitted", lambda v: [x + dt.timedelta(9999) for x in v], "'admitted' strays further"),
    ],
)
def test_rows_that_their_group_does_not_allow_are_found(column, change, said):
    table = stays(200)
    release = sf.publish(table, sf.Condensation(), sf.KAnonymity(10), seed=1)
    verdict = sf.verify(with_values(release, column, change(release.data.frame[column].to_list())), table)
    assert not verdict.holds
    assert any(said in each for each in verdict.broken), verdict.broken


def test_records_published_as_they_are_are_found():
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"x": rng.normal(size=60), "y": rng.normal(size=60), "s": ["a", "b"] * 30})
    table = sf.Table(frame, sf.Schema(quasi=["x", "y"], sensitive=["s"]))
    release = sf.publish(table, sf.Condensation(), sf.KAnonymity(10), seed=1)
    own = table.frame[release.owner.rows]
    verdict = sf.verify(with_values(with_values(release, "x", own["x"]), "y", own["y"]), table)
    assert "the values that should be drawn anew are those of the original" in verdict.broken


def test_a_covariance_that_is_not_the_group_s_is_found():
    x = np.linspace(0, 1, 40)
    frame = pl.DataFrame({"x": x, "y": x + 0.001 * np.sin(50 * x)})
    table = sf.Table(frame, sf.Schema(quasi=["x", "y"]))
    release = sf.publish(table, sf.Condensation(), sf.KAnonymity(20), seed=1)
    group, y = release.owner.files["synthetic"]["group"].to_numpy(), release.data.frame["y"].to_numpy()
    own = release.owner.files["groups"]["group"].to_numpy()
    means = np.array([table.frame["y"].to_numpy()[own == g].mean() for g in range(2)])
    apart = with_values(release, "y", 2 * means[group] - y)  # mirrored: each column is where it should be
    assert any("covariance allows" in each for each in sf.verify(apart, table).broken)


def test_means_that_moved_are_found():
    table = stays(200)
    release = sf.publish(table, sf.Condensation(keep_means=True), sf.KAnonymity(10), seed=1)
    days = release.data.frame["stay_days"].to_list()
    verdict = sf.verify(with_values(release, "stay_days", [days[0] + 1, *days[1:]]), table)
    assert verdict.broken == ("column 'stay_days' does not keep the mean of 1 groups",)


def test_groups_that_are_not_what_they_should_be_are_found():
    table = stays(100)
    release = sf.publish(table, sf.Condensation(), sf.KAnonymity(10), seed=1)
    owner = release.owner

    def judged(**files):
        return sf.verify(replace(release, owner=replace(owner, files={**owner.files, **files})), table)

    group = owner.files["groups"]["group"].to_numpy().copy()
    alone = group.copy()
    alone[0] = alone.max() + 1
    assert any("another number of rows" in each for each in judged(groups=pl.DataFrame({"group": alone})).broken)
    assert not judged(groups=pl.DataFrame({"group": np.roll(group, 1)})).holds
    assert any("99 records" in each for each in judged(groups=pl.DataFrame({"group": group[1:]})).broken)
    assert any("cannot be read" in each for each in judged(groups=pl.DataFrame({"other": group})).broken)
    record = owner.files["synthetic"]["record"].to_numpy().copy()
    record[1] = record[0]
    twice = owner.files["synthetic"].with_columns(record=record)
    assert any("more often" in each or "outside its group" in each for each in judged(synthetic=twice).broken)


@pytest.mark.parametrize("keep_means", [False, True])
@pytest.mark.parametrize("noise", [1e9, 2.0])
def test_noise_that_is_told_and_was_not_added_is_found(noise, keep_means):
    table = stays(200)
    release = sf.publish(table, sf.Condensation(keep_means=keep_means, noise=0.1), sf.KAnonymity(5), seed=1)
    told = release.public["condensed"]
    forged = replace(release, public={**release.public, "condensed": told | {"noise": noise}})
    assert any("than the noise that is told of" in each for each in sf.verify(forged, table).broken)
    for said in (float("nan"), -1.0, "much", None):
        forged = replace(release, public={**release.public, "condensed": told | {"noise": said}})
        assert any("cannot be read" in each for each in sf.verify(forged, table).broken)
    large = sf.publish(table, sf.Condensation(keep_means=keep_means, noise=2.0), sf.KAnonymity(5), seed=1)
    assert large.verdict.holds


@given(
    st.integers(0, 10_000), st.sampled_from([0.3, 1.0, 1.0, 2.5]), st.sampled_from([0.0, 0.0, 0.2]), st.booleans(),
    st.booleans(),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_what_is_drawn_always_passes_the_check(seed, alpha, noise, keep_means, bounded):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(6, 60)), int(rng.integers(1, 6))
    x = np.round(rng.normal(size=n) * 10.0 ** rng.integers(-2, 6), int(rng.integers(0, 3)))
    holes = lambda values, share: [None if rng.random() < share else v for v in values]  # noqa: E731
    data = {
        "x": holes(x.tolist(), rng.choice([0.0, 0.3])),
        "y": (3 * x + rng.normal(size=n) * rng.choice([0.0, 1.0])).tolist(),
        "n": holes(rng.integers(0, int(rng.choice([2, 50])), n).tolist(), rng.choice([0.0, 0.2])),
        "day": [dt.date(2020, 1, 1) + dt.timedelta(int(d)) for d in rng.integers(0, 400, n)],
        "c": holes(rng.choice(["u", "v", "w"], n).tolist(), 0.1),
        "s": rng.choice(["p", "q"], n).tolist(),
    }
    if any(all(v is None for v in values) for values in data.values()):
        return
    bounds = {"n": (0, 50), "x": (-1e9, float(x.max()))} if bounded else None
    table = sf.Table(pl.DataFrame(data), sf.Schema(quasi=list(data)[:5], sensitive=["s"], bounds=bounds))
    method = sf.Condensation("Mondrian", alpha=alpha, noise=noise, keep_means=keep_means)
    try:
        release = sf.publish(table, method, sf.KAnonymity(k), seed=seed)
    except InfeasibleError:
        known = [table.frame[name].count() for name in ("x", "n")]
        assert min(known) < n  # only where values are missing, and few groups have them
        return
    assert release.verdict.holds
