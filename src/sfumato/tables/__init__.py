"""Publishing tables."""

from sfumato.tables.distribution import TargetDistribution
from sfumato.tables.grouping import IPCSD, Anatomy, Hilbert, IDistance, Mondrian, Ordered, TopDown
from sfumato.tables.noise import AdditiveNoise
from sfumato.tables.pattern import PatternPreserving

__all__ = [
    "IPCSD",
    "AdditiveNoise",
    "Anatomy",
    "Hilbert",
    "IDistance",
    "Mondrian",
    "Ordered",
    "PatternPreserving",
    "TargetDistribution",
    "TopDown",
]
