"""The report of a release: one HTML page for people, with everything it needs inside it.

`rendering.py` is the door: `render` gathers the content, draws charts and fills a template. Each kind of data has its
own files for what everybody may read, and for what is the owner's:

- tables: `content.py` with `known.py` (how exactly columns are known), `published_counts.py` (their distributions, from
  published cells alone), `risks.py`, `legend.py`, `drawing.py` and `tables_apart.py` for special releases, and
  `not_covered.py` for what the promise does not speak of; `owners.py`, and `threats_content.py` for what attacks
  achieved.
- baskets: `baskets_content.py`. Graphs: `graphs_content.py`, `graphs_wording.py`; `graphs_owners.py`.

`identity.py` is what the owner says of the release, `judging.py` what to make of a figure, `extents.py` how far cells
reach, `value_labels.py` what codes mean. `counting.py` counts distributions, `charts.py` draws them, `wording.py` has
the words. `curse_chart.py` draws what the verb `curse` found. Pages that belong to no release are `profile.py` and
`comparison.py`, with `standalone.py` for what they share.
"""
