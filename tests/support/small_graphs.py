"""Small graphs, all the ways their pairs can flip, and slow counts to compare with."""

from fractions import Fraction
from itertools import combinations

import numpy as np

from sfumato.data.graph import Graph
from sfumato.graphs.counts.patterns import pattern_names, pattern_of
from sfumato.graphs.estimates.degree_law import law_of_degree

MU = Fraction(1, 10)


def graph_of(edges, n):
    edges = list(edges)
    return Graph.from_edges([a for a, _ in edges], [b for _, b in edges], n)


def pairs_of(graph):
    return set(zip(*(ends.tolist() for ends in graph.edges), strict=True))


def random_graph(n, density, seed):
    rng = np.random.default_rng(seed)
    return graph_of([pair for pair in combinations(range(n), 2) if rng.random() < density], n)


def rings_of_friends(n, k, seed, rewired=0.1):
    """Each vertex joined to its k neighbours on a ring, some ends moved: many triangles."""
    rng = np.random.default_rng(seed)
    u = np.repeat(np.arange(n), k // 2)
    v = (u + np.tile(np.arange(1, k // 2 + 1), n)) % n
    moved = rng.random(len(v)) < rewired
    v[moved] = rng.integers(0, n, moved.sum())
    return Graph.from_edges(u, v, n)


def planted(sizes, inside, between, seed):
    """Communities with more edges inside than between; the graph and the community of each vertex."""
    rng = np.random.default_rng(seed)
    label = np.repeat(np.arange(len(sizes)), sizes)
    u, v = np.triu_indices(len(label), 1)
    there = rng.random(len(u)) < np.where(label[u] == label[v], inside, between)
    return Graph.from_edges(u[there], v[there], len(label)), label


def all_flips(graph, mu):
    """Every graph that the flips can make, with its probability; for at most five vertices."""
    mu, n, there = Fraction(mu), graph.n_vertices, pairs_of(graph)
    pairs = list(combinations(range(n), 2))
    for mask in range(1 << len(pairs)):
        n_flips = mask.bit_count()
        edges = [pair for bit, pair in enumerate(pairs) if (pair in there) != bool(mask >> bit & 1)]
        yield mu**n_flips * (1 - mu) ** (len(pairs) - n_flips), graph_of(edges, n)


def expected(graph, mu, estimates):
    """Means, and the matrix of variances and covariances, of what `estimates` gives over all flips."""
    total, products = None, None
    for chance, seen in all_flips(graph, mu):
        values = list(estimates(seen))
        if total is None:
            total = [Fraction(0)] * len(values)
            products = [[Fraction(0)] * len(values) for _ in values]
        for i, x in enumerate(values):
            total[i] += chance * x
            for j, y in enumerate(values):
                products[i][j] += chance * x * y
    return total, [[products[i][j] - total[i] * total[j] for j in range(len(total))] for i in range(len(total))]


def means(graph, mu, estimates):
    """Means of what `estimates` gives over all flips."""
    rows = ([chance * x for x in estimates(seen)] for chance, seen in all_flips(graph, mu))
    return [sum(column) for column in zip(*rows, strict=True)]


def slow_graphlets(graph, size):
    there, found = pairs_of(graph), dict.fromkeys(pattern_names(size), 0)
    for chosen in combinations(range(graph.n_vertices), size):
        edges = [(i, j) for i, j in combinations(range(size), 2) if (chosen[i], chosen[j]) in there]
        found[pattern_of(size, edges)] += 1
    return found


def degree_kernel(n, degree, mu):
    """The probability of each published degree, 0 to n - 1, of a vertex that has `degree` neighbours among n vertices.

    Edges that stay and edges that come are two binomial numbers; what is below 1e-30 may read 0.
    """
    first, shares = law_of_degree(n, mu, degree)
    every = np.zeros(n)
    every[first : first + len(shares)] = shares
    return every


def matrix(graph):
    return graph.to_scipy().toarray().astype(np.int64)


def edges(graph):
    """A metric as somebody may write one: its name is that of the function."""
    return graph.n_edges


def nested_degrees(graph, depth):
    """H_depth of every vertex, as tuples of tuples."""
    known = [()] * len(graph)
    for _ in range(depth):
        known = [tuple(sorted(known[u] for u in graph.neighbours(v))) for v in range(len(graph))]
    return known


KITE = graph_of([(0, 1), (1, 2), (0, 2), (2, 3)], 4)
SCATTERED = Graph.from_edges(*np.random.default_rng(2).integers(0, 400, (2, 1600)), 400)
"""No structure beyond chance."""
