"""Rules of thumb: how good each legal card looks to the seat that holds it, from 0 to 100.

Whitehouse 2013 uses such an evaluation in three places: in the playouts of the knowledge-based
player, as a bonus to its best two cards, and as a skew on the search. Its rules were never
published: those here are ours, what good players are taught. A seat looks at its own hand and at
what the table shows (``Situation``), never at another hand. Every rule gives points; 50 is a card
that nothing speaks for or against. ``over`` and ``under`` are the cards of a suit that the seat
doesn't see and that stand above and below a card.

What a seat plays for, the first that holds:

1. *own nil*: its nil is alive.
2. *cover*: partner's nil is alive, and this trick may fall to it: on lead, with partner ahead, or
   with partner still to play and not known void.
3. *attack*: an opponent's nil is alive, the contract can spare ``SPARE_TO_ATTACK`` tricks, and the
   seat leads, or the nil bidder is ahead or is the next to play and not known void.
4. *take*: the contract is neither met nor lost, or one trick to spare is all that the opponents'
   contract has left (then a set is played for), or overtricks cost nothing.
5. *duck*: else; every trick would be a bag.

Leads:

- *own nil, duck*: what others must beat: many cards over, few under; never a boss.
- *cover*: high: partner can go under it (many under), no one has to go over it (few over); best a
  suit that partner is out of.
- *attack*: low, under the nil: many over, few under; pointless in a suit the nil bidder is out of.
  A boss stays playable while tricks are needed.
- *take*: cash a side suit's boss while the others still hold the suit, not where an opponent may
  ruff. Draw trumps with the boss when holding at least half as many spades as are out. A low card
  for partner to ruff. A singleton, to ruff later. The top of a sequence. Else low, and not from a
  suit with a king or queen that isn't high yet; a high card that isn't boss is a waste.

Following:

- *Don't overtake partner* whose card holds; with partner ahead for sure, throw low (take), or be
  rid of high cards (duck).
- *Win cheaply*: the cheapest card that holds; a plain card before a spade.
- *Second hand low*, unless a card holds. *Third hand high* where partner's card may be beaten and
  one's own isn't merely its neighbour. *Ruff* with the lowest spade that holds.
- *Throw away low*, keep bosses, guarded kings and spades (take).
- *Duck as high as still loses*; forced to win, as high as can be when last, else as low (duck, own
  nil). *Void*: the most dangerous card goes, spades under a higher spade first.
- *Cover*: partner ahead: go over her, as cheaply as holds. Partner last: play high.
- *Attack*: a nil bidder ahead stays ahead; before her, low enough that she may have to go over.
"""

from typing import NamedTuple

import numpy as np

from spades.core.cards import HAND_SIZE
from spades.core.kernel import Int, highest, inlined_kernel, lowest, popcount
from spades.core.step import tricks_of

OWN_NIL, COVER, ATTACK, TAKE, DUCK = range(5)
MOVER, NEXT, PARTNER, PREVIOUS = range(4)  # seats as steps clockwise from the mover
BEST_SCORE = 100
NEUTRAL = 50
SPARE_TO_ATTACK = 2
"""Tricks that the contract can do without, at least, for a seat to attack a nil."""
SLACK_TO_SET = 1
"""Tricks that nobody's contract needs, at most, for a side with its own settled to play for a set.
"""
_SPADES = np.int64(0xFFFF)
_ONE = np.int64(1)
_TWO = np.int64(2)


class Goals(NamedTuple):
    """What the bids make a side want; every field an int64 in kernels.

    ``contract_ns``, ``contract_ew``: tricks. ``nils``: a bit a seat. ``counting``: a byte of ones
    for every seat whose tricks count for its contract. ``greedy``: 1 where overtricks cost nothing.
    """

    contract_ns: Int
    contract_ew: Int
    nils: Int
    counting: Int
    greedy: Int


