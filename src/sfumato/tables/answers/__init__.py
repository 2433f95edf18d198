"""Aggregate questions in SQL, answered from what is published, with bounds that cannot be wrong."""
