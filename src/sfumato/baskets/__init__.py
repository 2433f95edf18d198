"""Publishing set-valued data."""

from sfumato.baskets.apriori import Apriori
from sfumato.baskets.cahd import CAHD
from sfumato.baskets.nonreciprocal import Nonreciprocal
from sfumato.baskets.suppression import Suppression

__all__ = ["CAHD", "Apriori", "Nonreciprocal", "Suppression"]
