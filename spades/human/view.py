"""What the seat to play sees, as one row of numbers that every human model can be asked with.

The first twelve columns are the fields of ``Decision``; the others
are what networks look at beside them. Seats are relative to the seat to play: left, partner,
right. A search fills a row from its scalars for every node that it asks a model about; no column
holds a hidden card.

=====================  =========================================================================
column                 meaning
=====================  =========================================================================
0 to 11                the fields of a ``Decision``, in order
TABLE (3)              cards of left, partner and right on the table, one-card masks, 0: none
OTHER_BIDS (2)         bids of left and right, ``NO_BID`` where unknown
OTHER_TRICKS (2)       tricks of left and right so far
CARDS_PLAYED (4)       cards played so far by own seat, left, partner, right, the table's included
VOIDS                  suits that a seat has shown out of: bit ``4 * relative seat + suit``
=====================  =========================================================================
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_SEATS, suit_mask
from spades.core.observation import Observation
from spades.human.decision import N_FIELDS, decision_of

TABLE = N_FIELDS
OTHER_BIDS = TABLE + 3
OTHER_TRICKS = OTHER_BIDS + 2
CARDS_PLAYED = OTHER_TRICKS + 2
VOIDS = CARDS_PLAYED + N_SEATS
N_VIEW = VOIDS + 1

View = NDArray[np.int64]
_SUITS = tuple(suit_mask(suit) for suit in range(4))


def view_of(observation: Observation) -> View:
    """The row of the seat to play, int64 (24,); ``IllegalPlayError`` for another seat."""
    table, seat = observation.table, observation.seat
    row = np.zeros(N_VIEW, dtype=np.int64)
    row[:N_FIELDS] = decision_of(observation)
    for i, card in enumerate(table.trick):
        # The trick's seats but the mover's own: 1 to 3 to the left of it.
        row[TABLE - 1 + (table.leader + i - seat) % N_SEATS] = 1 << card
    for i, other in enumerate(((seat + 1) % N_SEATS, (seat + 3) % N_SEATS)):
        row[OTHER_BIDS + i] = table.bids[other]
        row[OTHER_TRICKS + i] = table.tricks_taken[other]
    for other, (played, void) in enumerate(zip(table.played, table.voids, strict=True)):
        relative = (other - seat) % N_SEATS
        row[CARDS_PLAYED + relative] = played
        row[VOIDS] |= suits_in(void) << (4 * relative)
    return row


def suits_in(mask: int) -> int:
    """The suits that a mask has cards of, a bit each."""
    found = 0
    for suit, cards in enumerate(_SUITS):
        if mask & cards:
            found |= 1 << suit
    return found
