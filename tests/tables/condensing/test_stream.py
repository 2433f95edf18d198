import datetime as dt
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.ground.errors import DataError, InfeasibleError, ParameterError, SchemaError
from sfumato.tables.condensing.stream_kernels import covariance_of, split_group


def numbers(n=200, d=3, seed=1):
    rng = np.random.default_rng(seed)
    mixed = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 50
    return pl.DataFrame({f"x{i}": mixed[:, i] for i in range(d)})


def people(n=400, seed=1):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n)
    return pl.DataFrame({
        "age": [None if rng.random() < 0.1 else int(a) for a in age],
        "income": rng.gamma(2, 900, n) + 20 * age,
        "since": [dt.date(2000, 1, 1) + dt.timedelta(int(d)) for d in rng.integers(0, 5000, n)],
        "town": rng.choice(["Ulm", "Graz", "Bern"], n, p=[0.6, 0.3, 0.1]),
        "ill": rng.choice(["flu", "ok", None], n).tolist(),
    })  # fmt: skip


SCHEMA = sf.Schema(quasi=["age", "income", "since", "town"], sensitive=["ill"], bounds={"age": (0, 110)})


def state(stream):
    found = stream.statistics
    shares = {
        stream._columns.values[code]: stream._used_part("frequencies")[:, code].tolist()
        for code in range(len(stream._columns.values))
    }
    return found.counts.tolist(), found.means.tolist(), found.covariances.tolist(), stream.sizes.tolist(), shares


# -- splitting -----------------------------------------------------------------------------------------------------
def halves(covariance, mean, k=5, scales=None, counts=None):
    """Split one group of 2k; the two means and covariances, and the arrays."""
    d = len(mean)
    sizes, many = np.array([2.0 * k, 0]), np.zeros((2, d))
    many[0] = 2.0 * k if counts is None else counts
    means, moments = np.zeros((2, d)), np.zeros((2, d, d))
    means[0] = mean
    moments[0] = covariance * np.sqrt(np.outer(many[0], many[0]))
    frequencies = np.array([[6.0, 4.0], [0.0, 0.0]])
    split_group(sizes, many, means, moments, frequencies, 0, 1, np.ones(d) if scales is None else scales)
    return means, [covariance_of(many[g], moments[g]) for g in range(2)], sizes, many, frequencies


def test_a_group_is_split_at_a_quarter_of_its_range():
    means, covariances, sizes, _, frequencies = halves(np.diag([3.0, 1.0]), [10.0, 20.0])
    assert sorted(means[:, 0]) == pytest.approx([8.5, 11.5], abs=1e-9)  # R = sqrt(12 * 3) = 6, shift 1.5
    assert means[:, 1] == pytest.approx([20, 20], abs=1e-9)
    for covariance in covariances:
        np.testing.assert_allclose(covariance, np.diag([0.75, 1.0]), atol=1e-9)
    assert sizes.tolist() == [5, 5]
    assert frequencies.tolist() == [[3, 2], [3, 2]]


@given(st.integers(0, 10_000), st.integers(1, 6), st.booleans())
@settings(max_examples=40, deadline=None)
def test_both_halves_together_have_the_mean_and_covariance_of_before(seed, d, scaled):
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(d + 2, d))
    covariance, mean = base.T @ base, rng.normal(size=d) * 100
    scales = 10.0 ** rng.integers(-1, 2, d) if scaled else np.ones(d)
    means, covariances, *_ = halves(covariance, mean, scales=scales)
    np.testing.assert_allclose(means.mean(axis=0), mean, atol=1e-9)
    np.testing.assert_allclose(covariances[0], covariances[1])
    away = means - mean
    pooled = (covariances[0] + covariances[1]) / 2 + away.T @ away / 2
    np.testing.assert_allclose(pooled, covariance, atol=1e-9 * max(1, covariance.max()))
    assert np.linalg.eigvalsh(covariances[0]).min() > -1e-9
    over = covariance / np.outer(scales, scales)
    largest = np.linalg.eigvalsh(over)[-1]
    assert np.linalg.norm(away[0] / scales) == pytest.approx(np.sqrt(12 * largest) / 4)


