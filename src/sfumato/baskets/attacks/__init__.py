"""Attacks on published baskets: `item_knowledge.py`, somebody who knows some items of a person."""
