"""Spades in other people's frameworks: an environment of PettingZoo, a bot of OpenSpiel.

Both need the extra ``adapters``, which brings the frameworks."""
