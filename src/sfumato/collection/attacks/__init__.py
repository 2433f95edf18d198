"""Attacks on reports: what is left of the noise for somebody who looks at columns, tails and repeats together."""
