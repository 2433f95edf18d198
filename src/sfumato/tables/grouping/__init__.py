"""Who hides with whom: methods that partition the records."""

from sfumato.tables.grouping.anatomy import Anatomy
from sfumato.tables.grouping.groups import GroupingMethod, Groups
from sfumato.tables.grouping.hilbert import Hilbert
from sfumato.tables.grouping.idistance import IDistance
from sfumato.tables.grouping.ipcsd import IPCSD
from sfumato.tables.grouping.job import Job
from sfumato.tables.grouping.mdav import MDAV
from sfumato.tables.grouping.mondrian import Mondrian
from sfumato.tables.grouping.ordered import Ordered
from sfumato.tables.grouping.topdown import TopDown

__all__ = [
    "IPCSD",
    "MDAV",
    "Anatomy",
    "GroupingMethod",
    "Groups",
    "Hilbert",
    "IDistance",
    "Job",
    "Mondrian",
    "Ordered",
    "TopDown",
]
