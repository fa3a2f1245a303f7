"""What a seat sees, and what its cards do there: abstract moves, features, contexts."""
