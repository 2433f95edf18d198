"""Counts with noise: which cells are published, with what noise, and what is refused."""

import copy
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from scipy.stats import chisquare

import sfumato as sf
from sfumato.ground.discrete_laplace import half_width, upper_tail
from sfumato.ground.errors import ParameterError, SchemaError, SfumatoError
from sfumato.published.shape import shape_of
from sfumato.tables.counting.noisy_counts import _least_scale, _least_threshold
from support.counted_tables import TRUE, counted, people

EMPTY = sf.Table(pl.DataFrame({"key": ["nobody"]}), sf.Schema(quasi=["key"]))


def noise_of(n, epsilon):
    """So many draws: the counts of keys that no record has."""
    pytest.importorskip("opendp")
    keys = [f"k{i}" for i in range(n)]
    release = sf.publish(EMPTY, sf.NoisyCounts(by=["key"], values={"key": keys}, epsilon=epsilon))
    return release.to_polars()["count"].to_numpy()[:-1]


def fit(draws, scale):
    """The p-value of chi-square: draws against the discrete Laplace law, tails joined."""
    far = next(t for t in range(200) if upper_tail(scale, t + 1) * len(draws) < 20)
    seen = [
        int((draws <= -far).sum()),
        *(int((draws == z).sum()) for z in range(-far + 1, far)),
        int((draws >= far).sum()),
    ]
    inner = [upper_tail(scale, abs(z)) - upper_tail(scale, abs(z) + 1) for z in range(-far + 1, far)]
    law = [upper_tail(scale, far), *inner, upper_tail(scale, far)]
    law[far] = 1 - 2 * upper_tail(scale, 1)
    return chisquare(seen, len(draws) * np.array(law) / sum(law)).pvalue


def test_cells_are_the_public_keys_and_everything_else():
    release = counted(epsilon=50)  # next to no noise
    frame = release.to_polars()
    assert frame.columns == ["sex", "region", "count", "low", "high"]
    assert {(s, r): n for s, r, n in frame.select("sex", "region", "count").rows()} == {
        **TRUE, ("everything else", "everything else"): 7
    }  # fmt: skip
    assert release.verdict.word == "declared"
    assert repr(release.promise) == "DifferentialPrivacy(epsilon=50)"
    assert len(release.owner.rows) == 0


def test_several_marginals_are_in_one_table():
    release = counted(by=[["sex"], ["region"], []], epsilon=90)
    assert release.to_polars().select("sex", "region", "count").rows() == [
        ("f", "*", 44), ("m", "*", 7), ("everything else", "*", 5),
        ("*", "north", 24), ("*", "south", 30), ("*", "everything else", 2), ("*", "*", 56),
    ]  # fmt: skip
    scales = [each["scale"] for each in release.public["noisy_counts"]["marginals"]]
    assert sum(1 / Fraction(each) for each in scales) <= 90
    assert scales == pytest.approx([1 / 30] * 3)


def test_bins_hold_their_lower_edge_and_the_last_its_upper_one():
    release = counted(by=["age"], values=None, bins={"age": [20, 31, 90]}, epsilon=50)
    age = people().frame["age"]
    expected = [int((age < 31).sum()), int(((age >= 31) & (age <= 90)).sum()), 1]
    assert release.to_polars()["age"].to_list() == ["[20, 31)", "[31, 90]", "everything else"]
    assert release.to_polars()["count"].to_list() == expected


def test_a_hierarchy_or_an_order_of_the_schema_is_public_and_a_fitted_one_is_not():
    pytest.importorskip("opendp")
    frame = people().frame.drop("id")
    tree = sf.Hierarchy.from_paths([["f", "*"], ["m", "*"], ["d", "*"]])
    written = sf.Table(frame, sf.Schema(quasi=["sex"], hierarchies={"sex": tree}))
    release = sf.publish(written, sf.NoisyCounts(by=["sex"], epsilon=50))
    assert release.to_polars()["sex"].to_list() == ["f", "m", "d", "everything else"]
    ordered = sf.Table(frame, sf.Schema.of([sf.Column(name="region", role="quasi", order=("south", "north"))]))
    release = sf.publish(ordered, sf.NoisyCounts(by=["region"], epsilon=50))
    assert release.to_polars()["region"].to_list() == ["south", "north", "everything else"]
    fitted = sf.Table(frame, sf.Schema(quasi=["sex"], hierarchies={"sex": sf.Hierarchy.automatic(frame["sex"])}))
    with pytest.raises(ParameterError, match="column 'sex' may have is not public"):
        sf.publish(fitted, sf.NoisyCounts(by=["sex"]))


