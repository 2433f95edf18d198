"""What a probability of flipping hides, and what it costs."""
