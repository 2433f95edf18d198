"""Who hides with whom: methods that partition the records."""

from sfumato.tables.grouping.groups import GroupingMethod, Groups
from sfumato.tables.grouping.hilbert import Hilbert
from sfumato.tables.grouping.mondrian import Mondrian

__all__ = ["GroupingMethod", "Groups", "Hilbert", "Mondrian"]
