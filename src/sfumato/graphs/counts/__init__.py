"""Counts in a graph as it stands, exact where that is not too much work.

- `triangles.py`: triangles, squares and triads (Schank & Wagner, 2005; Chiba & Nishizeki, 1985).
- `patterns.py`: the patterns on up to four vertices, and how flips turn one into another (Xue's thesis, s. 4.3.5).
- `graphlets.py`: how often each pattern occurs (ESCAPE, WWW 2017; PGD, ICDM 2015), with sampling for large graphs.
- `metrics.py`: path lengths, effective diameter, efficiency (Then et al., PVLDB 2014).
"""
