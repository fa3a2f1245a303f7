"""Training of networks, the only room that imports PyTorch."""
