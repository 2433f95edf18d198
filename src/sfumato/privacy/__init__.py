"""What a release may promise, and how each promise is checked."""

from sfumato.privacy.accuracy_bound import AccuracyBound
from sfumato.privacy.beta_likeness import BetaLikeness
from sfumato.privacy.degree_anonymity import DegreeAnonymity
from sfumato.privacy.delta_disclosure import DeltaDisclosure
from sfumato.privacy.delta_presence import DeltaPresence
from sfumato.privacy.exchangeable import Exchangeable
from sfumato.privacy.expected_anonymity import ExpectedAnonymity
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.k_map import KMap
from sfumato.privacy.km_anonymity import KMAnonymity
from sfumato.privacy.l_diversity import LDiversity
from sfumato.privacy.m_invariance import MInvariance
from sfumato.privacy.match_rank import MatchRank
from sfumato.privacy.p_private import PPrivate
from sfumato.privacy.promise import All, Finding, Promise, known_promises, promise_from_dict
from sfumato.privacy.t_closeness import TCloseness
from sfumato.privacy.target import Target

__all__ = [
    "AccuracyBound", "All", "BetaLikeness", "DegreeAnonymity", "DeltaDisclosure", "DeltaPresence", "Exchangeable",
    "ExpectedAnonymity", "Finding", "KAnonymity", "KMAnonymity", "KMap", "LDiversity", "MInvariance", "MatchRank",
    "PPrivate", "Promise", "TCloseness", "Target", "known_promises", "promise_from_dict",
]  # fmt: skip
