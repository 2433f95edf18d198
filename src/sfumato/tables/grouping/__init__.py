"""Methods that partition the records into groups which keep a promise; how groups are shown is decided elsewhere."""
