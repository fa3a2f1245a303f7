"""Playouts: from a leaf of the tree to the end of the round, a file a policy.

Bounded random numbers use 16 bits a card: no card is off its share by more than n / 65536.
"""

from spades.core.registry import implementations
from spades.search.playouts.playout import Playout

PLAYOUTS: dict[str, type[Playout]] = implementations(__name__, Playout)
"""All policies, by the names that agents' texts give them."""
