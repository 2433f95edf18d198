"""Rings of records on which neighbours hide each other."""