class Situation(NamedTuple):
    """What the seat to play goes by; every field an int64 in kernels.

    ``hand``, ``legal``, ``unseen`` (cards that the others hold), ``winning`` (legal cards that beat
    the table's best) are masks; so are ``led``, the led suit whole, and ``best``, one card, 0 for
    the leader. ``ahead``: whose ``best`` is, in steps from the mover. ``place`` 0 (leader) to 3.
    ``voids``: suits shown out of, bit ``4 * step + suit``. ``live``: nils alive, a bit a step.
    ``aim``: what is played for. ``needs``: whether the own contract still wants tricks. ``holds``:
    whether the next opponent can't beat, as far as is known, the best card on the table."""

    hand: Int
    legal: Int
    unseen: Int
    winning: Int
    led: Int
    best: Int
    ahead: Int
    place: Int
    voids: Int
    live: Int
    aim: Int
    needs: Int
    holds: Int


@inlined_kernel
def wanted(turn, tricks_left, taken, goals):
    """(Tricks that the mover's contract can still use, whether tricks are wanted at all)."""
    counted = taken & goals.counting
    ours = ((counted >> (turn << 3)) & 255) + ((counted >> ((turn ^ 2) << 3)) & 255)
    theirs = ((counted >> ((turn ^ 1) << 3)) & 255) + ((counted >> ((turn ^ 3) << 3)) & 255)
    is_east = turn & 1
    need = (goals.contract_ew if is_east else goals.contract_ns) - ours
    their_need = (goals.contract_ns if is_east else goals.contract_ew) - theirs
    if need < 0 or need > tricks_left:
        need = need * 0
    sets = 0 < their_need <= tricks_left and tricks_left - need - their_need <= SLACK_TO_SET
    return need, need > 0 or sets or goals.greedy != 0


@inlined_kernel
def may_beat(card, led, unseen, void):
    """Whether a seat that showed these voids may beat a one-card mask with some unseen card.

    A seat that has shown nothing is taken to follow suit."""
    spades_out = 0 if void & 1 else unseen & _SPADES
    is_spade = card & _SPADES != 0
    over = unseen & -(card << _ONE)
    if (void >> (lowest(led) >> 4)) & 1:
        return (spades_out & over if is_spade else spades_out) != 0
    if is_spade:
        return led == _SPADES and over & _SPADES != 0
    return over & led != 0


@inlined_kernel
def is_exposed(card, led, unseen, place, voids, live):
    """Whether the next opponent may beat a card, and would: one with a live nil won't."""
    if place == 3 or (live >> NEXT) & 1:
        return False
    return may_beat(card, led, unseen, (voids >> 4) & 15)


@inlined_kernel
def winners_of(legal, led, best):
    """The legal cards that beat the best card on the table."""
    higher = -(best << _ONE)
    if best & _SPADES:
        return legal & _SPADES & higher
    return (legal & led & higher) | (legal & _SPADES)


@inlined_kernel
def aim_of(table, ahead, voids, live, spare, wants):
    """What the mover plays for. ``table``: place and led suit's number (0 for the leader)."""
    place, suit = table
    if live & 1:
        return OWN_NIL
    if (live >> PARTNER) & 1:
        is_void = (voids >> (4 * PARTNER + suit)) & 1
        if place == 0 or ahead == PARTNER or (place == 1 and not is_void):
            return COVER
    if (live >> NEXT | live >> PREVIOUS) & 1 and spare >= SPARE_TO_ATTACK:
        is_void = (voids >> (4 * NEXT + suit)) & 1
        comes = (live >> NEXT) & 1 and place < 3 and not is_void
        nil_ahead = ahead != MOVER and ahead != PARTNER and (live >> ahead) & 1
        if place == 0 or comes or nil_ahead:
            return ATTACK
    return TAKE if wants else DUCK


