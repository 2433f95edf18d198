"""Estimates of the original table from one that was changed at random: `FrequencyEstimates` in frequencies.py."""
