"""What published tables lost, and who is at risk in them: one file for each shape or figure."""
