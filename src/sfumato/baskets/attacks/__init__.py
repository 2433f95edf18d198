"""Attacks on published baskets."""
