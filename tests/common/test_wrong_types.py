"""Whatever is given in place of a parameter of a public function, what is raised is a sentence of ours."""

from __future__ import annotations

import inspect
from functools import cache, partial

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.ground.errors import SfumatoError


class Odd:
    def __repr__(self):
        return "something odd"


WRONG = [
    5, -1, 0.5, float("nan"), True, "no such thing", b"bytes", [], [5], ["x", "x"], {}, {"a": 1}, Odd(), len,
    pl.DataFrame({"a": [1]}), np.arange(3), sf.KAnonymity, sf.Mondrian,
]  # fmt: skip


@cache
def release():
    return sf.publish(hospital(60), sf.Mondrian(), sf.KAnonymity(5), seed=1)


@cache
def perturbed():
    return sf.publish(graph(), sf.EdgePerturbation(0.01), seed=1)


@cache
def graph():
    rng = np.random.default_rng(1)
    return sf.Graph.from_edges(rng.integers(0, 20, 60), rng.integers(0, 20, 60), 20)


CALLS = {
    "publish": lambda: (sf.publish, [hospital(20), sf.Mondrian(), sf.KAnonymity(5)]),
    "verify": lambda: (sf.verify, [release()]),
    "measure": lambda: (partial(sf.measure, n_queries=0), [release()]),
    "attack": lambda: (sf.attack, [release(), sf.HomogeneityAttack(people=5)]),
    "threats": lambda: (sf.threats, [release()]),
    "ask": lambda: (sf.ask, [release(), "SELECT COUNT(*) FROM release"]),
    "estimate": lambda: (sf.estimate, [perturbed()]),
    "curse": lambda: (sf.curse, [hospital(60), (2,)]),
    "load_release": lambda: (sf.load_release, ["nowhere"]),
    "read_table": lambda: (sf.read_table, ["people.csv"]),
    "read_baskets": lambda: (sf.read_baskets, ["baskets.txt"]),
    "read_graph": lambda: (sf.read_graph, ["edges.txt"]),
    "graph_risk": lambda: (sf.graph_risk, [graph(), (0.4,)]),
    "least_mu": lambda: (sf.least_mu, [graph()]),
    "most_mu": lambda: (sf.most_mu, [graph(), "edges", 0.1]),
    "Table": lambda: (sf.Table, [hospital(20).frame]),
    "Schema": lambda: (sf.Schema, []),
    "Column": lambda: (sf.Column, []),
    "verify a frame": lambda: (sf.verify, [pl.DataFrame({"a": ["x", "x"]}), None, sf.KAnonymity(2), ["a"]]),
    "to_pandas": lambda: (release().to_pandas, []),
    "report": lambda: (release().report, []),
    "head": lambda: (hospital(20).head, []),
    "plots.class_sizes": lambda: (sf.plots.class_sizes, [release()]),
    "plots.risk": lambda: (sf.plots.risk, [release()]),
    "plots.losses": lambda: (sf.plots.losses, [release()]),
    "plots.hierarchy": lambda: (sf.plots.hierarchy, [sf.Hierarchy.flat(["a", "b"])]),
    "plots.before_after": lambda: (sf.plots.before_after, [release(), "age"]),
    "plots.attacks": lambda: (sf.plots.attacks, [sf.attack(release(), sf.HomogeneityAttack(people=5))]),
    "plots.curse": lambda: (sf.plots.curse, [sf.curse(hospital(60), (2,))]),
    "plots.queries": lambda: (sf.plots.queries, [release()]),
}


SLOW = {"graph_risk", "threats", "report", "publish", "least_mu", "plots.losses"}
"""Where a value that is taken costs a second: of other parameters, only values that none can be."""
REQUIRED = {"data", "release", "graph", "method", "promise", "progress"}


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_value_gets_a_sentence(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("a,b\n1,2\n")
    (tmp_path / "baskets.txt").write_text("1 2\n2 3\n")
    (tmp_path / "edges.txt").write_text("1 2\n2 3\n")
    function, given = CALLS[name]()
    parameters = inspect.signature(function).parameters
    usual = dict(zip(parameters, given, strict=False))
    if name == "Column":
        usual = {"name": "x"}
    if name == "verify a frame":
        usual = {"published": given[0], "promise": given[2], "quasi": given[3]}
    naked = []
    for parameter in parameters:
        for wrong in WRONG if name not in SLOW or parameter in REQUIRED else (Odd(), len, b"bytes"):
            try:
                function(**{**usual, parameter: wrong})
            except Exception as error:
                if isinstance(error, SfumatoError) and str(error) and "\n" not in str(error):
                    continue
                naked.append(f"{name}({parameter}={type(wrong).__name__}): {type(error).__name__}: {str(error)[:100]}")
    assert not naked, "\n".join(naked)
