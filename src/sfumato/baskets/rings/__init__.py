"""Rings of records on which neighbours hide each other, and groups that are cut from them; Xue's thesis, section 3.6.

- `ring.py`: k disjoint random assignments of a ring (Wong, Mamoulis & Cheung, SIGMOD 2010), by walks that end at any
  free place (Goel, Kapralov & Khanna, STOC 2010). It knows nothing of items or labels. The other walks that find such
  assignments are baselines: those that end where they began, as in the thesis (benchmarks/baselines/closed_walks.py),
  and those that take steps back, as Wong et al. have them (benchmarks/baselines/wmc.py).
- `diverse_ring.py`: rings on which labels in a row differ, for l-diversity, and how they are polished.
- `ring_groups.py`: groups of l records cut from such a ring.
- `dealt_groups.py`: groups that are formed without looking at whose label is whose.
"""
