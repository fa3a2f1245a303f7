"""Rules for one trick: leading and following, to take it or to lose it, and discards.

Where the paper is silent, as on discards, a rule follows what good players do.
"""

from spades.core.cards import SPADES, SPADES_MASK
from spades.core.kernel import Int, highest, lean_kernel, lowest, popcount
from spades.human.features.abstract_moves import suit_cards
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
)

BOSS_PRICE = 20
GUARD_PRICE = 8
SHORT_GAIN = 3


@lean_kernel
def signals_doubleton(sight: Sight, losers: Int) -> bool:
    """Whether to signal a high-low doubleton (D.3): exactly two small cards of a side suit, under a
    boss. Only with a spade to ruff the third trick, and never with a card that could still win: at
    least two higher cards must be unseen."""
    is_doubleton = popcount(losers) == 2 and losers == suit_cards(sight.hand, sight.led)
    if not is_doubleton or sight.led == SPADES or not suit_cards(sight.hand, SPADES):
        return False
    return is_boss(sight, sight.best) and popcount(above(sight.unseen, highest(losers))) >= 2


@lean_kernel
def price_of(sight: Sight, card: Int) -> Int:
    """How much the lowest card of a suit is worth keeping. A winner is worth most, then the only
    guard of a second-best card; a singleton is worth less, as its suit can be ruffed later. (The
    paper says nothing on discards.)"""
    suit = suit_cards(sight.hand, card >> 4)
    price = card & 15
    if is_boss(sight, card):
        price += BOSS_PRICE
    if popcount(suit) == 2 and popcount(above(sight.unseen, highest(suit))) == 1:
        price += GUARD_PRICE
    if popcount(suit) == 1 and suit_cards(sight.hand, SPADES):
        price -= SHORT_GAIN
    return price


@lean_kernel
def discard_loser(sight: Sight) -> Int:
    """Void in the led suit, giving up the trick: the least valuable card of a side suit, else the
    lowest card."""
    chosen = NO_CARD
    least = 99
    for suit in range(1, 4):
        cards = suit_cards(sight.legal, suit)
        if cards and price_of(sight, lowest(cards)) < least:
            chosen = lowest(cards)
            least = price_of(sight, chosen)
    return chosen if chosen != NO_CARD else lowest(sight.legal)


@lean_kernel
def throw_away(sight: Sight) -> Int:
    """Give up the trick and keep what may win later: the lowest card of the led suit, or the higher
    of a doubleton as a signal (D.3)."""
    if not suit_cards(sight.legal, sight.led):
        return discard_loser(sight)
    losers = sight.legal & ~winners(sight.legal, sight.best)
    return highest(losers) if signals_doubleton(sight, losers) else lowest(sight.legal)


@lean_kernel
def danger_of(sight: Sight, card: Int) -> Int:
    """How likely the highest card of a suit is to win a trick: the higher it is and the fewer lower
    cards the hand has with it."""
    rank = card & 15
    danger = rank - 2 * popcount(below(sight.hand, card))
    if not below(sight.unseen, card) and not above(sight.unseen, card):
        danger += BOSS_PRICE  # the suit's last card wins whenever led
    return danger


@lean_kernel
def most_dangerous(sight: Sight, cards: Int) -> Int:
    """Of some cards that lose this trick the one to get rid of; spades before side suits."""
    if cards & SPADES_MASK:
        return highest(cards & SPADES_MASK)
    chosen = NO_CARD
    most = -99
    for suit in range(1, 4):
        held = suit_cards(cards, suit)
        if held and danger_of(sight, highest(held)) > most:
            chosen = highest(held)
            most = danger_of(sight, chosen)
    return chosen


@lean_kernel
def spare_cards(sight: Sight, cards: Int) -> Int:
    """The cards of a mask without the spades that the contract needs: those whose loss would leave
    fewer sure tricks than it still needs."""
    spades = suit_cards(sight.hand, SPADES)
    out = suit_cards(sight.unseen, SPADES)
    spare = cards & ~SPADES_MASK
    remaining = cards & SPADES_MASK
    while remaining:
        card = remaining & -remaining
        remaining ^= card
        if sight.need == 0 or sure_takes(spades ^ card, out) >= sight.need:
            spare |= card
    return spare


