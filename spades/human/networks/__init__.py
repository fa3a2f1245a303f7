"""Networks of human play: architectures, inputs, the compiled forward pass."""
