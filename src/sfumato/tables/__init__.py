"""Publishing tables."""
