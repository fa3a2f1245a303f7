"""Hands, auctions and a context with round numbers for the tests of bidders."""

import numpy as np

from spades.bidding.auction import N_SEQUENCES, Auction, context_with
from spades.core.cards import STANDARD, parse_hand
from spades.core.kernel import seed_state
from spades.core.rules import Rules

STATE = seed_state(1)


def hand_of(text, deck=STANDARD):
    return parse_hand(text, deck)


def auction(*previous, score=(0, 0), bags=(0, 0)):
    """Seat 0 to bid after these bids; scores and bags are (ours, theirs)."""
    bids = np.full(4, -1, dtype=np.int8)
    for i, bid in enumerate(previous):
        bids[4 - len(previous) + i] = bid
    return Auction(0, bids, score[0], score[1], bags[0], bags[1])


def context(rules=None, *, line=(-2.0, 4.0), previous=(0.0, 0.0), made=(0.8, 0.7)):
    """One success curve and one line of the previous bids for all; contracts made so often."""
    rules = rules or Rules()
    curves = np.tile(np.array(line), (N_SEQUENCES + 1, 1))
    previous_lines = np.tile(np.array(previous), (4, 1))
    return context_with(rules, curves, previous_lines, np.array(made))
