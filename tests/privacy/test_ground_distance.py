import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.ground.errors import ParameterError, SchemaError
from sfumato.privacy import least_moves as solvers
from sfumato.privacy.ground_distance import Ground, ground_of
from sfumato.privacy.promise import promise_from_dict
from sfumato.privacy.transport import earth_movers as kernel_distance
from support.naive import earth_movers
from support.promised_classes import classes_of, kernel_says

LETTERS = "abcdef"


@st.composite
def squares(draw, m=None):
    """Any symmetric square with a zero diagonal, mostly no metric."""
    m = m if m is not None else draw(st.integers(1, 6))
    square = np.zeros((m, m))
    for i in range(m):
        for j in range(i):
            square[i, j] = square[j, i] = draw(st.integers(0, 20)) / 20
    return square


def closed(square):
    """The same with every way as short as the ways round it: a metric."""
    square = square.copy()
    for k in range(len(square)):
        square = np.minimum(square, square[:, [k]] + square[[k], :])
    return square


def as_given(square, values=LETTERS):
    return {"values": list(values[: len(square)]), "distances": square.tolist()}


def shares(groups, values):
    everyone = [value for group in groups for value in group]
    return [[g.count(v) / len(g) for v in values] for g in groups], [everyone.count(v) / len(everyone) for v in values]


@settings(max_examples=120)
@given(squares(), st.data())
def test_the_kernel_equals_linear_programming_for_any_matrix(square, data):
    m = len(square)
    counts = np.array(data.draw(st.lists(st.integers(0, 5), min_size=m, max_size=m).filter(any)), dtype=np.int64)
    rest = np.array(data.draw(st.lists(st.integers(0, 9), min_size=m, max_size=m)), dtype=np.int64)
    total = counts + rest
    p, q = counts / counts.sum(), total / total.sum()
    for ground in (square, closed(square)):
        expected = earth_movers(p.tolist(), q.tolist(), ground.tolist())
        found = kernel_distance(counts, counts.sum(), total, total.sum(), ground.ravel(), False)
        assert found == pytest.approx(expected, abs=1e-7)
        assert solvers.by_pot(p, q, ground) == pytest.approx(expected, abs=1e-7)
        assert solvers.by_linear_programming(p, q, ground) == pytest.approx(expected, abs=1e-7)
        assert found == pytest.approx(solvers.by_pot(p, q, ground), abs=1e-12)
    short = kernel_distance(counts, counts.sum(), total, total.sum(), closed(square).ravel(), True)
    assert short == pytest.approx(solvers.by_pot(p, q, closed(square)), abs=1e-12)


def test_without_the_triangle_inequality_even_shared_values_may_move():
    """a is far from c, and both are near b: it is cheaper that b passes its share on and is filled up from a."""
    square = np.array([[0, 0.1, 1], [0.1, 0, 0.1], [1, 0.1, 0]])
    counts, total = np.array([1, 1, 0]), np.array([1, 2, 1])
    whole = kernel_distance(counts, 2, total, 4, square.ravel(), False)
    apart = kernel_distance(counts, 2, total, 4, square.ravel(), True)
    assert whole == pytest.approx(0.05)
    assert apart == pytest.approx(0.25)
    ground = ground_of(as_given(square))
    assert not ground.metric
    assert ground_of(as_given(closed(square))).metric
    groups = [["a", "b"], ["b", "c"]]
    promise = sf.TCloseness(0.06, ground=ground)
    assert promise.check(classes_of(groups))[0].value == pytest.approx(0.05)
    assert kernel_says(promise, groups)
    assert not kernel_says(sf.TCloseness(0.04, ground=ground), groups)


@settings(max_examples=40)
@given(squares(6), st.lists(st.lists(st.sampled_from(LETTERS), min_size=1, max_size=6), min_size=2, max_size=3))
def test_check_and_kernel_agree_with_linear_programming(square, groups):
    for ground in (square, closed(square)):
        parts, whole = shares(groups, LETTERS)
        expected = max(earth_movers(part, whole, ground.tolist()) for part in parts)
        given_ground = as_given(ground)
        (finding,) = sf.TCloseness(0.3, ground=given_ground).check(classes_of(groups))
        assert finding.value == pytest.approx(expected, abs=1e-7)
        for t in (0.05, 0.2, 0.5):
            if abs(expected - t) > 1e-6:
                assert sf.TCloseness(t, ground=given_ground).check(classes_of(groups))[0].holds == (expected <= t)
                assert kernel_says(sf.TCloseness(t, ground=given_ground), groups) == (expected <= t)


