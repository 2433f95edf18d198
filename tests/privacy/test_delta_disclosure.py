"""Delta-disclosure privacy against its definition, on random classes and on what every class-forming method publishes."""

import math
from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.cli import run
from sfumato.datasets import hospital
from sfumato.ground.errors import ParameterError
from sfumato.privacy.promise import promise_from_dict


def largest_change(classes, values):
    """The largest |ln(q / p)| over all classes and values, by the definition; infinite where a class lacks a value."""
    whole, by_class = Counter(values), defaultdict(list)
    for each, value in zip(classes, values, strict=True):
        by_class[each].append(value)
    return max(
        (abs(math.log(counts[v] / len(own) * len(values) / whole[v])) if (counts := Counter(own))[v] else math.inf)
        for own in by_class.values()
        for v in whole
    )  # fmt: skip


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abc")), min_size=1, max_size=25), st.floats(0.01, 4.0))
def test_the_check_is_the_definition(rows, delta):
    classes, values = zip(*rows, strict=True)
    frame = pl.DataFrame({"age": classes, "disease": values})
    found = sf.verify(frame, promise=sf.DeltaDisclosure(delta), quasi=["age"], sensitive=["disease"])
    most = largest_change(classes, values)
    if abs(most - delta) > 1e-6:
        assert found.holds == (most < delta)


def test_a_value_that_a_class_lacks_breaks_it():
    frame = pl.DataFrame({"age": [1, 1, 2, 2, 2], "disease": ["flu", "hiv", "flu", "flu", "flu"]})
    verdict = sf.verify(frame, promise=sf.DeltaDisclosure(20), quasi=["age"], sensitive=["disease"])
    assert verdict.word == "broken"
    assert "1 of them lacks a value that others hold" in verdict.found[0]
    assert "age=2" in verdict.broken[0]


def test_missing_values_are_values():
    frame = pl.DataFrame({"age": [1, 1, 2, 2], "disease": ["flu", None, "flu", "flu"]})
    promise = sf.DeltaDisclosure(3)
    assert not sf.verify(frame, promise=promise, quasi=["age"], sensitive=["disease"])
    same = frame.with_columns(disease=pl.Series([None, "flu", "flu", None]))
    assert sf.verify(same, promise=promise, quasi=["age"], sensitive=["disease"])


@pytest.mark.parametrize("side", [1, -1])
def test_shares_next_to_the_bound_are_told_apart(side):
    """Of 2,000 records 1,000 have the value; in a class of 1,000 it is c, and |ln(c / 500)| straddles delta."""
    values = ["a"] * 700 + ["b"] * 300 + ["a"] * 300 + ["b"] * 700
    frame = pl.DataFrame({"age": [1] * 1000 + [2] * 1000, "disease": values})
    change = max(math.log(700 / 500), -math.log(300 / 500))
    promise = sf.DeltaDisclosure(change * (1 + side * 1e-6))
    verdict = sf.verify(frame, promise=promise, quasi=["age"], sensitive=["disease"])
    assert verdict.holds == (side > 0)


TABLE = sf.Table(
    hospital(900, seed=2).frame.select("age", "sex", "marital", "smoker", "department").drop_nulls(),
    sf.Schema(
        quasi=["age", "sex", "marital"], sensitive=["smoker", "department"], kinds={"marital": "category"},
        hierarchies={"marital": hospital(5).schema.column("marital").hierarchy},
    ),
)  # fmt: skip
METHODS = [
    sf.Mondrian(), sf.Mondrian(strict=False), sf.Hilbert(), sf.Hilbert(fast=True), sf.Hilbert(polish=True),
    sf.IDistance(centres=16), sf.Ordered(trials=2), sf.LocalRecoding(), sf.CellSuppression(),
    sf.BestFirst(), sf.BestFirst(max_suppressed=0.05), sf.Samarati(), sf.Incognito(), sf.Condensation(),
    sf.Hilbert(show="permutation"), sf.Mondrian(show="condensed"),
]  # fmt: skip


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize("delta", [0.7, 2.0])
def test_methods_that_form_classes_keep_it(method, delta):
    release = sf.publish(TABLE, method, sf.DeltaDisclosure(delta), seed=1)
    assert sf.verify(release, TABLE).word == "holds"
    assert release.verdict.reached[f"DeltaDisclosure({delta:g})"] < delta
    if "group" not in release.data.columns and not release.owner.files:
        shown = release.data.frame.select(pl.concat_str(pl.col("age", "sex", "marital").cast(pl.String), separator="|"))
        for name in ("smoker", "department"):
            assert largest_change(shown.to_series().to_list(), release.data.frame[name].to_list()) < delta


def test_a_smaller_delta_costs_more():
    lost = [sf.measure(sf.publish(TABLE, sf.Mondrian(), sf.DeltaDisclosure(d), seed=1))["gcp"] for d in (3.0, 1.0, 0.3)]
    assert lost == sorted(lost)
    assert lost[0] < lost[-1]


def test_one_column_may_be_named():
    release = sf.publish(TABLE, sf.Mondrian(), sf.DeltaDisclosure(0.5, columns=("smoker",)), seed=1)
    assert sf.verify(release).found[0].endswith(f"on 'smoker' in {sf.measure(release)['n_classes']:,.0f} classes")
    assert not sf.verify(release, promise=sf.DeltaDisclosure(0.5)).holds


@pytest.mark.parametrize("delta", [0, -1, 31, float("nan"), float("inf"), "1", True, None])
def test_what_is_no_delta_is_refused(delta):
    with pytest.raises(ParameterError, match="delta must be a number from 1e-06 to 30"):
        sf.DeltaDisclosure(delta)


def test_words_recipe_and_option(tmp_path, capsys):
    promise = sf.KAnonymity(5) & sf.DeltaDisclosure(1.5)
    assert promise_from_dict(promise.to_dict()) == promise
    assert "less than 4.482 times" in promise.parts[1].in_words(["age"], ["smoker"])
    TABLE.frame.write_csv(tmp_path / "data.csv")
    (tmp_path / "schema.toml").write_text(TABLE.schema.to_toml())
    words = ["publish", str(tmp_path / "data.csv"), "--schema", str(tmp_path / "schema.toml"), "--delta", "1.5"]
    assert run([*words, "-o", str(tmp_path / "out")]) == 0
    assert "DeltaDisclosure(1.5)" in capsys.readouterr().out
    assert run(["verify", str(tmp_path / "out"), "--delta", "0.01"]) == 1
    page = (tmp_path / "out" / "report.html").read_text()
    assert "keeps its promise of 1.5-disclosure privacy" in page


def test_strictly_below_delta():
    """ln 2 has no fraction: a class that doubles a share breaks any delta below it and keeps any above."""
    frame = pl.DataFrame({"age": [1] * 4 + [2] * 8, "d": ["x", "x", "y", "y"] + ["x"] * 1 + ["y"] * 7})
    change = largest_change(frame["age"].to_list(), frame["d"].to_list())
    for delta, holds in ((np.nextafter(change, 9), None), (change + 1e-6, True), (change - 1e-6, False)):
        verdict = sf.verify(frame, promise=sf.DeltaDisclosure(float(delta)), quasi=["age"], sensitive=["d"])
        assert holds is None or verdict.holds == holds
