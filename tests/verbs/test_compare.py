"""Methods with promises on the same data: what is tried, what comes of it, what is kept, which to take."""

import json
import os
import signal
import subprocess
import sys
import time

import polars as pl
import pytest

import sfumato as sf
from sfumato.contracts.method import known_methods
from sfumato.datasets import hospital
from sfumato.errors import DataError, ParameterError
from sfumato.ground.errors import Cancelled
from sfumato.release.fingerprint import content_digest
from sfumato.verbs import compare as comparing
from sfumato.verbs.comparing.common_figures import check_axis
from sfumato.verbs.comparing.frontier import Frontier
from sfumato.verbs.comparing.kept import Kept
from sfumato.verbs.comparing.plan import planned
from sfumato.verbs.comparing.point import Point
from sfumato.verbs.comparing.processes import try_all
from sfumato.verbs.comparing.subject import subject_of
from sfumato.verbs.comparing.worker import tried

TABLE = hospital(150)
TWO = [sf.KAnonymity(3), sf.KAnonymity(6) & sf.LDiversity(2)]


@pytest.fixture(scope="module")
def found():
    return sf.compare(TABLE, ["Mondrian", sf.Ordered(trials=2), sf.MDAV, sf.PRAM(0.9)], TWO, seed=7, n_queries=20)


# -- what is tried -----------------------------------------------------------------------------------------------


def test_by_default_all_methods_for_such_data_are_tried():
    tables = {type(point.method).__name__ for point in planned(TABLE, None, None)}
    assert {"Ordered", "LocalRecoding", "Mondrian", "PRAM", "Condensation"} <= tables
    assert not {"IPCSD", "Republishing", "Grouped", "KDegree"} & tables
    baskets = sf.Baskets.from_lists([["a", "b"], ["a"], ["b"]] * 20)
    assert "Grouped" in {type(point.method).__name__ for point in planned(baskets, None, None)}
    assert not any(point.method.for_study for point in planned(baskets, None, None))
    graph = sf.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0])
    assert {point.strength for point in planned(graph, ["EdgePerturbation"], None)} == {
        "mu = 0.0001", "mu = 0.001", "mu = 0.01",
    }  # fmt: skip


@pytest.mark.parametrize("name", sorted(known_methods()))
def test_what_a_method_is_compared_by_can_be_made(name):
    kind = known_methods()[name]
    data = {sf.Table: TABLE, sf.Baskets: sf.Baskets.from_lists([["a"]]), sf.Graph: sf.Graph.from_edges([0], [1])}
    if kind.compared:
        promises = [sf.KAnonymity(3)] if kind.takes is not sf.Graph else []
        points = planned(data[kind.takes], [kind], promises)
        assert {type(point.method) for point in points} == {kind}
        assert len(points) == len(kind.compared)


def test_points_are_tried_once_and_promises_follow_the_size_of_the_data():
    twice = planned(TABLE, [sf.Mondrian(), "mondrian"], [sf.KAnonymity(3), sf.KAnonymity(3)])
    assert len(twice) == 1
    assert [point.promise.k for point in planned(TABLE, ["Mondrian"], None)] == [5, 10]
    assert [point.promise.k for point in planned(hospital(15), ["Mondrian"], None)] == [2]


# -- what comes of it --------------------------------------------------------------------------------------------


def test_every_release_is_verified_and_measured(found):
    assert [(point.label, point.came) for point in found.points] == [
        ("Mondrian", "done"), ("Mondrian", "done"), ("Ordered(trials=2)", "done"), ("Ordered(trials=2)", "done"),
        ("MDAV", "done"), ("MDAV", "refused"), ("PRAM(keep=0.9)", "done"),
    ]  # fmt: skip
    assert [point.verdict for point in found.done] == ["holds"] * 5 + ["promises nothing"]
    assert "keeps k-anonymity only" in found.points[5].why
    for point in found.done:
        release = sf.publish(TABLE, point.method, point.promise, seed=7)
        assert content_digest(release.data.frame) == point.digest
        assert found.release(point).data.frame.equals(release.data.frame)
        measured = sf.measure(release, TABLE, n_queries=20)
        assert {name: point.figures[name] for name in measured} == dict(measured)


