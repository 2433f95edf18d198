"""Aggregate questions in SQL, answered from what is published, with bounds that cannot be wrong.

Reading order, by the kind of release (`by_shape.py` chooses):

1. Cells are ranges, sets or nodes (a generalised table): values are exact, who is selected is not.
   `generalised.py` decides for every row whether it is selected for certain, perhaps or not, from what a cell may stand
   for (`cell_extents.py`), cut at the constants of the condition (`uses.py`, `elements.py`) and weighed by its leaves
   where these are listed (`leaves.py`). The bounds of COUNT, SUM, AVG, MIN, MAX and MEDIAN are in
   `bounds_from_ranges.py`: `bounded_count` and `extremes` (AVG: `_least_mean`).

2. Groups list their sensitive values (two tables, or subdomains): who is selected is exact, whose value is which not.
   `listed_values.py` brings both kinds into one form, `bound_tables.py` makes the tables that bounds are read from
   (`release_ranks` above all), and `listed_groups.py` answers. The same bounds are worked out in three places, each the
   fastest for its questions:
   `bounds_from_lists_sql.py` as plain SQL, for readers and their databases, and for any question that the other two
   do not take: COUNT in `count_statement`, the others in `bounds_statement` (SUM and AVG: `_sum_bounds`);
   `bounds_from_lists_arrays.py` without GROUP BY: COUNT in `ListedPieces.count_bounds`, the others in
   `ListedColumn.bounds`;
   `bounds_from_lists_by_key.py` SUM and AVG of whole numbers with GROUP BY: `sums_by_key`.

3. The column is published as recorded, and so is all that the condition is about: `exact_answers.py`.

Records that the release withholds widen all of these bounds: `withheld.py`, and `withheld_sql.py` for statements.

Shared: `engine.py` (the database in memory), `labelled.py` (labels that are asked for as values),
`unpublished_values.py` (values asked for that no row shows), `rounding.py` (bounds are rounded outwards;
`mean_bounds` makes the bounds of AVG of those of a sum), `mixtures.py` and
`piece_distributions.py` (estimates of MIN, MAX and MEDIAN), `scripts.py` (the bound tables as a script for DuckDB or
PostgreSQL).
"""
