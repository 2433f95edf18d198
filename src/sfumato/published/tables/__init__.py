"""Releases of tables: a file for each shape, and the parts that their checks are made of.

Start with `table`: `TableShape` reads the files and has the steps that every check goes through. Its shapes, with what
their rows show and a method that publishes so:

- `classes`: ranges, sets, nodes or means, the same for all rows of a class (`Mondrian`).
- `two_tables`: rows as recorded, and a table of the sensitive values of each group (`Anatomy`).
- `subdomains`: rows as recorded, and ranges that the sensitive values of each group lie in (`TargetDistribution`). What
  it shares with two tables is in `apart`.
- `sequence`: numbered classes with counterfeit rows, one release of several (`Republishing`).
- `condensed`: rows drawn from the statistics of groups (`Condensation`).
- `changed`: values swapped, randomised, cut off, rotated or made uncertain (`RankSwapping`, `PRAM`, ...).
- `redrawn`: values drawn anew under published properties, or with noise added (`PatternPreserving`).

The other files are parts of these checks. Of classes: `cells` (what a cell covers of its column), `class_coverage`,
`class_loss`, `truth` (rows against the original), `population_cover` and `population_fit`. Of two tables and of
populations: `equal_rows`. Of subdomains: `subdomain_lists`, `subdomain_flaws`, `subdomain_truth`. Of sequences:
`numbered_classes`, `identity_keys`. Of condensed rows: `condensed_draws`, `plain_moments`. Of changed and redrawn
values: `coding_check`, `density_check`, `exact_numbers`, `noise`, `properties`, `linkage`, `linkage_rates`,
`mixed_linkage`.
"""
