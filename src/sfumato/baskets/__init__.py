"""Publishing set-valued data: orders, assignments, publication."""