@lean_kernel
def duck_under(sight: Sight) -> Int:
    """Lose the trick with the highest card that loses.

    Void in the led suit, discard the card most likely to win a trick later, but no spade that the
    contract needs. With winners only: the lowest, unless this is the last seat; then the highest,
    which would have won a trick anyway."""
    losers = sight.legal & ~winners(sight.legal, sight.best)
    if losers and suit_cards(sight.legal, sight.led):
        return highest(losers)
    if losers:
        spare = spare_cards(sight, losers)
        return most_dangerous(sight, spare if spare else losers)
    if suit_cards(sight.legal, sight.led):
        return lowest(sight.legal) if sight.place < 3 else highest(sight.legal)
    return weakest(sight.legal)


# Second, third and fourth hand when the side wants tricks


@lean_kernel
def touching_low(sight: Sight, card: Int) -> Int:
    """The lowest own card that is as good as ``card``: no unseen card lies between them."""
    low = card
    remaining = suit_cards(sight.hand, card >> 4) & ((1 << card) - 1)
    while remaining:
        lower = highest(remaining)
        if above(sight.unseen, lower) != above(sight.unseen, card):
            break
        low = lower
        remaining ^= 1 << lower
    return low


@lean_kernel
def follow_to_take(sight: Sight) -> Int:
    """Win the trick with the cheapest card that can't be beaten, unless partner wins it anyway."""
    winning = winners(sight.legal, sight.best)
    is_partners = partner_wins(sight) or (sight.place == 3 and sight.ahead == PARTNER)
    if not winning or is_partners:
        return throw_away(sight)
    if not suit_cards(sight.legal, sight.led):
        return ruff(sight, winning)
    safe = holding(sight, winning)
    if safe:
        return cheapest(safe)
    return third_hand(sight, winning) if sight.place == 2 else throw_away(sight)


@lean_kernel
def third_hand(sight: Sight, winning: Int) -> Int:
    """Third hand high: the highest card, or its lowest equal, if none is sure to win. Low if the
    last hand is known to be void and can ruff, and if partner's card is as good."""
    card = touching_low(sight, highest(winning))
    if suit_cards(sight.next_void, sight.led) and may_be_overtaken(sight, card):
        return throw_away(sight)
    n_above_best = popcount(above(sight.unseen, sight.best))
    n_above_card = popcount(above(sight.unseen, card))
    if sight.ahead == PARTNER and n_above_best == n_above_card:
        return throw_away(sight)
    return card


@lean_kernel
def ruff(sight: Sight, winning: Int) -> Int:
    """Void in the led suit: ruff with the lowest spade that can't be beaten.

    If none is sure to win: the highest if the last hand is known to be void, else the lowest. No
    ruff if every spade is a sure trick, partner has yet to play and a trick can be spared: such a
    spade takes its trick anyway."""
    if winning & SPADES_MASK != winning:
        return throw_away(sight)
    spades = suit_cards(sight.hand, SPADES)
    if sight.place == 1 and popcount(spades) <= sight.sure and sight.left > sight.need:
        return throw_away(sight)
    safe = holding(sight, winning)
    if safe:
        return lowest(safe)
    return highest(winning) if suit_cards(sight.next_void, sight.led) else lowest(winning)


# The lead


@lean_kernel
def lead_to_take(sight: Sight) -> Int:
    """A winner, else a ruff for partner, trumps, a singleton to ruff later, or a quiet card."""
    card = cash_winner(sight)
    if card == NO_CARD:
        card = give_ruff(sight)
    if card == NO_CARD:
        card = draw_spades(sight)
    if card == NO_CARD:
        card = lead_short(sight)
    if card == NO_CARD:
        card = lead_quiet(sight)
    return card


@lean_kernel
def cash_winner(sight: Sight) -> Int:
    """A boss that no opponent is known to be able to ruff, of the side suit with the most unseen
    cards, where a ruff is least likely. ``NO_CARD`` without one."""
    chosen = NO_CARD
    most = -1
    for suit in range(1, 4):
        cards = suit_cards(sight.legal, suit)
        n_out = popcount(suit_cards(sight.unseen, suit))
        top = highest(cards) if cards else NO_CARD
        is_winner = cards and is_boss(sight, top) and not may_be_overtaken(sight, top)
        if is_winner and n_out > most:
            chosen = touching_low(sight, top)
            most = n_out
    return chosen


