"""Random hierarchy files of ARX: a rectangle of labels, where a line may stay at a label while others go on."""

from __future__ import annotations

from hypothesis import strategies as st


@st.composite
def arx_lines(draw, name="a", least_leaves=1, most_leaves=6, most_columns=5):
    """Lines of one length; at each column blocks of values join, are renamed, keep their label, or come to the root.

    A block that others join may give them its label: `a;x;y;*` beside `b;y;y;*`. In some files the last column has more
    than one label.
    """
    n = draw(st.integers(least_leaves, most_leaves))
    root = draw(st.sampled_from(["*", "*", f"{name} any"]))
    blocks = [([i], f"{name}{i}") for i in range(n)]
    columns = [[label for _, label in blocks]]
    for step in range(draw(st.integers(0, most_columns - 2))):
        blocks = draw(_joined(blocks, name, step, root))
        columns.append(_column(blocks, n))
    if len(columns) == 1 or draw(st.integers(0, 3)):
        columns.append([root] * n)
    return draw(st.permutations(list(zip(*columns, strict=True))))


@st.composite
def _joined(draw, blocks, name, step, root):
    joined, at, done = [], 0, [leaves for leaves, label in blocks if label == root]
    blocks = [block for block in blocks if block[1] != root]
    while at < len(blocks):
        group = blocks[at : at + draw(st.integers(1, 3))]
        at += len(group)
        fate = draw(st.sampled_from(["new", "new", "kept", "kept", "root"]))
        leaves = [leaf for part, _ in group for leaf in part]
        if fate == "root":
            done.append(leaves)
        else:
            joined.append((leaves, f"{name}-{step}-{at}" if fate == "new" else draw(st.sampled_from(group))[1]))
    return [*joined, *([([leaf for leaves in done for leaf in leaves], root)] if done else [])]


def _column(blocks, n):
    labels = [""] * n
    for leaves, label in blocks:
        for leaf in leaves:
            labels[leaf] = label
    return labels


def labels_at(lines, level):
    """What each value shows at a level, as the file says: one more where the last column has no one label."""
    return {line[0]: line[level] if level < len(line) else "*" for line in lines}


def n_levels(lines):
    """How many levels there are; the last shows all values alike."""
    return len(lines[0]) + (len({line[-1] for line in lines}) > 1)
