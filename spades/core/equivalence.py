"""Cards that are worth the same to the hand that holds them: touching cards.

Two cards of a suit in one hand are equivalent if every card ranked between them is in the same hand
or was played in a finished trick. One that lies on the table keeps them apart: it may still win.
"""

from itertools import groupby

from spades.core.cards import cards_in, mask_of, suit_mask
from spades.core.observation import Observation


def equivalent_cards(observation: Observation) -> tuple[tuple[int, ...], ...]:
    """The legal cards (codes) in classes of equivalent ones, suit by suit, highest first; empty
    where another seat is to play."""
    table = observation.table
    legal = observation.legal_mask
    finished = table.played_mask & ~mask_of(table.trick)
    ranked = observation.rules.cards.mask & ~finished
    classes: list[tuple[int, ...]] = []
    for suit in range(4):
        cards = sorted(cards_in(ranked & suit_mask(suit)), reverse=True)
        for is_held, run in groupby(cards, lambda card: observation.hand_mask >> card & 1):
            touching = tuple(run)
            if is_held and legal >> touching[0] & 1:
                classes.append(touching)
    return tuple(classes)