@lean_kernel
def can_ruff(sight: Sight, void: Int, suit: Int) -> bool:
    """Whether a seat known to have these voids may ruff a side suit."""
    out = suit_cards(sight.unseen, SPADES) & ~void
    return suit_cards(void, suit) != 0 and out != 0


@lean_kernel
def give_ruff(sight: Sight) -> Int:
    """A low card of a suit that partner can ruff: known to be void, or a doubleton signalled (D.3),
    and no opponent known to be void. ``NO_CARD`` without such a suit."""
    if suit_cards(sight.partner_void, SPADES):
        return NO_CARD
    partner_short = sight.partner_void | sight.partner_signal
    opponents_void = sight.next_void | sight.previous_void
    for suit in range(1, 4):
        cards = suit_cards(sight.legal, suit)
        if cards and can_ruff(sight, partner_short, suit) and not suit_cards(opponents_void, suit):
            return lowest(cards)
    return NO_CARD


@lean_kernel
def draw_spades(sight: Sight) -> Int:
    """The boss spade, to draw trumps, with at least half as many spades as are unseen; with fewer
    it would rather draw partner's. (The paper is silent.) ``NO_CARD`` otherwise."""
    spades = suit_cards(sight.legal, SPADES)
    out = suit_cards(sight.unseen, SPADES)
    if not spades or not out or not is_boss(sight, highest(spades)):
        return NO_CARD
    opponents_have_none = suit_cards(sight.next_void & sight.previous_void, SPADES)
    if opponents_have_none or 2 * popcount(spades) < popcount(out):
        return NO_CARD
    return touching_low(sight, highest(spades))


@lean_kernel
def lead_short(sight: Sight) -> Int:
    """A singleton of a side suit, to ruff its next trick with a spade that isn't a sure trick.
    Never a second-best card, which might win later. ``NO_CARD`` without one."""
    if popcount(suit_cards(sight.hand, SPADES)) <= sight.sure:
        return NO_CARD
    for suit in range(1, 4):
        cards = suit_cards(sight.legal, suit)
        if popcount(cards) == 1 and popcount(above(sight.unseen, lowest(cards))) >= 2:
            return lowest(cards)
    return NO_CARD


@lean_kernel
def quiet_price(sight: Sight, suit: Int) -> Int:
    """What leading a low card of a suit costs; the lower the better.

    Leading from a second- or third-best card spoils its chance; a suit that an opponent can ruff
    brings nothing; a long suit is safer than a short one."""
    cards = suit_cards(sight.legal, suit)
    n_higher = popcount(above(sight.unseen, highest(cards)))
    price = -popcount(cards)
    if n_higher == 1:
        price += 8
    elif n_higher == 2:
        price += 4
    if suit == SPADES:
        price += 6
    elif can_ruff(sight, sight.next_void, suit) or can_ruff(sight, sight.previous_void, suit):
        price += 5
    return price


@lean_kernel
def lead_quiet(sight: Sight) -> Int:
    """A low card of the suit that costs least to lead, or the top of touching second-best cards:
    the king from king and queen drives out the ace."""
    chosen = NO_CARD
    least = 99
    for suit in range(4):
        cards = suit_cards(sight.legal, suit)
        if not cards:
            continue
        top = highest(cards)
        is_second_best = popcount(above(sight.unseen, top)) == 1
        if suit != SPADES and is_second_best and touching_low(sight, top) != top:
            return top
        price = quiet_price(sight, suit)
        if price < least:
            chosen = lowest(cards)
            least = price
    return chosen


@lean_kernel
def likely_wins(sight: Sight, card: Int) -> Int:
    """How likely a led card is to win: unseen cards below it minus those above; 50 or more if none
    is above."""
    n_higher = popcount(above(sight.unseen, card))
    n_lower = popcount(below(sight.unseen, card))
    if n_higher:
        return n_lower - n_higher
    return 50 + int(n_lower == 0)


@lean_kernel
def lead_to_lose(sight: Sight) -> Int:
    """The card least likely to win the trick; of equals the one of highest rank."""
    chosen = NO_CARD
    least = 999
    remaining = sight.legal
    while remaining:
        card = lowest(remaining)
        remaining &= remaining - 1
        risk = 2 * likely_wins(sight, card) - int(card >> 4 != SPADES)
        is_higher = card & 15 > chosen & 15
        if risk < least or (risk == least and is_higher):
            chosen = card
            least = risk
    return chosen
