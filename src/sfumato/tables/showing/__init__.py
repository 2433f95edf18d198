"""What a group shows in place of its records' own values."""
