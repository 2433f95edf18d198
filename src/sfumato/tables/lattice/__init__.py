"""Full-domain search, and local recoding over the same lattice."""

from sfumato.tables.lattice.best_first import BestFirst
from sfumato.tables.lattice.cell_suppression import CellSuppression
from sfumato.tables.lattice.incognito import Incognito
from sfumato.tables.lattice.local_recoding import LocalRecoding
from sfumato.tables.lattice.samarati import Samarati
from sfumato.tables.lattice.searching import LatticeSearch

__all__ = ["BestFirst", "CellSuppression", "Incognito", "LatticeSearch", "LocalRecoding", "Samarati"]
