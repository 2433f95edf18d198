"""Publishing tables."""

from sfumato.tables.grouping import Hilbert, Mondrian

__all__ = ["Hilbert", "Mondrian"]
