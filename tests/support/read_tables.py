"""What was read, as plain values."""

from __future__ import annotations


def plain_values(table):
    return table.frame.to_dict(as_series=False)
