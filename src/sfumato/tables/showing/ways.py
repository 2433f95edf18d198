"""The ways in which a group can show itself, by name."""

from collections.abc import Callable

from sfumato.data.schema import Schema
from sfumato.privacy.promise import Promise
from sfumato.tables.condensing.drawing import refuse_for_condensed, show_condensed
from sfumato.tables.showing.cells import show_cells
from sfumato.tables.showing.levels import show_levels
from sfumato.tables.showing.means import refuse_for_means, show_means
from sfumato.tables.showing.permutation import refuse_for_permutation, show_permutation
from sfumato.tables.showing.ranges import show_ranges
from sfumato.tables.showing.shown_columns import Showing

SHOWINGS: dict[str, Showing] = {
    "ranges": show_ranges,
    "means": show_means,
    "permutation": show_permutation,
    "condensed": show_condensed,
    "levels": show_levels,
    "cells": show_cells,
}

SPECIAL = ("levels", "cells")
"""Ways of showing that need groups of a certain kind: methods that form such groups name them."""

REFUSALS: dict[str, Callable[[Promise, Schema], None]] = {
    "means": refuse_for_means,
    "permutation": refuse_for_permutation,
    "condensed": refuse_for_condensed,
}
"""Checks for ways of showing that cannot keep every promise: each raises before any work is done."""

__all__ = ["REFUSALS", "SHOWINGS", "SPECIAL"]
