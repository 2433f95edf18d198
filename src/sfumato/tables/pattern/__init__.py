"""Properties of interest, and the walk that keeps them."""

from sfumato.tables.pattern.blocks import Blocks
from sfumato.tables.pattern.pattern_preserving import PatternPreserving
from sfumato.tables.pattern.poi import PoI
from sfumato.tables.pattern.properties import Between, Localities, Means, Order, Ratios, Sums

__all__ = ["Between", "Blocks", "Localities", "Means", "Order", "PatternPreserving", "PoI", "Ratios", "Sums"]