@pytest.mark.parametrize(("salaries", "t"), [([3, 4, 5], 0.375), ([6, 8, 11], 1 / 6), ([4, 5, 6], 0.2777777778)])
def test_vectors_f1_by_a_matrix_of_ranks(salaries, t):
    """The ordered distance of 3k..11k written out gives the same as the closed form."""
    values = list(range(3, 12))
    ground = {"values": values, "distances": [[abs(a - b) / 8 for b in values] for a in values]}
    rest = [salary for salary in values if salary not in salaries]
    promise = sf.TCloseness(0.5, ground=ground)
    classes = classes_of([salaries, rest])
    found = solvers.least_moves(next(classes.distributions("s"))[1], np.full(9, 1 / 9), promise.ground.square)[0]
    assert found == pytest.approx(t, abs=1e-9)
    assert kernel_says(sf.TCloseness(t, ground=ground), [salaries, rest])
    assert not kernel_says(sf.TCloseness(t - 1e-6, ground=ground), [salaries, rest])


def test_a_matrix_of_ones_is_the_variational_distance():
    groups = [list("aab"), list("abcc"), list("bbbc")]
    ones = as_given(np.ones((3, 3)) - np.eye(3))
    flat = sf.TCloseness(0.5, distance="variational").check(classes_of(groups))[0]
    assert sf.TCloseness(0.5, ground=ones).check(classes_of(groups))[0].value == pytest.approx(flat.value)


def test_missing_values_are_listed_as_empty():
    groups = [["a", None], ["a", "b"]]
    ground = {"values": ["b", None, "a"], "distances": [[0, 1, 0.5], [1, 0, 0.25], [0.5, 0.25, 0]]}
    (finding,) = sf.TCloseness(0.5, ground=ground).check(classes_of(groups))
    parts, whole = shares(groups, ["b", None, "a"])
    expected = max(earth_movers(part, whole, ground["distances"]) for part in parts)
    assert finding.value == pytest.approx(expected, abs=1e-7)
    assert kernel_says(sf.TCloseness(expected + 1e-6, ground=ground), groups)
    assert not kernel_says(sf.TCloseness(expected - 1e-6, ground=ground), groups)
    lacking = {"values": ["a", "b"], "distances": [[0, 1], [1, 0]]}
    for decide in (lambda p: p.check(classes_of(groups)), lambda p: kernel_says(p, groups)):
        with pytest.raises(
            ParameterError, match="column 's' holds missing values, which are listed as '', and the ground"
        ):
            decide(sf.TCloseness(0.5, ground=lacking))


