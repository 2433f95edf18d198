"""Full-domain search by trying everything, in plain Python, and random tables with hierarchies to try it on."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict

import polars as pl
from hypothesis import strategies as st

import sfumato as sf
from sfumato.published.equivalence import Cells, PublishedClasses
from sfumato.published.judge import judge

STAR = "*"


@st.composite
def hierarchies(draw, name):
    """Paths from each leaf to the root `any`, of unequal length; every node has a label of its own."""
    n_leaves = draw(st.integers(1, 6))
    paths, current = [], [f"{name}{i}" for i in range(n_leaves)]
    above = {}
    for step in range(draw(st.integers(0, 2))):
        if len(current) == 1:
            break
        joined, at = [], 0
        while at < len(current):
            size = draw(st.integers(1, 3))
            if size == 1:  # stays as it is: shallower than others
                joined.append(current[at])
            else:
                label = f"{name}-{step}-{at}"
                above |= dict.fromkeys(current[at : at + size], label)
                joined.append(label)
            at += size
        current = joined
    for i in range(n_leaves):
        path = [f"{name}{i}"]
        while path[-1] in above:
            path.append(above[path[-1]])
        paths.append((*path, draw_root(name)))
    return paths


def draw_root(name):
    """The root has a label of its own in one column, and is the star in others."""
    return "anything" if name == "a" else STAR


class Lattices:
    """A table, the paths of its hierarchies, and what everything costs by its definition."""

    def __init__(self, frame, paths, weights, orders=(), sensitive=("s", "x")):
        self.frame, self.paths, self.weights = frame, paths, weights
        self.quasi = [name for name in frame.columns if name not in sensitive]
        self.sensitive = list(sensitive)
        schema = sf.Schema(
            quasi=self.quasi, sensitive=self.sensitive, weights=weights, orders=dict(orders),
            hierarchies={name: sf.Hierarchy.from_paths(each) for name, each in paths.items()},
        )  # fmt: skip
        self.table = sf.Table(frame, schema)
        self._shown = {}

    def __repr__(self):
        return f"Lattices({self.frame.to_dict(as_series=False)}, {self.paths}, {self.weights})"

    @property
    def tops(self):
        return tuple(max(map(len, self.paths[q])) - 1 if q in self.paths else 1 for q in self.quasi)

    def nodes(self):
        return list(itertools.product(*(range(top + 1) for top in self.tops)))

    def cell(self, q, value, level):
        """What a value shows at a level, and what that costs."""
        top = self.tops[self.quasi.index(q)]
        if q not in self.paths:
            return (STAR, 1.0) if level else (None if value is None else str(value), 0.0)
        leaves = len(self.paths[q])
        if level == top:
            label = STAR if self.frame[q].null_count() else self.paths[q][0][-1]
            return label, 0.0 if leaves == 1 and label != STAR else 1.0
        if value is None:
            return None, 0.0
        path = next(path for path in self.paths[q] if path[0] == value)[::-1]
        label = path[min(len(path) - 1, top - level)]
        below = sum(label in other for other in self.paths[q])
        return label, below / leaves if below > 1 else 0.0

    def shown(self, node):
        """Every row's cells, and what it loses."""
        if node not in self._shown:
            self._shown[node] = self._all_shown(node)
        return self._shown[node]

    def _all_shown(self, node):
        rows, losses = [], []
        whole = sum(self.weights.values())
        for row in self.frame.iter_rows(named=True):
            cells = [self.cell(q, row[q], level) for q, level in zip(self.quasi, node, strict=True)]
            rows.append(tuple(text for text, _ in cells))
            losses.append(sum(self.weights[q] * loss for q, (_, loss) in zip(self.quasi, cells, strict=True)) / whole)
        return rows, losses

    def published(self, node, kept):
        rows = self.shown(node)[0]
        cells = pl.DataFrame(
            [pl.Series(q, [rows[i][c] for i in kept], dtype=pl.String) for c, q in enumerate(self.quasi)]
        )
        frame = cells.hstack(self.frame.select(self.sensitive)[kept])
        columns = self.table.schema.columns
        return PublishedClasses(frame, self.quasi, self.sensitive, columns, Cells(suppressed_rows="class"))

    def withheld(self, node, promise, most):
        """The rows that must go so that all classes left keep the promise; None where these are too many."""
        rows = self.shown(node)[0]
        classes = defaultdict(list)
        for i, row in enumerate(rows):
            classes[row].append(i)
        gone = set()
        while True:
            kept = [i for i in range(len(rows)) if i not in gone]
            bad = [
                members for members in classes.values()
                if members[0] not in gone and not class_holds(self.frame, promise, members, kept)
            ]  # fmt: skip
            gone |= set(itertools.chain(*bad))
            if len(gone) > most or len(gone) == len(rows):
                return None
            if not bad:
                assert judge(promise, self.published(node, kept), checked_on="all").holds
                return gone

    def cost(self, node, gone, measure):
        rows, losses = self.shown(node)
        n = len(rows)
        if measure == "gcp":
            return sum(1.0 if i in gone else losses[i] for i in range(n)) / n
        if measure == "loss":
            return sum(1.0 if i in gone else self.row_loss(i, node) for i in range(n)) / n
        if measure == "height":
            return sum(node) / max(sum(self.tops), 1)
        if measure == "discernibility":
            sizes = Counter(row for i, row in enumerate(rows) if i not in gone)
            return (sum(size**2 for size in sizes.values()) + len(gone) * n) / n**2
        total = sum(
            self.weights[q] * self.entropy(c, rows) for c, q in enumerate(self.quasi)
        ) / sum(self.weights.values())  # fmt: skip
        return total * (n - len(gone)) / n + len(gone) / n

    def row_loss(self, i, node):
        """What a row loses by (leaves shown alike - 1) / (all - 1), averaged over its columns."""
        lost = 0.0
        for q, level in zip(self.quasi, node, strict=True):
            shown, penalty = self.cell(q, self.frame[q][i], level)
            leaves = [path[0] for path in self.paths.get(q, ())]
            if leaves and level < self.tops[self.quasi.index(q)] and shown is not None:
                alike = sum(self.cell(q, leaf, level)[0] == shown for leaf in leaves)
                penalty = (alike - 1) / max(len(leaves) - 1, 1)
            lost += self.weights[q] * penalty
        return lost / sum(self.weights.values())

    def entropy(self, c, rows):
        """The share of a column's information that is lost: H(value | what is shown) / H(value)."""
        values = self.frame[self.quasi[c]].to_list()
        shown = [row[c] for row in rows]
        together, alone, cells = Counter(zip(values, shown, strict=True)), Counter(values), Counter(shown)
        n = len(values)
        conditional = -sum(m / n * math.log(m / cells[cell]) for (_, cell), m in together.items())
        whole = -sum(m / n * math.log(m / n) for m in alone.values())
        return conditional / whole if whole > 0 else 0.0

    def search(self, promise, share=0.0, measure="gcp"):
        """Every node that holds, and its cost."""
        most = math.floor(share * len(self.frame) + 1e-9)
        found = {}
        for node in self.nodes():
            gone = self.withheld(node, promise, most)
            if gone is not None:
                found[node] = self.cost(node, gone, measure)
        return found

    def named(self, node):
        return dict(zip(self.quasi, node, strict=True))


