"""Exchangeability is decided on what is published: blocks, and properties that tell no records of a block apart."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.privacy.exchangeable import distinguishing_property
from sfumato.published.equivalence import PublishedClasses


def properties(*rows):
    """Each row: ({(row, column): coefficient}, bound), or with equal=True as a third."""
    return pl.DataFrame(
        {
            "property": ["p" for _ in rows],
            "rows": [[r for r, _ in row[0]] for row in rows],
            "columns": [[c for _, c in row[0]] for row in rows],
            "coefficients": [list(row[0].values()) for row in rows],
            "equal": [len(row) > 2 and row[2] for row in rows],
            "bound": [float(row[1]) for row in rows],
        },
        schema={
            "property": pl.String, "rows": pl.List(pl.UInt32), "columns": pl.List(pl.UInt16),
            "coefficients": pl.List(pl.Float64), "equal": pl.Boolean, "bound": pl.Float64,
        },
    )  # fmt: skip


def closed_by_brute_force(rows, blocks):
    """Whether every permutation inside blocks maps the set of rows to itself."""
    members = [np.flatnonzero(blocks == b).tolist() for b in np.unique(blocks)]

    def canonical(row, image):
        entries = {}
        for (r, c), a in row[0].items():
            entries[image[r], c] = entries.get((image[r], c), 0.0) + a
        return frozenset((k, a) for k, a in entries.items()), row[1], len(row) > 2 and row[2]

    whole = {canonical(row, list(range(len(blocks)))) for row in rows}
    for order in itertools.product(*(list(itertools.permutations(m)) for m in members)):
        image = list(range(len(blocks)))
        for before, after in zip(members, order, strict=True):
            for a, b in zip(before, after, strict=True):
                image[a] = b
        if {canonical(row, image) for row in rows} != whole:
            return False
    return True


BLOCKS = np.array([0, 0, 0, 1, 1])


@pytest.mark.parametrize(
    ("rows", "same"),
    [
        ([], True),
        ([({(r, 0): 1.0}, 5.0) for r in range(3)], True),
        ([({(r, 0): 1.0}, 5.0) for r in range(2)], False),
        ([({(0, 0): 1.0}, 5.0), ({(1, 0): 1.0}, 5.0), ({(2, 0): 1.0}, 6.0)], False),
        ([({(r, 0): 1 / 3 for r in range(3)}, 5.0)], True),
        ([({(0, 0): 1.0, (1, 0): 1.0, (2, 0): 2.0}, 5.0)], False),
        ([({(a, 0): 1.0, (b, 0): -1.0}, 0.0) for a in range(3) for b in (3, 4)], True),
        ([({(a, 0): 1.0, (b, 0): -1.0}, 0.0) for a, b in ((0, 3), (1, 4), (2, 3))], False),
        ([({(0, 0): 1.0, (1, 0): -1.0}, 0.0)], False),
        ([({(a, 0): 1.0, (b, 0): -1.0}, 9.0) for a in range(3) for b in range(3) if a != b], True),
        ([({(r, 0): 1.0, (r, 1): 1.0}, 7.0) for r in range(3)], True),
        ([({(r, 0): 1.0, ((r + 1) % 3, 1): 1.0}, 7.0) for r in range(3)], False),
        ([({(3, 1): 1.0}, 2.0, True), ({(4, 1): 1.0}, 2.0, True)], True),
        ([({(3, 1): 1.0}, 2.0, True), ({(4, 1): 1.0}, 2.0)], False),
    ],
)  # fmt: skip
def test_properties_that_tell_records_apart_are_found(rows, same):
    assert closed_by_brute_force(rows, BLOCKS) is same
    said = distinguishing_property(properties(*rows), BLOCKS)
    assert (said is None) is same
    if said is not None:
        assert "tells records of a block apart" in said


@given(
    st.lists(
        st.tuples(
            st.dictionaries(
                st.tuples(st.integers(0, 4), st.integers(0, 1)),
                st.sampled_from([1.0, -1.0, 2.0]),
                min_size=1,
                max_size=4,
            ),
            st.sampled_from([0.0, 1.0]),
        ),
        max_size=7,
    )
)
def test_the_check_agrees_with_all_permutations(rows):
    assert (distinguishing_property(properties(*rows), BLOCKS) is None) is closed_by_brute_force(rows, BLOCKS)


def released(k=5, n=120, seed=3, **given):
    rows = np.arange(n)
    frame = pl.DataFrame({"a": (rows * 37) % 91, "b": ((rows * 53) % 47) / 10, "s": [f"v{i % 7}" for i in rows]})
    table = sf.Table(frame, sf.Schema(quasi=["a", "b"], sensitive=["s"]))
    return table, sf.publish(table, sf.PatternPreserving(sf.Blocks(k, **given)), sf.Exchangeable(k), seed=seed)


def test_blocks_keep_the_promise_and_their_ranges():
    table, release = released()
    assert release.verdict.word == "declared"
    assert release.verdict.reached["Exchangeable(k=5)"] >= 5
    blocks = release.files["blocks"]["block"].to_numpy()
    true = table.frame[release.owner.rows.tolist()]
    for column in ("a", "b"):
        for block in np.unique(blocks):
            here = blocks == block
            shown, known = release.data.frame[column].to_numpy()[here], true[column].to_numpy()[here]
            assert known.min() - 1e-9 <= shown.min() <= shown.max() <= known.max() + 1e-9
            assert abs(shown.mean() - known.mean()) <= 0.1 * (known.max() - known.min()) + 1e-9


def test_margins_do_not_tell_the_mean():
    table, release = released()
    rows = release.files["properties"]
    blocks = release.files["blocks"]["block"].to_numpy()
    whole = rows.filter(pl.col("rows").list.len() > 1)
    middles = []
    true = table.frame[release.owner.rows.tolist()]
    ups = {
        (tuple(r["rows"]), r["columns"][0]): r["bound"] for r in whole.iter_rows(named=True) if r["coefficients"][0] > 0
    }
    for down in whole.filter(pl.col("coefficients").list.first() < 0).iter_rows(named=True):
        column = "ab"[down["columns"][0]]
        mean = true[column].to_numpy()[blocks == blocks[down["rows"][0]]].mean()
        low, high = -down["bound"], ups[tuple(down["rows"]), down["columns"][0]]
        assert low <= mean <= high
        middles.append(abs((low + high) / 2 - mean) / (high - low))
    assert len(middles) > 10
    assert np.mean(np.array(middles) > 0.05) > 0.7  # the middle of the margin is not the mean


@pytest.mark.parametrize("seed", range(3))
def test_a_tampered_release_is_refused(seed):
    from dataclasses import replace

    _, release = released(seed=seed)
    blocks, rows = release.files["blocks"], release.files["properties"]
    split = blocks.with_row_index().with_columns(
        pl.when(pl.col("index") == seed).then(99_999).otherwise(pl.col("block")).cast(pl.UInt32).alias("block")
    )
    assert sf.verify(replace(release, files={"properties": rows, "blocks": split.drop("index")})).word == "broken"
    assert sf.verify(replace(release, files={"properties": rows, "blocks": blocks.head(-1)})).word == "broken"
    assert sf.verify(replace(release, files={"properties": rows[1:], "blocks": blocks})).word == "broken"
    assert sf.verify(replace(release, files={"blocks": blocks})).word == "broken"
    moved = release.data.frame.with_columns(pl.col("b") + 100.0)
    table = sf.Table(moved, release.data.schema)
    assert "properties do not hold" in str(sf.verify(replace(release, data=table)))


def test_no_attack_beats_chance_within_blocks():
    """Over repeated releases of one table, within the interval of what was seen."""
    from sfumato.published.tables.linkage import linkage_over_releases
    from sfumato.published.tables.linkage_rates import numbers_of

    table, _ = released(n=60)

    def releases():
        for seed in range(30):
            each = sf.publish(table, sf.PatternPreserving(sf.Blocks(5)), sf.Exchangeable(5), seed=seed)
            yield numbers_of(each.data.frame, ["a", "b"]), each.owner.rows

    linkage = linkage_over_releases(numbers_of(table.frame, ["a", "b"]), releases())
    for attack in linkage.hits:
        assert linkage.pooled_interval(attack, 0.999)[0] <= 1 / 5, attack


def test_what_cannot_be_exchanged_is_refused():
    frame = pl.DataFrame({"a": range(20), "s": list("xy") * 10})
    table = sf.Table(frame, sf.Schema(quasi=["a"], sensitive=["s"]))
    with pytest.raises(ParameterError, match="needs blocks"):
        sf.publish(table, sf.PatternPreserving(sf.Order()), sf.Exchangeable(5))
    with pytest.raises(ParameterError, match="Order\\(\\) tells records of a block apart"):
        sf.publish(table, sf.PatternPreserving([sf.Blocks(5), sf.Order()]), sf.Exchangeable(5))
    with pytest.raises(ParameterError, match="about classes"):
        sf.publish(table, sf.PatternPreserving(sf.Blocks(5)), sf.KAnonymity(5))
    with pytest.raises(InfeasibleError, match="k=50 needs at least 50"):
        sf.publish(table, sf.PatternPreserving(sf.Blocks(50)), sf.Exchangeable(50))
    for k in (1, 0, True, 2.5):
        with pytest.raises(ParameterError, match="k must be"):
            sf.Exchangeable(k)


def test_records_that_lack_values_hide_among_their_like():
    values = [None if i % 4 == 0 else i for i in range(80)]
    frame = pl.DataFrame({"a": values, "b": list(range(80))})
    table = sf.Table(frame, sf.Schema(quasi=["a", "b"]))
    release = sf.publish(table, sf.PatternPreserving(sf.Blocks(5)), sf.Exchangeable(5), seed=1)
    assert sf.verify(release, table).word == "declared"
    few = sf.Table(frame.with_columns(pl.col("a").fill_null(0).replace(5, None)), sf.Schema(quasi=["a", "b"]))
    with pytest.raises(InfeasibleError, match="lack a value of a"):
        sf.publish(few, sf.PatternPreserving(sf.Blocks(50)), sf.Exchangeable(50))
    classes = PublishedClasses(
        pl.DataFrame({"a": [1, None]}), ["a"],
        files={"blocks": pl.DataFrame({"block": [0, 0]}), "properties": properties()},
    )  # fmt: skip
    (finding,) = sf.Exchangeable(2).check(classes)
    assert not finding.holds
    assert "lacks a value" in finding.found


def test_classes_are_exchangeable_blocks():
    frame = pl.DataFrame({"a": range(20), "s": list("xy") * 10})
    table = sf.Table(frame, sf.Schema(quasi=["a"], sensitive=["s"]))
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(5))
    assert sf.verify(release, promise=sf.Exchangeable(5))
    assert sf.verify(release, promise=sf.Exchangeable(11)).word == "broken"
