"""How cards are said: one way on pages, in terminals, in notebooks and in charts."""

from collections.abc import Iterable

SYMBOLS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
RANKS_SHOWN = {"T": "10"}
JOKERS = {"JH": "high joker", "JL": "low joker"}


def pretty_rank(card: str) -> str:
    return RANKS_SHOWN.get(card[1], card[1])


def pretty(card: str) -> str:
    """A card's text as players write it: ``10♥`` of ``HT``. ``JH`` is a joker; the jack of hearts
    is ``HJ``."""
    return JOKERS.get(card) or pretty_rank(card) + SYMBOLS[card[0]]


def pretty_class(cards: Iterable[str]) -> str:
    """Equivalent cards as one: ``K♠ = Q♠``."""
    return " = ".join(map(pretty, cards))
