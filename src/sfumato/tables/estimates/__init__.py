"""What the original table was like, read from one that was changed at random."""
