"""The facts of a play decision that lenses ask about: what the table shows and the own hand.

Words that the definitions of ``analysis.decisions.lenses`` use, and what they mean:

- *unseen*: a card that is neither played nor in the own hand.
- *beats*: played now, the card would win the trick so far.
- *takes the trick*: the card beats, and nobody can top it in the suit led: the seat is last to
  play, or no unseen card of that suit is higher. Ruffs by others are left aside.
- *gives the trick up*: following, the card doesn't beat; leading, an unseen card of its suit does.
- *high card*: at most one unseen card of its suit beats it, and at least one is below it.
- *needs*: tricks that a partnership lacks for its contract, the tricks of a failed nil counted as
  the rules have it.
- *at risk*: a contract that still needs at least half of the tricks left, this one included; for
  the own side, also more than the top spades in hand, those that no unseen spade beats.
- *alive*: a nil whose bidder has taken no trick.
"""

from __future__ import annotations

from functools import cached_property

from spades.core.cards import (
    HAND_SIZE,
    N_SEATS,
    SPADES,
    cards_in,
    partner_of,
    partnership_of,
    suit_mask,
    suit_of,
)
from spades.core.observation import Observation
from spades.core.rules import NIL_BID, NO_BID, beats
from spades.core.scoring import POINTS_PER_TRICK, TEN_FOR_200

NOBODY = -1


def above(card: int) -> int:
    """Every higher code of a card's suit, as a mask."""
    return suit_mask(suit_of(card)) & ~((2 << card) - 1)


def below(card: int) -> int:
    """Every lower code of a card's suit, as a mask."""
    return suit_mask(suit_of(card)) & ((1 << card) - 1)


class Scene:
    """One decision as the seat to play sees it."""

    def __init__(self, seen: Observation) -> None:
        table = seen.table
        self.rules, self.table, self.seat = table.rules, table, seen.seat
        self.hand, self.legal, self.unseen = seen.hand, seen.legal_mask, seen.unseen_mask
        self.partner, self.side = partner_of(seen.seat), partnership_of(seen.seat)
        self.opponents = ((seen.seat + 1) % N_SEATS, (seen.seat + 3) % N_SEATS)
        self.score, self.bags = seen.score_before, seen.bags_before
        self.place, self.led_suit, self.best_card = (
            len(table.trick),
            table.led_suit,
            table.best_card,
        )
        self.best_seat = NOBODY
        if table.trick:
            self.best_seat = (table.leader + table.trick.index(self.best_card)) % N_SEATS
        self.tricks_left = HAND_SIZE - len(table.winners)

    # The trick.

    @property
    def is_lead(self) -> bool:
        return self.place == 0

    @property
    def is_last(self) -> bool:
        return self.place == N_SEATS - 1

    @property
    def partner_wins(self) -> bool:
        """Whether the partner has the trick so far."""
        return self.best_seat == self.partner

    def plays_later(self, seat: int) -> bool:
        """Whether a seat has yet to play to this trick after the mover."""
        return (seat - self.seat) % N_SEATS < N_SEATS - self.place and seat != self.seat

    def beats(self, card: int) -> bool:
        return self.is_lead or bool(beats.py_func(card, self.best_card))

    def best_after(self, card: int) -> int:
        return card if self.beats(card) else self.best_card

    def suit_with(self, card: int) -> int:
        """The suit led, which a lead decides."""
        return suit_of(card) if self.is_lead else self.led_suit

    def can_be_topped(self, card: int) -> bool:
        """Whether, after the card, an unseen card of the suit led beats the best one."""
        best = self.best_after(card)
        return suit_of(best) == self.suit_with(card) and bool(above(best) & self.unseen)

    def takes(self, card: int) -> bool:
        return self.beats(card) and (self.is_last or not self.can_be_topped(card))

    def gives_up(self, card: int) -> bool:
        return self.can_be_topped(card) if self.is_lead else not self.beats(card)

    def may_be_made_to_take(self, seat: int, card: int) -> bool:
        """Whether a seat that plays later may have to take the trick after the card.

        It hasn't shown out of the suit led, of which an unseen card beats the best one.
        """
        if not self.plays_later(seat) or not self.can_be_topped(card):
            return False
        return not self.table.voids[seat] & suit_mask(self.suit_with(card))

    # Cards.

    def is_high(self, card: int) -> bool:
        topped_by = (above(card) & self.unseen).bit_count()
        return topped_by <= 1 and bool(below(card) & self.unseen)

    def parts(self, card: int, lower: int) -> bool:
        """Whether an unseen card lies between two of a suit: otherwise they are worth the same."""
        return bool(above(lower) & below(card) & self.unseen)

    def top_spades(self, without: int) -> int:
        """Spades in hand that no unseen spade beats, a card played left out."""
        own = self.hand & ~(1 << without) & suit_mask(SPADES)
        return sum(not above(card) & self.unseen for card in cards_in(own))

    # Bids.

    @cached_property
    def knows_bids(self) -> bool:
        return min(self.table.bids) != NO_BID

    def bid_nil(self, seat: int) -> bool:
        return self.rules.nil is not None and self.table.bids[seat] == NIL_BID

    def nil_alive(self, seat: int) -> bool:
        return self.bid_nil(seat) and self.table.tricks_taken[seat] == 0

    def needs(self, side: int) -> int:
        """Tricks that a partnership lacks; 0 or less once its contract is met. Bids are known."""
        return self.table.contract_of(side) - sum(
            self.table.tricks_taken[seat]
            for seat in (side, side + 2)
            if not (self.bid_nil(seat) and self.rules.failed_nil_tricks == "bags")
        )

    def opponents_at_risk(self) -> bool:
        return 0 < self.tricks_left <= 2 * self.needs(1 - self.side)

    def own_at_risk(self, card: int) -> bool:
        """Whether the own contract is, once the card is played."""
        needs = self.needs(self.side)
        return self.tricks_left <= 2 * needs and needs > self.top_spades(card)

    def bags_so_far(self) -> int:
        """Bags of the own side before the round and in it; counts are known."""
        assert self.bags is not None
        stray = sum(
            self.table.tricks_taken[seat]
            for seat in (self.seat, self.partner)
            if self.bid_nil(seat) and self.rules.failed_nil_tricks == "bags"
        )
        return self.bags[self.side] + max(0, -self.needs(self.side)) + stray

    def score_if_made(self, side: int) -> int:
        """A side's score if its contract and its nils alive are made, without bags."""
        assert self.score is not None
        contract = self.table.contract_of(side)
        is_big = self.rules.ten_for_200 and contract >= 10
        points = TEN_FOR_200 if is_big else POINTS_PER_TRICK * contract
        for seat in (side, side + 2):
            if self.bid_nil(seat):
                is_blind = self.table.blind[seat]
                worth = (self.rules.blind_nil if is_blind else self.rules.nil) or 0
                points += worth if self.nil_alive(seat) else -worth
        return self.score[side] + points
