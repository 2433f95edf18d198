"""Publishing social graphs."""

from sfumato.graphs.add_delete import AddDelete
from sfumato.graphs.k_degree import KDegree
from sfumato.graphs.naive import Relabelling
from sfumato.graphs.perturbation import EdgePerturbation
from sfumato.graphs.switching import SpectralSwitching

__all__ = ["AddDelete", "EdgePerturbation", "KDegree", "Relabelling", "SpectralSwitching"]
