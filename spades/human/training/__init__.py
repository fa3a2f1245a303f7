"""Training of networks, the only room that imports PyTorch."""

import os

# Threads that wait for each other look out for some 30 microseconds, then leave their core to
# whoever needs it. Without the look a pass takes a third longer on a quiet machine; with a long one
# (GNU's own is ten times that) it takes several times as long on a busy one. Read when PyTorch is
# loaded.
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ["OMP_WAIT_POLICY"] = "passive"
    os.environ.setdefault("GOMP_SPINCOUNT", "2000")

from spades.human.training.loop import train_network

__all__ = ["train_network"]
