"""What a release may promise, and how each promise is checked."""
