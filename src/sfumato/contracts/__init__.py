"""What a method, an attack, an answer and a measure owe to whoever calls them."""
