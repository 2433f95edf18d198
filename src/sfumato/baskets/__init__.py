"""Publishing set-valued data: records that are sets of items, with a label each or without.

Read `nonreciprocal.py` first (Xue's thesis, chapter 3; KDD 2012): records are laid on a ring, every published record
stands for k in a row, and a random assignment says which of them it truly is. The steps are in rooms of their own.

- `orders/`: lay records in a row so that neighbours are alike (Gray, Gray-TSP, windowed).
- `rings/`: assignments of a ring by random walks, rings on which labels differ, and groups cut from them.
- `voting.py`: what is published for a list of records (thesis, section 3.5). `shared.py`: the last steps of a method.

The other methods: `grouped.py` (groups in place of windows), `cahd.py` (Ghinita, Tao & Kalnis, ICDE 2008) and
`apriori.py` (k^m-anonymity: Terrovitis, Mamoulis & Kalnis, PVLDB 2008), whose work on sets is in `itemsets/`.

Who reads a release: `estimates/` (how likely a marked item is there), `answers/` (counts in SQL), `attacks/` (somebody
who knows items of a person) and `measures/` (what was lost).
"""
