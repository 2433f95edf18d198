import datetime as dt
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.contracts.method import method_from_dict
from sfumato.datasets import hospital
from sfumato.ground.errors import InfeasibleError, ParameterError, ReleaseError
from sfumato.ground.progress import steps
from sfumato.ground.randomness import Randomness
from sfumato.tables.condensing.axes import principal_axes
from sfumato.tables.condensing.drawing import Drawing, condense
from sfumato.tables.condensing.sparse import joined, pools_of
from sfumato.tables.condensing.statistics import GroupStatistics, dealt, dealt_by_share, statistics_of
from sfumato.tables.condensing.value_limits import Limits, settle
from sfumato.tables.grouping.groups import Groups

QUASI = ["age", "sex", "stay_days", "admitted", "department"]


def stays(n=300, **more):
    frame = hospital(n).frame.select("name", *QUASI, "diagnosis", "cost")
    frame = frame.with_columns(pl.when(pl.int_range(n) % 11 > 0).then("age").alias("age"))
    schema = sf.Schema(
        identifier=["name"], quasi=QUASI, sensitive=["diagnosis"], plain=["cost"], bounds={"age": (0, 105)}, **more
    )
    return sf.Table(frame, schema)


def one_group(numbers):
    n = len(numbers)
    return statistics_of(np.asarray(numbers, dtype=float), np.arange(n), np.array([0, n]))


# -- statistics ----------------------------------------------------------------------------------------------------
def test_covariance_of_large_numbers_is_centred():
    found = one_group((1e8 + np.arange(4.0)).reshape(4, 1))
    assert found.covariances[0, 0, 0] == pytest.approx(1.25, abs=1e-6)
    assert found.means[0, 0] == 1e8 + 1.5


@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_moments_equal_those_of_numpy_group_by_group(seed, d, n_groups):
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n_groups * 7, d)) * 10.0 ** rng.integers(-3, 4, d)
    order = rng.permutation(len(numbers))
    cuts = np.sort(rng.choice(np.arange(1, len(numbers)), n_groups - 1, replace=False))
    starts = np.concatenate([[0], cuts, [len(numbers)]])
    found = statistics_of(numbers, order, starts)
    for g in range(n_groups):
        here = numbers[order[starts[g] : starts[g + 1]]]
        np.testing.assert_allclose(found.means[g], here.mean(axis=0), rtol=1e-9, atol=1e-12)
        wanted = np.atleast_2d(np.cov(here.T, bias=True))
        np.testing.assert_allclose(found.covariances[g], wanted, rtol=1e-9, atol=1e-9 * wanted.max() + 1e-300)


def test_missing_values_leave_exact_variances_and_a_covariance_matrix():
    rng = np.random.default_rng(3)
    numbers = rng.normal(size=(12, 4)) @ rng.normal(size=(4, 4))
    numbers[rng.random(numbers.shape) < 0.3] = np.nan
    numbers[:, 3] = np.nan
    found = one_group(numbers)
    np.testing.assert_allclose(np.diag(found.covariances[0])[:3], np.nanvar(numbers[:, :3], axis=0))
    np.testing.assert_allclose(found.means[0, :3], np.nanmean(numbers[:, :3], axis=0))
    assert found.counts[0, 3] == 0
    assert not found.covariances[0, 3].any()
    assert np.linalg.eigvalsh(found.covariances[0]).min() > -1e-12


@given(st.integers(0, 10_000), st.integers(1, 7), st.integers(1, 9))
@settings(max_examples=40, deadline=None)
def test_axes_equal_those_of_a_library(seed, d, n):
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(n, d))
    covariance = base.T @ base / n
    scales = 10.0 ** rng.integers(-3, 4, d)
    values, vectors = principal_axes(covariance[None] * np.outer(scales, scales), scales)
    assert (np.diff(values[0]) <= 1e-12).all()
    np.testing.assert_allclose(values[0], np.sort(np.linalg.eigvalsh(covariance))[::-1].clip(0), atol=1e-9)
    np.testing.assert_allclose(vectors[0] @ vectors[0].T, np.eye(d), atol=1e-9)
    np.testing.assert_allclose(vectors[0] * values[0] @ vectors[0].T, covariance, atol=1e-9)


