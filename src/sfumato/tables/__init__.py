"""Publishing tables."""

from sfumato.tables.grouping import Hilbert, Mondrian
from sfumato.tables.noise import AdditiveNoise
from sfumato.tables.pattern import PatternPreserving

__all__ = ["AdditiveNoise", "Hilbert", "Mondrian", "PatternPreserving"]
