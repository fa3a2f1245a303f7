"""Playouts: from a position to the end of the round, cards chosen by a simple policy.

``uniform`` plays any legal card with equal probability. ``nil-aware`` does too, except that a
bidder whose nil is alive plays the highest card that still loses the trick (Whitehouse 2013,
"Playing style"); where no card surely loses so far, any legal card. ``heuristic`` and ``human``
know more of the game: ``spades.search.expert``.

State lives in scalars; only the four hands and the cards on the table are arrays, both of one-card
or hand masks by seat. Bounded random numbers use 16 bits a card: no card is off its share by more
than n / 65536.
"""

from __future__ import annotations

import numpy as np

from spades.core.kernel import (
    highest,
    kernel,
    lean_kernel,
    lowest,
    mixed,
    next_state,
    popcount,
    spread_bits,
)

UNIFORM, NIL_AWARE, HEURISTIC, HUMAN = range(4)
POLICIES = {"uniform": UNIFORM, "nil-aware": NIL_AWARE, "heuristic": HEURISTIC, "human": HUMAN}

_SPADES = np.int64(0xFFFF)
_LOW_16 = np.uint64(0xFFFF)
_SIXTEEN = np.uint64(16)


@kernel
def pick(legal, bits):
    """A card of ``legal`` by the low 16 of some random bits, as a mask."""
    n = np.int64(((bits & _LOW_16) * np.uint64(popcount(legal))) >> _SIXTEEN)
    return spread_bits(np.int64(1) << n, legal)


@kernel
def leads(hand, may_lead):
    """Cards that a hand may lead."""
    plain = hand & ~_SPADES
    return hand if (may_lead or plain == 0) else plain


@kernel
def follows(hand, led_mask):
    """Cards that a hand may play to a led suit."""
    following = hand & led_mask
    return following if following else hand


@kernel
def suit_around(card):
    """All codes of the suit of a one-card mask."""
    return _SPADES << ((lowest(card) >> 4) << 4)


@kernel
def winning_card(trick, led_mask):
    """The winning card of the cards on the table, as a mask."""
    trumps = trick & _SPADES
    contenders = trumps if trumps else trick & led_mask
    return np.int64(1) << highest(contenders)


@kernel
def safest_loser(legal, trick, led_mask):
    """The highest card that loses to the cards on the table (equal ranks: spades), 0 if none."""
    best = winning_card(trick, led_mask)
    if best & _SPADES:
        losers = (legal & ~_SPADES) | (legal & (best - 1))
    else:
        losers = legal & ~_SPADES & ~(led_mask & ~(best - 1))
    result, strength = np.int64(0), np.int64(-1)
    while losers:
        card = losers & -losers
        losers ^= card
        if lowest(card) & 15 > strength:
            result, strength = card, lowest(card) & 15
    return result


@lean_kernel
def play_uniform(hands, leader, may_lead, tricks_left, taken, state):
    """Play whole tricks to the end with random cards: (tricks taken, random state)."""
    for _ in range(tricks_left):
        state = next_state(state)
        bits = mixed(state)
        second, third, fourth = (leader + 1) & 3, (leader + 2) & 3, (leader + 3) & 3
        card_1 = pick(leads(hands[leader], may_lead), bits)
        led = suit_around(card_1)
        card_2 = pick(follows(hands[second], led), bits >> np.uint64(16))
        card_3 = pick(follows(hands[third], led), bits >> np.uint64(32))
        card_4 = pick(follows(hands[fourth], led), bits >> np.uint64(48))
        hands[leader] ^= card_1
        hands[second] ^= card_2
        hands[third] ^= card_3
        hands[fourth] ^= card_4
        trick = card_1 | card_2 | card_3 | card_4
        may_lead |= (trick & _SPADES) != 0
        best = winning_card(trick, led)
        step = (card_2 == best) + 2 * (card_3 == best) + 3 * (card_4 == best)
        leader = (leader + step) & 3
        taken += np.int64(1) << (leader << 3)
    return taken, state


@lean_kernel
def play_nil_aware(hands, leader, may_lead, tricks_left, taken, nils, state):
    """Play whole tricks to the end, live nil bidders ducking: (tricks taken, random state)."""
    for _ in range(tricks_left):
        state = next_state(state)
        bits = mixed(state)
        card = pick(leads(hands[leader], may_lead), bits)
        led, trick, best, ahead = suit_around(card), card, card, leader
        hands[leader] ^= card
        for i in range(1, 4):
            seat = (leader + i) & 3
            bits >>= _SIXTEEN
            card = nil_aware_card(hands[seat], trick, led, is_live(nils, taken, seat), bits)
            hands[seat] ^= card
            trick |= card
            if winning_card(trick, led) != best:
                best, ahead = card, seat
        may_lead |= (trick & _SPADES) != 0
        leader = ahead
        taken += np.int64(1) << (leader << 3)
    return taken, state


@kernel
def is_live(nils, taken, seat):
    """Whether a seat bid nil and has taken no trick."""
    return (nils >> seat) & 1 != 0 and (taken >> (seat << 3)) & 255 == 0


@kernel
def nil_aware_card(hand, trick, led_mask, is_nil, bits):
    """A follower's card under the nil-aware policy, as a mask."""
    legal = follows(hand, led_mask)
    if is_nil:
        loser = safest_loser(legal, trick, led_mask)
        if loser:
            return loser
    return pick(legal, bits)