def test_draws_are_uniform_along_the_axes_with_the_group_s_mean_and_covariance():
    rng = np.random.default_rng(1)
    numbers = rng.normal(size=(30, 3)) @ np.array([[3.0, 1, 0], [0, 1, 5], [0, 0, 0.1]]) + 100
    group = one_group(numbers)
    scales = np.array([1.0, 1.0, 1.0])
    drawn = group.draw(np.zeros(40_000, dtype=np.int64), scales, Randomness(5))
    np.testing.assert_allclose(drawn.mean(axis=0), numbers.mean(axis=0), atol=0.1)
    np.testing.assert_allclose(np.cov(drawn.T, bias=True), group.covariances[0], rtol=0.05, atol=0.05)
    values, vectors = principal_axes(group.covariances, scales)
    along = (drawn - numbers.mean(axis=0)) @ vectors[0] / np.sqrt(3 * values[0])
    assert np.abs(along).max() <= 1 + 1e-9
    for c in range(3):  # uniform: the quartiles lie where they should
        np.testing.assert_allclose(np.quantile(along[:, c], [0.25, 0.5, 0.75]), [-0.5, 0, 0.5], atol=0.02)


def test_a_group_of_one_value_draws_that_value():
    drawn = one_group(np.full((5, 2), 7.0)).draw(np.zeros(9, dtype=np.int64), np.ones(2), Randomness(1))
    assert (drawn == 7).all()


@given(st.integers(0, 10_000), st.sampled_from([0.3, 1.0, 2.0, 2.7]))
@settings(max_examples=30, deadline=None)
def test_members_are_dealt_as_evenly_as_can_be(seed, alpha):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, 4)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    order = rng.permutation(starts[-1])
    n_rows = np.maximum(1, np.rint(alpha * sizes)).astype(int)
    group = rng.permutation(np.repeat(np.arange(4), n_rows))
    taken = dealt(order, starts, group, Randomness(seed))
    for g in range(4):
        often = np.array([(taken[group == g] == member).sum() for member in order[starts[g] : starts[g + 1]]])
        assert often.sum() == n_rows[g]
        assert often.max() - often.min() <= 1


