"""Randomizers, a file each: they run where the answer is known. See `randomizer.py` for what all of them have."""
