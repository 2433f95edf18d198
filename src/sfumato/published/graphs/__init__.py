"""Releases of graphs."""
