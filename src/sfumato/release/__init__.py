"""A release and what its owner keeps, in memory and on disk.

- `release.py`: `Release` and `Owner`, plain data.
- `saving.py`: the folder of a release and the owner's folder beside it, written all or nothing.
- `exchange.py`: both put in place of the old ones in one step, which a crash cannot cut in two.
- `certificate.py`: `release.json`, what it must have, and what it says of each file.
- `bundle.py`: a release read back from its folder.
- `fingerprint.py`: a digest by which the original is known again.
- `purpose.py`: why one seed used for two releases does not tie them together.
"""
