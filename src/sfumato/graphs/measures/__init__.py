"""Measures of what a published graph lost as it stands: `loss.py`."""