def test_a_fitted_hierarchy_is_never_public_whatever_the_data():
    """Or one record more or less would decide whether something is published."""
    pytest.importorskip("opendp")
    frame = pl.DataFrame({"dep": ["cardio", "onco", "neuro"] * 30 + ["leprosy"]})
    fitted = sf.Hierarchy.automatic(frame["dep"])
    loaded = sf.Hierarchy.from_dict(fitted.to_dict())
    assert (loaded, loaded.fitted) == (fitted, True)
    for given in (frame, frame.head(90), frame.head(1)):
        for hierarchy in (fitted, loaded, copy.deepcopy(fitted)):
            table = sf.Table(given, sf.Schema(quasi=["dep"], hierarchies={"dep": hierarchy}))
            for each in (table, table.with_schema(table.schema)):
                with pytest.raises(ParameterError, match="column 'dep' may have is not public"):
                    sf.publish(each, sf.NoisyCounts(by=["dep"]))
    written = sf.Hierarchy.from_paths(fitted.paths)
    table = sf.Table(frame, sf.Schema(quasi=["dep"], hierarchies={"dep": written}))
    assert len(sf.publish(table, sf.NoisyCounts(by=["dep"])).to_polars()) == 5


def test_values_are_known_by_their_text():
    pytest.importorskip("opendp")
    table = sf.Table(pl.DataFrame({"n": [1, 1, 2], "yes": [True, False, True]}), sf.Schema(rest="plain"))
    release = sf.publish(table, sf.NoisyCounts(by=["n", "yes"], values={"n": [1, 2], "yes": [True, False]}, epsilon=60))
    assert release.to_polars()["count"].to_list() == [1, 1, 1, 0, 0]


# -- keys that are not public ----------------------------------------------------------------------------------------


def test_keys_found_in_the_data_are_not_published_without_delta():
    for by in (["sex"], ["region", "sex"], ["age"]):
        with pytest.raises(ParameterError, match="is not public, and a list of those found would tell who is there"):
            sf.publish(people(), sf.NoisyCounts(by=by, values={"sex": ["f"]} if "region" in by else None))


def test_with_delta_frequent_keys_are_published_and_rare_ones_are_not():
    release = counted(by=["sex", "region"], values={"sex": ["f", "m"]}, epsilon=20, delta=1e-6)
    [marginal] = release.public["noisy_counts"]["marginals"]
    assert 1 <= marginal["threshold"] <= 3
    assert release.to_polars().select("sex", "region", "count").rows() == [
        ("everything else", "everything else", 7), ("f", "north", 12), ("f", "south", 30), ("m", "north", 7)
    ]  # fmt: skip
    rare = counted(by=["age"], values=None, epsilon=1, delta=1e-9)
    assert rare.to_polars().height == 0
    assert rare.verdict.word == "declared"


def test_a_key_of_one_record_is_shown_as_often_as_delta_says():
    pytest.importorskip("opendp")
    n = 40_000
    table = sf.Table(pl.DataFrame({"key": [f"k{i}" for i in range(n)]}), sf.Schema(quasi=["key"]))
    release = sf.publish(table, sf.NoisyCounts(by=["key"], epsilon=1, delta=0.02))
    _, delta = shape_of(release).cells.spent("added or removed")
    assert 0.005 < delta <= 0.02
    assert release.to_polars().height / n == pytest.approx(delta, abs=6 * (delta / n) ** 0.5)


@pytest.mark.parametrize(("scale", "delta"), [(1.0, 1e-6), (2.0, 1e-3), (0.05, 0.2), (300.0, 1e-9), (1.0, 0.9)])
def test_the_threshold_is_the_least(scale, delta):
    threshold = _least_threshold(scale, delta)
    assert upper_tail(scale, threshold - 1) <= delta
    assert threshold == 1 or upper_tail(scale, threshold - 2) > delta * (1 - 1e-8)


