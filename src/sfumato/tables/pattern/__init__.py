"""Properties of interest, and the walk that keeps them."""
