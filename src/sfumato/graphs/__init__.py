"""Publishing social graphs."""
