"""Publishing tables."""

from sfumato.tables.condensing.condensation import Condensation
from sfumato.tables.distribution import TargetDistribution
from sfumato.tables.grouping import IPCSD, MDAV, Anatomy, Hilbert, IDistance, Mondrian, Ordered, TopDown
from sfumato.tables.lattice import BestFirst, CellSuppression, Incognito, LocalRecoding, Samarati
from sfumato.tables.noise import AdditiveNoise
from sfumato.tables.pattern import PatternPreserving
from sfumato.tables.perturbing import PRAM, RankSwapping, RotationPerturbation, TopBottomCoding, UncertainPublication
from sfumato.tables.republishing import Republishing

__all__ = [
    "IPCSD",
    "MDAV",
    "PRAM",
    "AdditiveNoise",
    "Anatomy",
    "BestFirst",
    "CellSuppression",
    "Condensation",
    "Hilbert",
    "IDistance",
    "Incognito",
    "LocalRecoding",
    "Mondrian",
    "Ordered",
    "PatternPreserving",
    "RankSwapping",
    "Republishing",
    "RotationPerturbation",
    "Samarati",
    "TargetDistribution",
    "TopBottomCoding",
    "TopDown",
    "UncertainPublication",
]
