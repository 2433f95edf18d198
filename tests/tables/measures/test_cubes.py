from __future__ import annotations

import itertools
import json
import math
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.cli import run
from sfumato.ground.errors import DataError, ParameterError, SchemaError
from sfumato.tables.grouping.mondrian import Mondrian
from sfumato.tables.measures import cubes
from sfumato.tables.measures.cubes import cube_divergence, cube_value, group_by_divergences, shown_weights
from support.measured_tables import GRADES, LEAVES, ORDERED, make_table, number, published, read, releases
from support.measured_tables import tables as mixed_tables

FEW = settings(max_examples=60, deadline=None)


def domain_of(table, name):
    """The values that a cube has cells for, a missing one at the end."""
    present = set(table.frame[name].to_list())
    fixed = {"grade": GRADES, "country": LEAVES}.get(name)
    return [*(fixed or sorted(present - {None})), *([None] if None in present else [])]


def naive_shares(shown, name, table):
    """What a reader takes the values behind a cell to be, with their probabilities."""
    inside, missing = read(shown, name)
    domain = domain_of(table, name)
    if inside is None:
        return dict.fromkeys(domain, 1 / len(domain))
    present = [value for value in domain if value is not None]
    if name in ORDERED and inside:
        covered = [value for value in present if inside[0] <= number(value, name) <= inside[1]]
        if not covered:
            covered = [min(present, key=lambda value: (abs(number(value, name) - inside[0]), number(value, name)))]
        inside = covered
    if name == "job":
        inside, missing = [*inside, *([None] if missing else [])], False
    if not inside:
        return {None: 1.0}
    shares = dict.fromkeys(inside, (0.5 if missing else 1.0) / len(inside))
    return shares | ({None: 0.5} if missing else {})


def naive_divergence(table, frame, weights, value, columns, column="disease"):
    """Two whole cubes as dictionaries."""
    holders = table.frame.filter(pl.col(column) == value)
    true = Counter(holders.select(columns).rows())
    cells = list(itertools.product(*(domain_of(table, name) for name in columns)))
    estimate = dict.fromkeys(cells, 0.0)
    for row, weight in zip(frame.rows(named=True), weights, strict=True):
        shares = [naive_shares(row[name], name, table) for name in columns]
        for cell in itertools.product(*shares):
            if cell in estimate:
                estimate[cell] += weight * math.prod(s[v] for s, v in zip(shares, cell, strict=True))
    total = sum(weights)
    divergence = 0.0
    for cell, count in true.items():
        p = count / holders.height
        q = (1 - 1e-6) * estimate[cell] / total + 1e-6 / len(cells) if total else 1 / len(cells)
        divergence += p * math.log(p / q)
    return max(0.0, divergence)


def subsets(names):
    return [tuple(chosen) for level in range(1, len(names) + 1) for chosen in itertools.combinations(names, level)]


@FEW
@given(releases())
def test_every_group_by_agrees_with_two_whole_cubes(release):
    """Ranges, sets, nodes, means, modes and missing values; the sensitive column as it is published."""
    table, outcome, _ = release
    frame, forms = outcome.frame, outcome.public["forms"]
    value = cube_value(table, "disease")
    weights = shown_weights(table, frame, "disease")
    assert weights.tolist() == (frame["disease"] == value).to_list()
    found = group_by_divergences(table, frame, forms, weights, "disease")
    assert set(found) == set(subsets(list(forms)))
    for columns, divergence in found.items():
        assert divergence == pytest.approx(naive_divergence(table, frame, weights, value, list(columns)), abs=1e-9)