# -- sums ----------------------------------------------------------------------------------------------------------
def test_covariance_equals_the_batch_one_before_any_split():
    frame = numbers(19, 4)
    stream = sf.CondensationStream(frame.columns, 10).add(frame)
    assert stream.n_groups == 1
    values = frame.to_numpy()
    np.testing.assert_allclose(stream.statistics.means[0], values.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(stream.statistics.covariances[0], np.cov(values.T, bias=True), rtol=1e-9)


def test_large_numbers_keep_their_variance():
    stream = sf.CondensationStream(["x"], 3).add(pl.DataFrame({"x": 1e8 + np.arange(4.0)}))
    assert stream.statistics.covariances[0, 0, 0] == pytest.approx(1.25, abs=1e-6)


def test_missing_values_leave_exact_means_and_variances():
    frame = numbers(19).with_columns(pl.when(pl.int_range(19) % 3 > 0).then("x0").alias("x0"))
    stream = sf.CondensationStream(frame.columns, 10).add(frame)
    known = frame["x0"].drop_nulls()
    assert stream.statistics.counts[0].tolist() == [len(known), 19, 19]
    assert stream.statistics.means[0, 0] == pytest.approx(known.mean())
    assert stream.statistics.covariances[0, 0, 0] == pytest.approx(known.var(ddof=0))
    assert np.linalg.eigvalsh(stream.statistics.covariances[0]).min() > 0


@given(st.integers(0, 10_000), st.integers(2, 9))
@settings(max_examples=20, deadline=None)
def test_groups_hold_k_to_2k_records_and_all_of_them(seed, k):
    frame = people(int(np.random.default_rng(seed).integers(k, 200)), seed)
    stream = sf.CondensationStream(SCHEMA, k).add(frame)
    assert stream.sizes.sum() == stream.n_records == frame.height
    assert stream.sizes.min() >= k
    assert stream.sizes.max() < 2 * k
    total = stream._used_part("frequencies").sum(axis=0)
    for (column, value), n in zip(stream._columns.values, total, strict=True):
        held = frame[column].is_null().sum() if value is None else (frame[column] == value).sum()
        assert n == pytest.approx(held)


def naive_groups(rows, k):
    """The same by hand, over plain numbers measured by given scales of 1: each record to the nearest mean."""
    groups = []
    for row in rows:
        if not groups:
            groups = [{"n": 0.0, "mean": np.zeros(len(row)), "sum": np.zeros((len(row), len(row)))}]
        g = min(groups, key=lambda each: ((row - each["mean"]) ** 2).sum() if each["n"] else 0.0)
        g["n"] += 1
        before = row - g["mean"]
        g["mean"] = g["mean"] + before / g["n"]
        g["sum"] = g["sum"] + np.outer(before, row - g["mean"])
        if g["n"] == 2 * k:
            covariance = g["sum"] / g["n"]
            values, vectors = np.linalg.eigh(covariance)
            v, largest = vectors[:, -1], values[-1]
            v = v * np.sign(v[np.argmax(np.abs(v))])
            shift = np.sqrt(12 * largest) / 4 * v
            kept = (covariance - 0.75 * largest * np.outer(v, v)) * k
            other = {"n": float(k), "mean": g["mean"] + shift, "sum": kept.copy()}
            g |= {"n": float(k), "mean": g["mean"] - shift, "sum": kept}
            groups.append(other)
    return groups


@pytest.mark.parametrize("seed", range(5))
def test_streams_equal_the_same_by_hand(seed):
    frame = numbers(150, 2, seed)
    stream = sf.CondensationStream(frame.columns, 4, scales={"x0": 1.0, "x1": 1.0}).add(frame)
    wanted = naive_groups(frame.to_numpy(), 4)
    assert stream.sizes.tolist() == [int(g["n"]) for g in wanted]
    np.testing.assert_allclose(stream.statistics.means, [g["mean"] for g in wanted], rtol=1e-7)
    np.testing.assert_allclose(stream.statistics.covariances, [g["sum"] / g["n"] for g in wanted], atol=1e-7)


def test_categories_pull_records_together():
    rng = np.random.default_rng(4)
    town = rng.choice(["Ulm", "Graz"], 400)
    frame = pl.DataFrame({"x": rng.normal(size=400) * 0.01 + (town == "Ulm"), "town": town})
    stream = sf.CondensationStream(["x", "town"], 10, scales={"x": 1.0}).add(frame)
    shares = stream._used_part("frequencies")[:, 0] / stream._used_part("sizes")
    assert ((shares < 0.25) | (shares > 0.75)).mean() > 0.7


def test_batches_make_no_difference():
    frame = people(300)
    whole = sf.CondensationStream(SCHEMA, 7).add(frame)
    parts = sf.CondensationStream(SCHEMA, 7)
    for start in range(0, 300, 37):
        parts.add(frame[start : start + 37])
    assert state(whole) == state(parts)
    assert whole.synthesize(seed=1).frame.equals(parts.synthesize(seed=1).frame)


def test_records_come_in_any_form():
    frame = people(30)
    streams = [
        sf.CondensationStream(SCHEMA, 5).add(given)
        for given in (frame, frame.to_arrow(), frame.to_dicts(), sf.Table(frame, SCHEMA))
    ]
    one_by_one = sf.CondensationStream(SCHEMA, 5)
    for record in frame.to_dicts():
        one_by_one.add(record)
    plain = frame.select("income", "town")
    pandas = sf.CondensationStream(["income", "town"], 5).add(pd.DataFrame(plain.to_dict(as_series=False)))
    assert (
        pandas.statistics.means.tolist()
        == sf.CondensationStream(["income", "town"], 5).add(plain).statistics.means.tolist()
    )
    for other in (*streams[1:], one_by_one):
        assert state(other) == state(streams[0])


# -- what is given out -----------------------------------------------------------------------------------------------
def test_nothing_is_given_out_before_k_records_came():
    stream = sf.CondensationStream(["x"], 5)
    for n in range(5):
        with pytest.raises(InfeasibleError, match=f"{n} records came"):
            stream.synthesize()
        with pytest.raises(InfeasibleError):
            stream.statistics  # noqa: B018
        stream.add({"x": float(n)})
    assert len(stream.synthesize()) == 5


def test_drawn_records_look_like_those_that_came():
    frame = people(3000)
    table = sf.CondensationStream(SCHEMA, 10).add(frame).synthesize(seed=3)
    drawn = table.frame
    assert drawn.schema == frame.schema
    assert table.schema.sensitive == ["ill"]
    assert drawn.height == 3000
    assert drawn["age"].drop_nulls().is_between(0, 110).all()
    assert drawn["age"].null_count() == pytest.approx(frame["age"].null_count(), abs=60)
    assert drawn["age"].mean() == pytest.approx(frame["age"].mean(), abs=1)
    assert drawn["income"].std() == pytest.approx(frame["income"].std(), rel=0.05)
    both = [f.drop_nulls("age").select(pl.corr("age", "income")).item() for f in (frame, drawn)]
    assert both[1] == pytest.approx(both[0], abs=0.05)
    shares = [f["town"].value_counts(normalize=True).sort("town")["proportion"].to_list() for f in (frame, drawn)]
    assert shares[1] == pytest.approx(shares[0], abs=0.05)
    assert set(drawn["income"]).isdisjoint(frame["income"])


def test_a_seed_repeats_and_rows_are_shuffled():
    stream = sf.CondensationStream(SCHEMA, 10).add(people(200))
    assert stream.synthesize(seed=1).frame.equals(stream.synthesize(seed=1).frame)
    assert not stream.synthesize(seed=1).frame.equals(stream.synthesize(seed=2).frame)
    assert not stream.synthesize().frame.equals(stream.synthesize().frame)


def test_more_rows_noise_and_exact_means():
    frame = numbers(200)
    stream = sf.CondensationStream(frame.columns, 10).add(frame)
    assert len(stream.synthesize(alpha=2.5)) == np.maximum(1, np.rint(2.5 * stream.sizes)).sum()
    kept = stream.synthesize(keep_means=True, seed=1).frame
    assert kept["x0"].mean() == pytest.approx(frame["x0"].mean(), abs=1e-9)
    assert abs(stream.synthesize(seed=1).frame["x0"].mean() - frame["x0"].mean()) > 1e-6
    assert stream.synthesize(noise=3.0, seed=1).frame["x0"].std() > 1.3 * frame["x0"].std()


def test_columns_of_categories_alone():
    frame = pl.DataFrame({"town": ["Ulm"] * 30 + ["Graz"] * 10})
    drawn = sf.CondensationStream(["town"], 5).add(frame).synthesize(seed=1).frame
    assert drawn["town"].value_counts().sort("town")["count"].to_list() == pytest.approx([10, 30], abs=3)


# -- checkpoints -----------------------------------------------------------------------------------------------------
def test_going_on_from_a_file_is_as_never_having_stopped(tmp_path):
    frame = people(400)
    whole = sf.CondensationStream(SCHEMA, 6, scales={"income": 500.0}).add(frame)
    stream = sf.CondensationStream(SCHEMA, 6, scales={"income": 500.0})
    for start in range(0, 400, 50):
        stream.add(frame[start : start + 50])
        stream = sf.CondensationStream.load(stream.save(tmp_path / "stream.npz"))
    assert state(stream) == state(whole)
    assert repr(stream) == repr(whole) == f"CondensationStream(k=6, 400 records in {whole.n_groups} groups)"
    assert stream.synthesize(seed=9).frame.equals(whole.synthesize(seed=9).frame)
    assert stream._state["running"].tolist() == whole._state["running"].tolist()


def test_a_stream_of_no_records_can_be_saved_too(tmp_path):
    empty = sf.CondensationStream.load(sf.CondensationStream(["x"], 2).save(tmp_path / "empty"))
    assert empty.n_records == 0
    assert empty.add({"x": 1.0}).n_records == 1


def test_a_checkpoint_is_for_the_owner_and_written_whole(tmp_path, monkeypatch):
    stream = sf.CondensationStream(["x"], 2).add([{"x": 1.0}, {"x": 2.0}])
    file = stream.save(tmp_path / "state")
    assert file.stat().st_mode & 0o777 == 0o600
    before = file.read_bytes()

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(DataError, match="could not write 'state'"):
        stream.add({"x": 3.0}).save(file)
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


def test_no_record_is_kept(tmp_path):
    frame = pl.DataFrame({"x": [111.125, 222.25, 333.5, 444.75], "c": ["a", "a", "b", "b"]})
    file = sf.CondensationStream(["x", "c"], 2).add(frame).save(tmp_path / "state")
    with np.load(file) as saved:
        held = np.concatenate([saved[name].ravel() for name in saved.files if name != "told"])
        told = json.loads(saved["told"].tobytes())
    assert not set(frame["x"]) & set(held.tolist())
    assert told["values"] == [["c", "a"], ["c", "b"]]


@pytest.mark.parametrize("damage", ["cut", "other", "none"])
def test_a_damaged_checkpoint_is_refused(tmp_path, damage):
    file = sf.CondensationStream(["x"], 2).add([{"x": 1.0}, {"x": 2.0}]).save(tmp_path / "state")
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:-40])
    elif damage == "other":
        with file.open("wb") as opened:
            np.savez(opened, told=np.frombuffer(b'{"format": "other"}', dtype=np.uint8))
    else:
        file.unlink()
    with pytest.raises(DataError, match=r"earlier one|no file"):
        sf.CondensationStream.load(file)


