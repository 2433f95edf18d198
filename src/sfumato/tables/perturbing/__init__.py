"""Values changed one by one: noise, swapping, randomising, cutting off, rotating, and publishing densities."""
