"""Probabilities that a reader computes from published baskets: `item_chances.py`, for items that are marked."""
