"""Positions as the rules of thumb see them: North to play, East next, South partner, West before.

Cards are text, ``SA HT``.
"""

from dataclasses import dataclass

import numpy as np

from spades.core.cards import STANDARD, SUITS, cards_in, suit_mask
from spades.core.rules import NO_SUIT, legal_mask
from spades.search.heuristic import Goals, best_by_rule, look, score_card
from spades.search.playouts import winning_card


@dataclass(frozen=True)
class Thumb:
    """North's decision. ``out``: what the others hold, None for all but hand and trick; ``bids``,
    ``tricks`` and ``voids`` (suit letters) by seat N E S W."""

    hand: str
    trick: str = ""
    out: str | None = None
    bids: tuple = (3, 3, 3, 3)
    tricks: tuple = (0, 0, 0, 0)
    voids: tuple = ("", "", "", "")
    broken: bool = True
    greedy: int = 0

    @property
    def seen(self):
        hand, trick = mask(self.hand), [STANDARD.parse_card(card) for card in self.trick.split()]
        on_table = sum(1 << card for card in trick)
        out = STANDARD.mask & ~(hand | on_table) if self.out is None else mask(self.out)
        led_suit = trick[0] // 16 if trick else NO_SUIT
        led = suit_mask(led_suit) if trick else 0
        best = int(winning_card(on_table, led)) if trick else 0
        first = 4 - len(trick)
        ahead = next((first + i for i, card in enumerate(trick) if 1 << card == best), 0)
        legal = legal_mask(hand, led_suit, self.broken)
        voids = sum(
            1 << (4 * seat + SUITS.index(letter))
            for seat, letters in enumerate(self.voids)
            for letter in letters
        )
        taken = sum(tricks << (8 * seat) for seat, tricks in enumerate(self.tricks))
        bids = self.bids
        goals = Goals(
            bids[0] + bids[2],
            bids[1] + bids[3],
            sum((bid == 0) << seat for seat, bid in enumerate(bids)),
            0xFFFFFFFF,
            self.greedy,
        )
        left = 13 - sum(self.tricks)
        numbers = (np.int64(hand), np.int64(legal), np.int64(out))
        table = (np.int64(led), np.int64(best), np.int64(ahead), np.int64(len(trick)))
        goals = Goals(*map(np.int64, goals))
        return look(
            numbers, table, np.int64(0), np.int64(left), np.int64(taken), np.int64(voids), goals
        )

    @property
    def best(self):
        return STANDARD.format_cards(int(best_by_rule(self.seen)))

    @property
    def scores(self):
        return {
            STANDARD.format_card(card): int(score_card(self.seen, card))
            for card in cards_in(int(self.seen.legal))
        }


def mask(cards):
    return STANDARD.parse_cards(cards.split())
