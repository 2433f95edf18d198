"""Pattern preservation: values drawn at random among all that keep the patterns the owner names.

Xue, Karras, Raissi & Pung, "Utility-driven anonymization in data publishing", CIKM 2011. Reading order:

    pattern_preserving.py     `PatternPreserving`, the method: `run` goes through the steps below

  What must be kept
    table_view.py             `TableView`: the table as properties see it, numbers by cell
    localities.py             `staircase`: which of two values lies nearer to a third, as few statements as imply all
    properties.py             `Property` and `Localities`, `Order`, `Sums`, `Means`, `Ratios`, `Between`
    blocks.py, poi.py         `Blocks` (records of a block cannot be told apart), `PoI` (one statement, as text:
                              language.py)
    rows.py                   `Rows`: the sparse linear inequalities that all of them become

  The polytope
    polytope.py               `bodies`: the values that keep all rows, cut into independent polytopes with an interior
    centre.py                 `john_centre`: a point well inside, and the ellipsoid that the walk moves in

  The walk
    walks.py                  `billiard`, and hit-and-run, coordinate and one-sided walks
    mixing.py                 `autocorrelation_time`: how long the walk remembers where it was
    substitution.py           `draw`: walks in one body until it has mixed

  The values
    sampling.py               `Sampler.draw`: all bodies, in parallel, then rounded
    resolution.py             `round_and_mend`: values on the grid of their column, with every row kept

  The promise and the release
    match_rank.py             `fewer_properties`: gives up properties until a promised `MatchRank` holds
    published_properties.py   `properties_frame`: the properties as they are published
"""
