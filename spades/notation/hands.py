"""Hands as text, ``S.H.D.C``: what PTN and trick-notation share.

In joker decks a fifth group holds the jokers, ``H`` and ``L``; the deuce of diamonds stands with
the diamonds even where it is a spade.
"""

from __future__ import annotations

from spades.core.cards import SUITS, Deck
from spades.core.errors import InvalidRecordError
from spades.notation.reading import shown

_GROUPS = (*SUITS, "J")
_MOST_RANKS = 14  # One more than a suit's: enough to be refused, whatever follows.


def parse_hand(text: str, deck: Deck) -> int:
    """Mask of a hand written ``S.H.D.C``, in joker decks perhaps with a fifth group ``HL``."""
    groups = text.split(".", maxsplit=5)
    if len(groups) not in (4, 5):
        raise InvalidRecordError(f"the hand {shown(text)}; four groups S.H.D.C are legal")
    cards = [
        suit + rank
        for suit, ranks in zip(SUITS, groups, strict=False)
        for rank in ranks[:_MOST_RANKS]
    ]
    jokers = groups[4] if len(groups) == 5 else ""
    return deck.parse_cards([*cards, *("J" + rank for rank in jokers[:3])])


def format_hand(hand: int, deck: Deck) -> str:
    """A hand as ``S.H.D.C``; the deuce of diamonds stands with the diamonds, jokers come fifth."""
    ranks = dict.fromkeys(_GROUPS, "")
    for text in deck.format_cards(hand).split():
        ranks[text[0]] += text[1]
    for suit, group in ranks.items():
        if "2" in group:
            # A deuce ranks high in some decks, but is written last in all.
            ranks[suit] = group.replace("2", "") + "2"
    return ".".join(group for suit, group in ranks.items() if group or suit != "J")
