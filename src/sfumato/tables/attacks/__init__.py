"""Attacks on published tables: who is found in them, and what is learnt of people."""

from sfumato.tables.attacks.background import BackgroundKnowledgeAttack
from sfumato.tables.attacks.distance import DistanceLinkage
from sfumato.tables.attacks.homogeneity import HomogeneityAttack
from sfumato.tables.attacks.inference import InferenceAttack
from sfumato.tables.attacks.known_sample import KnownSampleAttack
from sfumato.tables.attacks.minimality import MinimalityAttack
from sfumato.tables.attacks.noise_filtering import NoiseFilteringAttack
from sfumato.tables.attacks.outside_linkage import LinkageAttack
from sfumato.tables.attacks.similarity import SimilarityAttack
from sfumato.tables.attacks.skewness import SkewnessAttack

__all__ = [
    "BackgroundKnowledgeAttack",
    "DistanceLinkage",
    "HomogeneityAttack",
    "InferenceAttack",
    "KnownSampleAttack",
    "LinkageAttack",
    "MinimalityAttack",
    "NoiseFilteringAttack",
    "SimilarityAttack",
    "SkewnessAttack",
]