@FEW
@given(releases(), st.data())
def test_any_weights_and_any_value(release, data):
    """As a permuted release has them: probabilities, where no row need show the value."""
    table, outcome, _ = release
    value = data.draw(st.sampled_from(sorted(set(table.frame["disease"].to_list()))))
    n = outcome.frame.height
    weights = np.array(data.draw(st.lists(st.sampled_from([0.0, 0.25, 1 / 3, 1.0]), min_size=n, max_size=n)))
    for frame, forms in ((outcome.frame, outcome.public["forms"]), (table.frame, {})):
        found = group_by_divergences(table, frame, forms, weights, "disease", value, [1, len(table.schema.quasi)])
        for columns, divergence in found.items():
            naive = naive_divergence(table, frame, weights, value, list(columns))
            assert divergence == pytest.approx(naive, abs=1e-9)


@FEW
@given(mixed_tables())
def test_what_is_shown_as_it_is_diverges_by_the_smoothing_alone(table):
    weights = shown_weights(table, table.frame, "disease")
    exact = group_by_divergences(table, table.frame, {}, weights, "disease")
    assert all(0.0 <= divergence <= 1.01e-6 for divergence in exact.values())
    hidden = table.frame.with_columns(pl.lit("*").alias(name) for name in table.schema.quasi)
    nothing = group_by_divergences(
        table, hidden, dict.fromkeys(table.schema.quasi, "range"), weights, "disease"
    )  # fmt: skip
    for columns, divergence in nothing.items():
        assert divergence >= exact[columns] - 1e-12
        # a class that shows nothing is the uniform distribution: log of the cells, less the entropy of the truth
        cells = math.prod(len(domain_of(table, name)) for name in columns)
        holders = table.frame.filter(pl.col("disease") == cube_value(table, "disease"))
        shares = [count / holders.height for count in Counter(holders.select(columns).rows()).values()]
        assert divergence == pytest.approx(math.log(cells) + sum(p * math.log(p) for p in shares), abs=1e-9)


def test_levels_are_averages_and_maxima():
    columns = {
        "age": [20, 21, 22, 25, 31, 20], "income": [0.0, 0.5, 1.25, 7.0, 0.5, 0.5],
        "job": ["cook", "nurse", "smith", "cook", "nurse", "cook"], "disease": ["flu"] * 4 + ["ok"] * 2,
    }  # fmt: skip
    table = make_table(columns, ["age", "income", "job"])
    outcome = published(table, Mondrian(), 3)
    frame, forms = outcome.frame, outcome.public["forms"]
    weights = shown_weights(table, frame, "disease")
    each = group_by_divergences(table, frame, forms, weights, "disease")
    found = cube_divergence(table, frame, forms, weights, "disease")
    assert list(found) == [f"olap_kld_level_{i}{end}" for i in (1, 2, 3) for end in ("", "_max")]
    for level in (1, 2, 3):
        here = [divergence for names, divergence in each.items() if len(names) == level]
        assert found[f"olap_kld_level_{level}"] == pytest.approx(sum(here) / len(here))
        assert found[f"olap_kld_level_{level}_max"] == max(here)
    assert found.by_column["olap_kld_level_1"] == {name: each[name,] for name in ("age", "income", "job")}
    assert 0 < found["olap_kld_level_1"] < found["olap_kld_level_3"]
    some = cube_divergence(table, frame, forms, weights, "disease", levels=[3, 1, 3])
    assert list(some) == ["olap_kld_level_1", "olap_kld_level_1_max", "olap_kld_level_3", "olap_kld_level_3_max"]
    assert some["olap_kld_level_3"] == found["olap_kld_level_3"]
    assert not any("flu" in note for note in found.notes)
    with_value = cube_divergence(table, frame, forms, weights, "disease", "flu")
    assert dict(with_value) == dict(found)
    assert not any("flu" in note for note in with_value.notes)


def test_a_mean_counts_as_the_nearest_value():
    table = sf.Table(pl.DataFrame({"n": [1, 4, 4, 9], "s": ["u"] * 4}), sf.Schema(quasi=["n"], sensitive=["s"]))
    shown = pl.DataFrame({"n": [2.4, 2.6, 6.5, 11.0], "s": ["u"] * 4})  # 1, 4, 4 (as near as 9) and 9
    found = cube_divergence(table, shown, {"n": "value"}, np.ones(4), "s")
    assert found["olap_kld_level_1"] == pytest.approx(0.0, abs=1e-6)
    assert any("nearest" in note for note in found.notes)


