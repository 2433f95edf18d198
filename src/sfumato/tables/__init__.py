"""Publishing tables."""

from sfumato.tables.grouping import Hilbert, Mondrian
from sfumato.tables.pattern import PatternPreserving

__all__ = ["Hilbert", "Mondrian", "PatternPreserving"]
