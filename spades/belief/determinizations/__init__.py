"""Determinizations: ways to deal the cards that a seat can't see, a file each.

A new one is a new file here with a subclass of ``Determinization``, and its test; what else it
takes is as for a technique (``spades.search.techniques``).
"""

from spades.belief.determinizations.determinization import Determinization
from spades.core.registry import implementations

DETERMINIZATIONS: dict[str, type[Determinization]] = implementations(__name__, Determinization)
"""All ways, by the names that agents' texts give them."""