@inlined_kernel
def look(hand, legal, unseen, at, goals):
    """What the seat to play goes by; ``unseen``: the cards that the others hold."""
    turn = at.turn
    place = at.ply & 3
    taken = at.taken
    tricks_left = HAND_SIZE - (at.ply >> 2)
    live = np.int64(0)
    if goals.nils:
        for step in range(4):
            seat = (turn + step) & 3
            alive = (goals.nils >> seat) & 1 != 0 and tricks_of(seat, taken) == 0
            live |= np.int64(alive) << step
    relative = ((at.voids >> (turn << 2)) | (at.voids << (16 - (turn << 2)))) & 0xFFFF
    need, wants = wanted(turn, tricks_left, taken, goals)
    led = best = winning = steps = suit = np.int64(0)
    exposed = True
    if place:
        led = _SPADES << (at.led << 4)
        best = _ONE << at.best
        suit = at.led
        winning = winners_of(legal, led, best)
        steps = (at.winner - turn) & 3
        exposed = is_exposed(best, led, unseen, place, relative, live)
    spare = tricks_left - need
    aim = aim_of((place, suit), steps, relative, live, spare, wants)
    return Situation(
        hand, legal, unseen, winning, led, best, steps, place,
        relative, live, np.int64(aim), np.int64(need > 0), np.int64(not exposed),
    )  # fmt: skip


@inlined_kernel
def score_card(s, card):
    """How good a legal card (code) looks, 0 to 100."""
    suit = np.int64(0xFFFF) << (card & 48)
    above = -(_TWO << card)
    out = s.unseen & suit
    over = popcount(out & above)
    under = popcount(out) - over
    if s.place == 0:
        score = lead_score(s, card, suit, over, under)
    elif s.aim == COVER:
        score = cover_score(s, card, suit, over)
    elif s.aim == ATTACK:
        score = attack_score(s, card, suit, over, under)
    elif s.aim == TAKE:
        score = take_score(s, card, suit, over)
    else:
        score = duck_score(s, card, suit)
    return min(max(score, 0), BEST_SCORE)


@inlined_kernel
def lead_score(s, card, suit, over, under):
    if s.aim == TAKE:
        return lead_to_take(s, card, suit, over, under)
    if s.aim == COVER:
        if (s.voids >> (4 * PARTNER + (card >> 4))) & 1:
            return 90
        return NEUTRAL + 6 * under - 10 * over
    if s.aim == ATTACK:
        nil_is_void = (s.voids >> (4 * NEXT + (card >> 4))) & 1 if (s.live >> NEXT) & 1 else 1
        if nil_is_void and (s.live >> PREVIOUS) & 1:
            nil_is_void = (s.voids >> (4 * PREVIOUS + (card >> 4))) & 1
        score = 25 if nil_is_void else NEUTRAL + 7 * over - 10 * under
        return max(score, 60) if over == 0 and s.needs else score
    if over == 0:
        return 0
    return 40 + 8 * over - 3 * under


@inlined_kernel
def lead_to_take(s, card, suit, over, under):
    own = popcount(s.hand & suit)
    n_out = over + under
    spades_out = popcount(s.unseen & _SPADES)
    if suit == _SPADES:
        if over:
            return 38 - (5 if over < 3 else 0) + over
        draws = n_out == 0 or 2 * own >= n_out
        return 70 if draws else 40
    opponents = (s.voids >> (4 * NEXT)) | (s.voids >> (4 * PREVIOUS))
    may_ruff = (opponents >> (card >> 4)) & 1 != 0 and spades_out > 0
    if over == 0:
        if spades_out == 0:
            return 95
        return 30 if may_ruff or n_out == 0 else NEUTRAL + 4 * n_out
    partner_void = (s.voids >> (4 * PARTNER)) & 15
    if (partner_void >> (card >> 4)) & 1 and not partner_void & 1 and spades_out and not may_ruff:
        return 60 + over
    if own == 1 and s.hand & _SPADES:
        return 62 - (10 if over < 3 else 0)
    if over < 3:
        return 55 if tops_sequence(s, card, suit) else 12 + 6 * over
    top = np.int64(1) << highest(s.hand & suit)
    over_top = popcount(s.unseen & suit & -(top << _ONE))
    return 38 + over - (8 if 0 < over_top < 3 else 0)


@inlined_kernel
def tops_sequence(s, card, suit):
    """Whether the next lower card still in play of the suit is in the same hand."""
    lower = (s.hand | s.unseen) & suit & ((_ONE << card) - 1)
    return lower != 0 and (s.hand >> highest(lower)) & 1 != 0


