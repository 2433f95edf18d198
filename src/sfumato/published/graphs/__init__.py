"""Releases of graphs. Start with `graph`: the shape and its check, made of the single checks in `graph_check`."""
