"""Full-domain search, and local recoding over the same lattice."""
