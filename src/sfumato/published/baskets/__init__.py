"""Releases of baskets. Start with `baskets`: the shape and its check.

How far records hide is found by the edges that the owner kept (`edges`), by comparing all records (`candidates`), or
from the published records alone. `km_check` counts sets of items for k^m-anonymity; `equal_records`, `bits` and
`set_work` serve these.
"""
