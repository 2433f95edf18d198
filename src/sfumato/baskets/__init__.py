"""Publishing set-valued data."""

from sfumato.baskets.apriori import Apriori
from sfumato.baskets.cahd import CAHD
from sfumato.baskets.grouped import Grouped
from sfumato.baskets.nonreciprocal import Nonreciprocal

__all__ = ["CAHD", "Apriori", "Grouped", "Nonreciprocal"]
