"""Benchmarks: each a module to run with `python -m benchmarks.NAME`, from the root of the checkout."""
