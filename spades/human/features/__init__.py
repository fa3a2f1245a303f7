"""Features of human play: a seat's view of a decision, abstract moves, card and corpus features."""
