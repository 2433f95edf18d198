"""Figures of published reports."""