# -- noise -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [1.0, 0.4])
def test_noise_follows_the_discrete_laplace_law(epsilon):
    draws = noise_of(20_000, epsilon)
    assert fit(draws, 1 / epsilon) > 1e-6
    assert fit(draws, 1.3 / epsilon) < 1e-6
    assert fit(draws, 1 / 1.3 / epsilon) < 1e-6


def test_intervals_cover_one_count_and_sums_of_counts():
    draws = noise_of(20_000, 0.5)
    for n in (1, 5, 40):
        sums = draws.reshape(-1, n).sum(axis=1)
        covered = float((np.abs(sums) <= half_width(2.0, n)).mean())
        assert covered >= 0.95 - 4 * (0.05 * 0.95 / len(sums)) ** 0.5


def test_negative_counts_stay_and_intervals_stand_beside_them():
    draws = noise_of(500, 0.5)
    assert draws.min() < 0
    frame = counted(epsilon=0.5).to_polars()
    assert (frame["count"] - frame["low"]).to_list() == [6] * 5
    assert (frame["high"] - frame["count"]).to_list() == [6] * 5


def test_changed_records_take_twice_the_noise():
    scales = [
        counted(neighbours=neighbours, epsilon=0.8).public["noisy_counts"]["marginals"][0]["scale"]
        for neighbours in ("added or removed", "changed")
    ]
    assert scales == pytest.approx([1.25, 2.5])


@pytest.mark.parametrize("epsilon", [1, 0.1, 0.3, 1 / 3, 1e-6, 99.99])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 30])
def test_the_scale_is_the_least_that_spends_no_more(epsilon, n):
    exact = Fraction(str(epsilon))
    scale = _least_scale(exact, n)
    assert Fraction(n) / Fraction(scale) <= exact
    assert Fraction(n) / Fraction(float(np.nextafter(scale, 0))) > exact or float(n / exact) == scale


def test_no_two_runs_are_alike_and_no_seed_repeats_one():
    runs = {tuple(counted(epsilon=0.01).to_polars()["count"]) for _ in range(3)}
    assert len(runs) == 3
    with pytest.raises(ParameterError, match="no seed repeats; leave seed out"):
        sf.publish(people(), sf.NoisyCounts(by=["sex"], values={"sex": ["f"]}), seed=1)


# -- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("given", "said"), [
    ({"by": "sex"}, "by must be a list of columns"), ({"by": [["sex"], "age"]}, "or a list of such lists"),
    ({"by": ["sex", "sex"]}, "twice"), ({"by": [["sex"], ["sex"]]}, "its budget is spent twice"),
    ({"epsilon": 0}, "epsilon must be"), ({"epsilon": float("nan")}, "epsilon must be"), ({"epsilon": -1}, "epsilon must be"),
    ({"delta": 1}, "delta must be"), ({"neighbours": "added"}, "neighbours must be one of"),
    ({"values": {"sex": ["f", "f"]}}, "the values of 'sex' list 'f' twice; list each once"),
    ({"values": {"sex": []}}, "an empty list"), ({"values": {"sex": "fm"}}, "must be a list"), ({"values": ["f"]}, "by column"),
    ({"values": {"sex": ["*"]}}, "has a meaning of its own"), ({"values": {"town": ["a"]}}, "which is not counted by"),
    ({"bins": {"sex": [3]}}, "two or more rising numbers"), ({"bins": {"sex": [3, 1]}}, "two or more rising numbers"),
    ({"bins": {"sex": [0, float("nan")]}}, "rising numbers"), ({"values": {"sex": ["f"]}, "bins": {"sex": [1, 2]}}, "values and bins"),
])  # fmt: skip
def test_bad_parameters(given, said):
    with pytest.raises(ParameterError, match=said) as error:
        sf.NoisyCounts(**{"by": ["sex"], **given})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("given", "said"), [
    ({"by": ["sexx"], "values": {"sexx": ["f"]}}, "no column 'sexx'; did you mean 'sex'?"),
    ({"by": ["age"]}, r"bins=\{'age'"), ({"by": ["region"]}, r"values=\{'region'"),
    ({"by": ["id"], "values": {"id": ["1"]}}, "is an identifier"), ({"by": ["sex"], "bins": {"sex": [0, 1]}}, "holds no numbers"),
    ({"by": ["age", "id"], "bins": {"age": [0, 9]}, "values": {"id": ["1"]}}, "is an identifier"),
])  # fmt: skip
def test_tables_that_cannot_be_counted_so(given, said):
    with pytest.raises((ParameterError, SchemaError), match=said):
        sf.publish(people(), sf.NoisyCounts(**given))


