"""PRAM: the matrix that is published is the one that was used, and undoes its own bias."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.contracts.method import method_from_dict
from sfumato.ground.errors import DataError, ParameterError, SchemaError
from sfumato.tables.perturbing.pram import invariant_matrix
from support.changed_tables import drawn, people, saved, with_frame, with_public

FEW = settings(max_examples=60, deadline=None)


def matrix_of(release, name):
    said = release.public["pram"]["columns"][name]
    return said["categories"], np.array(said["matrix"])


@FEW
@given(st.lists(st.integers(1, 500), min_size=2, max_size=12), st.floats(0.55, 0.99))
def test_invariant_matrices_leave_the_frequencies(counts, keep):
    shares = np.array(counts) / sum(counts)
    m = len(counts)
    plain = np.full((m, m), (1 - keep) / (m - 1))
    np.fill_diagonal(plain, keep)
    made = invariant_matrix(plain, shares)
    assert made.sum(axis=1) == pytest.approx(np.ones(m))
    assert (made > 0).all()
    assert shares @ made == pytest.approx(shares)
    back = np.array([[plain[a, b] * shares[a] for a in range(m)] for b in range(m)])  # Bayes, by hand
    assert made == pytest.approx(plain @ (back / back.sum(axis=1, keepdims=True)))


@pytest.mark.parametrize("invariant", [True, False])
def test_values_change_as_the_matrix_says(invariant):
    table = people(20_000)
    release = sf.publish(table, sf.PRAM(0.7, invariant=invariant), seed=1)
    own = table.frame[release.owner.rows.tolist()]
    assert list(release.forms) == ["edu", "sex"]
    for name in ("edu", "sex"):
        categories, matrix = matrix_of(release, name)
        assert categories == sorted(table.frame[name].unique())
        if not invariant:
            assert np.diag(matrix) == pytest.approx(0.7)
        seen = pl.DataFrame({"a": own[name], "b": release.data.frame[name]}).group_by("a", "b").len()
        total = dict(own[name].value_counts().iter_rows())
        for a, b, count in seen.iter_rows():
            p, n = matrix[categories.index(a), categories.index(b)], total[a]
            assert abs(count - n * p) < 5 * np.sqrt(n * p * (1 - p)) + 1, (name, a, b)
    joint = release.data.frame.filter((own["edu"] == "low") & (own["sex"] == "f"))  # columns change independently
    both = joint.filter((pl.col("edu") != "low") & (pl.col("sex") != "f")).height / joint.height
    once = [(joint[name] != value).mean() for name, value in (("edu", "low"), ("sex", "f"))]
    assert both == pytest.approx(once[0] * once[1], abs=0.02)


def coverage(method, asked, repeats=300, n=400):
    """How often the 95% intervals hold the truth, and the average of the estimates, over many draws."""
    table = people(n, 5)
    truth = {key: count for *key, count in table.frame.group_by(asked).len().iter_rows() for key in [tuple(key)]}
    inside, values, errors = [], [], []
    for seed in range(repeats):
        outcome = drawn(method, table, seed)
        found = sf.FrequencyEstimates(outcome.frame, outcome.public["pram"])[tuple(asked)]
        inside.append([each.low <= truth.get(key, 0) <= each.high for key, each in found])
        values.append([each.value for _, each in found])
        errors.append([each.spread for _, each in found])
    keys = [key for key, _ in found]
    return np.array(inside), np.array(values), np.array(errors), np.array([truth.get(key, 0) for key in keys])


@pytest.mark.parametrize(
    ("method", "asked"),
    [
        (sf.PRAM(0.8), ["edu"]),
        (sf.PRAM(0.6, invariant=False), ["edu"]),
        (sf.PRAM(0.8), ["edu", "sex"]),
        (sf.PRAM(0.8, invariant=False), ["sex", "disease"]),
    ],
)
def test_estimates_are_unbiased_and_their_intervals_hold_the_truth(method, asked):
    repeats = 120
    inside, values, errors, truth = coverage(method, asked, repeats)
    spread = values.std(axis=0, ddof=1)
    assert np.abs(values.mean(axis=0) - truth) / (spread / np.sqrt(repeats) + 1e-9) == pytest.approx(0, abs=4.5)
    assert np.sqrt((errors**2).mean(axis=0)) == pytest.approx(spread, rel=0.25)
    assert 0.9 < inside.mean() <= 1.0
    assert values.sum(axis=1) == pytest.approx(np.full(repeats, 400))


def test_missing_values_stay_and_are_not_counted():
    table = people(sex=["f", None, "m", "m"] * 50)
    release = sf.publish(table, sf.PRAM(0.8, columns=["sex"]), seed=3)
    own = table.frame["sex"].gather(release.owner.rows)
    assert (release.data.frame["sex"].is_null() == own.is_null()).all()
    found = sf.estimate(release)
    assert list(found) == ["sex"]
    assert sum(each.value for _, each in found["sex"]) == pytest.approx(150)
    assert sum(each.value for _, each in found["sex", "edu"]) == pytest.approx(150)
    assert found["disease"]["flu"].spread == 0  # as recorded
    with pytest.raises(ParameterError, match="no column 'sexx'; did you mean 'sex'"):
        found["sexx"]
    with pytest.raises(ParameterError, match="name columns, each once"):
        found["sex", "sex"]


@pytest.mark.parametrize("format", ["parquet", "csv", "arrow"])
def test_a_release_survives_the_disk(tmp_path, format):
    table = people()
    release = sf.publish(table, sf.PRAM(columns=["edu", "sex", "disease"]), seed=1)
    loaded = saved(release, tmp_path / "out", format)
    assert sf.verify(loaded).word == "declared"
    assert sf.verify(loaded, table).word == "declared"
    assert dict(loaded.measures) == {"linkage_chance": 1 / 200}
    before, after = (sf.estimate(each)["edu"].to_dict() for each in (release, loaded))
    assert before == after
    measured = sf.measure(release)
    own = table.frame["edu"].gather(release.owner.rows)
    assert measured.by_column["cells_changed"]["edu"] == (own != release.data.frame["edu"]).mean()
    assert measured["linkage_nearest"] > 0.5  # age and income are as recorded
    with pytest.raises(ParameterError, match="read them with estimate"):
        sf.ask(release, "SELECT COUNT(*) FROM release WHERE sex = 'f'")
    with pytest.raises(ParameterError, match="leave olap_levels out"):
        sf.measure(release, olap_levels=(1,))


def test_a_hierarchy_keeps_its_leaves(tmp_path):
    cities = [("Bonn", "Germany", "*"), ("Köln", "Germany", "*"), ("Pisa", "Italy", "*"), ("Rome", "Italy", "*")]
    frame = pl.DataFrame({"city": [path[0] for path in cities] * 30, "s": ["a", "b"] * 60})
    column = sf.Column(name="city", role="quasi", hierarchy=sf.Hierarchy.from_paths(cities))
    table = sf.Table(frame, sf.Schema.of([column, sf.Column(name="s", role="sensitive")]))
    release = sf.publish(table, sf.PRAM(), seed=1)
    release.save(tmp_path / "out")
    assert sf.verify(sf.load_release(tmp_path / "out"), table).word == "declared"


def test_attacks_by_category_are_measured_for_match_rank():
    table = people(300)
    with pytest.raises(sf.errors.PromiseBrokenError, match="attacks on this release link more records"):
        sf.publish(table, sf.PRAM(), sf.MatchRank(50), seed=1)


def test_what_does_not_fit_the_matrix_is_seen():
    table = people()
    release = sf.publish(table, sf.PRAM(), seed=1)
    frame = release.data.frame
    strange = with_frame(release, frame.with_columns(pl.lit("x").alias("sex")))
    assert "shows a value that its matrix does not have" in str(sf.verify(strange))
    as_it_was = with_frame(release, frame.with_columns(table.frame["sex"].gather(release.owner.rows)))
    assert sf.verify(as_it_was).word == "declared"
    assert "column 'sex' did not change as often as its matrix says" in str(sf.verify(as_it_was, table))

    def told(change):
        columns = {name: dict(said) for name, said in release.public["pram"]["columns"].items()}
        change(columns)
        return with_public(release, pram={"invariant": True, "columns": columns})

    assert sf.verify(told(lambda columns: columns["sex"].update(matrix=[[1.0, 0.5], [0.5, 0.5]]))).word == "broken"
    assert sf.verify(told(lambda columns: columns["sex"].update(matrix=[[1.0]]))).word == "broken"
    assert sf.verify(told(lambda columns: columns.pop("sex"))).word == "broken"
    eye = told(lambda columns: columns["sex"].update(matrix=[[1.0, 0.0], [0.0, 1.0]]))
    assert "the matrix of column 'sex' changes nothing" in str(sf.verify(eye, table))
    rigid = told(lambda columns: columns["sex"].update(matrix=[[1.0, 0.0], [0.5, 0.5]]))
    assert "a change that its matrix rules out" in str(sf.verify(rigid, table))
    skewed = told(lambda columns: columns["sex"].update(matrix=[[0.9, 0.1], [0.4, 0.6]]))
    assert "is said to be invariant" in str(sf.verify(skewed, table))


def test_bad_parameters_and_columns():
    for keep in (0, 1, 1.5, True, "most"):
        with pytest.raises(ParameterError, match="keep must be a probability between 0 and 1"):
            sf.PRAM(keep)
    with pytest.raises(ParameterError, match="invariant must be true or false"):
        sf.PRAM(invariant="yes")
    with pytest.raises(ParameterError, match=r"keep=0\.4 keeps no more than chance of the 2 values of column 'sex'"):
        sf.publish(people(), sf.PRAM(0.4, columns=["sex"]))
    with pytest.raises(SchemaError, match="'age' is of kind integer, and PRAM changes categories and ordinals only"):
        sf.publish(people(), sf.PRAM(columns=["age"]))
    with pytest.raises(SchemaError, match="no quasi-identifier holds categories and ordinals"):
        sf.publish(people(edu=None, sex=None), sf.PRAM())
    many = sf.Table(pl.DataFrame({"c": [f"v{i}" for i in range(300)]}), sf.Schema(quasi=["c"]))
    with pytest.raises(DataError, match="column 'c' has 300 values"):
        sf.publish(many, sf.PRAM())
    with pytest.raises(ParameterError, match="and this release is neither"):
        sf.estimate(sf.publish(people(edu=None, sex=None), sf.RankSwapping(5), seed=1))
    method = sf.PRAM(0.7, columns=["edu"])
    assert method_from_dict(method.to_dict()) == method
