"""Every public name of the room, once: `sfumato/collection/__init__.py` loads each from here when it is first used."""

from .randomizers.best_response import best_response as best_response
from .randomizers.bloom_rappor import BloomRappor as BloomRappor
from .randomizers.hadamard_response import HadamardResponse as HadamardResponse
from .randomizers.kary_response import KaryResponse as KaryResponse
from .randomizers.local_hashing import LocalHashing as LocalHashing
from .randomizers.matrix_response import MatrixResponse as MatrixResponse
from .randomizers.memo import Memo as Memo
from .randomizers.one_column import OneColumn as OneColumn
from .randomizers.privacy import Privacy as Privacy
from .randomizers.privacy import gamma_limit as gamma_limit
from .randomizers.randomizer import Randomizer as Randomizer
from .randomizers.rappor import Rappor as Rappor
from .randomizers.subset_selection import SubsetSelection as SubsetSelection
from .randomizers.unary_encoding import OptimalUnaryEncoding as OptimalUnaryEncoding
from .randomizers.unary_encoding import SymmetricUnaryEncoding as SymmetricUnaryEncoding
from .randomizers.unrelated_question import UnrelatedQuestion as UnrelatedQuestion
from .randomizers.unrelated_question import unrelated_from_two_samples as unrelated_from_two_samples
from .randomizers.warner import Warner as Warner
from .reconstruction.shares import ShareEstimates as ShareEstimates
