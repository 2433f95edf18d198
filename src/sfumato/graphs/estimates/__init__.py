"""Estimates of what the original graph was like, from a graph whose pairs were flipped with probability mu.

Xue's thesis, section 4.3. `estimate.py` is one estimate: a value with its standard error and interval. `menu.py` is the
list of all that can be asked for. In between, from simple to general:

- `densities.py`: edges, density, degrees (s. 4.3.1 and 4.3.2). `transitivity.py`: triangles, triples and transitivity,
  with errors in closed form (s. 4.3.3). `modularity.py`: of a given partition (s. 4.3.4).
- `graphlets.py`: patterns on up to four vertices (s. 4.3.5).
- `degree_law.py`, then `degree_distribution.py`: how a degree is published, and the distribution with the noise out.
- `posterior.py`, then `simex.py`: any metric, by graphs that may have been the original, and by adding more noise.
"""
