"""The lattice of generalisations: full-domain search, one level for all of a column, and local recoding.

The lattice:
    lattice.py            `Lattice`: all combinations of levels; `Borders`, what is known to hold or to fail
    frequency_sets.py     `classify`: which class every record falls into at a node (kernels)
    examiner.py           `Examiner`: whether a node holds, and what it costs; frequency sets are rolled up
    node_costs.py         `column_costs`: the measures that a search can minimise

Full-domain search:
    full_domain.py        `FullDomainMethod`, the frame of the next three; search_result.py: what they find
    samarati.py           `Samarati`: the lowest height that holds, by bisection (TKDE 13(6), 2001)
    incognito.py          `Incognito`: every node that holds, from few columns to all (LeFevre et al., SIGMOD 2005)
    best_first.py         `BestFirst`: the node that costs least (after Flash: Kohlmayer et al., 2012)

Local recoding, a level for each class:
    local_recoding.py     `LocalRecoding`, the method: goes through the next three
    cover.py              `cover`: the cheapest classes first; taking.py and borrowing.py have its kernels,
                          hopeless_nodes.py says which nodes need not be visited
    leftovers.py          `place_leftovers`: who is left joins parts of groups (divide_groups.py)
    polish.py             `polish_groups`: records are moved where that lowers the loss
    cell_suppression.py   `CellSuppression`: the same with two levels, the value and a star
"""
