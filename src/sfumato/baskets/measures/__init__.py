"""Measures of what published baskets lost: `loss.py`."""
