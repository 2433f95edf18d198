"""How a stranger reads a release: one file for each shape that published data have. Imports no method."""