def class_holds(frame, promise, members, kept):
    """Whether one class keeps every part of a promise, the rows `kept` being all that are published."""
    for part in promise.parts:
        if isinstance(part, sf.KAnonymity):
            if len(members) < part.k:
                return False
            continue
        for name in part.columns or ("s", "x"):
            values = frame[name].to_list()
            here, whole = Counter(values[i] for i in members), Counter(values[i] for i in kept)
            if not holds_of(part, name, here, whole):
                return False
    return True


def holds_of(part, name, here, whole):
    n, m = sum(here.values()), sum(whole.values())
    falling = sorted(here.values(), reverse=True)
    if isinstance(part, sf.LDiversity):
        if part.kind == "frequency":
            return falling[0] * part.l <= n
        if part.kind == "distinct":
            return len(here) >= part.l
        if part.kind == "entropy":
            return -sum(a / n * math.log(a / n) for a in falling) >= math.log(part.l) - 1e-9
        return falling[0] < part.c * sum(falling[int(part.l) - 1 :])
    if isinstance(part, sf.BetaLikeness):
        for value, count in here.items():
            p, q = whole[value] / m, count / n
            bound = min(part.beta, -math.log(p)) if part.enhanced else part.beta
            if q > p and (q - p) / p > bound + 1e-9:
                return False
        return True
    if part.distance == "kl":
        apart = sum(a / n * math.log(a / n / (whole[value] / m)) for value, a in here.items())
    elif part.distance == "emd" and name == "x":  # numbers, by their ranks
        order = sorted(value for value in whole if value is not None)
        order = [None, *order] if None in whole else order
        carried = list(itertools.accumulate(here[value] / n - whole[value] / m for value in order))
        apart = sum(map(abs, carried[:-1])) / (len(order) - 1) if len(order) > 1 else 0.0
    else:
        apart = sum(abs(here[value] / n - whole[value] / m) for value in whole) / 2
    return apart <= part.t + 1e-9


