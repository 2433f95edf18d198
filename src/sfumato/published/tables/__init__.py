"""Releases of tables, by what they show."""
