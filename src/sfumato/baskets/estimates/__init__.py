"""What is likely of a basket, read from what is published."""
