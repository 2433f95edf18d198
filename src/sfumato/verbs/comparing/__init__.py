"""Comparing methods: each with each promise on the same data, verified and measured.

`plan.py` says what is tried, `processes.py` and `worker.py` try it in processes of their own, `kept.py` keeps what they
found between runs of the same `subject.py`, in lines that `kept_lines.py` checks; `point.py` is one attempt and
`frontier.py` all of them, with those that none other beats; `words.py` says so, and `page.py` shows it.

Of a large table `samples.py` draws samples, and `sampled.py` tries each point on three of them; `extrapolation.py`
tells of the whole table, by what `repeats.py` counts in it, and `ranks.py` which of two methods loses less.
"""
