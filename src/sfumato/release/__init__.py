"""A release and what its owner keeps, in memory and on disk."""
