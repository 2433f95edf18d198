"""Publishing set-valued data."""
