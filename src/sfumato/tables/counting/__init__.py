"""Counting: tables of counts with noise, which stand for no record."""
