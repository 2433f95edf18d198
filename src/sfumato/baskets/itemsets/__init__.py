"""Sets of items: frequent ones, rare ones, and cuts of the tree of items."""
