"""Positions as rules of thumb see them: North to play, the others in words.

Cards are text, ``SA HT``. North is the mover, E next, S partner, W previous.
"""

from dataclasses import dataclass, field

import numpy as np

from spades.core.cards import SPADES_MASK, SUITS, suit_mask
from spades.core.rules import Rules
from spades.rule_based import Public, strong_card, weak_card
from spades.rule_based.sight import (
    BID,
    MAY_LEAD,
    PLAYED,
    PLY,
    SIGNALS,
    TRICKS,
    VOIDS,
    open_round,
    record_play,
    sight_of,
)


@dataclass(frozen=True)
class Position:
    """North's decision. ``out``: the cards the others hold, None for all but hand and trick;
    ``bids``, ``tricks``, ``voids`` and ``signals`` (suit letters) by seat N E S W."""

    hand: str
    trick: str = ""
    out: str | None = None
    bids: tuple = (3, 3, 3, 3)
    tricks: tuple = (0, 0, 0, 0)
    voids: tuple = ("", "", "", "")
    signals: tuple = ("", "", "", "")
    score: tuple = (0, 0)
    bags: tuple = (0, 0)
    rules: Rules = field(default_factory=Rules)

    @property
    def mask(self):
        return self.rules.cards.parse_cards(self.hand.split())

    @property
    def public(self):
        deck, cards = self.rules.cards, self.trick.split()
        public = Public.empty(self.rules)
        score, bags = np.array(self.score), np.array(self.bags)
        open_round(public, (3 - len(cards)) % 4, score, bags)
        for card in cards:
            record_play(public, deck.parse_card(card))
        if self.out is not None:
            public.table[PLAYED] = deck.mask & ~(self.mask | deck.parse_cards(self.out.split()))
            public.table[MAY_LEAD] |= (public.table[PLAYED] & SPADES_MASK) != 0
        public.table[PLY] += 4 * sum(self.tricks)
        public.seats[BID], public.seats[TRICKS] = self.bids, self.tricks
        for seat in range(4):
            public.seats[VOIDS, seat] |= suits(self.voids[seat])
            public.seats[SIGNALS, seat] = suits(self.signals[seat])
        return public

    @property
    def sight(self):
        return sight_of(self.mask, self.public)

    def strong(self):
        return self.rules.cards.format_card(int(strong_card(self.mask, self.public)))

    def weak(self):
        return self.rules.cards.format_card(int(weak_card(self.mask, self.public)))


def suits(letters):
    return sum(suit_mask(SUITS.index(letter)) for letter in letters)
