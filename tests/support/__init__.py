"""What tests share: slow and obvious versions of algorithms, random tables, ways to spoil a release."""
