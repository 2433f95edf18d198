"""How much to perturb a graph: what a probability mu of flipping hides, and what it costs. Before publication.

- `choosing_mu.py`: the closed forms of Xue's thesis, chapter 4: paths that survive, degrees in intervals, epsilon.
- `least_mu.py`: how likely each planted attack succeeds, and the least mu that stops it.
- `most_mu.py`: the errors of estimates, and the largest mu at which one is still good enough.
- `graph_risk.py`: all of this for several mu in one table, with attacks that are really made.
"""
