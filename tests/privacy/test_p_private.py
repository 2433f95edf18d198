"""P-privacy: exact arithmetic, and tampering that a reader or the owner finds out."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from sfumato.privacy.p_private import achieved_densities, distance_from_target
from sfumato.privacy.promise import promise_from_dict
from sfumato.published.tables.subdomain_truth import have_places
from support.distribution_tables import table_of

RNG = np.random.default_rng(17)
FRAME = pl.DataFrame({"age": RNG.integers(20, 60, 40), "town": ["a", "b"] * 20, "pay": RNG.integers(1, 5, 40)})
TABLE = sf.Table(FRAME, sf.Schema(quasi=["age", "town"], sensitive=["pay"]))
EACH = sf.Target.each("town", {"a": "uniform", "b": sf.Target.histogram({1: 2, 2: 1, 3: 1, 4: 2})})


# -- exact arithmetic ----------------------------------------------------------------------------------------------
def said(first, last, count, weights):
    """The probability of every value, by definition 3.2 to the letter; None if a subdomain has no weight."""
    found, n = [Fraction(0)] * len(weights), sum(map(int, count))
    for a, b, c in zip(first, last, count, strict=True):
        whole = sum(int(w) for w in weights[a : b + 1])
        if not whole:
            return None
        for t in range(a, b + 1):
            found[t] += Fraction(int(c) * int(weights[t]), n * whole)
    return found


def off(first, last, count, weights):
    found, whole = said(first, last, count, weights), sum(map(int, weights))
    if found is None:
        return Fraction(1)
    return sum(abs(p - Fraction(int(w), whole)) for p, w in zip(found, weights, strict=True)) / 2


def subdomains(rng, m, n, most=9):
    first = rng.integers(0, m, n)
    last = np.minimum(first + rng.integers(0, m, n), m - 1)
    return first, last, rng.integers(1, most + 1, n)


def test_distances_are_exact_fractions():
    rng, zeros = np.random.default_rng(1), 0
    for _ in range(400):
        m, n = int(rng.integers(1, 9)), int(rng.integers(1, 7))
        weights = rng.integers(0, 5, m) * int(rng.choice([1, 7, 10**9]))
        weights[rng.integers(m)] += 1
        given = (*subdomains(rng, m, n, int(rng.choice([1, 9, 10**9]))), weights)
        found = distance_from_target(*given)
        assert found == off(*given)
        assert 0 <= found <= 1
        zeros += found == 0
    assert zeros > 10


def test_what_subdomains_say_sums_to_one():
    rng = np.random.default_rng(2)
    for _ in range(100):
        m = int(rng.integers(1, 9))
        weights = rng.integers(1, 5, m)
        given = (*subdomains(rng, m, 4), weights)
        stretches, denominator = achieved_densities(*given)
        assert stretches[0][0] == 0
        assert stretches[-1][1] == m
        found = [Fraction(int(weights[t]) * d, denominator) for a, b, d in stretches for t in range(a, b)]
        assert found == said(*given)
        assert sum(found) == 1


def test_one_copy_too_many_is_seen_however_large_the_group():
    ends, weights = np.array([0, 1]), np.array([1, 1])
    assert distance_from_target(ends, ends, np.array([10**17, 10**17]), weights) == 0
    assert distance_from_target(ends, ends, np.array([10**17 + 1, 10**17]), weights) == Fraction(1, 4 * 10**17 + 2)
    assert distance_from_target(ends, ends, np.array([5, 5]), np.array([10**15 + 1, 10**15])) == Fraction(
        1, 4 * 10**15 + 2
    )


def test_counts_beyond_sixty_four_bits_do_not_wrap_around():
    first, last, count = np.array([0, 1]), np.array([0, 3]), np.array([2**62, 2**62])
    assert distance_from_target(first, last, count, np.array([1, 1, 1, 1])) == Fraction(1, 4)


def test_no_subdomains_and_subdomains_without_weight():
    none = np.array([], dtype=np.int64)
    assert distance_from_target(none, none, none, np.array([1, 2])) == 0
    one = np.array([1])
    assert distance_from_target(one, one, one, np.array([1, 0])) == 1


# -- the promise ---------------------------------------------------------------------------------------------------
def test_plain_data_read_back_and_words():
    for promise in (sf.PPrivate("uniform"), sf.PPrivate(EACH, within=0.05), sf.PPrivate({"name": "zipf", "s": 1})):
        assert promise_from_dict(json.loads(json.dumps(promise.to_dict()))) == promise
        assert promise.min_size() == 1
        assert promise.conditions([]) == []
    assert repr(sf.PPrivate("table", within=0.1)) == "PPrivate('table', within=0.1)"
    assert repr(sf.PPrivate(sf.Target.zipf(1))) == "PPrivate(Target.zipf(s=1))"
    assert "publish with TargetDistribution" in sf.PPrivate("table").limit(10, [])


@pytest.mark.parametrize("within", [-0.1, 1, 1.5, float("nan"), "a", True, None])
def test_a_tolerance_is_a_distance(within):
    with pytest.raises(ParameterError, match="within must be a total variation distance"):
        sf.PPrivate("uniform", within=within)


def test_tables_that_publish_no_subdomains_tell_no_distribution():
    verdict = sf.verify(FRAME, promise=sf.PPrivate("uniform"), quasi=["age"])
    assert not verdict
    assert "no subdomains are published" in verdict.found[0]


def test_the_tolerance_is_compared_exactly_and_shown_rounded_up():
    release = sf.publish(TABLE, sf.TargetDistribution("uniform", groups="town"), seed=1)
    table = release.files["sensitive"]
    first = table.row(0, named=True)
    more = table.with_columns(
        pl.when(pl.int_range(pl.len()) == 0).then(pl.col("count") + 1).otherwise("count").alias("count")
    )
    group = more.filter(pl.col("group") == first["group"])
    true = off(group["first"].to_list(), group["last"].to_list(), group["count"].to_list(), [1, 1, 1, 1])
    damaged = replace(release, files={**release.files, "sensitive": more})
    verdict = sf.verify(damaged)
    assert not verdict
    assert verdict.reached["PPrivate('uniform')"] == float(true) > 0
    shown = Fraction(verdict.found[0].split("total variation ")[1].split()[0])
    assert true <= shown < true + Fraction(1, 10_000)
    assert sf.verify(damaged, promise=sf.PPrivate("uniform", within=float(true) + 1e-5))
    assert not sf.verify(damaged, promise=sf.PPrivate("uniform", within=float(true) - 1e-5))


# -- tampering -----------------------------------------------------------------------------------------------------
def release_of(target="uniform", table=TABLE, **given):
    return sf.publish(table, sf.TargetDistribution(target, groups="town", **given), seed=1)


def with_table(release, name, change):
    return replace(release, files={**release.files, name: change(release.files[name])})


def with_rows(release, frame):
    return replace(release, data=sf.Table(frame, release.data.schema))


def at(row, column, value):
    """One cell of a table changed."""
    return lambda table: table.with_columns(
        pl.when(pl.int_range(pl.len()) == row).then(value).otherwise(column).alias(column)
    )


def fails(release, match, original=None, **given):
    verdict = sf.verify(release, original, **given)
    assert not verdict.holds
    text = " ".join([*verdict.broken, *verdict.found])
    assert match in text, text
    return verdict


def test_what_was_published_holds():
    for release in (release_of(), release_of("table"), release_of("group"), release_of(EACH), release_of(fakes=3)):
        for original in (None, TABLE):
            assert sf.verify(release, original)
            assert sf.verify(replace(release, owner=None), original)


def test_changed_counts():
    release = release_of()
    fails(with_table(release, "sensitive", at(0, "count", pl.col("count") + 1)), "farthest group at total variation")
    fewer = with_table(release, "sensitive", at(0, "count", pl.col("count") - 1))
    fails(fewer, "fewer subdomains than rows")


def test_an_extra_subdomain_and_a_dropped_one():
    release = release_of()
    table = release.files["sensitive"]
    known = set(table.filter(pl.col("group") == 0).select("first", "last").iter_rows())
    a, b = next(ends for ends in ((0, 2), (1, 2), (0, 0)) if ends not in known)
    extra = table.head(1).with_columns(
        group=pl.lit(0, dtype=pl.Int64), first=pl.lit(a, dtype=pl.Int64), last=pl.lit(b, dtype=pl.Int64),
        low=pl.lit(a + 1, dtype=pl.Int64), high=pl.lit(b + 1, dtype=pl.Int64), count=pl.lit(1, dtype=pl.Int64),
        pay=pl.lit(f"[{a + 1}, {b + 1}]" if a < b else f"{a + 1}"),
    )  # fmt: skip
    fails(
        with_table(release, "sensitive", lambda table: pl.concat([table, extra]).sort("group", "first", "last")),
        "farthest group at total variation",
    )
    fails(with_table(release, "sensitive", lambda table: table.slice(1)), "fewer subdomains than rows")


def test_texts_tables_and_columns_that_nobody_is_told_of():
    release = release_of()
    wrong = with_table(release, "sensitive", lambda table: table.with_columns(pay=pl.lit("nothing")))
    fails(wrong, "column 'pay' of 'sensitive' does not agree with the domain")
    extra = replace(release, files={**release.files, "originals": TABLE.frame})
    fails(extra, "the table 'originals' is published, and the release does not name it")
    more = with_table(release, "groups", lambda table: table.with_columns(row=pl.col("group")))
    fails(more, "column 'row' of 'groups' is published, and the release does not name it")


def test_dropped_fakes():
    release = release_of(fakes=5)
    seen = release.files["sensitive"]
    sizes = dict(release.data.frame.group_by("group").len().iter_rows())
    group = next(g for g, n in sizes.items() if seen.filter(pl.col("group") == g)["count"].sum() > n)
    row = seen.with_row_index().filter((pl.col("group") == group) & (pl.col("count") > 1))["index"][0]
    fails(with_table(release, "sensitive", at(row, "count", pl.col("count") - 1)), "farthest group at total variation")


def test_wider_and_shifted_subdomains():
    release = release_of()
    row = release.files["sensitive"].with_row_index().filter(pl.col("first") == pl.col("last"))["index"][0]
    table = release.files["sensitive"].drop("low", "high")
    for column in ("first", "last"):
        wider = at(row, column, pl.when(pl.col(column) == 0).then(3).otherwise(0) if column == "first" else 3)(table)
        verdict = sf.verify(with_table(release, "sensitive", lambda _, wider=wider: wider))
        assert not verdict


def test_changed_weights():
    release = release_of()
    fails(with_table(release, "targets", at(0, "weight", 2)), "the published target is not the one promised")
    scaled = with_table(release, "targets", lambda table: table.with_columns(pl.col("weight") * 5))
    assert sf.verify(scaled, TABLE)
    formula = release_of(sf.Target.zipf(1))
    fails(with_table(formula, "targets", at(0, "weight", pl.col("weight") + 10)), "is not the one promised")


def test_weights_that_follow_the_records_are_compared_with_them():
    for target in ("table", "group"):
        release = release_of(target)
        other = with_table(release, "targets", at(0, "weight", pl.col("weight") + 1))
        fails(other, f"is not the distribution of its {target}", TABLE, promise=sf.PPrivate(target, within=0.9))
    each = release_of(sf.Target.each("town", {"a": "group", "b": "uniform"}))
    followed = each.files["targets"].group_by("target").agg(pl.col("weight").n_unique()).filter(pl.col("weight") > 1)
    row = each.files["targets"].with_row_index().filter(pl.col("target") == followed["target"][0])["index"][0]
    other = with_table(each, "targets", at(row, "weight", pl.col("weight") + 1))
    fails(other, "is not the distribution of its group", TABLE, promise=sf.PPrivate(each.promise.target, within=0.9))


def test_a_promise_about_the_table_is_not_kept_by_another_target():
    """The release says it follows a uniform target, and the promise speaks of the table: the original decides."""
    release = release_of("uniform")
    for target in ("table", "group"):
        assert not sf.verify(release, TABLE, promise=sf.PPrivate(target))


def test_another_target_for_a_group():
    release = release_of(EACH)
    swapped = with_table(release, "groups", lambda table: table.with_columns(target=1 - pl.col("target")))
    fails(swapped, "is not the one promised")
    other = sf.Target.each("age", {str(age): "uniform" for age in TABLE.frame["age"].unique()}).to_dict()
    by_age = {**release.public, "target": {**release.public["target"], "target": other}}
    fails(replace(release, public=by_age), "groups have rows of several 'age'")


def test_rows_moved_to_other_groups():
    release = release_of()
    frame = release.data.frame
    fails(with_rows(release, at(0, "group", 1 - pl.col("group"))(frame)), "fewer subdomains than rows")
    everything = frame.with_columns(group=pl.lit(0, dtype=pl.Int64))
    fails(with_rows(release, everything), "are not those of the rows")
    swapped = frame.with_columns(group=1 - pl.col("group"))
    fails(with_rows(release, swapped), "do not fit into their subdomains", TABLE)


def test_swapped_quasi_identifiers_and_values():
    release = release_of()
    other = release.data.frame.with_columns(pl.col("age").reverse())
    assert not sf.verify(with_rows(release, other), TABLE)
    assert not sf.verify(with_rows(replace(release, owner=None), at(0, "age", 99)(release.data.frame)), TABLE)
    rest = TABLE.frame.with_columns(pay=pl.when(pl.col("town") == "a").then(1).otherwise("pay").cast(pl.Int64))
    fails(release, "do not fit into", sf.Table(rest, TABLE.schema))
    fails(replace(release, owner=None), "do not fit into", sf.Table(rest, TABLE.schema))


def test_a_value_outside_the_domain():
    release = release_of()
    outside = sf.Table(at(0, "pay", 9)(TABLE.frame), TABLE.schema)
    for given in (release, replace(release, owner=None)):
        fails(given, "some value of 'pay' in the original is not in the published domain", outside)


def test_the_sensitive_column_beside_the_rows():
    release = release_of()
    frame = release.data.frame.with_columns(pay=TABLE.frame["pay"].gather(release.owner.rows))
    schema = sf.Schema(quasi=["age", "town"], plain=["group", "pay"])
    fails(replace(release, data=sf.Table(frame, schema)), "column 'pay' is published beside the quasi-identifiers")


def test_other_roles_in_the_original():
    schema = sf.Schema(quasi=["age"], sensitive=["town", "pay"])
    assert not sf.verify(release_of(), sf.Table(FRAME, schema))


def test_huge_counts_that_are_not_p_private():
    release = sf.publish(TABLE, sf.TargetDistribution(), seed=1)
    table = pl.DataFrame(
        {"group": [0, 0], "pay": ["1", "[2, 4]"], "first": [0, 1], "last": [0, 3], "low": [1, 2], "high": [1, 4],
         "count": [2**62, 2**62]}
    )  # fmt: skip
    assert not sf.verify(with_table(release, "sensitive", lambda _: table))


# -- values into subdomains ------------------------------------------------------------------------------------------
def matched(group, listed):
    """Whether every value can have a copy of its own: augmenting paths."""
    slots = [(a, b) for a, b, c in listed for _ in range(c)]
    taken = {}

    def place(i, tried):
        for s, (a, b) in enumerate(slots):
            if a <= group[i] <= b and s not in tried:
                tried.add(s)
                if s not in taken or place(taken[s], tried):
                    taken[s] = i
                    return True
        return False

    return all(place(i, set()) for i in range(len(group)))


def test_matchings_are_found_wherever_there_are_any():
    rng, fits = np.random.default_rng(9), []
    for _ in range(400):
        m, groups = int(rng.integers(1, 7)), []
        for _ in range(int(rng.integers(1, 4))):
            values = np.sort(rng.integers(0, m, rng.integers(0, 9)))
            groups.append((values, subdomains(rng, m, int(rng.integers(0, 6)), 3)))
        starts = np.concatenate([[0], np.cumsum([len(values) for values, _ in groups])])
        entries = np.concatenate([[0], np.cumsum([len(listed[0]) for _, listed in groups])])
        places = np.concatenate([values for values, _ in groups]).astype(np.int64)
        first, last, count = (np.concatenate([listed[i] for _, listed in groups]).astype(np.int64) for i in range(3))
        found = have_places(places, starts, first, last, count, entries)
        expected = [
            matched(values.tolist(), list(zip(*(x.tolist() for x in listed), strict=True))) for values, listed in groups
        ]
        assert found.tolist() == expected
        fits += expected
    assert 0.2 < np.mean(fits) < 0.8


def test_all_subdomains_can_be_one_pool():
    places, first, last, count = (np.array(x) for x in ([0, 0, 2], [0, 1], [1, 2], [2, 1]))
    assert have_places(places, np.array([0, 3]), first, last, count).tolist() == [True]
    assert have_places(np.array([0, 0, 0]), np.array([0, 3]), first, last, count).tolist() == [False]


def with_target(release, **changes):
    return replace(release, public={**release.public, "target": {**release.public["target"], **changes}})


def test_targets_of_each_group_go_by_the_promised_column():
    frame = {"area": ["a"] * 4 + ["b"] * 4, "note": ["x", "y"] * 4, "pay": [1, 2, 3, 4, 1, 1, 2, 2]}
    table = table_of(frame, quasi=["area"], plain=["note"], sensitive=["pay"])
    each = {"x": "uniform", "y": {"name": "histogram", "shares": {2: 1, 4: 1}}}
    release = sf.publish(table, sf.TargetDistribution(sf.Target.each("note", each), groups="note"), seed=1)
    promised = sf.PPrivate(sf.Target.each("area", {"a": "uniform", "b": "uniform"}))
    assert not sf.verify(release, promise=promised)
    assert not sf.verify(with_target(release, target=promised.distribution.to_dict()), promise=promised)
    assert not sf.verify(with_target(release, target=promised.distribution.to_dict()), table, promise=promised)


@pytest.mark.parametrize("seed", range(4))
def test_every_group_that_follows_the_table_is_compared_with_it(seed):
    table = table_of({"q": list("abc") * 4, "s": [1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2]}, quasi=["q"], sensitive=["s"])
    release = sf.publish(table, sf.TargetDistribution("uniform", groups="q"), seed=seed)
    claimed = sf.Target.each("q", {"a": "uniform", "b": "table", "c": "table"})
    false = with_target(release, target=claimed.to_dict())
    assert not sf.verify(false, table, promise=sf.PPrivate(claimed))


def test_the_table_has_one_distribution():
    table = table_of({"q": ["a"] * 4 + ["b"] * 4, "s": [1, 1, 2, 2, 1, 2, 2, 2]}, quasi=["q"], sensitive=["s"])
    release = sf.publish(table, sf.TargetDistribution("group", groups="q", group_size=2), seed=1)
    false = with_target(release, target={"name": "table"})
    assert not sf.verify(false, promise=sf.PPrivate("table"))
