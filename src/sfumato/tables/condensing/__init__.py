"""Condensation: groups of records as their statistics, and records drawn from these."""
