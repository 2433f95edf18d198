"""Orders of records in which neighbours are alike; Xue's thesis, section 3.6.1.

`order.py` has the three to choose from as classes, and is what methods import. What each of them calls, in turn:

- `gray.py`: the Gray order (Ghinita, Tao & Kalnis, ICDE 2008), from which the other two start.
- `segments.py`, then `gray_tsp.py`: the thesis's Gray-TSP, the Gray order cut into segments that become short paths.
- `neighbours.py`, then `windowed.py`: near records without looking at all pairs, and an order polished for what a ring
  of k pays.
"""
