"""Publishing set-valued data."""

from sfumato.baskets.nonreciprocal import Nonreciprocal

__all__ = ["Nonreciprocal"]
