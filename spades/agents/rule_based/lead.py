"""The lead: to take tricks, or to lose them."""

from __future__ import annotations

from spades.agents.rule_based.cards import NO_CARD, above, below
from spades.agents.rule_based.follow import touching_low
from spades.agents.rule_based.sight import Sight, is_boss, may_be_overtaken
from spades.core.cards import SPADES
from spades.core.kernel import Int, highest, kernel, lowest, popcount
from spades.human.bidder import suit_cards


@kernel
def lead_to_take(s: Sight) -> Int:
    """Winners first, then a ruff for partner, trumps, a ruff of one's own, and a quiet card."""
    card = cash_winner(s)
    if card == NO_CARD:
        card = give_ruff(s)
    if card == NO_CARD:
        card = draw_spades(s)
    if card == NO_CARD:
        card = lead_short(s)
    if card == NO_CARD:
        card = lead_quiet(s)
    return card


@kernel
def cash_winner(s: Sight) -> Int:
    """A boss of a side suit that no opponent has shown out of, where most cards are still out.

    The more cards of the suit the others hold, the less likely a ruff. ``NO_CARD`` without one.
    """
    found, most = NO_CARD, -1
    for suit in range(1, 4):
        cards = suit_cards(s.legal, suit)
        if not cards:
            continue
        top, out = highest(cards), popcount(suit_cards(s.unseen, suit))
        if is_boss(s, top) and not may_be_overtaken(s, top) and out > most:
            found, most = touching_low(s, top), out
    return found


@kernel
def can_ruff(s: Sight, void: Int, suit: Int) -> bool:
    """Whether a seat that showed these voids may ruff a side suit."""
    out = suit_cards(s.unseen, SPADES) & ~void
    return suit_cards(void, suit) != 0 and out != 0


@kernel
def give_ruff(s: Sight) -> Int:
    """A low card of a suit that partner can ruff: shown out, or a doubleton signalled (D.3).

    Only where no opponent has shown out too. ``NO_CARD`` without such a suit.
    """
    short = s.partner_void | s.partner_signal
    for suit in range(1, 4):
        cards = suit_cards(s.legal, suit)
        if cards and can_ruff(s, short & ~suit_cards(s.partner_void, SPADES), suit):
            opponents = s.next_void | s.previous_void
            if not suit_cards(opponents, suit) and not suit_cards(s.partner_void, SPADES):
                return lowest(cards)
    return NO_CARD


@kernel
def draw_spades(s: Sight) -> Int:
    """The boss spade, to draw trumps, with at least half as many spades as are out.

    Fewer would draw partner's ruffs too. (The paper is silent.) ``NO_CARD`` otherwise.
    """
    spades, out = suit_cards(s.legal, SPADES), suit_cards(s.unseen, SPADES)
    if not spades or not out or not is_boss(s, highest(spades)):
        return NO_CARD
    if suit_cards(s.next_void & s.previous_void, SPADES):
        return NO_CARD
    if 2 * popcount(spades) < popcount(out):
        return NO_CARD
    return touching_low(s, highest(spades))


@kernel
def lead_short(s: Sight) -> Int:
    """A singleton of a side suit, to ruff the next trick, with spades that aren't sure takes.

    Never a second-best card, which might win later. ``NO_CARD`` without one.
    """
    if popcount(suit_cards(s.hand, SPADES)) <= s.sure:
        return NO_CARD
    for suit in range(1, 4):
        cards = suit_cards(s.legal, suit)
        if popcount(cards) == 1 and popcount(above(s.unseen, lowest(cards))) >= 2:
            return lowest(cards)
    return NO_CARD


@kernel
def quiet_price(s: Sight, suit: Int) -> Int:
    """What leading a low card of a suit gives away; the lower the better.

    A second- or third-best card loses its chance when the suit is opened from it; a suit that an
    opponent can ruff brings nothing; a long suit is safer than a short one.
    """
    cards = suit_cards(s.legal, suit)
    higher = popcount(above(s.unseen, highest(cards)))
    price = 8 * int(higher == 1) + 4 * int(higher == 2) - popcount(cards)
    if suit == SPADES:
        price += 6
    elif can_ruff(s, s.next_void, suit) or can_ruff(s, s.previous_void, suit):
        price += 5
    return price


@kernel
def lead_quiet(s: Sight) -> Int:
    """A low card of the suit that gives least away, or the top of touching second-best cards.

    King from king and queen drives out the ace.
    """
    found, least = NO_CARD, 99
    for suit in range(4):
        cards = suit_cards(s.legal, suit)
        if not cards:
            continue
        top = highest(cards)
        if suit != SPADES and popcount(above(s.unseen, top)) == 1 and touching_low(s, top) != top:
            return top
        price = quiet_price(s, suit)
        if price < least:
            found, least = lowest(cards), price
    return found


@kernel
def likely_wins(s: Sight, card: Int) -> Int:
    """How likely a led card is to win: cards out below it minus those above; 99 if none is out."""
    higher, lower = popcount(above(s.unseen, card)), popcount(below(s.unseen, card))
    if higher == 0:
        return 50 + int(higher + lower == 0)
    return lower - higher


@kernel
def lead_to_lose(s: Sight) -> Int:
    """The card least likely to win the trick, the higher of two alike."""
    found, least, left = NO_CARD, 999, s.legal
    while left:
        card = lowest(left)
        left &= left - 1
        risk = 2 * likely_wins(s, card) - int(card >> 4 != SPADES)
        if risk < least or (risk == least and card & 15 > found & 15):
            found, least = card, risk
    return found
