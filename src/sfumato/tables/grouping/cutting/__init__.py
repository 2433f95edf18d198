"""Cutting a line of records into groups, on plain arrays: one file for each problem and exactness.

After Ghinita, Karras, Kalnis & Mamoulis, "A framework for efficient data anonymization under privacy and accuracy
constraints", TODS 34(2), 2009. Reading order: `problem.py` has what comes in (`Problem`: records in the order of the
line, columns, promise) and what comes out (`Cut`); `solve_direct.py` and `solve_dual.py` choose among the algorithms;
each algorithm then stands in a file of its own. `LineMethod` in `grouping/line_methods.py` (Hilbert, IDistance,
Ordered) calls the two solvers, and then `polish.py`.

The direct problem, `solve_direct.cut_line`: a promise is given, the loss is to be least.

    k-anonymity                          optimal among consecutive groups   k_optimal.py         section 3, 6.1
    l-diversity, one column, whole l     heuristic, linear time             l_heuristic.py       section 4.3, 6.2
      the same with solve="optimal"      exact, small tables                l_exact.py           section 4.1, 4.2
      the same with solve="dual"         exact, small tables                dual_exact.py        section 5.2
    any other promise                    heuristic: the frontier walk       any_promise_walk.py  ours
    dealt groups (sensitive promises)    random inside stretches            l_dealt.py           ours

The dual problem, `solve_dual.cut_within_bound`: a bound on the loss (`AccuracyBound`) is given, the privacy is to be
most.

    k                                    optimal among consecutive groups   dual_k_optimal.py    section 5
    l                                    heuristic of the paper             dual_l_adjust.py     section 5.3, 6.3
    l                                    heuristic, further than the paper  dual_l_raise.py      ours
    l with solve="optimal"               exact, small tables                dual_exact.py        section 5.1

Shared: `frontier.py` serves the heuristics of the direct problem, `boundaries.py` the exact searches. `polish.py`
improves any cut by exchanges of records that leave every promise as it was.
"""
