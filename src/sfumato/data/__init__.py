"""Tables and what their columns mean: reading, describing and writing them."""