def test_a_set_spreads_over_its_members_alone():
    frame = pl.DataFrame({"c": list("aabbccdd"), "s": ["u"] * 8})
    table = sf.Table(frame, sf.Schema(quasi=["c"], sensitive=["s"]))
    shown = pl.DataFrame({"c": ["{a, d}"] * 4 + ["{b, c}"] * 4, "s": ["u"] * 8})
    assert cube_divergence(table, shown, {"c": "set"}, np.ones(8), "s")["olap_kld_level_1"] < 1e-6
    wrong = pl.DataFrame({"c": ["{a, b, c}"] * 8, "s": ["u"] * 8})
    q = (1 - 1e-6) / 3 + 1e-6 / 4
    expected = 0.75 * math.log(0.25 / q) + 0.25 * math.log(0.25 / (1e-6 / 4))
    assert cube_divergence(table, wrong, {"c": "set"}, np.ones(8), "s")["olap_kld_level_1"] == pytest.approx(expected)


# -- tables that are large --------------------------------------------------------------------------------


def wide(n=400, d=9, n_values=1000):
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({f"q{i}": rng.integers(0, n_values, n) for i in range(d)})
    frame = frame.with_columns(pl.Series("s", rng.choice(["u", "v"], n)))
    return sf.Table(frame, sf.Schema(quasi=frame.columns[:d], sensitive=["s"]))


def test_no_cube_is_built():
    """10**27 cells; levels 1 to 3 unless asked."""
    table = wide()
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=1)
    weights = shown_weights(table, release.data.frame, "s")
    found = cube_divergence(table, release.data.frame, release.forms, weights, "s")
    assert [name for name in found if not name.endswith("_max")] == [f"olap_kld_level_{i}" for i in (1, 2, 3)]
    fine = cube_divergence(table, release.data.frame, release.forms, weights, "s", levels=[9])
    assert fine["olap_kld_level_9"] == fine["olap_kld_level_9_max"] > found["olap_kld_level_3"]


def test_of_too_many_group_bys_some_are_drawn():
    table = wide(60, 12, 5)
    whole = group_by_divergences(table, table.frame, {}, np.ones(60), "s", levels=[2])
    assert len(whole) == math.comb(12, 2)
    drawn = group_by_divergences(table, table.frame, {}, np.ones(60), "s", levels=[4])
    assert len(drawn) == 200
    assert drawn == group_by_divergences(table, table.frame, {}, np.ones(60), "s", levels=[4])
    found = cube_divergence(table, table.frame, {}, np.ones(60), "s", levels=[2, 4])
    assert "olap_kld_level_4: 200 of 495 group-bys, drawn at random" in found.notes
    assert not any("level_2" in note for note in found.notes)


def test_where_it_takes_too_long_some_records_are_looked_up(monkeypatch):
    table = wide(4000, 3, 12)
    release = sf.publish(table, sf.Hilbert(), sf.KAnonymity(5), seed=1)
    frame, forms = release.data.frame, release.forms
    weights = shown_weights(table, frame, "s")
    whole = cube_divergence(table, frame, forms, weights, "s")
    assert not any("looked up" in note for note in whole.notes)
    monkeypatch.setattr(cubes, "_MOST_STEPS", 60_000)
    part = cube_divergence(table, frame, forms, weights, "s")
    assert any("records looked up" in note for note in part.notes)
    assert dict(part) == dict(cube_divergence(table, frame, forms, weights, "s"))
    assert dict(part) != dict(whole)
    for name, value in whole.items():
        assert part[name] == pytest.approx(value, rel=0.25, abs=0.02)
    monkeypatch.setattr(cubes, "_MOST_STEPS", 1)
    assert any("looked up" in note for note in cube_divergence(table, frame, forms, weights, "s").notes)


