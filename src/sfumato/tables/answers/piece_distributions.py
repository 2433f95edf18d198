"""How likely each value is inside each piece that groups list: what estimates of MIN, MAX and MEDIAN start from."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.tables.answers.engine import Engine
from sfumato.tables.answers.listed_values import Listing

__all__ = ["PieceDistributions"]


class PieceDistributions:
    """The pieces of the domain of one sensitive column, and the probability of every value inside each of them."""

    def __init__(self, engine: Engine, listing: Listing, column: str) -> None:
        domain = engine.frame(f"SELECT * FROM release_domain ORDER BY {listing.place}")
        self._order = domain[column].arg_sort().to_numpy()
        self.values = domain[column].gather(self._order)
        chances: Any = _chances(engine, len(self.values)) if listing.lists_ranges else None
        self.n_pieces: int = chances.shape[1] if chances is not None else len(self.values)
        self._chances = chances

    def mix(self, weight: NDArray[np.float64]) -> tuple[pl.Series, NDArray[np.float64]]:
        """The values in order, and the weight of each where the pieces have these weights."""
        by_value = weight if self._chances is None else self._chances @ weight
        return self.values, by_value[self._order]


def _chances(engine: Engine, n_places: int) -> Any:
    """Values by pieces: the probability of the value in the piece by its target; where that gives none, all alike."""
    from scipy.sparse import csr_array

    pieces = engine.frame("SELECT first_place, last_place, target FROM release_pieces ORDER BY piece")
    first, last, target = (pieces[name].to_numpy().astype(np.int64) for name in pieces.columns)
    disclosed = engine.frame("SELECT target, place, weight FROM release_targets ORDER BY target, place")
    keys = disclosed["target"].to_numpy().astype(np.int64) * n_places + disclosed["place"].to_numpy()
    weights = disclosed["weight"].to_numpy().astype(np.float64)
    lengths = last - first + 1
    piece = np.repeat(np.arange(len(first)), lengths)
    place = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths - first, lengths)
    wanted = target[piece] * n_places + place
    at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    weight = np.where(keys[at] == wanted, weights[at], 0.0) if len(keys) else np.zeros(len(wanted))
    inside = np.bincount(piece, weights=weight, minlength=len(first))
    empty = inside[piece] <= 0
    chance = np.where(empty, 1 / lengths[piece], weight / np.where(empty, 1.0, inside[piece]))
    return csr_array((chance, (place, piece)), shape=(n_places, len(first)))