def test_a_figure_that_a_release_lacks_is_told_as_lacking(found):
    changed = found.points[6]
    assert found.value(changed, "gcp") is None
    assert found.value(changed, "identification") == max(
        changed.figures["linkage_nearest"], changed.figures["linkage_strongest"]
    )
    assert found.value(found.points[0], "identification") == found.points[0].figures["prosecutor_average"]
    assert found.value(found.points[0], "counts") == found.points[0].figures["query_error_median"]
    assert "lacking" in str(found)
    assert found.to_polars()["gcp"].null_count() == 2


def test_the_front_is_what_none_other_beats(found):
    for risk, utility in (("identification", "gcp"), ("prosecutor_max", "query_error_mean"), ("marketer", "counts")):
        placed = {
            point.key: (found.value(point, risk), found.value(point, utility))
            for point in found.done
            if found.value(point, risk) is not None and found.value(point, utility) is not None
        }
        expected = {
            key for key, (a, b) in placed.items()
            if not any(c <= a and d <= b and (c, d) != (a, b) for c, d in placed.values())
        }  # fmt: skip
        front = found.front(risk=risk, utility=utility)
        assert {point.key for point in front} == expected
        risks = [found.value(point, risk) for point in front]
        assert risks == sorted(risks, reverse=True)


def test_the_best_of_one_promise_loses_least():
    found = sf.compare(TABLE, [sf.Mondrian(), sf.Hilbert(), sf.Ordered(trials=2)], TWO[:1], utility="gcp", seed=1)
    assert found.best.figures["gcp"] == min(point.figures["gcp"] for point in found.done)
    said = " ".join(found.said())
    assert said.startswith(f"Take {found.best.label} with KAnonymity(k=3): ")
    assert "Under the same promise the next is" in said
    assert found.floor == sf.floor(TABLE, TWO[0])
    assert f"at most {found.floor.above(found.best.figures['gcp']):.0%} above what any method of classes could" in said


def test_a_floor_of_nothing_is_not_told():
    found = sf.compare(TABLE, [sf.Mondrian()], [sf.TCloseness(0.4)], seed=1, n_queries=0)
    assert found.floor.loss == 0
    assert not any("above what any method" in each for each in found.said())


@pytest.mark.parametrize(
    "promise",
    [sf.KMap(2), sf.DeltaPresence(0.0, 0.5), sf.LDiversity(2) & sf.AccuracyBound(0.9), sf.KAnonymity(151)],
    ids=repr,
)
def test_a_promise_without_a_known_floor_takes_nothing_from_what_was_found(promise):
    found = measured_under(promise)
    assert found.has_best
    assert comparing._floor_below(found) is None


def test_a_floor_is_found_where_only_suppression_keeps_the_promise():
    frame = pl.DataFrame({"age": list(range(100)), "d": ["flu"] * 60 + ["gout"] * 40})
    table = sf.Table(frame, sf.Schema(quasi=["age"], sensitive=["d"]))
    assert comparing._floor_below(measured_under(sf.LDiversity(2), table)).loss > 0


def test_a_comparison_that_is_cancelled_at_the_floor_is_cancelled(monkeypatch):
    def cancel(*args, **kwargs):
        raise Cancelled("as asked")

    monkeypatch.setattr(comparing, "floor", cancel)
    with pytest.raises(Cancelled):
        comparing._floor_below(measured_under(sf.KAnonymity(5)))


def measured_under(promise, table=TABLE):
    """A comparison of one point that was done under a promise."""
    check_axis("gcp", "tables")  # declares the figures of tables
    figures = {"gcp": 0.5, "prosecutor_average": 0.1, "n_classes": 10}
    points = (Point(method=sf.Mondrian(), promise=promise, came="done", figures=figures),)
    return Frontier(points=points, risk="identification", utility="gcp", data=table, seed=b"1")


def test_what_is_for_study_is_not_advised():
    baskets = sf.Baskets.from_lists([["a", "b"], ["a"], ["b", "c"], ["c"]] * 20)
    found = sf.compare(baskets, [sf.Grouped(), sf.Nonreciprocal()], [sf.KAnonymity(5)], seed=1, n_queries=20)
    assert found.best.label == "Grouped"
    assert "For study, and not advised: Nonreciprocal." in found.said()
    alone = sf.compare(baskets, ["Nonreciprocal"], [sf.KAnonymity(5)], seed=1, n_queries=20)
    assert "No point that can be advised" in alone.said()[0]