def test_values_are_dealt_by_share_and_exactly_where_shares_are_whole():
    shares = np.array([[2.0, 1.0, 1.0], [0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])
    starts = np.array([0, 8, 11, 12])
    order = np.random.default_rng(0).permutation(12)
    seen = []
    for seed in range(200):
        values = dealt_by_share(shares, order, starts, Randomness(seed))
        assert np.bincount(values[order[:8]], minlength=3).tolist() == [4, 2, 2]
        assert values[order[11]] == 0
        seen.append(np.bincount(values[order[8:11]], minlength=3).tolist())
    assert {tuple(each) for each in seen} == {(0, 1, 2), (0, 2, 1)}
    assert np.mean([each[1] for each in seen]) == pytest.approx(1.5, abs=0.15)


# -- settling ------------------------------------------------------------------------------------------------------
@given(st.integers(0, 10_000), st.booleans(), st.booleans())
@settings(max_examples=40, deadline=None)
def test_means_are_kept_within_bounds(seed, whole, bounded):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    data = rng.integers(0, 11, n).astype(float)
    drawn = data.mean() + rng.normal(size=n) * 6
    drawn[rng.random(n) < 0.2] = np.nan
    limits = Limits(0.0, 10.0, whole) if bounded else Limits(-np.inf, np.inf, whole)
    kept = settle(drawn, limits, np.arange(n), np.array([0, n]), np.array([data.mean()]))
    known = ~np.isnan(drawn)
    assert (np.isnan(kept) == ~known).all()
    if not known.any():
        return
    off = abs(kept[known].sum() - data.mean() * known.sum())
    assert off <= (0.5 + 1e-9 if whole else 1e-7)
    if whole:
        assert (kept[known] == np.rint(kept[known])).all()
    if bounded:
        assert (kept[known] >= 0).all()
        assert (kept[known] <= 10).all()


def test_bounds_are_those_of_the_schema_and_never_of_the_data():
    assert Limits.of(sf.Column(name="a", kind="integer", low=0.5, high=9), pl.Int64) == Limits(1.0, 9.0, True)
    assert Limits.of(sf.Column(name="a", kind="number"), pl.Float64) == Limits(-np.inf, np.inf, False)
    day = Limits.of(sf.Column(name="a", kind="date", low=dt.date(1970, 1, 11)), pl.Date)
    assert day.low == 10
    assert day.whole


# -- releases ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "method",
    [
        sf.Hilbert(show="condensed"), sf.Hilbert(show="condensed", fast=True), sf.Mondrian(show="condensed"),
        sf.TopDown(show="condensed"), sf.IDistance(show="condensed"), sf.Ordered(show="condensed"),
        sf.Condensation(), sf.Condensation("Mondrian", alpha=2.5), sf.Condensation(alpha=0.2, keep_means=True),
        sf.Condensation({"name": "Hilbert", "fast": True}, noise=0.1, keep_means=True),
    ],
    ids=repr,
)  # fmt: skip
def test_every_grouping_can_be_condensed(method):
    table = stays(150)
    release = sf.publish(table, method, sf.KAnonymity(5), seed=3)
    assert release.verdict.holds
    assert release.verdict.found[0].startswith("smallest group ")
    assert release.data.columns == [*QUASI, "diagnosis", "cost"]
    assert release.forms == dict.fromkeys(QUASI, "substitute")
    shown = release.data.frame
    assert [shown[name].dtype for name in QUASI] == [table.frame[name].dtype for name in QUASI]
    assert shown["age"].drop_nulls().is_between(0, 105).all()
    assert sf.verify(release, table).holds
    behind = table.frame["age"].gather(release.owner.files["synthetic"]["record"])
    assert shown["age"].to_list() != behind.to_list()


def drawn_by(method, table):
    with steps(4) as progress:
        return method.run(table, sf.KAnonymity(5), Randomness(4), progress)


def test_a_seed_repeats_the_draw_and_show_is_the_plain_method():
    table = stays(120)
    first, second = (sf.publish(table, sf.Hilbert(show="condensed"), sf.KAnonymity(5), seed=4) for _ in range(2))
    assert first.data.frame.equals(second.data.frame)
    plain, same = (drawn_by(method, table) for method in (sf.Hilbert(show="condensed"), sf.Condensation()))
    assert plain.frame.equals(same.frame)
    assert not first.data.frame.equals(sf.publish(table, sf.Condensation(), sf.KAnonymity(5), seed=5).data.frame)


def small_table():
    frame = pl.DataFrame({
        "x": [1.0, 2.0, 4.0, None, 50.0, 51.0, 55.0, 60.0],
        "n": [10, 11, 15, 12, 90, 91, 92, 99],
        "day": [dt.date(2024, 1, d) for d in (1, 2, 5, 9, 20, 21, 25, 31)],
        "c": ["a", "a", None, "b", "c", "c", "c", "d"],
        "s": ["p", "q", "r", "p", "q", "r", "p", "q"],
    })  # fmt: skip
    return sf.Table(frame, sf.Schema(quasi=["x", "n", "day", "c"], sensitive=["s"]))


def drawn_from(table, groups, drawing=None, seed=0, rows=None):
    rows = np.random.default_rng(1).permutation(len(table)) if rows is None else rows
    from sfumato.data.encoding import encode

    quasi = encode(table, table.schema.quasi)
    return condense(table, quasi, groups, rows, Randomness(seed), drawing or Drawing()), rows


