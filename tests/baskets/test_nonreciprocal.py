"""Nonreciprocal releases from end to end."""

from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.baskets import nonreciprocal
from sfumato.baskets.measures.loss import error_rate
from sfumato.baskets.nonreciprocal import Nonreciprocal
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import InfeasibleError, ParameterError, ReleaseError
from support.small_baskets import dense_baskets


def random_baskets(seed=0, n=60, m=15, labels=True, share=0.3):
    rng = np.random.default_rng(seed)
    dense = (rng.random((n, m)) < share).astype(int)
    return Baskets.from_scipy(
        dense, [f"i{j}" for j in range(m)], rng.choice(list("abcdef"), n).tolist() if labels else None
    )


@pytest.mark.parametrize("labels", [True, False])
@pytest.mark.parametrize("k", [1, 2, 5, 8, 60])
def test_every_record_stands_behind_k_published_ones(k, labels):
    baskets = random_baskets(labels=labels)
    release = sf.publish(baskets, Nonreciprocal(), sf.KAnonymity(k), seed=k)
    assert release.verdict.reached == {f"KAnonymity(k={k})": k}
    assert isinstance(release.data, PublishedBaskets)
    edges = np.array(release.owner.files["edges"]["original"].to_list())
    assert edges.shape == (60, k)
    assert all(release.owner.rows[j] in edges[j] for j in range(60))
    if labels:
        assert release.data.labels.to_list() == baskets.labels.gather(release.owner.rows).to_list()


@pytest.mark.parametrize("order", ["windowed", "gray-tsp", "gray"])
def test_orders(order):
    baskets = random_baskets()
    for promise in (sf.KAnonymity(4), sf.LDiversity(2)):
        assert sf.publish(baskets, Nonreciprocal(order=order), promise, seed=1).verdict
    with pytest.raises(ParameterError, match="order must be one of windowed, gray-tsp, gray"):
        Nonreciprocal(order="grey")


def test_a_seed_repeats_the_bytes_and_another_does_not():
    baskets = random_baskets()
    one, again, other = (sf.publish(baskets, Nonreciprocal(), sf.KAnonymity(4), seed=seed) for seed in (1, 1, 2))
    assert one.data.frame.equals(again.data.frame)
    assert not one.data.frame.equals(other.data.frame)


def test_every_candidate_is_as_likely():
    baskets = random_baskets(n=12)
    ranks = Counter()
    for seed in range(400):
        release = sf.publish(baskets, Nonreciprocal(), sf.KAnonymity(3), seed=seed)
        edges = np.array(release.owner.files["edges"]["original"].to_list())
        ranks[int((edges[0] < release.owner.rows[0]).sum())] += 1
    assert all(abs(ranks[i] / 400 - 1 / 3) < 0.1 for i in range(3))


def test_save_and_load(tmp_path):
    baskets = random_baskets()
    release = sf.publish(baskets, Nonreciprocal(), sf.KAnonymity(4), seed=1)
    for form in ("parquet", "arrow", "csv"):
        folder = release.save(tmp_path / form, format=form)
        loaded = sf.load_release(folder)
        assert loaded.data.frame.equals(release.data.frame)
        assert loaded.data.items == baskets.items
        assert sf.verify(loaded, baskets)
        assert "error_rate" not in loaded.measures
        assert sf.measure(loaded, baskets)["error_rate"] == error_rate(release.data, baskets, release.owner.rows)
        alone = replace(loaded, owner=None)
        assert "needs the original" in sf.verify(alone).found[0]
        assert sf.verify(alone).undecided == ("KAnonymity(k=4)",)
        assert "is NOT decided" in str(sf.verify(alone))
        compared = sf.verify(alone, baskets)
        assert compared.undecided == ("KAnonymity(k=4)",)
        assert "at least 4 published ones in some complete assignment" in compared.found[0]
        assert not compared.broken
        with pytest.raises(ReleaseError, match="cannot be decided without the original"):
            alone.save(tmp_path / f"again-{form}")
        assert not (folder / "edges.parquet").exists()
        assert (tmp_path / "owner" / form / "kept_edges.parquet").stat().st_mode & 0o077 == 0


def test_tampering_is_found():
    baskets = random_baskets()
    release = sf.publish(baskets, Nonreciprocal(), sf.KAnonymity(4), seed=1)
    shifted = replace(release, owner=replace(release.owner, rows=np.roll(release.owner.rows, 1)))
    assert not sf.verify(shifted, baskets)
    frame = release.data.frame
    swapped = PublishedBaskets.from_frame(frame.with_columns(pl.col("label").reverse()), release.data.items)
    assert not sf.verify(replace(release, data=swapped), baskets)
    narrowed = frame.with_columns(threshold=pl.lit(0, dtype=pl.Int64))
    assert not sf.verify(replace(release, data=PublishedBaskets.from_frame(narrowed, release.data.items)), baskets)
    assert not sf.verify(release, baskets, promise=sf.KAnonymity(5))
    others = random_baskets(seed=9)
    assert not sf.verify(release, others)
    assert not sf.verify(release, Baskets.from_lists([["x"]] * 60, labels=["a"] * 60))


