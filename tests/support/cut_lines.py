"""Lines to be cut, for tests: one numeric column with labels, or any table in any order of its rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.tables.coding.columns import flatten
from sfumato.tables.grouping.cutting.problem import Cut, Problem
from support.naive_partitions import privacy


def labelled(values, labels):
    """A table of one numeric quasi-identifier `x` and one sensitive column `s`; labels are numbers."""
    frame = pl.DataFrame({"x": list(values), "s": [f"label {label:04}" for label in labels]})
    return sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))


def problem_of(table, promise, order=None):
    """The table as a line, in the order given or in that of its rows."""
    rows = np.arange(len(table)) if order is None else np.asarray(order, dtype=np.int64)
    quasi, sensitive = encode(table, table.schema.quasi), encode(table, table.schema.sensitive)
    return Problem(flatten(quasi), rows, np.arange(len(rows), dtype=np.float64), sensitive, promise)


def labelled_problem(values, labels, promise=None):
    """One numeric column in its own order; equal values keep the order they are given in."""
    order = np.argsort(np.array(values), kind="stable")
    return problem_of(labelled(values, labels), sf.KAnonymity(1) if promise is None else promise, order)


def lists(cut: Cut):
    """The groups of a cut as rising lists of places on the line, in the order of the cut."""
    return [sorted(cut.order[a:b].tolist()) for a, b in zip(cut.starts[:-1], cut.starts[1:], strict=True)]


def is_partition(groups, n):
    """Whether every record is in one group, and no group is empty."""
    return sorted(record for group in groups for record in group) == list(range(n)) and all(groups)


def least_privacy(labels, groups) -> Fraction:
    """The l that a partition reaches, exactly."""
    return min(privacy(labels, group) for group in groups)


def numbered(labels):
    """The labels as numbers from 0, all of which occur, in the order of their values."""
    return np.unique(np.asarray(labels), return_inverse=True)[1].tolist()


@st.composite
def eligible_lines(draw, max_size=16, n_labels=6, top=40, least_l=2):
    """Rising values with ties, labels of any frequencies, and an l that they can just or easily reach."""
    labels = draw(st.lists(st.integers(0, n_labels - 1), min_size=2, max_size=max_size))
    most = len(labels) // max(labels.count(label) for label in labels)
    if most < least_l:  # give every second record a label of its own
        labels = [n_labels + i if i % 2 else label for i, label in enumerate(labels)]
        most = len(labels) // max(labels.count(label) for label in labels)
    labels = numbered(labels)
    if most < least_l:
        labels, most = list(range(len(labels))), len(labels)
    l = draw(st.integers(least_l, most))
    values = sorted(draw(st.lists(st.integers(0, top), min_size=len(labels), max_size=len(labels))))
    return values, labels, l
