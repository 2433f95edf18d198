"""sfumato publishes data about people so that no one in it can be picked out.

Names are loaded when first used, so that `import sfumato` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.attacking import Attacked as Attacked
    from sfumato.baskets.apriori import Apriori as Apriori
    from sfumato.baskets.cahd import CAHD as CAHD
    from sfumato.baskets.grouped import Grouped as Grouped
    from sfumato.baskets.item_knowledge import ItemKnowledge as ItemKnowledge
    from sfumato.baskets.nonreciprocal import Nonreciprocal as Nonreciprocal
    from sfumato.bundle import load_release as load_release
    from sfumato.data.baskets import Baskets as Baskets
    from sfumato.data.graph import Graph as Graph
    from sfumato.data.hierarchy import Hierarchy as Hierarchy
    from sfumato.data.published_baskets import PublishedBaskets as PublishedBaskets
    from sfumato.data.reading import read_table as read_table
    from sfumato.data.reading_baskets import read_baskets as read_baskets
    from sfumato.data.reading_graphs import read_graph as read_graph
    from sfumato.data.schema import Column as Column
    from sfumato.data.schema import Schema as Schema
    from sfumato.data.table import Table as Table
    from sfumato.figures import Measures as Measures
    from sfumato.graphs.add_delete import AddDelete as AddDelete
    from sfumato.graphs.costs import most_mu as most_mu
    from sfumato.graphs.estimating import GraphEstimates as GraphEstimates
    from sfumato.graphs.k_degree import KDegree as KDegree
    from sfumato.graphs.known_graph import KnownGraphAttack as KnownGraphAttack
    from sfumato.graphs.naive import Relabelling as Relabelling
    from sfumato.graphs.neighbourhood_attacks import DegreeAttack as DegreeAttack
    from sfumato.graphs.neighbourhood_attacks import RefinementAttack as RefinementAttack
    from sfumato.graphs.perturbation import EdgePerturbation as EdgePerturbation
    from sfumato.graphs.planted_attacks import IntervalWalkAttack as IntervalWalkAttack
    from sfumato.graphs.planted_attacks import StructuralAttack as StructuralAttack
    from sfumato.graphs.planted_attacks import WalkBasedAttack as WalkBasedAttack
    from sfumato.graphs.risk import GraphRisk as GraphRisk
    from sfumato.graphs.risk import graph_risk as graph_risk
    from sfumato.graphs.stopping import least_mu as least_mu
    from sfumato.graphs.switching import SpectralSwitching as SpectralSwitching
    from sfumato.privacy.accuracy_bound import AccuracyBound as AccuracyBound
    from sfumato.privacy.beta_likeness import BetaLikeness as BetaLikeness
    from sfumato.privacy.degree_anonymity import DegreeAnonymity as DegreeAnonymity
    from sfumato.privacy.delta_disclosure import DeltaDisclosure as DeltaDisclosure
    from sfumato.privacy.delta_presence import DeltaPresence as DeltaPresence
    from sfumato.privacy.exchangeable import Exchangeable as Exchangeable
    from sfumato.privacy.expected_anonymity import ExpectedAnonymity as ExpectedAnonymity
    from sfumato.privacy.k_anonymity import KAnonymity as KAnonymity
    from sfumato.privacy.k_map import KMap as KMap
    from sfumato.privacy.km_anonymity import KMAnonymity as KMAnonymity
    from sfumato.privacy.l_diversity import LDiversity as LDiversity
    from sfumato.privacy.m_invariance import MInvariance as MInvariance
    from sfumato.privacy.match_rank import MatchRank as MatchRank
    from sfumato.privacy.p_private import PPrivate as PPrivate
    from sfumato.privacy.t_closeness import TCloseness as TCloseness
    from sfumato.privacy.target import Target as Target
    from sfumato.privacy.verdict import Verdict as Verdict
    from sfumato.published.equivalence import Cells as Cells
    from sfumato.release import Release as Release
    from sfumato.release import publish as publish
    from sfumato.release import verify as verify
    from sfumato.tables.attacks.background import BackgroundKnowledgeAttack as BackgroundKnowledgeAttack
    from sfumato.tables.attacks.distance import DistanceLinkage as DistanceLinkage
    from sfumato.tables.attacks.homogeneity import HomogeneityAttack as HomogeneityAttack
    from sfumato.tables.attacks.inference import InferenceAttack as InferenceAttack
    from sfumato.tables.attacks.intersection import IntersectionAttack as IntersectionAttack
    from sfumato.tables.attacks.known_sample import KnownSampleAttack as KnownSampleAttack
    from sfumato.tables.attacks.minimality import MinimalityAttack as MinimalityAttack
    from sfumato.tables.attacks.noise_filtering import NoiseFilteringAttack as NoiseFilteringAttack
    from sfumato.tables.attacks.outside_linkage import LinkageAttack as LinkageAttack
    from sfumato.tables.attacks.similarity import SimilarityAttack as SimilarityAttack
    from sfumato.tables.attacks.skewness import SkewnessAttack as SkewnessAttack
    from sfumato.tables.condensing.condensation import Condensation as Condensation
    from sfumato.tables.condensing.stream import CondensationStream as CondensationStream
    from sfumato.tables.curse import Curse as Curse
    from sfumato.tables.curse import curse as curse
    from sfumato.tables.distribution.target_distribution import TargetDistribution as TargetDistribution
    from sfumato.tables.grouping.anatomy import Anatomy as Anatomy
    from sfumato.tables.grouping.hilbert import Hilbert as Hilbert
    from sfumato.tables.grouping.idistance import IDistance as IDistance
    from sfumato.tables.grouping.ipcsd import IPCSD as IPCSD
    from sfumato.tables.grouping.mdav import MDAV as MDAV
    from sfumato.tables.grouping.mondrian import Mondrian as Mondrian
    from sfumato.tables.grouping.ordered import Ordered as Ordered
    from sfumato.tables.grouping.topdown import TopDown as TopDown
    from sfumato.tables.lattice.best_first import BestFirst as BestFirst
    from sfumato.tables.lattice.cell_suppression import CellSuppression as CellSuppression
    from sfumato.tables.lattice.incognito import Incognito as Incognito
    from sfumato.tables.lattice.local_recoding import LocalRecoding as LocalRecoding
    from sfumato.tables.lattice.samarati import Samarati as Samarati
    from sfumato.tables.lattice.searching import LatticeSearch as LatticeSearch
    from sfumato.tables.noise import AdditiveNoise as AdditiveNoise
    from sfumato.tables.pattern.blocks import Blocks as Blocks
    from sfumato.tables.pattern.pattern_preserving import PatternPreserving as PatternPreserving
    from sfumato.tables.pattern.poi import PoI as PoI
    from sfumato.tables.pattern.properties import Between as Between
    from sfumato.tables.pattern.properties import Localities as Localities
    from sfumato.tables.pattern.properties import Means as Means
    from sfumato.tables.pattern.properties import Order as Order
    from sfumato.tables.pattern.properties import Ratios as Ratios
    from sfumato.tables.pattern.properties import Sums as Sums
    from sfumato.tables.perturbing.coding import TopBottomCoding as TopBottomCoding
    from sfumato.tables.perturbing.frequencies import FrequencyEstimates as FrequencyEstimates
    from sfumato.tables.perturbing.pram import PRAM as PRAM
    from sfumato.tables.perturbing.rank_swapping import RankSwapping as RankSwapping
    from sfumato.tables.perturbing.rotation import RotationPerturbation as RotationPerturbation
    from sfumato.tables.perturbing.uncertain import UncertainPublication as UncertainPublication
    from sfumato.tables.republishing.publishing import Republishing as Republishing
    from sfumato.verbs.ask import Answer as Answer
    from sfumato.verbs.ask import Answers as Answers
    from sfumato.verbs.ask import ask as ask
    from sfumato.verbs.attack import attack as attack
    from sfumato.verbs.estimate import estimate as estimate
    from sfumato.verbs.measure import measure as measure
    from sfumato.verbs.threats import Panel as Panel
    from sfumato.verbs.threats import threats as threats

__version__ = "0.1.0"

_HOMES = {
    "BestFirst": "sfumato.tables.lattice.best_first",
    "CellSuppression": "sfumato.tables.lattice.cell_suppression",
    "Incognito": "sfumato.tables.lattice.incognito",
    "LatticeSearch": "sfumato.tables.lattice.searching",
    "LocalRecoding": "sfumato.tables.lattice.local_recoding",
    "Samarati": "sfumato.tables.lattice.samarati",
    "Ordered": "sfumato.tables.grouping.ordered",
    "IPCSD": "sfumato.tables.grouping.ipcsd",
    "IDistance": "sfumato.tables.grouping.idistance",
    "AccuracyBound": "sfumato.privacy.accuracy_bound",
    "AddDelete": "sfumato.graphs.add_delete",
    "AdditiveNoise": "sfumato.tables.noise",
    "Anatomy": "sfumato.tables.grouping.anatomy",
    "Answer": "sfumato.verbs.ask",
    "Answers": "sfumato.verbs.ask",
    "Apriori": "sfumato.baskets.apriori",
    "Attacked": "sfumato.attacking",
    "Baskets": "sfumato.data.baskets",
    "BetaLikeness": "sfumato.privacy.beta_likeness",
    "Between": "sfumato.tables.pattern.properties",
    "Blocks": "sfumato.tables.pattern.blocks",
    "CAHD": "sfumato.baskets.cahd",
    "Cells": "sfumato.published.equivalence",
    "Column": "sfumato.data.schema",
    "Condensation": "sfumato.tables.condensing.condensation",
    "CondensationStream": "sfumato.tables.condensing.stream",
    "Curse": "sfumato.tables.curse",
    "curse": "sfumato.tables.curse",
    "DegreeAnonymity": "sfumato.privacy.degree_anonymity",
    "DeltaDisclosure": "sfumato.privacy.delta_disclosure",
    "DeltaPresence": "sfumato.privacy.delta_presence",
    "EdgePerturbation": "sfumato.graphs.perturbation",
    "Exchangeable": "sfumato.privacy.exchangeable",
    "Grouped": "sfumato.baskets.grouped",
    "Graph": "sfumato.data.graph",
    "GraphEstimates": "sfumato.graphs.estimating",
    "Hierarchy": "sfumato.data.hierarchy",
    "Hilbert": "sfumato.tables.grouping.hilbert",
    "IntersectionAttack": "sfumato.tables.attacks.intersection",
    "ItemKnowledge": "sfumato.baskets.item_knowledge",
    "KAnonymity": "sfumato.privacy.k_anonymity",
    "KDegree": "sfumato.graphs.k_degree",
    "KMAnonymity": "sfumato.privacy.km_anonymity",
    "KMap": "sfumato.privacy.k_map",
    "LDiversity": "sfumato.privacy.l_diversity",
    "MInvariance": "sfumato.privacy.m_invariance",
    "Localities": "sfumato.tables.pattern.properties",
    "MatchRank": "sfumato.privacy.match_rank",
    "Means": "sfumato.tables.pattern.properties",
    "Measures": "sfumato.figures",
    "Mondrian": "sfumato.tables.grouping.mondrian",
    "Nonreciprocal": "sfumato.baskets.nonreciprocal",
    "Order": "sfumato.tables.pattern.properties",
    "PPrivate": "sfumato.privacy.p_private",
    "PublishedBaskets": "sfumato.data.published_baskets",
    "PatternPreserving": "sfumato.tables.pattern.pattern_preserving",
    "PoI": "sfumato.tables.pattern.poi",
    "Ratios": "sfumato.tables.pattern.properties",
    "Relabelling": "sfumato.graphs.naive",
    "Release": "sfumato.release",
    "Republishing": "sfumato.tables.republishing.publishing",
    "Schema": "sfumato.data.schema",
    "Sums": "sfumato.tables.pattern.properties",
    "TCloseness": "sfumato.privacy.t_closeness",
    "Table": "sfumato.data.table",
    "Target": "sfumato.privacy.target",
    "TargetDistribution": "sfumato.tables.distribution.target_distribution",
    "TopDown": "sfumato.tables.grouping.topdown",
    "Verdict": "sfumato.privacy.verdict",
    "ask": "sfumato.verbs.ask",
    "attack": "sfumato.verbs.attack",
    "estimate": "sfumato.verbs.estimate",
    "load_release": "sfumato.bundle",
    "measure": "sfumato.verbs.measure",
    "publish": "sfumato.release",
    "read_baskets": "sfumato.data.reading_baskets",
    "read_graph": "sfumato.data.reading_graphs",
    "read_table": "sfumato.data.reading",
    "verify": "sfumato.release",
    "DegreeAttack": "sfumato.graphs.neighbourhood_attacks",
    "RefinementAttack": "sfumato.graphs.neighbourhood_attacks",
    "IntervalWalkAttack": "sfumato.graphs.planted_attacks",
    "StructuralAttack": "sfumato.graphs.planted_attacks",
    "WalkBasedAttack": "sfumato.graphs.planted_attacks",
    "GraphRisk": "sfumato.graphs.risk",
    "graph_risk": "sfumato.graphs.risk",
    "KnownGraphAttack": "sfumato.graphs.known_graph",
    "least_mu": "sfumato.graphs.stopping",
    "SpectralSwitching": "sfumato.graphs.switching",
    "most_mu": "sfumato.graphs.costs",
    "BackgroundKnowledgeAttack": "sfumato.tables.attacks.background",
    "DistanceLinkage": "sfumato.tables.attacks.distance",
    "HomogeneityAttack": "sfumato.tables.attacks.homogeneity",
    "InferenceAttack": "sfumato.tables.attacks.inference",
    "KnownSampleAttack": "sfumato.tables.attacks.known_sample",
    "LinkageAttack": "sfumato.tables.attacks.outside_linkage",
    "MinimalityAttack": "sfumato.tables.attacks.minimality",
    "NoiseFilteringAttack": "sfumato.tables.attacks.noise_filtering",
    "SimilarityAttack": "sfumato.tables.attacks.similarity",
    "SkewnessAttack": "sfumato.tables.attacks.skewness",
    "Panel": "sfumato.verbs.threats",
    "threats": "sfumato.verbs.threats",
    "MDAV": "sfumato.tables.grouping.mdav",
    "RankSwapping": "sfumato.tables.perturbing.rank_swapping",
    "PRAM": "sfumato.tables.perturbing.pram",
    "TopBottomCoding": "sfumato.tables.perturbing.coding",
    "RotationPerturbation": "sfumato.tables.perturbing.rotation",
    "UncertainPublication": "sfumato.tables.perturbing.uncertain",
    "ExpectedAnonymity": "sfumato.privacy.expected_anonymity",
    "FrequencyEstimates": "sfumato.tables.perturbing.frequencies",
}

__all__ = [*sorted(_HOMES), "__version__"]


_MODULES = ("datasets", "errors")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"sfumato.{name}")
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'sfumato' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