def test_a_graph_is_told_what_cannot_be_compared():
    edges = [(i, (i * 7 + 3) % 60) for i in range(120)]
    graph = sf.Graph.from_edges([i % 60 for i, _ in edges], [j for _, j in edges])
    found = sf.compare(graph, [sf.EdgePerturbation(mu=0.01), sf.KDegree(k=3)], risk="promised_risk", seed=1)
    assert found.best.label == "KDegree(k=3)"
    said = found.said()
    assert said[0].startswith("Of those that have both figures, take KDegree(k=3)")
    assert any(each.startswith("Neither better nor worse") and "EdgePerturbation(mu=0.01)" in each for each in said)


def test_larger_is_better_for_some_figures():
    def point(k, kept):
        return Point(method=sf.Mondrian(), promise=sf.KAnonymity(k), came="done",
                     figures={"promised_risk": 1 / k, "itemsets_kept": kept})  # fmt: skip

    sf.measure(sf.publish(sf.Baskets.from_lists([["a"]] * 4), sf.Grouped(), sf.KAnonymity(2), seed=1))
    points = (point(5, 0.9), point(10, 0.9), point(20, 0.5))
    found = Frontier(points=points, risk="promised_risk", utility="itemsets_kept", data=TABLE, seed=b"x")
    assert found.front() == [points[1], points[2]]


def test_commands_and_recipes_do_the_same(found, tmp_path, monkeypatch):
    from sfumato.cli import run
    from sfumato.recipe import read_recipe

    monkeypatch.chdir(tmp_path)
    TABLE.to_polars().write_csv("data.csv")
    (tmp_path / "schema.toml").write_text(TABLE.schema.to_toml())
    for number, point in enumerate(found.done):
        command = point.command("data.csv", "schema.toml", f"out{number}")
        assert run([*command.split()[1:], "--no-report"]) == 0
        saved = sf.load_release(f"out{number}")
        assert saved.promise == point.promise
        recipe = tmp_path / f"recipe{number}.toml"
        recipe.write_text(f'[input]\npath = "data.csv"\nschema = "schema.toml"\n\n{point.recipe}')
        read = read_recipe(recipe)
        assert (read.method, read.promise) == (point.method, point.promise)
    odd = Point(method=sf.Mondrian(), promise=sf.LDiversity(2, columns=("diagnosis",)))
    assert odd.command() is None
    assert 'columns = ["diagnosis"]' in odd.recipe
    several = Point(method=sf.Ordered(best_of=("snake",)), promise=sf.TCloseness(0.3)).command()
    assert (
        several == "sfumato publish DATA --schema SCHEMA --method Ordered --param 'best_of=[\"snake\"]' --t 0.3 -o out"
    )


# -- time, and going on ------------------------------------------------------------------------------------------


class Sleeps:
    """Whoever reads this falls asleep."""

    def __reduce__(self):
        return time.sleep, (600,)


@pytest.mark.slow
def test_what_takes_too_long_is_ended_and_told():
    slow = Point(method=Sleeps(), promise=sf.KAnonymity(2))
    quick = [Point(method=sf.Mondrian(), promise=sf.KAnonymity(k)) for k in (2, 3)]
    ended = []
    start = time.monotonic()
    try_all(TABLE, [slow, *quick], b"1", n_queries=0, until=None, each=6, tell=ended.append, n_processes=1)
    assert time.monotonic() - start < 60
    assert [point.came for point in ended] == ["too slow", "done", "done"]
    assert "not done after 6 s" in ended[0].why
    ended.clear()
    try_all(TABLE, quick, b"1", n_queries=0, until=time.monotonic(), each=None, tell=ended.append, n_processes=1)
    assert all(point.came == "too slow" for point in ended)


def test_a_process_that_dies_is_told_and_the_others_go_on(monkeypatch):
    class Dies:
        data_kind = "table"

        def __reduce__(self):
            return os._exit, (3,)

    ended = []
    points = [Point(method=sf.Mondrian(), promise=sf.KAnonymity(k)) for k in (2, 3)]
    try_all(Dies(), points, b"1", n_queries=0, until=None, each=30, tell=ended.append, n_processes=1)
    assert [point.came for point in ended] == ["failed", "failed"]
    assert "the process ended" in ended[0].why


