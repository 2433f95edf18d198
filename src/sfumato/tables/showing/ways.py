"""The ways in which a group can show itself, by name."""

from collections.abc import Callable

from sfumato.data.schema import Schema
from sfumato.privacy.promise import Promise
from sfumato.tables.condensing.drawing import refuse_what_has_no_class, show_condensed
from sfumato.tables.showing.cells import show_cells
from sfumato.tables.showing.levels import show_levels
from sfumato.tables.showing.means import refuse_bounds, show_means
from sfumato.tables.showing.permutation import refuse_identities, show_permutation
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
    "means": refuse_bounds,
    "permutation": refuse_identities,
    "condensed": refuse_what_has_no_class,
}
"""Of ways of showing that cannot keep every promise: what raises before any work is done."""

__all__ = ["REFUSALS", "SHOWINGS", "SPECIAL"]
