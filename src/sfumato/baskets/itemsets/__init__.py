"""Sets of items: rare ones, the cut of a tree of items that leaves none of them, and the most frequent ones.

- `rare_itemsets.py`: sets that occur in fewer than k records, and items that hit all of them.
- `item_cut.py`: the recoding of k^m-anonymity along a hierarchy (Terrovitis, Mamoulis & Kalnis, PVLDB 2008), for the
  method `Apriori`.
- `top_itemsets.py`: the most frequent sets, which measures of loss compare.
"""