def test_too_many_cells_are_refused():
    keys = {name: [str(i) for i in range(2_000)] for name in ("sex", "region")}
    with pytest.raises(ParameterError, match="have 4,000,000 cells, and 1,000,000 are the most"):
        sf.publish(people(), sf.NoisyCounts(by=["sex", "region"], values=keys))


def test_columns_may_not_be_called_as_the_numbers_are():
    table = sf.Table(pl.DataFrame({"count": ["a"]}), sf.Schema(rest="plain"))
    with pytest.raises(SchemaError, match="column 'count' is called as a number of the result is"):
        sf.publish(table, sf.NoisyCounts(by=["count"], values={"count": ["a"]}))


def test_persons_with_several_rows_are_refused():
    twice = sf.Table(pl.concat([people().frame, people().frame]), people().schema)
    with pytest.raises(SfumatoError, match="rows are not persons"):
        sf.publish(twice, sf.NoisyCounts(by=["sex"], values={"sex": ["f"]}))


def test_rows_that_lack_a_value_are_counted_and_must_be_persons_too():
    frame = people().frame.with_columns(pl.col("region").fill_null("north").alias("place"))
    schema = sf.Schema(identifier=["id"], quasi=["sex", "region"], missing="withhold")
    table = sf.Table(frame, schema)
    assert len(table.complete) == 54
    twice = sf.Table(pl.concat([frame, frame.filter(pl.col("region").is_null())]), schema)
    with pytest.raises(SfumatoError, match="'id' repeats in rows that lack a value, which are counted too"):
        sf.publish(twice, sf.NoisyCounts(by=["sex"], values={"sex": ["f"]}))
    pytest.importorskip("opendp")
    assert sf.publish(table, sf.NoisyCounts(by=[], epsilon=50)).to_polars()["count"].to_list() == [56]


def test_other_promises_are_refused_and_stronger_ones_are_broken():
    with pytest.raises(ParameterError, match="NoisyCounts keeps DifferentialPrivacy alone, not KAnonymity"):
        sf.publish(people(), sf.NoisyCounts(by=["sex"], values={"sex": ["f"]}), sf.KAnonymity(5))
    pytest.importorskip("opendp")
    method = sf.NoisyCounts(by=["sex"], values={"sex": ["f"]}, epsilon=1)
    assert sf.publish(people(), method, sf.DifferentialPrivacy(2, neighbours="changed")).verdict.word == "declared"
    with pytest.raises(SfumatoError, match="epsilon 2, recomputed from the published scale: more than is promised"):
        sf.publish(people(), method, sf.DifferentialPrivacy(1, neighbours="changed"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"bins": {"n": [0, 10**30]}}, "the bins of 'n' must be two or more rising numbers"),
        ({"values": {"n": ["a\ud800"]}}, "which no file can hold"),
    ],
)
def test_keys_that_cannot_be_written_are_refused_in_a_sentence(given, said):
    with pytest.raises(ParameterError, match=said):
        sf.NoisyCounts(by=["n"], **given)


def test_lists_are_not_counted_by():
    pytest.importorskip("opendp")
    table = sf.Table(pl.DataFrame({"l": [[1], [2]], "s": [{"a": 1}, {"a": 2}]}), sf.Schema(rest="plain"))
    for name in ("l", "s"):
        for given in ({"delta": 1e-3}, {"values": {name: ["[1]"]}}):
            with pytest.raises(SchemaError, match="holds lists or objects"):
                sf.publish(table, sf.NoisyCounts(by=[name], **given))