def test_group_frequencies_and_missing_values_are_kept_exactly():
    table = small_table()
    groups = Groups(np.arange(8), np.array([0, 4, 8]))
    shown, rows = drawn_from(table, groups)
    columns = {column.name: column for column in shown.columns}
    for g, members in enumerate((range(4), range(4, 8))):
        here = np.flatnonzero(groups.of_row[rows] == g)
        assert sorted(columns["c"].gather(here).fill_null("").to_list()) == sorted(
            table.frame["c"].gather(list(members)).fill_null("").to_list()
        )
        assert columns["x"].gather(here).null_count() == (1 if g == 0 else 0)
    assert columns["n"].dtype == pl.Int64
    assert columns["day"].dtype == pl.Date


def test_draws_do_not_depend_on_which_member_is_which():
    table = small_table()
    groups = Groups(np.arange(8), np.array([0, 4, 8]))
    swapped = table.frame.with_columns(table.frame[name].gather([2, 0, 3, 1, 7, 6, 4, 5]) for name in ("x", "n", "day"))
    one, rows = drawn_from(table, groups, seed=8)
    other, _ = drawn_from(sf.Table(swapped, table.schema), groups, seed=8, rows=rows)
    for a, b in zip(one.columns[1:3], other.columns[1:3], strict=True):
        assert a.to_list() == b.to_list()


def test_means_of_groups_are_kept_when_asked():
    table = stays(200)
    release = sf.publish(table, sf.Condensation(keep_means=True), sf.KAnonymity(10), seed=1)
    kept = release.owner.files
    frame = release.data.frame.with_columns(kept["synthetic"]["group"])
    behind = table.frame.with_columns(kept["groups"]["group"])
    ours, theirs = (f.group_by("group").agg(pl.col("stay_days").sum()).sort("group") for f in (frame, behind))
    assert ours["stay_days"].to_list() == theirs["stay_days"].to_list()
    assert frame["age"].sum() == pytest.approx(behind["age"].sum(), abs=0.5 * len(ours))  # some groups are joined
    plain = sf.publish(table, sf.Condensation(), sf.KAnonymity(10), seed=1)
    assert plain.data.frame["stay_days"].sum() != table.frame["stay_days"].sum()


def test_more_or_fewer_rows_stand_for_no_record_of_their_own():
    table = stays(100)
    for alpha in (0.05, 2.0, 3.3):
        release = sf.publish(table, sf.Condensation(alpha=alpha), sf.KAnonymity(10), seed=2)
        sizes = np.bincount(release.owner.files["groups"]["group"].to_numpy())
        drawn = np.bincount(release.owner.files["synthetic"]["group"].to_numpy())
        assert drawn.tolist() == np.maximum(1, np.rint(alpha * sizes)).astype(int).tolist()
        assert (release.owner.rows == -1).all()
        assert len(release.owner.rows) == len(release.data) == drawn.sum()
    assert (sf.publish(table, sf.Condensation(), sf.KAnonymity(10)).owner.rows >= 0).all()


def test_noise_moves_values_by_no_more_than_its_share_of_the_range():
    frame = pl.DataFrame({"x": [0.0] * 20 + [10.0] * 20, "s": ["a", "b"] * 20})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    release = sf.publish(table, sf.Condensation(noise=0.1), sf.KAnonymity(20), seed=1)
    away = np.minimum(np.abs(release.data.frame["x"].to_numpy()), np.abs(release.data.frame["x"].to_numpy() - 10))
    assert 0.5 < away.max() <= 1.0


def test_promises_on_sensitive_values_are_about_groups():
    table = stays(300)
    release = sf.publish(table, sf.Hilbert(show="condensed"), sf.KAnonymity(5) & sf.LDiversity(3), seed=1)
    assert release.verdict.holds
    assert "least diverse group" in release.verdict.found[1]
    stricter = sf.verify(release, table, promise=sf.KAnonymity(200))
    assert not stricter.holds
    assert "smallest group" in stricter.broken[0]
    assert not sf.verify(release, table, promise=sf.LDiversity(290)).holds


