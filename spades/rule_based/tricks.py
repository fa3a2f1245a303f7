"""One trick: the lead, to take tricks or to lose them; following; and cards thrown away.

Where the paper is silent, on discards for one, a rule follows what good players do.
"""

from spades.core.cards import SPADES, SPADES_MASK
from spades.core.kernel import Int, highest, lean_kernel, lowest, popcount
from spades.human.bidder import suit_cards
from spades.rule_based.sight import (
    NO_CARD,
    PARTNER,
    Sight,
    above,
    below,
    cheapest,
    holding,
    is_boss,
    may_be_overtaken,
    partner_wins,
    sure_takes,
    weakest,
    winners,
)  # fmt: skip

BOSS_PRICE, GUARD_PRICE, SHORT_GAIN = 20, 8, 3


@lean_kernel
def signals_doubleton(s: Sight, losers: Int) -> bool:
    """High-low doubleton (D.3): exactly two small cards under a boss in the suit's first trick.
    Only with a spade to ruff the third trick, in a side suit, and never a card that could still
    win: it has at least two higher cards out beside the one on the table."""
    is_doubleton = popcount(losers) == 2 and losers == suit_cards(s.hand, s.led)
    if not is_doubleton or s.led == SPADES or not suit_cards(s.hand, SPADES):
        return False
    return is_boss(s, s.best) and popcount(above(s.unseen, highest(losers))) >= 2


@lean_kernel
def price_of(s: Sight, card: Int) -> Int:
    """How much a side's lowest card is worth keeping: the lower, the sooner it goes. A winner is
    dear, so is the one guard of a second-best card; a singleton goes sooner, to ruff that suit
    later. (The paper says nothing on discards.)"""
    suit = suit_cards(s.hand, card >> 4)
    price = card & 15
    if is_boss(s, card):
        price += BOSS_PRICE
    if popcount(suit) == 2 and popcount(above(s.unseen, highest(suit))) == 1:
        price += GUARD_PRICE
    if popcount(suit) == 1 and suit_cards(s.hand, SPADES):
        price -= SHORT_GAIN
    return price


@lean_kernel
def discard_loser(s: Sight) -> Int:
    """Void in the led suit, the trick not wanted: the plain card worth least, else a low spade."""
    found, least = NO_CARD, 99
    for suit in range(1, 4):
        cards = suit_cards(s.legal, suit)
        if cards and price_of(s, lowest(cards)) < least:
            found = lowest(cards)
            least = price_of(s, found)
    return found if found != NO_CARD else lowest(s.legal)


@lean_kernel
def throw_away(s: Sight) -> Int:
    """Give the trick up and keep what may win later. The lowest card of the led suit, or the higher
    of a doubleton as a signal (D.3)."""
    if not suit_cards(s.legal, s.led):
        return discard_loser(s)
    losers = s.legal & ~winners(s.legal, s.best)
    return highest(losers) if signals_doubleton(s, losers) else lowest(s.legal)


@lean_kernel
def danger_of(s: Sight, card: Int) -> Int:
    """How likely a suit's highest card is to win a trick: high, with few low cards beside it."""
    danger = (card & 15) - 2 * popcount(below(s.hand, card))
    if not below(s.unseen, card) and not above(s.unseen, card):
        danger += BOSS_PRICE  # the suit's last card wins whenever led
    return danger


@lean_kernel
def most_dangerous(s: Sight, cards: Int) -> Int:
    """The card to be rid of among some that can't win this trick; spades before plain cards."""
    if cards & SPADES_MASK:
        return highest(cards & SPADES_MASK)
    found, most = NO_CARD, -99
    for suit in range(1, 4):
        held = suit_cards(cards, suit)
        if held and danger_of(s, highest(held)) > most:
            found = highest(held)
            most = danger_of(s, found)
    return found


@lean_kernel
def spare_cards(s: Sight, cards: Int) -> Int:
    """Without the spades whose loss would leave fewer sure takes than the contract needs."""
    spare, spades = cards & ~SPADES_MASK, suit_cards(s.hand, SPADES)
    left, out = cards & SPADES_MASK, suit_cards(s.unseen, SPADES)
    while left:
        card = left & -left
        left ^= card
        if s.need == 0 or sure_takes(spades ^ card, out) >= s.need:
            spare |= card
    return spare


@lean_kernel
def duck_under(s: Sight) -> Int:
    """Lose the trick with the highest card that does; forced to win, with as much as it takes.

    Void in the led suit, the card most likely to win a trick later goes, never a spade that the
    contract needs. Nothing but winners: the lowest if a later seat may go over it, else the
    highest, which would have won a trick anyway."""
    losers = s.legal & ~winners(s.legal, s.best)
    if losers and suit_cards(s.legal, s.led):
        return highest(losers)
    if losers:
        spare = spare_cards(s, losers)
        return most_dangerous(s, spare if spare else losers)
    if suit_cards(s.legal, s.led):
        return lowest(s.legal) if s.place < 3 else highest(s.legal)
    return weakest(s.legal)


# Second, third and fourth hand when the side wants tricks


@lean_kernel
def touching_low(s: Sight, card: Int) -> Int:
    """The lowest own card as good as ``card``: no card out stands between them."""
    low, left = card, suit_cards(s.hand, card >> 4) & ((1 << card) - 1)
    while left:
        lower = highest(left)
        if above(s.unseen, lower) != above(s.unseen, card):
            break
        low = lower
        left ^= 1 << lower
    return low


@lean_kernel
def follow_to_take(s: Sight) -> Int:
    """Win the trick as cheaply as will hold, unless it is partner's already."""
    winning = winners(s.legal, s.best)
    if not winning or partner_wins(s) or (s.place == 3 and s.ahead == PARTNER):
        return throw_away(s)
    if not suit_cards(s.legal, s.led):
        return ruff(s, winning)
    safe = holding(s, winning)
    if safe:
        return cheapest(safe)
    return third_hand(s, winning) if s.place == 2 else throw_away(s)


