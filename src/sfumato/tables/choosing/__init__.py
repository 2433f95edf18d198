"""Choosing a method for a table by what it loses.

`best.py` is the method `Best`, `candidates.py` says which methods it tries and in which order, and `race.py` tries them
and polishes those that lead, while time lasts.
"""
