"""The card game Spades: rules, records, models of human play and search.

Data flows one way: cards, rules, records, notation, human, belief, search.
Each room imports only rooms before it; ``tests/test_layers.py`` fails otherwise.
"""

__version__ = "0.2.0"
