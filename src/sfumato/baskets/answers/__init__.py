"""Answers of published baskets to questions in SQL: `counts.py`."""
