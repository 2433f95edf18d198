"""Exact counts in a graph: triangles, graphlets, distances."""
