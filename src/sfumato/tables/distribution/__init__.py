"""Distribution-based anonymization: groups whose sensitive values follow a target distribution.

Koudas, Srivastava, Yu & Zhang, PVLDB 2(1), 2009. Reading order:

    target_distribution.py   `TargetDistribution`, the method: forms groups, and publishes subdomains of each
    domain.py                `read_domain`: the values of the sensitive column in order, and a tree over them
    annotated.py             `annotate`: the tree with the ratios of a target (section 3.1)
    list_groups.py           `list_groups`: the subdomains of all groups, by the cheapest of the next three
    min_sum_of_range.py      `generalise`: MinSumOfRange, nodes of the tree at the least cost (algorithm 1)
    min_sor_fake.py          `choose_fakes`: minSORFake, the fake values that lower the cost most (section 5)
    contiguous.py            `cut_ranges`: any contiguous ranges in place of nodes
    snapping.py              `snap_ratios`: simpler ratios near the target's, which small groups can follow
    published_files.py       `published_files`: the tables beside the rows
"""
