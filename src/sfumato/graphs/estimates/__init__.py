"""What the original graph was like, read from a perturbed one."""
