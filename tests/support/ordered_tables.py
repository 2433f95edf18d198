"""Tables that are laid along a line, and the orders there are."""

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.tables.coding.columns import flatten

ALL_ORDERS = ("snake", "lexicographic", "hilbert", "idistance")


def all_quasi(frame, **declared):
    return sf.Table(frame, sf.Schema(quasi=frame.columns, **declared))


def columns_of(table):
    return flatten(encode(table, table.schema.quasi))