@lean_kernel
def third_hand(s: Sight, winning: Int) -> Int:
    """Third hand high: the highest card, the lowest of its equals, where none surely holds. Low
    where the last hand has shown out and can ruff, and where partner's card is as good."""
    card = touching_low(s, highest(winning))
    if suit_cards(s.next_void, s.led) and may_be_overtaken(s, card):
        return throw_away(s)
    if s.ahead == PARTNER and popcount(above(s.unseen, s.best)) == popcount(above(s.unseen, card)):
        return throw_away(s)
    return card


@lean_kernel
def ruff(s: Sight, winning: Int) -> Int:
    """Void in the led suit: ruff with the lowest spade that holds.

    Where none surely does, the highest against a last hand that has shown out, else the lowest.
    No ruff when every spade is a sure take, partner is still to play and a trick can be spared:
    such a spade takes its trick anyway."""
    if winning & SPADES_MASK != winning:
        return throw_away(s)
    spades = suit_cards(s.hand, SPADES)
    if s.place == 1 and popcount(spades) <= s.sure and s.left > s.need:
        return throw_away(s)
    safe = holding(s, winning)
    if safe:
        return lowest(safe)
    return highest(winning) if suit_cards(s.next_void, s.led) else lowest(winning)


# The lead


@lean_kernel
def lead_to_take(s: Sight) -> Int:
    """Winners first, then a ruff for partner, trumps, a ruff of one's own, and a quiet card."""
    card = cash_winner(s)
    card = give_ruff(s) if card == NO_CARD else card
    card = draw_spades(s) if card == NO_CARD else card
    card = lead_short(s) if card == NO_CARD else card
    return lead_quiet(s) if card == NO_CARD else card


@lean_kernel
def cash_winner(s: Sight) -> Int:
    """A boss of a side suit that no opponent has shown out of, where most cards are still out. The
    more cards of the suit the others hold, the less likely a ruff. ``NO_CARD`` without one."""
    found, most = NO_CARD, -1
    for suit in range(1, 4):
        cards, out = suit_cards(s.legal, suit), popcount(suit_cards(s.unseen, suit))
        top = highest(cards) if cards else NO_CARD
        if cards and is_boss(s, top) and not may_be_overtaken(s, top) and out > most:
            found, most = touching_low(s, top), out
    return found


@lean_kernel
def can_ruff(s: Sight, void: Int, suit: Int) -> bool:
    """Whether a seat that showed these voids may ruff a side suit."""
    out = suit_cards(s.unseen, SPADES) & ~void
    return suit_cards(void, suit) != 0 and out != 0


@lean_kernel
def give_ruff(s: Sight) -> Int:
    """A low card of a suit that partner can ruff: shown out, or a doubleton signalled (D.3). Only
    where no opponent has shown out too. ``NO_CARD`` without such a suit."""
    if suit_cards(s.partner_void, SPADES):
        return NO_CARD
    short, opponents = s.partner_void | s.partner_signal, s.next_void | s.previous_void
    for suit in range(1, 4):
        cards = suit_cards(s.legal, suit)
        if cards and can_ruff(s, short, suit) and not suit_cards(opponents, suit):
            return lowest(cards)
    return NO_CARD


@lean_kernel
def draw_spades(s: Sight) -> Int:
    """The boss spade, to draw trumps, with at least half as many spades as are out. Fewer would
    draw partner's ruffs too. (The paper is silent.) ``NO_CARD`` otherwise."""
    spades, out = suit_cards(s.legal, SPADES), suit_cards(s.unseen, SPADES)
    if not spades or not out or not is_boss(s, highest(spades)):
        return NO_CARD
    if suit_cards(s.next_void & s.previous_void, SPADES) or 2 * popcount(spades) < popcount(out):
        return NO_CARD
    return touching_low(s, highest(spades))


@lean_kernel
def lead_short(s: Sight) -> Int:
    """A singleton of a side suit, to ruff the next trick, with spades that aren't sure takes. Never
    a second-best card, which might win later. ``NO_CARD`` without one."""
    if popcount(suit_cards(s.hand, SPADES)) <= s.sure:
        return NO_CARD
    for suit in range(1, 4):
        cards = suit_cards(s.legal, suit)
        if popcount(cards) == 1 and popcount(above(s.unseen, lowest(cards))) >= 2:
            return lowest(cards)
    return NO_CARD


@lean_kernel
def quiet_price(s: Sight, suit: Int) -> Int:
    """What leading a low card of a suit gives away; the lower the better.

    A second- or third-best card loses its chance when the suit is opened from it; a suit that an
    opponent can ruff brings nothing; a long suit is safer than a short one."""
    cards = suit_cards(s.legal, suit)
    higher = popcount(above(s.unseen, highest(cards)))
    price = 8 * int(higher == 1) + 4 * int(higher == 2) - popcount(cards)
    if suit == SPADES:
        price += 6
    elif can_ruff(s, s.next_void, suit) or can_ruff(s, s.previous_void, suit):
        price += 5
    return price


@lean_kernel
def lead_quiet(s: Sight) -> Int:
    """A low card of the suit that gives least away, or the top of touching second-best cards. King
    from king and queen drives out the ace."""
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


@lean_kernel
def likely_wins(s: Sight, card: Int) -> Int:
    """How likely a led card is to win: cards out below it minus those above; 99 if none is out."""
    higher, lower = popcount(above(s.unseen, card)), popcount(below(s.unseen, card))
    return lower - higher if higher else 50 + int(lower == 0)


@lean_kernel
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