@pytest.mark.slow
def test_a_comparison_that_was_killed_goes_on_to_the_same_end(tmp_path):
    program = (
        "import sfumato as sf\nfrom sfumato.datasets import hospital\n"
        "sf.compare(hospital(150), ['Mondrian', 'Hilbert', 'Ordered'], [sf.KAnonymity(k) for k in (2, 3, 4, 5, 6)], "
        f"folder={str(tmp_path / 'kept')!r}, n_queries=0)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", program])
    file = tmp_path / "kept" / "points.jsonl"
    until = time.monotonic() + 60
    while time.monotonic() < until and (not file.exists() or len(file.read_text().splitlines()) < 4):
        time.sleep(0.02)
    child.send_signal(signal.SIGKILL)
    child.wait()
    before = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(before) >= 4
    with file.open("a") as torn:
        torn.write('{"key": "Mondrian KAn')
    promises = [sf.KAnonymity(k) for k in (2, 3, 4, 5, 6)]
    found = sf.compare(TABLE, ["Mondrian", "Hilbert", "Ordered"], promises, folder=tmp_path / "kept", n_queries=0)
    assert [point.came for point in found.points] == ["done"] * 15
    whole = sf.compare(TABLE, ["Mondrian", "Hilbert", "Ordered"], promises, seed=found.seed, n_queries=0)
    assert [point.digest for point in found.points] == [point.digest for point in whole.points]
    assert [point.figures for point in found.points] == [point.figures for point in whole.points]
    told = {line["key"]: line["digest"] for line in before if "key" in line}
    assert all(point.digest == told.get(point.key, point.digest) for point in found.points)
    assert file.stat().st_mode & 0o077 == 0
    with pytest.raises(ParameterError, match="comparison of other data"):
        sf.compare(hospital(40), ["Mondrian"], TWO, folder=tmp_path / "kept")
    with pytest.raises(ParameterError, match="with another seed"):
        sf.compare(TABLE, ["Mondrian"], TWO, folder=tmp_path / "kept", seed=5, n_queries=0)
    file.write_text("nonsense\n")
    with pytest.raises(ParameterError, match="no comparison that can go on"):
        sf.compare(TABLE, ["Mondrian"], TWO, folder=tmp_path / "kept")


def test_figures_of_another_schema_or_of_other_counts_are_not_told(tmp_path):
    fewer = sf.Table(TABLE.frame, sf.Schema(quasi=["age", "sex"], sensitive=["diagnosis"]))
    Kept(tmp_path / "kept", subject_of(fewer, 200), b"int:1", given=True)
    with pytest.raises(ParameterError, match="of the same records with another schema; choose another folder"):
        sf.compare(TABLE, ["Ordered"], [sf.KAnonymity(5)], folder=tmp_path / "kept", seed=1)
    with pytest.raises(ParameterError, match="with n_queries=200, and 20 are asked for"):
        sf.compare(fewer, ["Ordered"], [sf.KAnonymity(5)], folder=tmp_path / "kept", seed=1, n_queries=20)


def test_a_folder_that_cannot_be_one_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ParameterError, match="cannot keep a comparison"):
        sf.compare(TABLE, ["Mondrian"], TWO, folder=tmp_path / "file")
    (tmp_path / "kept" / "points.jsonl").mkdir(parents=True)
    with pytest.raises(ParameterError, match="cannot be read"):
        sf.compare(TABLE, ["Mondrian"], TWO, folder=tmp_path / "kept")


def test_what_failed_is_told_apart_from_what_does_not_fit():
    def point(method, came, why=""):
        return Point(method=method, promise=sf.KAnonymity(5), came=came, why=why,
                     figures={"identification": 0.1, "gcp": 0.3} if came == "done" else {})  # fmt: skip

    points = (point(sf.Mondrian(), "done"), point(sf.Ordered(), "failed", "the process ended"),
              point(sf.MDAV(), "refused", "not for this promise"))  # fmt: skip
    said = Frontier(points=points, risk="identification", utility="gcp", data=TABLE, seed=b"x").said()
    assert "Ended by a fault, or for want of memory: Ordered; points say why." in said
    assert "Not for these data or promises: MDAV; points say why." in said


