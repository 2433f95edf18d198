"""Releases of graphs from end to end."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import DataError, ParameterError, ReleaseError
from sfumato.published.graphs.graph import GraphShape


def some_graph(seed=0, n=120, m=700):
    rng = np.random.default_rng(seed)
    return sf.Graph.from_edges(rng.integers(0, n, m), rng.integers(0, n, m), n, [f"person {i}" for i in range(n)])


METHODS = [
    sf.Relabelling(), sf.EdgePerturbation(0.02), sf.AddDelete(40), sf.KDegree(6), sf.SpectralSwitching(0.2),
]  # fmt: skip
FLIPPED = ("every pair of vertices was flipped with probability mu=0.02",)


def words(method):
    """What a check says with the original and with the release alone, and what is declared in both."""
    if isinstance(method, sf.EdgePerturbation):
        return "declared", "declared", FLIPPED
    return "holds", "holds" if isinstance(method, sf.KDegree) else "not decided", ()


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_publish_save_load_verify(method, tmp_path):
    graph = some_graph()
    release = sf.publish(graph, method, seed=3)
    beside, by_itself, declared = words(method)
    assert release.verdict.word == beside
    assert release.verdict.stands
    assert release.verdict.holds == (beside == "holds")
    assert release.verdict.declared == declared
    assert release.data.names is None
    assert sorted(release.owner.rows.tolist()) == list(range(120))
    for form in ("parquet", "csv", "arrow"):
        folder = release.save(tmp_path / form, format=form)
        loaded = sf.load_release(folder)
        assert loaded.data == release.data
        seen = sf.verify(loaded, graph)
        assert (seen.word, seen.declared, seen.broken) == (beside, declared, ())
        told = (folder / "release.json").read_text()
        assert "person" not in told
        assert "edges_kept" not in json.loads(told)["measures"]["values"]
        if not isinstance(method, (sf.Relabelling, sf.AddDelete, sf.SpectralSwitching)):
            assert f"{graph.n_edges}" not in told.replace(f'"n_edges": {release.data.n_edges}', "")
        alone = sf.verify(replace(loaded, owner=None))
        assert (alone.word, alone.declared, alone.broken) == (by_itself, declared, ())
        assert bool(alone.undecided) == (by_itself == "not decided")
    again = sf.publish(graph, method, seed=3)
    assert again.data == release.data
    assert sf.publish(graph, method, seed=4).data != release.data


def test_tampering_is_found():
    graph = some_graph()
    release = sf.publish(graph, sf.EdgePerturbation(0.02), seed=1)
    assert sf.verify(release, graph).word == "declared"
    assert sf.verify(replace(release, data=graph.renumbered(np.arange(120))), graph).word == "broken"
    other = replace(release, public={"graph": {"vertices": 120, "mu": 0.3}})
    assert sf.verify(other, graph).broken == sf.verify(replace(other, owner=None)).broken == (
        "the release tells mu=0.3, and another mu of its method",
    )  # fmt: skip
    other = replace(other, method={**release.method, "mu": 0.3})
    assert "one that does not follow from mu=0.3" in sf.verify(other, graph).broken[0]
    follows = {"vertices": 120, "mu": 0.06, "epsilon": float(np.log(0.94 / 0.06))}
    other = replace(other, method={**release.method, "mu": 0.06}, public={"graph": follows})
    assert sf.verify(replace(other, owner=None)).word == "declared"  # no reader can tell
    assert "mu=0.06 makes" in sf.verify(other, graph).broken[0]
    swapped = replace(release, owner=replace(release.owner, rows=np.roll(release.owner.rows, 1)))
    assert sf.verify(swapped, graph).word == "broken"
    degrees = sf.publish(graph, sf.KDegree(4), seed=1)
    assert sf.verify(degrees, promise=sf.DegreeAnonymity(100)).word == "broken"
    plain = replace(degrees, data=graph.renumbered(np.arange(120)))
    assert sf.verify(plain).word == "broken"


def test_files_that_are_no_graph(tmp_path):
    folder = sf.publish(some_graph(), sf.Relabelling(), seed=1).save(tmp_path / "out", format="csv")
    lines = (folder / "data.csv").read_text().splitlines()
    for changed in ([*lines, "5,5"], [*lines, lines[1]], ["source,target,name", *(f"{line},x" for line in lines[1:])]):
        (folder / "data.csv").write_text("\n".join(changed) + "\n")
        with pytest.raises(ReleaseError):
            sf.load_release(folder, check=False)


def test_measures_and_estimates():
    graph = some_graph()
    release = sf.publish(graph, sf.EdgePerturbation(0.02), seed=1)
    measures = sf.measure(release)
    assert 0.9 < measures["edges_kept"] < 1
    assert measures["edges_false"] > 0
    found = sf.estimate(release, metrics=())
    assert found["edges"].low < graph.n_edges < found["edges"].high
    assert len(found["degrees"].values) == 120
    assert "modularity" in sf.estimate(release, partition=[i % 3 for i in range(120)], metrics=())
    exact = sf.estimate(sf.publish(graph, sf.EdgePerturbation(0), seed=1), metrics=())
    assert exact["edges"].value == graph.n_edges
    with pytest.raises(ParameterError, match="published by KDegree was not perturbed at random"):
        sf.estimate(sf.publish(graph, sf.KDegree(3), seed=1))


def test_what_is_refused():
    graph, baskets = some_graph(), sf.Baskets.from_lists([["a"], ["b"]])
    with pytest.raises(ParameterError, match="Grouped publishes Baskets, and the data are Graph"):
        sf.publish(graph, sf.Grouped(), sf.KAnonymity(2))
    with pytest.raises(ParameterError, match="EdgePerturbation keeps no promise"):
        sf.publish(graph, sf.EdgePerturbation(0.1), sf.KAnonymity(2))
    release = sf.publish(graph, sf.EdgePerturbation(0.1), seed=1)
    with pytest.raises(ParameterError, match="the release is of a graph"):
        sf.verify(release, baskets)
    with pytest.raises(ParameterError, match="graphs promise DegreeAnonymity"):
        sf.verify(release, promise=sf.KAnonymity(3))
    with pytest.raises(ParameterError, match="of a graph of 120 vertices"):
        sf.measure(release, some_graph(n=50))
    with pytest.raises(ParameterError, match="only a release of a table"):
        release.sql()
    with pytest.raises(ParameterError, match="reads perturbed graphs"):
        sf.estimate(sf.publish(sf.Baskets.from_lists([["a"]] * 4), sf.Grouped(), sf.KAnonymity(2)))


def test_the_commands(tmp_path, monkeypatch, capsys):
    from sfumato.cli import run

    monkeypatch.chdir(tmp_path)
    some_graph().frame.write_csv("people.csv")
    asked = ["publish", "people.csv", "--method", "EdgePerturbation", "--param", "mu=0.02", "--seed", "1", "-o", "out"]
    assert run(asked) == 0
    assert "Published 120 of 120 vertices with EdgePerturbation" in capsys.readouterr().out
    for asked in (["verify", "out"], ["verify", "out", "--original", "people.csv"]):
        assert run(asked) == 0
        said = capsys.readouterr().out
        assert said.startswith("the mechanism is declared\n")
        assert f"declared: {FLIPPED[0]}; the draw itself cannot be proved" in said
    assert run(["publish", "people.csv", "--method", "AddDelete", "--param", "edges=9", "-o", "replaced"]) == 0
    capsys.readouterr()
    assert run(["verify", "replaced"]) == 1
    assert "is NOT decided" in capsys.readouterr().out
    assert run(["verify", "replaced", "--original", "people.csv"]) == 0
    capsys.readouterr()
    assert run(["measure", "out", "people.csv"]) == 0
    assert "edges_kept" in capsys.readouterr().out
    assert run(["estimate", "out", "--patterns", "--repeats", "0", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["edges"]["low"] < some_graph().n_edges < found["edges"]["high"]
    assert "4-clique" in found
    assert run(["estimate", "out", "--metrics", "average_path_length", "--repeats", "0"]) == 0
    assert "average_path_length, by SIMEX" in capsys.readouterr().out
    assert run(["publish", "people.csv", "--method", "KDegree", "--param", "k=4", "-o", "degrees"]) == 0
    assert run(["verify", "degrees"]) == 0
    capsys.readouterr()
    assert run(["publish", "people.csv", "--method", "EdgePerturbation", "--param", "mu=0.7", "-o", "no"]) == 2
    assert "mu must be a number from 0 to below 0.5, got 0.7" in capsys.readouterr().err
    assert run(["publish", "people.csv", "--method", "KDegree", "--param", "k=4", "--k", "9", "-o", "no"]) == 2
    recipe = ["[input]", 'path = "people.csv"', 'direction = "any"', "[method]", 'name = "AddDelete"', "edges = 0.1"]
    (tmp_path / "r.toml").write_text("\n".join([*recipe, "[output]", 'folder = "r"']))
    assert run(["publish", "r.toml"]) == 0
    capsys.readouterr()
    (tmp_path / "s.toml").write_text((tmp_path / "r.toml").read_text().replace("direction", "label"))
    assert run(["publish", "s.toml"]) == 2
    assert "input.label is for sets of items, and the data are graphs" in capsys.readouterr().err


@pytest.mark.parametrize("vertices", [400_000_000, 10**15, -1, "many", None, 2.5, True])
def test_vertices_that_no_file_of_edges_asks_for(vertices):
    frame = pl.DataFrame({"source": [0], "target": [1]})
    with pytest.raises(DataError, match="a published graph"):
        GraphShape.data_of(frame, {"graph": {"vertices": vertices}})
    assert GraphShape.data_of(frame, {"graph": {"vertices": 1_000}}).n_vertices == 1_000