# -- through the doors ------------------------------------------------------------------------------------


def patients(n=120):
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({
        "age": rng.integers(20, 50, n), "sex": rng.choice(["f", "m"], n), "zip": rng.integers(0, 9, n),
        "disease": rng.choice(["flu", "gout", "ulcer", "asthma"], n, p=[0.3, 0.25, 0.25, 0.2]),
    })  # fmt: skip
    return sf.Table(frame, sf.Schema(quasi=["age", "sex", "zip"], sensitive=["disease"]))


def test_measure_takes_levels():
    table = patients()
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=1)
    assert not any(name.startswith("olap") for name in sf.measure(release))
    found = sf.measure(release, olap_levels=(1, 3))
    frame = release.data.frame
    naive = naive_by_hand(table, frame, shown_weights(table, frame, "disease"))
    assert found["olap_kld_level_3"] == pytest.approx(naive)
    assert found.figure("olap_kld_level_1").group == "utility"
    assert "olap_kld_level_2" not in found
    coarse = sf.measure(sf.publish(table, sf.Mondrian(), sf.KAnonymity(60), seed=1), olap_levels=[3])
    assert coarse["olap_kld_level_3"] > found["olap_kld_level_3"]


def naive_by_hand(table, frame, weights):
    """The finest group-by of `patients`, whose cells are whole numbers, ranges and sets of two."""
    value = cube_value(table, "disease")
    names = ["age", "sex", "zip"]
    domains = [sorted(set(table.frame[name].to_list())) for name in names]

    def covered(shown, domain):
        if isinstance(shown, str) and shown.startswith("["):
            low, high = map(int, shown[1:-1].split(", "))
            return [v for v in domain if low <= v <= high]
        if isinstance(shown, str) and shown.startswith("{"):
            return shown[1:-1].split(", ")
        return [type(domain[0])(shown)]

    holders = table.frame.filter(pl.col("disease") == value)
    n_cells = math.prod(map(len, domains))
    divergence = 0.0
    shown = [
        [covered(cell, domain) for cell, domain in zip(row, domains, strict=True)] for row in frame.select(names).rows()
    ]
    for cell, count in Counter(holders.select(names).rows()).items():
        q = sum(
            weight * all(v in inside for v, inside in zip(cell, row, strict=True)) / math.prod(map(len, row))
            for row, weight in zip(shown, weights, strict=True)
        ) / sum(weights)
        p = count / holders.height
        divergence += p * math.log(p / ((1 - 1e-6) * q + 1e-6 / n_cells))
    return divergence


def test_two_tables_are_estimated_by_group():
    table = patients()
    release = sf.publish(table, sf.Mondrian(show="permutation"), sf.LDiversity(2), seed=1)
    found = sf.measure(release, olap_levels=(1, 2, 3))
    value = cube_value(table, "disease")
    frame, listed = release.data.frame, release.files["sensitive"]
    sizes = Counter(frame["group"].to_list())
    count = {row["group"]: row["count"] for row in listed.rows(named=True) if row["disease"] == value}
    weights = [count.get(group, 0) / sizes[group] for group in frame["group"].to_list()]
    assert found["olap_kld_level_3"] == pytest.approx(naive_by_hand(table, frame, weights))
    ranges = sf.measure(sf.publish(table, sf.Mondrian(), sf.LDiversity(2), seed=1), olap_levels=(3,))
    assert found["olap_kld_level_3"] < ranges["olap_kld_level_3"]
    assert not any("nearest" in note for note in found.notes)


