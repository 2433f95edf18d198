"""Promises: what a release may guarantee, and how each guarantee is checked. Start with `promise`.

Each promise is a small frozen class in a file of its own (`k_anonymity`, `l_diversity`, `t_closeness`, ...). The file
holds everything about it: the paper and the definition in the docstring; its parameters and their checks; `name` and
`in_words`, which people read; `option`, by which the command line asks for it; `limit`, which says when no release can
keep it; and the promise itself, twice:

- for algorithms, while they form classes: `min_size()` and `conditions(sensitive)`, conditions on the histogram of a
  class.
- for the check of a release: `check(classes)`, which decides from the published classes and the evidence on them
  (`published/equivalence.py`, `published/evidence.py`) and shares no code with the conditions.

The conditions go through three files. `conditions` has their kinds as plain data. `requirements` combines a promise and
the sensitive columns of a table into `Criteria`. `criteria` has these flat arrays and the kernels that decide them for
a class (`holds`, `shortfall`); `transport` is the earth mover's distance inside them, `least_moves` that of the checks.

`of_population` has what promises on a population share, `sensitive` which columns a promise speaks of, `target` and
`ground_distance` parameters of two promises, `option` the options of the command line, `words` parts of sentences.
`verdict` is the result of a check; `published/judge.py` makes it from the findings of all promises.
"""
