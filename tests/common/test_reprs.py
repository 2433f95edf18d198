"""Everything public shows itself on a screen: at a prompt in twenty lines, in a notebook in a card that escapes all."""

from __future__ import annotations

import inspect
from functools import cache

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.data.inspecting import inspect_table
from sfumato.datasets import hospital
from sfumato.ground.progress import Progress
from support.house import ATTACKS, METHODS, PROMISES, attack_named, method_named, plain_baskets, promise_named

EVIL = "<script>alert(1)</script>"


@cache
def release():
    return sf.publish(hospital(80), sf.Mondrian(), sf.KAnonymity(5) & sf.LDiversity(2), seed=1)


@cache
def wide():
    """Three hundred columns, each with a long name."""
    names = [f"column {'x' * 40} {i}" for i in range(300)]
    return sf.Table(pl.DataFrame({name: [1, 2, 3] for name in names}), sf.Schema(quasi=names))


@cache
def perturbed():
    rng = np.random.default_rng(1)
    graph = sf.Graph.from_edges(rng.integers(0, 30, 90), rng.integers(0, 30, 90), 30)
    return graph, sf.publish(graph, sf.EdgePerturbation(0.01), seed=1)


def long_hierarchy():
    return sf.Hierarchy.from_paths([(f"value {i}", f"group {i % 50}", "*") for i in range(5_000)])


def lattice():
    schema = sf.Schema(
        quasi=[f"c{i}" for i in range(6)], hierarchies={f"c{i}": sf.Hierarchy.prefixes(4) for i in range(6)}
    )
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({f"c{i}": rng.integers(1000, 9999, 60).astype(str) for i in range(6)})
    return sf.BestFirst(max_examined=60).search(sf.Table(frame, schema), sf.KAnonymity(3))


def basket_release():
    return sf.publish(plain_baskets(), sf.Nonreciprocal(), sf.KAnonymity(2), seed=1)


def verdict():
    return sf.Verdict(found=tuple(f"found {i}" for i in range(200)), checked_on=EVIL, broken=("x" * 5_000,))


MADE = {
    "Answer": lambda: sf.ask(release(), "SELECT COUNT(*) FROM release WHERE age > 40"),
    "Answers": lambda: sf.ask(release(), "SELECT COUNT(*) FROM release GROUP BY cost"),
    "Attacked": lambda: sf.attack(release(), sf.LinkageAttack(people=20)),
    "Baskets": plain_baskets,
    "Between": lambda: sf.Between("a"),
    "Blocks": lambda: sf.Blocks(3),
    "Cells": lambda: sf.Cells(),
    "Column": lambda: sf.Column(name="x", hierarchy=long_hierarchy(), labels={str(i): "meaning" for i in range(999)}),
    "CondensationStream": lambda: sf.CondensationStream(["a"], 3),
    "Curse": lambda: sf.curse(wide(), (2, 3), max_columns=25),
    "Floor": lambda: sf.floor(hospital(60), sf.KAnonymity(5)),
    "Frontier": lambda: sf.compare(hospital(60), ["Mondrian"], [sf.KAnonymity(k) for k in range(2, 30)], seed=1),
    "FrequencyEstimates": lambda: sf.estimate(sf.publish(hospital(60), sf.PRAM(0.9), seed=1)),
    "Graph": lambda: perturbed()[0],
    "GraphEstimates": lambda: sf.estimate(perturbed()[1]),
    "GraphRisk": lambda: sf.graph_risk(perturbed()[0]),
    "Hierarchy": long_hierarchy,
    "LatticeSearch": lattice,
    "Localities": lambda: sf.Localities(0.5),
    "Means": lambda: sf.Means("a"),
    "Measures": lambda: sf.measure(release()),
    "NoisyCounts": lambda: sf.NoisyCounts(by=["sex"]),
    "Order": lambda: sf.Order(["a"]),
    "Panel": lambda: sf.threats(release()),
    "Point": lambda: sf.compare(hospital(60), ["Mondrian"], [sf.KAnonymity(5)], seed=1).points[0],
    "PoI": lambda: sf.PoI("a[0] <= a[1]"),
    "Progress": lambda: Progress(3, shown=False),
    "PublishedBaskets": lambda: basket_release().data,
    "Ratios": lambda: sf.Ratios("a", "b"),
    "Release": release,
    "Schema": lambda: wide().schema,
    "Sums": lambda: sf.Sums("a"),
    "Table": wide,
    "Target": lambda: sf.Target.histogram({str(i): 1.0 for i in range(500)}),
    "Verdict": verdict,
    **{name: (lambda name=name: method_named(name)) for name in METHODS},
    **{name: (lambda name=name: promise_named(name)) for name in PROMISES},
    **{name: (lambda name=name: attack_named(name)) for name in ATTACKS},
    "Inspection": lambda: inspect_table(wide()),
    "Tree": lambda: long_hierarchy().tree([f"value {i}" for i in range(5_000)]),
    "Report": lambda: release().report(),
}


def test_every_public_class_is_looked_at():
    assert {name for name in sf.__all__ if inspect.isclass(getattr(sf, name))} <= set(MADE)


@pytest.mark.parametrize("name", MADE)
def test_a_repr_fits_a_screen(name):
    try:
        made = MADE[name]()
    except (TypeError, sf.errors.SfumatoError) as error:
        pytest.fail(f"{name} was not made: {error}")
    said = repr(made)
    assert len(said) < 1_500, said[:3_000]
    assert said.count("\n") < 20, said
    assert " object at 0x" not in said, said


CARDS = [
    "Table", "Release", "Verdict", "Measures", "Panel", "Attacked", "Schema", "Hierarchy", "Inspection", "Answer",
    "Answers", "Curse", "Report",
]  # fmt: skip


@pytest.mark.parametrize("name", CARDS)
def test_a_card_is_html_of_a_modest_size(name):
    html = MADE[name]()._repr_html_()
    assert html.startswith(("<div", "<iframe"))
    assert len(html) < 120_000 or name == "Report"
    assert "<script" not in html


def test_cards_escape_what_they_show():
    frame = pl.DataFrame({EVIL: [EVIL, "b", "c"], "y": ["&", "<i>", EVIL]})
    schema = sf.Schema(quasi=[EVIL], sensitive=["y"], hierarchies={EVIL: sf.Hierarchy.flat([EVIL, "b", "c"])})
    table = sf.Table(frame, schema)
    made = sf.publish(table, sf.Mondrian(), sf.KAnonymity(3), seed=1)
    for each in (table, schema, schema.column(EVIL).hierarchy, made, made.verdict, sf.measure(made), verdict(),
                 inspect_table(table), sf.ask(made, "SELECT COUNT(*) FROM release GROUP BY y"), made.report()):  # fmt: skip
        html = each._repr_html_()
        assert "<script" not in html
        assert "<i>" not in html
