"""Methods as they are printed in papers, to be compared with: nothing of the package uses them.

Of assignments of a ring (the package: `sfumato.baskets.rings.ring`): `closed_walks` and `greedy_walk` (Xue's thesis,
section 3.6, algorithms 1 and 2), `wmc` (Wong, Mamoulis & Cheung, SIGMOD 2010) and `flow` (a lower bound on the cost);
`label_check` counts the labels that their assignments leave to each record. Of localities: `printed_localities`.
"""