# -- refusals --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: sf.CondensationStream(["x"], 1), ParameterError, "k must be a whole number >= 2"),
        (lambda: sf.CondensationStream(None, 2), SchemaError, "needs a Schema or a list of columns"),
        (lambda: sf.CondensationStream([1], 2), SchemaError, "needs a Schema or a list of columns"),
        (lambda: sf.CondensationStream("x", 5), SchemaError, r"write \['x'\]"),
        (lambda: sf.CondensationStream(sf.Schema(identifier=["x"]), 5), SchemaError, "no column is declared"),
        (lambda: sf.CondensationStream(["x"], 5, scales={"y": 1}), ParameterError, "'y', which is not condensed"),
        (lambda: sf.CondensationStream(["x"], 5, scales={"x": 0}), ParameterError, "must be a number above 0"),
        (lambda: sf.CondensationStream(["x"], 5).add({"y": 1}), SchemaError, "no column 'x'"),
        (lambda: sf.CondensationStream(["x"], 5).add({"x": None}), DataError, "declare it, as in kinds="),
        (lambda: sf.CondensationStream(["x"], 5).add([1, 2]), DataError, "mappings from column to value"),
        (lambda: sf.CondensationStream(["x"], 5).add({"x": float("inf")}), DataError, "holds inf at row 1"),
        (lambda: sf.CondensationStream(["x"], 2).add([{"x": 1.0}]).add({"x": "a"}), SchemaError, "row 1 holds 'a'"),
        (lambda: sf.CondensationStream(SCHEMA, 2).add(people(9).with_columns(age=200)), DataError, "'age' holds 200"),
        (lambda: sf.CondensationStream(["x"], 2).add([{"x": 1.0}] * 2).synthesize(alpha=-1), ParameterError, "alpha"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(make, error, said):
    with pytest.raises(error, match=said):
        make()


def test_refused_records_leave_the_stream_as_it_was():
    stream = sf.CondensationStream(["x"], 2)
    with pytest.raises(DataError):
        stream.add([{"x": 1.0}, {"x": float("inf")}])
    assert stream.n_records == 0
    stream.add([{"x": "a"}, {"x": "b"}])  # the kind was not settled by records that were refused
    assert stream.synthesize().frame["x"].dtype == pl.String


def test_records_without_a_needed_value_are_withheld():
    schema = sf.Schema(quasi=["x"], plain=["y"], missing={"x": "withhold"})
    stream = sf.CondensationStream(schema, 2).add(pl.DataFrame({"x": [1.0, None, 2.0], "y": ["a", "b", None]}))
    assert stream.n_records == 2
    assert sorted(stream.synthesize(seed=1).frame["y"].fill_null("-")) == ["-", "a"]


def test_the_value_of_one_is_not_drawn():
    schema = sf.Schema(quasi=["a", "income"], kinds={"a": "integer", "income": "number"})
    few = [{"a": i, "income": 123_456.78 if i == 1 else None} for i in range(5)]
    with pytest.raises(InfeasibleError, match="'income' has fewer than k=3 values so far"):
        sf.CondensationStream(schema, 3).add(few).synthesize()
    plain = sf.Schema(quasi=["a"], plain=["income"], kinds={"a": "integer", "income": "number"})
    assert sf.CondensationStream(plain, 3).add(few).synthesize(seed=1).frame["income"].null_count() == 5
    more = [{"a": 100 + i, "income": 3_000.0 + i if i < 15 else None} for i in range(30)]
    stream = sf.CondensationStream(schema, 3).add([*few, *more])
    for keep_means in (False, True):
        drawn = stream.synthesize(seed=1, keep_means=keep_means).frame["income"].drop_nulls()
        assert len(drawn) == pytest.approx(16, abs=5)
        assert not drawn.is_close(123_456.78, abs_tol=1.0).any()


def test_equal_records_are_drawn_as_they_are():
    drawn = sf.CondensationStream(["x"], 3).add([{"x": 7.0}] * 6).synthesize(seed=1).frame["x"]
    assert drawn.to_list() == [7.0] * 6
