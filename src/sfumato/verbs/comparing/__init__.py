"""Comparing methods: each with each promise on the same data, verified and measured.

`plan.py` says what is tried, `processes.py` and `worker.py` try it in processes of their own, `kept.py` keeps what they
found between runs, `point.py` is one attempt and `frontier.py` all of them, with those that none other beats.
"""
