"""Nonreciprocal anonymization of set-valued data: the experiments of Xue's thesis, run again.

Xue, "Privacy protection via anonymization for publishing multi-type data", National University of Singapore, 2012,
section 3.7, figures 3.6 to 3.8: here 36, 37 and 38. Figures 1 to 4 are ours: what is left if others' matches are
known, what it costs that groups tell nothing of labels, how many baskets are read back from a release, and how many
labels are guessed by who knows every basket.
"""
