"""What a group shows in place of its records' own values."""

from sfumato.tables.showing.means import show_means
from sfumato.tables.showing.ranges import show_ranges
from sfumato.tables.showing.shown_columns import ShownColumns

SHOWINGS = {"ranges": show_ranges, "means": show_means}

__all__ = ["SHOWINGS", "ShownColumns", "show_means", "show_ranges"]