def test_rows_without_a_needed_value_are_withheld():
    table = stays(300, missing={"age": "withhold"})
    n = table.frame["age"].null_count()
    assert n
    release = sf.publish(table, sf.Condensation(), sf.KAnonymity(5), seed=1)
    assert release.public["withheld_rows"] == n
    assert len(release.data) == 300 - n
    assert release.verdict.holds
    assert sf.measure(release)["withheld_rows"] == n


def test_codes_under_a_hierarchy_are_dealt_and_not_averaged():
    zips = [10115 + i for i in range(40)]
    table = sf.Table(
        pl.DataFrame({"zip": zips, "x": np.arange(40.0)}),
        sf.Schema(quasi=["zip", "x"], hierarchies={"zip": sf.Hierarchy.prefixes(5)}),
    )
    release = sf.publish(table, sf.Hilbert(show="condensed"), sf.KAnonymity(4), seed=1)
    assert sorted(map(str, release.data.frame["zip"].to_list())) == sorted(map(str, zips))
    assert sf.verify(release, table).holds


# -- columns with many missing values --------------------------------------------------------------------------------
def test_groups_with_few_values_are_joined_until_they_have_enough():
    counts = np.array([[5, 1, 0, 2], [2, 1, 0, 0], [2, 9, 0, 0], [1, 1, 1, 0], [5, 0, 0, 1]], dtype=float)
    assert pools_of(counts, 5.0).T.tolist() == [[0, 1, 1, 1, 4], [2, 2, 2, 2, 2], [-1] * 5, [-1] * 5]
    assert pools_of(np.array([[1.0], [4.0], [2.0], [3.0], [4.0]]), 5.0).T.tolist() == [[0, 0, 2, 2, 2]]


@given(st.integers(0, 10_000), st.integers(2, 6))
@settings(max_examples=30, deadline=None)
def test_no_statistic_is_of_fewer_than_the_smallest_group(seed, least):
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(8 * least, 2))
    numbers[rng.random(len(numbers)) < 0.6, 0] = np.nan
    starts = np.arange(0, len(numbers) + 1, least)
    found, too_few = joined(statistics_of(numbers, np.arange(len(numbers)), starts), least)
    assert too_few.tolist() == [bool((~np.isnan(numbers[:, 0])).sum() < least), False]
    pool = pools_of(found.counts, float(least))[:, 0]
    group = np.repeat(np.arange(8), least)
    for p in set(pool.tolist()) - {-1}:
        values = numbers[pool[group] == p, 0]
        values = values[~np.isnan(values)]
        assert len(values) >= least
        assert found.means[pool == p, 0] == pytest.approx(values.mean())
        assert found.covariances[pool == p, 0, 0] == pytest.approx(values.var())
        if (pool == p).sum() > 1:
            assert not found.covariances[pool == p, 0, 1].any()


@pytest.mark.parametrize("keep_means", [False, True])
def test_the_value_of_one_is_not_published(keep_means):
    rng = np.random.default_rng(1)
    income = np.where(np.arange(60) < 40, rng.normal(3_000, 500, 60), np.nan)
    income[45] = 123_456.78
    frame = pl.DataFrame({"age": range(60), "income": income, "s": ["x", "y"] * 30}).fill_nan(None)
    table = sf.Table(frame, sf.Schema(quasi=["age", "income"], sensitive=["s"]))
    release = sf.publish(table, sf.Condensation(keep_means=keep_means), sf.KAnonymity(5), seed=1)
    assert release.verdict.holds
    assert not release.data.frame["income"].is_close(123_456.78, abs_tol=1.0).any()
    assert release.data.frame["income"].null_count() == 19
    group = release.owner.files["groups"]["group"]
    mine = release.owner.files["synthetic"]["group"] == group[45]
    shown = release.data.frame["income"]
    bare = changed(
        release, "income", [123_456.78 if at and v is not None else v for at, v in zip(mine, shown, strict=True)]
    )
    assert not sf.verify(bare, table).holds


