"""Attacks on published tables: who is found in them, and what is learnt of people."""
