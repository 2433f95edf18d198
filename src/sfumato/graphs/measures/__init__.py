"""What a published graph lost."""