def test_a_column_with_fewer_values_than_a_group_has_records_is_refused():
    frame = pl.DataFrame({"a": range(6), "income": [123_456.78, *[None] * 5]})
    table = sf.Table(frame, sf.Schema(quasi=["a", "income"]))
    with pytest.raises(InfeasibleError, match="'income' has fewer values in all than the smallest group has records"):
        sf.publish(table, sf.Condensation(), sf.KAnonymity(6), seed=1)


# -- the check -----------------------------------------------------------------------------------------------------
def changed(release, name, values):
    frame = release.data.frame.with_columns(pl.Series(name, values, dtype=release.data.frame[name].dtype))
    return replace(release, data=sf.Table(frame, release.data.schema))


def test_without_the_original_or_the_groups_nothing_is_decided():
    table = stays(100)
    release = sf.publish(table, sf.Condensation(), sf.KAnonymity(5), seed=1)
    for verdict in (sf.verify(release), sf.verify(replace(release, owner=None), table)):
        assert not verdict.holds
        assert verdict.undecided == ("KAnonymity(k=5)",)
        assert verdict.said == "is NOT decided"


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
    verdict = sf.verify(changed(release, column, change(release.data.frame[column].to_list())), table)
    assert not verdict.holds
    assert any(said in each for each in verdict.broken), verdict.broken


def test_records_published_as_they_are_are_found():
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"x": rng.normal(size=60), "y": rng.normal(size=60), "s": ["a", "b"] * 30})
    table = sf.Table(frame, sf.Schema(quasi=["x", "y"], sensitive=["s"]))
    release = sf.publish(table, sf.Condensation(), sf.KAnonymity(10), seed=1)
    own = table.frame[release.owner.rows]
    verdict = sf.verify(changed(changed(release, "x", own["x"]), "y", own["y"]), table)
    assert "the values that should be drawn anew are those of the original" in verdict.broken


def test_a_covariance_that_is_not_the_group_s_is_found():
    x = np.linspace(0, 1, 40)
    frame = pl.DataFrame({"x": x, "y": x + 0.001 * np.sin(50 * x)})
    table = sf.Table(frame, sf.Schema(quasi=["x", "y"]))
    release = sf.publish(table, sf.Condensation(), sf.KAnonymity(20), seed=1)
    group, y = release.owner.files["synthetic"]["group"].to_numpy(), release.data.frame["y"].to_numpy()
    own = release.owner.files["groups"]["group"].to_numpy()
    means = np.array([table.frame["y"].to_numpy()[own == g].mean() for g in range(2)])
    apart = changed(release, "y", 2 * means[group] - y)  # mirrored: each column is where it should be
    assert any("covariance allows" in each for each in sf.verify(apart, table).broken)


def test_means_that_moved_are_found():
    table = stays(200)
    release = sf.publish(table, sf.Condensation(keep_means=True), sf.KAnonymity(10), seed=1)
    days = release.data.frame["stay_days"].to_list()
    verdict = sf.verify(changed(release, "stay_days", [days[0] + 1, *days[1:]]), table)
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


# -- what else is asked of a release ---------------------------------------------------------------------------------
@pytest.mark.parametrize(("format", "alpha"), [("parquet", 1.5), ("csv", 1.0), ("arrow", 1.5)])
def test_saved_and_loaded(tmp_path, format, alpha):
    table = stays(100)
    release = sf.publish(table, sf.Condensation(alpha=alpha), sf.KAnonymity(5), seed=1)
    loaded = sf.load_release(release.save(tmp_path / "out", format=format))
    assert loaded.data.frame.equals(release.data.frame)
    assert loaded.verdict.holds
    assert sf.verify(loaded, table).holds
    assert set(loaded.measures) == {"drawn_rows", "linkage_bound", "linkage_chance"}
    assert "record" not in str(loaded.files)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "rows drawn from the statistics of groups" in page
    assert "picks the row that shows the person" in page
    assert (tmp_path / "owner" / "out" / "report.html").is_file()
    (tmp_path / "owner" / "out").rename(tmp_path / "away")
    assert sf.verify(sf.load_release(tmp_path / "out"), table).undecided
    with pytest.raises(ReleaseError, match="cannot be decided without the original"):
        sf.load_release(tmp_path / "out").save(tmp_path / "again")


