"""Releases of baskets."""