@pytest.mark.parametrize("l", [2, 3, 4])
@pytest.mark.parametrize("n_labels", [5, 30])
def test_candidates_carry_l_published_labels(l, n_labels):
    rng = np.random.default_rng(l)
    dense = (rng.random((80, 10)) < 0.3).astype(int)
    labels = [f"label {i % n_labels}" for i in range(80)]
    baskets = Baskets.from_scipy(dense, labels=labels)
    for seed in range(4):
        release = sf.publish(baskets, Nonreciprocal(), sf.LDiversity(l), seed=seed)
        assert release.verdict.reached[repr(sf.LDiversity(l))] >= l
        edges = release.owner.files["edges"]["original"].to_list()
        published = release.data.labels.to_list()
        for i in range(80):
            assert len({published[j] for j in range(80) if i in edges[j]}) >= l
    assert sf.publish(baskets, Nonreciprocal(), sf.KAnonymity(4) & sf.LDiversity(2), seed=1).verdict


def test_labels_that_are_too_frequent():
    baskets = Baskets.from_lists([["a"]] * 10, labels=["x"] * 6 + ["y"] * 4)
    with pytest.raises(
        InfeasibleError, match="label 'x' is carried by 6 of 10 records, more than 1 in 2; the best is l=1"
    ):
        sf.publish(baskets, Nonreciprocal(), sf.LDiversity(2))


def test_items_that_nobody_has_are_not_named():
    baskets = Baskets.from_scipy(np.array([[1, 0, 1], [1, 0, 0]]), ["a", "secret", "c"])
    release = sf.publish(baskets, Nonreciprocal(), sf.KAnonymity(2), seed=1)
    assert release.data.items == ("a", "c")
    assert sf.verify(release, baskets)


def test_what_cannot_be_done_is_said():
    baskets, table = random_baskets(n=5), sf.Table(pl.DataFrame({"q": [1]}), sf.Schema(quasi=["q"]))
    with pytest.raises(InfeasibleError, match="k=8 needs at least 8 records and there are 5; the best is k=5"):
        sf.publish(baskets, Nonreciprocal(), sf.KAnonymity(8))
    with pytest.raises(ParameterError, match="needs a promise"):
        sf.publish(baskets, Nonreciprocal())
    with pytest.raises(ParameterError, match="not TCloseness"):
        sf.publish(baskets, Nonreciprocal(), sf.TCloseness(0.1))
    with pytest.raises(ParameterError, match="Nonreciprocal publishes Baskets, and the data are Table"):
        sf.publish(table, Nonreciprocal(), sf.KAnonymity(1))
    with pytest.raises(ParameterError, match="Mondrian publishes Table, and the data are Baskets"):
        sf.publish(baskets, sf.Mondrian(), sf.KAnonymity(1))
    release = sf.publish(baskets, Nonreciprocal(), sf.KAnonymity(2), seed=1)
    for verb in (sf.verify, sf.measure):
        with pytest.raises(ParameterError, match=r"give (the )?baskets"):
            verb(release, table)
    ranges = sf.publish(table, sf.Mondrian(), sf.KAnonymity(1))
    for verb in (sf.verify, sf.measure):
        with pytest.raises(ParameterError, match="give the table"):
            verb(ranges, baskets)


@pytest.mark.parametrize("order", [["gray"], None, 3, {}])
def test_an_order_that_is_no_name(order):
    with pytest.raises(ParameterError, match="order must be one of windowed, gray-tsp, gray, got"):
        sf.Nonreciprocal(order=order)


def test_links_that_are_too_many_are_refused_before_anything_is_done(monkeypatch):
    baskets = Baskets.from_lists([[]] * 20_000)
    with pytest.raises(
        ParameterError,
        match=r"k=20,000 of 20,000 records makes 400,000,000 links, and at most 50,000,000 are kept; "
        r"choose a smaller k, or Grouped\(\)",
    ):
        sf.publish(baskets, sf.Nonreciprocal("gray"), sf.KAnonymity(20_000), seed=1)
    monkeypatch.setattr(nonreciprocal, "MOST_LINKS", 24)
    assert sf.publish(dense_baskets(1, 8, 4, 0.5), sf.Nonreciprocal(), sf.KAnonymity(3), seed=1).verdict
    with pytest.raises(ParameterError, match="makes 32 links"):
        sf.publish(dense_baskets(1, 8, 4, 0.5), sf.Nonreciprocal(), sf.KAnonymity(4), seed=1)