def test_questions_are_refused_and_measures_are_not():
    table = stays(400)
    release = sf.publish(table, sf.Condensation(), sf.KAnonymity(10), seed=1)
    with pytest.raises(ParameterError, match="drawn anew"):
        sf.ask(release, "SELECT COUNT(*) FROM release WHERE age > 40")
    with pytest.raises(ParameterError, match="olap_levels"):
        sf.measure(release, olap_levels=(1,))
    found = sf.measure(release)
    assert found["linkage_bound"] == 0.1
    assert found["linkage_nearest"] <= found["linkage_group"] <= 1
    assert found["mean_error"] < 0.05
    assert found["correlation_error"] < 0.1
    assert found.by_column["distribution_error"]["sex"] == 0
    bare = sf.measure(replace(release, owner=None))
    assert "linkage_nearest" not in bare
    assert sf.measure(replace(release, owner=None), table)["mean_error"] == found["mean_error"]


def test_measures_see_what_is_wrong():
    table = stays(200)
    release = sf.publish(table, sf.Condensation(), sf.KAnonymity(10), seed=1)
    shown = release.data.frame
    moved = replace(release, data=sf.Table(shown.with_columns(pl.col("stay_days") + 40), release.data.schema))
    assert sf.measure(moved)["mean_error"] > sf.measure(release)["mean_error"] + 0.1
    own = table.frame[release.owner.rows].select(shown.columns)
    assert sf.measure(replace(release, data=sf.Table(own, release.data.schema)))["linkage_nearest"] == 1.0


def test_linkage_stays_about_or_below_one_in_k():
    table = stays(400)
    rates = [
        sf.measure(sf.publish(table, sf.Condensation(), sf.KAnonymity(10), seed=seed))["linkage_nearest"]
        for seed in range(3)
    ]
    assert np.mean(rates) < 0.13


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: sf.Condensation(alpha=0), "alpha must be a number above 0"),
        (lambda: sf.Condensation(alpha=True), "alpha must be"),
        (lambda: sf.Condensation(noise=-1), "noise must be a share"),
        (lambda: sf.Condensation(keep_means=1), "keep_means must be true or false"),
        (lambda: sf.Condensation("Nobody"), "no method is called"),
        (lambda: method_from_dict({"name": "Condensation", "show": "means"}), "no parameter 'show'"),
        (lambda: sf.Condensation(sf.Condensation()), "grouping must be a method that forms groups"),
        (lambda: sf.Condensation(sf.AdditiveNoise(scale=0.1)), "grouping must be a method that forms groups"),
        (lambda: sf.Hilbert(show="condense"), "did you mean 'condensed'"),
        (lambda: sf.publish(stays(50), sf.Condensation()), "needs a promise"),
        (lambda: sf.publish(stays(50), sf.Hilbert(show="condensed"), sf.AccuracyBound(0.3)), "show ranges"),
        (lambda: sf.publish(stays(50), sf.Condensation(), sf.MatchRank(5)), r"KAnonymity\(5\)"),
        (lambda: sf.publish(stays(50), sf.Condensation(), sf.PPrivate("uniform")), "condensed groups keep k-anonymity"),
    ],
)
def test_what_makes_no_sense_is_refused(make, said):
    with pytest.raises(ParameterError, match=said):
        make()


def test_a_method_is_plain_data_and_back():
    method = sf.Condensation("Mondrian", alpha=2, noise=0.1)
    given = method.to_dict()
    assert given["grouping"]["name"] == "Mondrian"
    assert "show" not in given
    assert method_from_dict(given) == method
    assert isinstance(one_group(np.zeros((2, 1))), GroupStatistics)