def test_errors_of_our_own_do_not_end_the_others(monkeypatch):
    """What is no error of the user's is told by the worker's main loop; here, that `tried` lets it through."""
    from sfumato.verbs.comparing import worker

    monkeypatch.setattr(worker, "publish", lambda *args, **kwargs: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        tried(TABLE, Point(method=sf.Mondrian(), promise=sf.KAnonymity(2)), b"1", 0)


# -- what people see, and bad input ------------------------------------------------------------------------------


def test_it_shows_itself(found, tmp_path):
    assert repr(found).startswith("Frontier(7 points, 6 done)\nTake ")
    assert "for the owner" in found._repr_html_()
    plain = json.loads(json.dumps(found.to_dict()))
    assert len(plain["points"]) == 7
    assert str(found.seed) not in json.dumps(plain)
    assert found.seed.hex() not in json.dumps(plain)
    frame = found.to_polars()
    assert frame.height == 7
    assert frame.schema["gcp"] == pl.Float64
    page = found.save(tmp_path / "compare.html", source="data.csv", schema="schema.toml").read_text()
    assert "Ordered(trials=2)" in page
    assert found.seed.hex() not in page
    assert found.plot().to_dict()["layer"]


def test_nothing_done_is_told():
    found = sf.compare(TABLE, [sf.MDAV()], [sf.LDiversity(2)], seed=1)
    assert found.front() == []
    assert "No point has a release" in found.said()[0]
    with pytest.raises(ParameterError, match="no point has a release"):
        _ = found.best
    assert repr(found)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"methods": "Mondrian"}, "methods must be a list"),
        ({"methods": ["Mondrain"]}, "did you mean 'Mondrian'"),
        ({"methods": [3]}, "methods must be methods"),
        ({"promises": [5]}, "promises must be promises"),
        ({"promises": sf.KAnonymity(5)}, "promises must be a list"),
        ({"utility": "gpc"}, "no figure is called 'gpc'; did you mean 'gcp'"),
        ({"within": 0}, "within"),
        ({"each": -1}, "each"),
        ({"n_queries": -1}, "n_queries"),
        ({"methods": ["Grouped"]}, "Grouped publishes Baskets"),
        ({"methods": []}, "nothing is to be compared"),
        ({"utility": "n_classes"}, "n_classes is neither better nor worse where it is smaller; compare by another"),
        ({"utility": ""}, "no figure is called ''"),
        ({"risk": ""}, "no figure is called ''"),
        ({"folder": ""}, "folder must be the path of a folder, got ''"),
        ({"folder": "a\0b"}, "folder must be the path of a folder"),
        ({"promises": [sf.KMAnonymity(3, 2)]}, "is a promise for sets of items, and the data are tables; leave it out"),
    ],
    ids=str,
)
def test_bad_input_is_told(given, message):
    with pytest.raises(ParameterError, match=message):
        sf.compare(TABLE, **{"methods": ["Mondrian"], "promises": TWO, **given})


def test_promises_under_which_no_floor_is_known_are_compared():
    found = sf.compare(hospital(60), ["BestFirst"], [sf.KMap(3, hospital(200))], seed=1, n_queries=0)
    assert found.best.strength.startswith("KMap(k=3), population of 200 (")
    assert found.floor is None


def test_nothing_is_compared_of_nobody():
    with pytest.raises(DataError, match="the data have no rows, so that there is nothing to compare; give some"):
        sf.compare(TABLE.head(0), ["Mondrian"], TWO)
    with pytest.raises(DataError, match="the data have no records"):
        sf.compare(sf.Baskets.from_lists([]))


def test_a_method_that_chooses_is_repeated_by_the_one_that_it_chose(tmp_path):
    table = hospital(150)
    found = sf.compare(table, [sf.Best(within=20), "Mondrian"], [sf.KAnonymity(5)], folder=tmp_path / "c", seed=1)
    best = found.best
    assert best.label == "Best(within=20)"
    assert type(best.made_by) in (sf.Ordered, sf.LocalRecoding)
    assert f"which chose {type(best.made_by).__name__}(polish={best.made_by.polish})" in found.said()[0]
    assert f"polish = {best.made_by.polish}" in best.recipe
    assert f"--param polish={best.made_by.polish}" in best.command()
    assert content_digest(found.release(best).data.frame) == best.digest
    again = sf.compare(table, [sf.Best(within=20), "Mondrian"], [sf.KAnonymity(5)], folder=tmp_path / "c")
    assert again.best == best
