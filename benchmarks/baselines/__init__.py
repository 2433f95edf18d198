"""Methods that are there only to be compared with: nothing of the package uses them."""
