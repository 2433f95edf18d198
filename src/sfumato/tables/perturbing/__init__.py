"""Values changed one by one: swapping, randomising, cutting off, rotating, and publishing densities."""

from sfumato.tables.perturbing.coding import TopBottomCoding
from sfumato.tables.perturbing.pram import PRAM
from sfumato.tables.perturbing.rank_swapping import RankSwapping
from sfumato.tables.perturbing.rotation import RotationPerturbation
from sfumato.tables.perturbing.uncertain import UncertainPublication

__all__ = ["PRAM", "RankSwapping", "RotationPerturbation", "TopBottomCoding", "UncertainPublication"]
