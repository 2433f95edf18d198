"""Random tiny lines of records with sensitive values."""

import itertools

from hypothesis import strategies as st

OBJECTIVES = ("largest", "weighted", "sum", "average")
TEN = (1, 2, 4, 7, 11, 12, 13, 20, 22, 29)


@st.composite
def lines(draw, max_size=8, n_labels=4, top=12):
    """Rising values with ties, and labels that can reach l: those of a few groups of l to 2l - 1, shuffled."""
    l = draw(st.sampled_from([2, 3, 2, 1]))
    sizes = draw(st.lists(st.integers(l, min(2 * l - 1, n_labels)), min_size=1, max_size=max_size))
    sizes = [size for size, end in zip(sizes, itertools.accumulate(sizes), strict=True) if end <= max_size]
    of_group = [draw(st.permutations(range(n_labels)))[:size] for size in sizes]
    labels = draw(st.permutations(list(itertools.chain(*of_group))))
    values = sorted(draw(st.lists(st.integers(0, top), min_size=len(labels), max_size=len(labels))))
    return values, labels, l


def is_partition(groups, n):
    """Whether every record is in one group, and no group is empty."""
    return sorted(itertools.chain(*groups)) == list(range(n)) and all(groups)


def letters(text):
    """Labels written as letters."""
    return [ord(letter) - ord("a") for letter in text]
