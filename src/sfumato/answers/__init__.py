"""What answers of every kind of data share: the question in SQL, its dialects, and what an answer says."""
