"""A table as others publish them, with stars."""

import polars as pl

STARRED = pl.DataFrame({"age": ["3*", "3*", "*", "*", "4*"], "zip": ["130", "130", "*", "*", "*"], "d": list("abcda")})
