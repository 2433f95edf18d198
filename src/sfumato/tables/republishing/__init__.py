"""Publishing a table again and again, while people join and leave it."""
