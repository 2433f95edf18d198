"""Learners on randomized answers: they are taught with reports, and asked about true values.

`learner.py` has the conventions of scikit-learn, `columns.py` how columns are read; then a file for each learner.
"""
