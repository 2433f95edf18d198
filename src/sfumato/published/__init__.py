"""How a stranger reads and checks a release: from its published files alone, with code that knows no method.

Read the files in the order in which a check goes:

1. `shape`: `shape_of(release)` says what kind of thing was published, by the keys of `release.public`. A `Shape` reads
   the files of such a release. Every shape has a file of its own: of tables in `tables/` (its docstring lists them),
   of baskets in `baskets/baskets.py`, of graphs in `graphs/graph.py`.
2. `equivalence` and `evidence`: `PublishedClasses` are the equivalence classes that the published cells show.
   `Evidence` is what the check itself found out about them, such as losses, people who fit, or records that an attack
   links. It is kept apart from the tables that came with the release, which a stranger may have written.
3. `Shape.verify(check)` is the check; a `Check` holds the promise asked for, and the original where there is one. The
   steps of a check of a table stand in `tables/table.py`, `TableShape.verify`; a shape fills in its own.
4. `judge`: every promise decides itself on the classes and their evidence (`Promise.check`, in `privacy/`).
5. The `Verdict` (`privacy/verdict.py`) says whether the promise holds, what was found and what was read.

`files` writes published data to disk and reads them back. Nothing here imports a method, so that no check can rest on
what a method believes to have done.
"""
