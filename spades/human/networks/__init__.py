"""Networks of human play: which there are, what they read, their compiled forward pass."""