def test_the_command_takes_levels(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table = patients()
    table.frame.write_csv("patients.csv")
    (tmp_path / "schema.toml").write_text(table.schema.to_toml())
    sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=1).save("out", report=False)
    command = ["measure", "out", "patients.csv", "--schema", "schema.toml", "--json"]
    assert run([*command, "--olap", "1, 2"]) == 0
    values = json.loads(capsys.readouterr().out)["values"]
    assert values["olap_kld_level_2"] == pytest.approx(
        sf.measure(sf.load_release("out"), table, olap_levels=(2,))["olap_kld_level_2"]
    )
    assert "olap_kld_level_3" not in values
    assert run([*command, "--olap", "two"]) == 2
    assert "--olap takes whole numbers" in capsys.readouterr().err


def test_what_cannot_be_measured():
    table = patients()
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=1)
    frame, forms = release.data.frame, release.forms
    weights = shown_weights(table, frame, "disease")
    for levels in ([0], [4], [1.5], [True]):
        with pytest.raises(ParameterError, match="levels of the cube go from 1 to 3"):
            cube_divergence(table, frame, forms, weights, "disease", levels=levels)
    with pytest.raises(ParameterError, match="one entry for each of 120 rows"):
        cube_divergence(table, frame, forms, weights[1:], "disease")
    for wrong in (-1.0, math.nan):
        with pytest.raises(ParameterError, match="must be probabilities"):
            cube_divergence(table, frame, forms, np.full(120, wrong), "disease")
    with pytest.raises(ParameterError, match="does not hold the value") as caught:
        cube_divergence(table, frame, forms, weights, "disease", "measles")
    assert "measles" not in str(caught.value)
    with pytest.raises(SchemaError, match="no column is called 'diseases'; did you mean 'disease'"):
        cube_divergence(table, frame, forms, weights, "diseases")
    with pytest.raises(SchemaError, match="'disease' is not published"):
        shown_weights(table, frame.drop("disease"), "disease")
    with pytest.raises(DataError, match="'disease' is published as Int64, which cannot hold"):
        shown_weights(table, frame.with_columns(pl.lit(1, pl.Int64).alias("disease")), "disease")
    with pytest.raises(ParameterError, match="'age', which is not published as it is"):
        sf.measure(release, label="age", olap_levels=[1])
    bare = table.with_schema(sf.Schema(quasi=["age", "sex", "zip"], rest="plain"))
    with pytest.raises(ParameterError, match="no column is sensitive; name one with label"):
        sf.measure(sf.publish(bare, sf.Mondrian(), sf.KAnonymity(5)), olap_levels=[1])
    plain = sf.measure(sf.publish(bare, sf.Mondrian(), sf.KAnonymity(5), seed=1), label="disease", olap_levels=[1])
    assert plain["olap_kld_level_1"] == pytest.approx(sf.measure(release, olap_levels=[1])["olap_kld_level_1"])
    ages = table.with_schema(sf.Schema(quasi=["age"], sensitive=["disease"]))
    drawn = sf.publish(ages, sf.AdditiveNoise(scale=0.1))
    with pytest.raises(ParameterError, match="values drawn anew; leave olap_levels out"):
        sf.measure(drawn, olap_levels=[1])


def test_nothing_to_count(tmp_path):
    table = patients()
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=1)
    release.save(tmp_path / "out", report=False)
    with pytest.raises(ParameterError, match="compares with the original; give it"):
        sf.measure(sf.load_release(tmp_path / "out"), olap_levels=[1])
    lacking = sf.Table(table.frame.with_columns(pl.lit(None, pl.String).alias("note")), sf.Schema(plain=["note"]))
    with pytest.raises(ParameterError, match="holds no value to count"):
        cube_value(lacking, "note")
    unseen = cube_divergence(table, release.data.frame, release.forms, np.zeros(120), "disease", levels=[1])
    by_column = unseen.by_column["olap_kld_level_1"]
    holders = table.frame.filter(pl.col("disease") == cube_value(table, "disease"))
    shares = [count / holders.height for count in Counter(holders["sex"].to_list()).values()]
    assert by_column["sex"] == pytest.approx(sum(p * math.log(2 * p) for p in shares))
