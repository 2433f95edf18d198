"""Counts of published baskets, asked in SQL."""
