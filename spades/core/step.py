"""One step of the game, compiled: a card is played, and with the fourth card the trick ends.

Everything public that follows from the cards played fits in eight integers. Kernels keep them in
local variables: LLVM inlines ``after_card`` and drops the fields that the caller never reads.

::

    at = first_lead(leader, any_lead)
    while at.ply < N_CARDS:
        card = choose(legal_cards(hands[at.turn], at))
        hands[at.turn] ^= np.int64(1) << card
        at = after_card(at, card)

The Python play is ``Table.record_play``; ``progress_of`` gives the progress of a table.
"""

from collections.abc import Iterator
from typing import NamedTuple

from spades.core.cards import SPADES, suit_mask
from spades.core.kernel import Int, lean_kernel
from spades.core.rules import NO_SUIT, Table, legal_mask

_TRUMPS_HIGH = 0x30  # turns the suits around: spades are the highest codes; -1 stays below all


class Progress(NamedTuple):
    """How far a round has come, as all seats see it; every field is an int64 in kernels.

    ``ply``: cards played, 0 to 52. ``turn``: seat to play. ``led``: suit of the trick, ``NO_SUIT``
    before the lead. ``best``: code of the card that wins the trick so far, -1 before the lead.
    ``winner``: seat that played it; before a lead the winner of the last trick. ``may_lead``: 1
    once spades may be led. ``taken``: tricks by seat, 8 bits a seat. ``voids``: suits shown out
    of, bit ``4 * seat + suit``."""

    ply: Int
    turn: Int
    led: Int
    best: Int
    winner: Int
    may_lead: Int
    taken: Int
    voids: Int


@lean_kernel
def first_lead(leader: Int, may_lead: Int) -> Progress:
    """The progress before the first card; ``may_lead``: whether spades may be led at any time."""
    seat = int(leader)
    return Progress(0, seat, NO_SUIT, -1, seat, int(may_lead), 0, 0)


@lean_kernel
def legal_cards(hand: Int, at: Progress) -> Int:
    """Mask of the cards that the seat to play may play from ``hand``."""
    return legal_mask(hand, at.led, at.may_lead != 0)


@lean_kernel
def after_card(at: Progress, card: Int) -> Progress:
    """The progress once the seat to play has played ``card``, a legal card's code."""
    suit, turn = card >> 4, at.turn
    led = suit if at.led < 0 else at.led
    is_best = ((suit == led) | (suit == SPADES)) & (card ^ _TRUMPS_HIGH > at.best ^ _TRUMPS_HIGH)
    best = card if is_best else at.best
    winner = turn if is_best else at.winner
    may_lead = at.may_lead | int(suit == SPADES)
    voids = at.voids | int(suit != led) << (4 * turn + led)
    ply = at.ply + 1
    if ply & 3:
        return Progress(ply, (turn + 1) & 3, led, best, winner, may_lead, at.taken, voids)
    taken = at.taken + (1 << (8 * winner))
    return Progress(ply, winner, NO_SUIT, -1, winner, may_lead, taken, voids)


@lean_kernel
def tricks_of(seat: Int, taken: Int) -> Int:
    """Tricks of a seat in ``Progress.taken``."""
    return (taken >> (8 * seat)) & 255


def progresses(table: Table) -> Iterator[Progress]:
    """The progress before every card played, and after the last."""
    first_leader = table.seats[0] if table.seats else table.leader
    at = first_lead.py_func(first_leader, table.rules.spades_lead == "any")
    yield at
    for card in table.plays:
        at = after_card.py_func(at, card)
        yield at


def progress_of(table: Table) -> Progress:
    """The progress of a table: the last of ``progresses``, without playing them again."""
    trick = table.trick
    best = table.best_card
    n_before_best = trick.index(best) if trick else 0
    winner = (table.leader + n_before_best) % 4
    return Progress(
        ply=len(table.plays),
        turn=table.turn,
        led=table.led_suit,
        best=best,
        winner=winner,
        may_lead=int(table.may_lead_spades),
        taken=sum(tricks << (8 * seat) for seat, tricks in enumerate(table.tricks_taken)),
        voids=sum(
            1 << (4 * seat + suit)
            for seat, void in enumerate(table.voids)
            if void
            for suit in range(4)
            if void & suit_mask(suit)
        ),
    )
