"""Orders of records, so that those near each other are alike."""
