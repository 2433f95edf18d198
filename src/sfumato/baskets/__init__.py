"""Publishing set-valued data."""

from sfumato.baskets.cahd import CAHD
from sfumato.baskets.nonreciprocal import Nonreciprocal

__all__ = ["CAHD", "Nonreciprocal"]
