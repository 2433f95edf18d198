"""The chance of being found by the number of neighbours, held against counting and against the attack."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import sfumato as sf

RNG = np.random.default_rng(3)
GRAPH = sf.Graph.from_edges(RNG.integers(0, 60, 150).tolist(), RNG.integers(0, 60, 150).tolist())


def test_without_flips_it_is_one_in_those_of_the_same_degree():
    degrees = Counter(GRAPH.degrees.tolist())
    found = sf.measure(sf.publish(GRAPH, sf.Relabelling(), seed=1), GRAPH)["found_by_degree"]
    assert found == pytest.approx(len(degrees) / len(GRAPH))  # each degree: its vertices, one in as many


@pytest.mark.parametrize("method", [sf.EdgePerturbation(0.02), sf.KDegree(5), sf.AddDelete(0.1)], ids=repr)
def test_it_is_what_the_attack_finds_of_everybody(method):
    release = sf.publish(GRAPH, method)
    attacked = sf.attack(release, sf.DegreeAttack(people=len(GRAPH)), seed=1)
    assert sf.measure(release, GRAPH)["found_by_degree"] == pytest.approx(attacked["found"].value)


def test_k_degree_leaves_at_most_one_in_k_and_readers_do_not_see_it():
    release = sf.publish(GRAPH, sf.KDegree(5), seed=1)
    measures = sf.measure(release, GRAPH)
    assert measures["found_by_degree"] <= 0.2
    assert "found_by_degree" not in measures.public
    assert "found_by_degree" not in sf.measure(replace(release, owner=None))


def test_ways_of_publishing_a_graph_are_held_against_each_other():
    found = sf.compare(GRAPH, [sf.KDegree(3), sf.EdgePerturbation(0.05), sf.AddDelete(0.2)], seed=None)
    assert found.risk == "identification"
    assert all(found.value(point, found.risk) is not None for point in found.done)
    assert not any("Neither better nor worse" in said for said in found.said())


def test_two_methods_with_the_same_parameter_are_two():
    found = sf.compare(GRAPH, [sf.AddDelete(0.2), sf.SpectralSwitching(0.2)], seed=1)
    assert found.best.label in ("AddDelete(edges=0.2)", "SpectralSwitching(edges=0.2)")
    assert len(found.done) == 2
    told = " ".join(found.said())
    assert all(point.label in told for point in found.front())
