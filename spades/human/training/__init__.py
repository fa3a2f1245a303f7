"""Training of networks, the only room that imports PyTorch."""

import os

# Threads that wait for each other leave their core to whoever needs it; on a shared machine a
# training is several times sooner for it. Read when PyTorch is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

from spades.human.training.loop import train_network

__all__ = ["train_network"]