def test_values_under_a_hierarchy_need_not_all_be_listed():
    tree = sf.Hierarchy.from_paths([("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("d", "y", "*")])
    column = sf.Column(name="s", role="sensitive", hierarchy=tree)
    ground = {"values": ["d", "b", "a"], "distances": [[0, 1, 0.3], [1, 0, 0.6], [0.3, 0.6, 0]]}
    groups = [["a", "b"], ["a", "d"]]
    parts, whole = shares(groups, ["d", "b", "a"])
    expected = max(earth_movers(part, whole, ground["distances"]) for part in parts)
    promise = sf.TCloseness(expected + 1e-6, ground=ground)
    assert promise.check(classes_of(groups, column=column))[0].value == pytest.approx(expected, abs=1e-7)
    assert kernel_says(promise, groups, column)
    assert not kernel_says(sf.TCloseness(expected - 1e-6, ground=ground), groups, column)
    with pytest.raises(ParameterError, match="column 's' holds the value 'c', and the ground distances lack it"):
        kernel_says(promise, [["a", "c"]], column)


def diagnoses(rows=300):
    """A hospital, and distances between its diagnoses: near where they share a first letter."""
    table = hospital(rows)
    values = sorted(set(table.frame["diagnosis"]))
    distances = [[0.0 if a == b else 0.2 if a[0] == b[0] else 1.0 for b in values] for a in values]
    return table, {"values": values, "distances": distances}


@pytest.mark.parametrize("method", [sf.Mondrian(), sf.Hilbert()])
def test_methods_keep_it_and_the_certificate_checks_it(method, tmp_path):
    table, ground = diagnoses()
    promise = sf.KAnonymity(5) & sf.TCloseness(0.4, ground=ground)
    release = sf.publish(table, method, promise, seed=1)
    assert release.verdict.holds
    folder = release.save(tmp_path / "out", report=False)
    loaded = sf.load_release(folder)
    assert loaded.promise == promise
    assert sf.verify(loaded).holds
    assert not sf.verify(loaded, promise=sf.TCloseness(0.05, ground=ground)).holds


def test_without_pot_the_check_is_a_linear_program(monkeypatch):
    groups = [list("aab"), list("abcc")]
    ground = as_given(np.array([[0, 0.3, 1], [0.3, 0, 0.2], [1, 0.2, 0]]))
    with_pot = sf.TCloseness(0.5, ground=ground).check(classes_of(groups))[0].value
    monkeypatch.setitem(sys.modules, "ot", None)
    solvers._solver.cache_clear()
    try:
        assert solvers._solver() is solvers.by_linear_programming
        assert sf.TCloseness(0.5, ground=ground).check(classes_of(groups))[0].value == pytest.approx(with_pot, abs=1e-9)
    finally:
        monkeypatch.undo()
        solvers._solver.cache_clear()
    assert solvers._solver() is solvers.by_pot


def test_distances_come_from_a_file_beside_a_recipe(tmp_path, monkeypatch):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "ground.csv").write_text(",flu,cancer\nflu,0,0.9\ncancer,0.9,0\n")
    (tmp_path / "deep" / "data.csv").write_text(
        "age,s\n" + "".join(f"{20 + i},{('flu', 'cancer')[i % 2]}\n" for i in range(12))
    )
    (tmp_path / "deep" / "recipe.toml").write_text(
        '[input]\npath = "data.csv"\n[schema.columns.age]\nrole = "quasi"\n[schema.columns.s]\nrole = "sensitive"\n'
        '[method]\nname = "Mondrian"\n[[promise]]\nname = "TCloseness"\nt = 0.2\nground = "ground.csv"\n'
        '[output]\nfolder = "out"\nreport = false\n'
    )
    monkeypatch.chdir(tmp_path)
    from sfumato.cli import run

    assert run(["publish", "deep/recipe.toml"]) == 0
    loaded = sf.load_release(tmp_path / "deep" / "out")
    assert loaded.promise.ground == Ground(("flu", "cancer"), ((0.0, 0.9), (0.9, 0.0)))
    file = str(tmp_path / "deep" / "ground.csv")
    assert run(["verify", "deep/out", "--t", "0.2", "--ground", file]) == 0
    assert run(["verify", "deep/out", "--ground", file]) == 2


@pytest.mark.parametrize(
    ("ground", "message"),
    [
        (as_given(np.array([[0, 2.0], [2.0, 0]])), "between 'a' and 'b' is 2, above 1; divide all distances by the largest, 2"),
        (as_given(np.array([[0, 0.2], [0.3, 0]])), "is 0.2 one way and 0.3 the other"),
        (as_given(np.array([[0.1, 0.2], [0.2, 0]])), "between 'a' and 'a' is 0.1; nothing is away from itself"),
        (as_given(np.array([[0, -0.2], [-0.2, 0]])), "is -0.2; a distance is 0 or more"),
        (as_given(np.array([[0, np.nan], [np.nan, 0]])), "a distance is 0 or more"),
        ({"values": ["a"], "distances": [[0, 1], [1, 0]]}, "must be a square"),
        ({"values": ["a", "a"], "distances": [[0, 1], [1, 0]]}, "list the value 'a' twice"),
        ({"values": [], "distances": []}, "must be a square"),
        ({"values": ["a"], "distances": [["x"]]}, "each a list of numbers"),
        ({"values": ["a"], "distances": [[False]]}, "each a list of numbers"),
        ({"values": ["a"]}, "ground takes"),
        (7, "ground takes"),
        ("nowhere.csv", "'nowhere.csv' cannot be read: No such file or directory"),
    ],
)  # fmt: skip
def test_bad_distances_are_refused_when_given(ground, message):
    with pytest.raises(ParameterError, match=message):
        sf.TCloseness(0.5, ground=ground)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (",a,b\na,0,1\nc,1,0\n", "must list the same values in one order"),
        (",a,b\na,0,far\nb,1,0\n", "has 'far' in the row of 'a'; write a number"),
        (",a,b\na,0,1\n", "must list the same values"),
        ("", "no CSV file with a header"),
    ],
)
def test_bad_files_of_distances_are_refused(tmp_path, text, message):
    (tmp_path / "g.csv").write_text(text)
    with pytest.raises(ParameterError, match=message):
        sf.TCloseness(0.5, ground=tmp_path / "g.csv")


def test_distances_speak_of_one_column():
    ground = as_given(np.zeros((2, 2)))
    with pytest.raises(ParameterError, match="ground is for the earth mover's distance, not 'kl'"):
        sf.TCloseness(0.5, distance="kl", ground=ground)
    with pytest.raises(ParameterError, match="columns names x, y"):
        sf.TCloseness(0.5, columns=("x", "y"), ground=ground)
    frame = pl.DataFrame({"g": [1, 1], "x": ["a", "b"], "y": ["a", "b"]})
    with pytest.raises(SchemaError, match=r"x, y are sensitive; name one, as in columns=\('x',\)"):
        sf.verify(frame, promise=sf.TCloseness(0.5, ground=ground), quasi=["g"], sensitive=["x", "y"])
    promise = sf.TCloseness(0.5, columns=("y",), ground=ground)
    assert sf.verify(frame, promise=promise, quasi=["g"], sensitive=["x", "y"]).holds
    assert promise_from_dict(promise.to_dict()) == promise
    assert repr(promise) == "TCloseness(0.5, columns=('y',), ground=<2 values>)"
    assert hash(promise) == hash(promise_from_dict(promise.to_dict()))
