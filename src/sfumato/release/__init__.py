"""A release and what its owner keeps, in memory and on disk.

- `release.py`: `Release` and `Owner`, plain data.
- `bundle.py`: the folder of a release and the owner's folder beside it, written all or nothing, and read back.
- `fingerprint.py`: a digest by which the original is known again.
- `purpose.py`: why one seed used for two releases does not tie them together.
"""
