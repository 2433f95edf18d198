"""Whoever calls `help` on a public name finds every parameter named, and an example that runs."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
import sys
from pathlib import Path

import pytest

import sfumato as sf

THINGS = {
    **{name: getattr(sf, name) for name in sf.__all__ if callable(getattr(sf, name))},
    **{f"plots.{name}": getattr(sf.plots, name) for name in sf.plots.__all__},
    **{
        f"Hierarchy.{name}": getattr(sf.Hierarchy, name)
        for name in ("from_csv", "from_paths", "flat", "intervals", "prefixes", "calendar", "automatic")
    },
    "datasets.hospital": sf.datasets.hospital,
}
WITHOUT_EXAMPLE: set[str] = set()
"""Names that have no example yet. It only gets smaller."""
SLOW = {
    "Blocks", "BestFirst", "IDistance", "Incognito", "InferenceAttack", "KMap", "Localities", "Means", "Order",
    "Ordered", "PatternPreserving", "PoI", "Ratios", "Samarati", "SpectralSwitching", "Sums", "TargetDistribution",
    "PPrivate", "DeltaDisclosure", "Republishing", "MInvariance", "Anatomy", "IPCSD", "AccuracyBound", "MDAV",
    "TopDown", "CellSuppression", "Grouped", "CAHD", "Apriori", "KMAnonymity", "Panel", "threats", "UncertainPublication",
    "ExpectedAnonymity", "CondensationStream", "Condensation", "KDegree", "DegreeAnonymity", "AddDelete", "LatticeSearch",
    "graph_risk", "GraphRisk", "least_mu", "most_mu", "RotationPerturbation", "KnownSampleAttack", "PRAM",
    "FrequencyEstimates", "RankSwapping", "TopBottomCoding", "AdditiveNoise", "NoiseFilteringAttack", "DistanceLinkage",
    "BackgroundKnowledgeAttack", "SkewnessAttack", "ItemKnowledge", "DegreeAttack", "RefinementAttack", "BetaLikeness",
    "TCloseness", "Relabelling", "curse", "Curse", "plots.curse", "plots.queries", "plots.hierarchy", "plots.risk",
    "plots.losses", "plots.attacks", "PublishedBaskets", "Hilbert", "Nonreciprocal",
}  # fmt: skip
"""Examples that make a release by a method of their own, and so take a moment each; .ci/run runs them too."""


def field_docs(cls: type) -> set[str]:
    """Fields with a docstring of their own, in the class and in what it derives from."""
    found = set()
    for base in cls.__mro__:
        if not base.__module__.startswith("sfumato"):
            continue
        source = Path(sys.modules[base.__module__].__file__ or "").read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef) and node.name == base.__name__:
                for one, two in zip(node.body, node.body[1:], strict=False):
                    told = isinstance(two, ast.Expr) and isinstance(getattr(two.value, "value", None), str)
                    if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and told:
                        found.add(one.target.id)
    return found


@pytest.mark.parametrize("name", THINGS)
def test_every_parameter_is_named(name):
    thing = THINGS[name]
    told = field_docs(thing) if inspect.isclass(thing) else set()
    prose = (thing.__doc__ or "").split(">>>")[0]
    lacking = [p for p in inspect.signature(thing).parameters if not re.search(rf"\b{p}\b", prose) and p not in told]
    assert not lacking, f"help({name}) does not say what these are: {', '.join(lacking)}"


def test_every_name_has_an_example():
    lacking = {name for name, thing in THINGS.items() if ">>>" not in (thing.__doc__ or "")}
    assert lacking == WITHOUT_EXAMPLE


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in THINGS])
def test_an_example_runs(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    thing = THINGS[name]
    around = vars(sys.modules[inspect.unwrap(thing).__module__])
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    test = doctest.DocTestParser().get_doctest(thing.__doc__ or "", dict(around), name, None, None)
    said: list[str] = []
    runner.run(test, out=said.append)
    assert not runner.failures, "".join(said)
