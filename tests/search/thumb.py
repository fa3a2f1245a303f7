"""Positions as the rules of thumb see them: North to play, East next, South partner, West before.

Cards are text, ``SA HT``.
"""

from dataclasses import dataclass

import numpy as np

from spades.core.cards import STANDARD, SUITS, cards_in
from spades.core.rules import legal_mask
from spades.core.step import Progress, after_card, first_lead
from spades.search.heuristic import Goals, best_by_rule, look, score_card


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
        out = self.out and mask(self.out)
        if out is None:
            out = STANDARD.mask & ~(hand | sum(1 << card for card in trick))
        at = first_lead((4 - len(trick)) % 4, self.broken)
        for card in trick:
            at = after_card(at, card)
        shown = sum(
            1 << (4 * seat + SUITS.index(letter))
            for seat, letters in enumerate(self.voids)
            for letter in letters
        )
        at = at._replace(
            ply=4 * sum(self.tricks) + len(trick),
            may_lead=int(self.broken),
            taken=sum(tricks << (8 * seat) for seat, tricks in enumerate(self.tricks)),
            voids=shown,
        )
        bids = self.bids
        goals = Goals(
            bids[0] + bids[2],
            bids[1] + bids[3],
            sum((bid == 0) << seat for seat, bid in enumerate(bids)),
            0xFFFFFFFF,
            self.greedy,
        )
        cards = (hand, legal_mask(hand, at.led, self.broken), out)
        return look(*map(np.int64, cards), Progress(*at), goals)

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
