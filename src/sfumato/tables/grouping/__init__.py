"""Who hides with whom: methods that partition the records."""