@st.composite
def lattices(draw, min_rows=1, max_rows=12, max_columns=3, trees=False):
    """One to three quasi-identifiers with or without a hierarchy, missing values, weights, two sensitive columns.

    `trees` gives all of them one.
    """
    n = draw(st.integers(min_rows, max_rows))
    columns, paths, weights, orders = {}, {}, {}, {}
    for name in "abcd"[: draw(st.integers(1, max_columns))]:
        kind = "tree" if trees else draw(st.sampled_from(["tree", "tree", "tree", "number", "set", "ordinal"]))
        if kind == "tree":
            paths[name] = draw(hierarchies(name))
            values = st.sampled_from([path[0] for path in paths[name]])
        else:
            values = {"number": st.integers(0, 2), "set": st.sampled_from(["u", "v"]),
                      "ordinal": st.sampled_from(["low", "mid", "high"])}[kind]  # fmt: skip
        if kind == "ordinal":
            orders[name] = ["low", "mid", "high"]
        lacking = [st.none()] if draw(st.booleans()) else []
        cells = draw(st.lists(st.one_of(values, values, values, *lacking), min_size=n, max_size=n))
        if all(cell is None for cell in cells):
            cells[0] = draw(values)
        columns[name] = pl.Series(name, cells, dtype=pl.Int64 if kind == "number" else pl.String)
        weights[name] = draw(st.sampled_from([1.0, 1.37, 2.71] if trees else [1.0, 1.0, 2.5]))
    columns["s"] = pl.Series("s", draw(st.lists(st.sampled_from("pqr"), min_size=n, max_size=n)))
    numbers = st.one_of(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4), st.none())
    scores = draw(st.lists(numbers, min_size=n, max_size=n))
    columns["x"] = pl.Series("x", [draw(st.integers(0, 4)), *scores[1:]], dtype=pl.Int64)
    return Lattices(pl.DataFrame(columns), paths, weights, orders)


PROMISES = [
    sf.KAnonymity(2), sf.KAnonymity(3), sf.LDiversity(2, columns=("s",)), sf.LDiversity(2, kind="distinct"),
    sf.LDiversity(1.8, kind="entropy", columns=("s",)), sf.LDiversity(2, kind="recursive", c=2, columns=("s",)),
    sf.TCloseness(0.3, columns=("s",)), sf.TCloseness(0.25), sf.TCloseness(0.2, columns=("x",)),
    sf.TCloseness(0.3, distance="kl", columns=("s",)), sf.TCloseness(0.35, distance="variational"),
    sf.KAnonymity(2) & sf.TCloseness(0.4), sf.BetaLikeness(1, columns=("s",)),
    sf.BetaLikeness(0.8, enhanced=False, columns=("s",)),
]  # fmt: skip
