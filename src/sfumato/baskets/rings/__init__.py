"""Rings of records on which neighbours hide each other, and groups that are cut from them; Xue's thesis, section 3.6.

- `ring.py`: k disjoint random assignments of a ring, by random walks (Wong, Mamoulis & Cheung, SIGMOD 2010; Goel,
  Kapralov & Khanna, STOC 2010). It knows nothing of items or labels.
- `diverse_ring.py`: rings on which labels in a row differ, for l-diversity, and how they are polished.
- `ring_groups.py`: groups of l records cut from such a ring.
- `dealt_groups.py`: groups that are formed without looking at whose label is whose.
"""