@inlined_kernel
def cost_of(card):
    """What a winning card costs: its rank, a spade more."""
    return (card & 15) + (0 if card >> 4 else 14)


@inlined_kernel
def throw_score(s, card, suit, over):
    """A card given away while tricks are wanted."""
    score = 48 - (card & 15)
    if suit == _SPADES and s.led != _SPADES:
        return score - 14
    if over == 0:
        score -= 16
    if s.led & suit:
        return score
    held = s.hand & suit
    if popcount(held) == 2:
        top = np.int64(1) << highest(held)
        if popcount(s.unseen & suit & -(top << _ONE)) == 1:
            score -= 8
    elif held & (held - 1) == 0 and s.hand & _SPADES:
        score += 3
    return score


@inlined_kernel
def take_score(s, card, suit, over):
    if not (s.winning >> card) & 1:
        return throw_score(s, card, suit, over)
    if s.ahead == PARTNER and s.holds:
        return 20 - (cost_of(card) >> 1)
    mask = _ONE << card
    if not is_exposed(mask, s.led, s.unseen, s.place, s.voids, s.live):
        return 92 - cost_of(card)
    if not s.led & suit:  # a ruff that may be overruffed
        return 52 + (card & 15)
    if s.place == 1:
        return 30 - (card & 15)
    if s.ahead == PARTNER:
        over_best = popcount(s.unseen & suit & -(s.best << _ONE))
        if s.best & _SPADES or over_best - over < 2:
            return 25 - (card & 15)
    return 74 - 2 * over


@inlined_kernel
def duck_score(s, card, suit):
    """Own nil alive, or every trick a bag."""
    rank = card & 15
    if s.aim == DUCK and s.ahead == PARTNER and s.holds:
        return 60 + 2 * rank  # the side has the trick anyway
    if (s.winning >> card) & 1:
        if s.place == 3 and s.aim == DUCK:
            return 12 + rank - (6 if suit == _SPADES and s.led != _SPADES else 0)
        return 26 - rank - (6 if suit == _SPADES and s.led != _SPADES else 0)
    if s.led & suit:
        return 62 + 2 * rank
    if suit == _SPADES:
        return 86 + rank
    return 58 + 2 * rank - 2 * popcount(s.hand & suit & ((_ONE << card) - 1))


@inlined_kernel
def cover_score(s, card, suit, over):
    if not (s.winning >> card) & 1:
        return throw_score(s, card, suit, over)
    if s.ahead == PARTNER:
        exposed = is_exposed(_ONE << card, s.led, s.unseen, s.place, s.voids, s.live)
        return (82 if exposed else 98) - (cost_of(card) >> 1)
    return 80 - 3 * over - (8 if suit == _SPADES and s.led != _SPADES else 0)


@inlined_kernel
def attack_score(s, card, suit, over, under):
    rank = card & 15
    nil_ahead = s.ahead != PARTNER and (s.live >> s.ahead) & 1 != 0
    if (s.winning >> card) & 1:
        if nil_ahead:
            return 16 - rank
        if not s.led & suit:
            return 30 - rank
        return NEUTRAL + 3 * over - 6 * under
    if nil_ahead and s.led & suit:
        return 85 - rank if s.needs else 70 + rank
    return throw_score(s, card, suit, over) + 20


@inlined_kernel
def heuristic_scores(s, out):
    """The scores of the legal cards, lowest code first, into ``out`` (13,) float64; how many."""
    n = 0
    left = s.legal
    while left:
        out[n] = score_card(s, lowest(left))
        left &= left - 1
        n += 1
    return n


@inlined_kernel
def best_by_rule(s):
    """The legal card that looks best, the lowest code among equals, as a mask."""
    left = s.legal
    found = left & -left
    most = np.int64(-1)
    if left & (left - 1) == 0:
        return found
    while left:
        card = lowest(left)
        score = np.int64(score_card(s, card))
        if score > most:
            found = _ONE << card
            most = score
        left &= left - 1
    return found
