"""What published baskets lost."""
