"""The rule-based bidders that BIS is compared with: IO, MS, RB, KB; and noise for any bidder.

Sources: Cohensius et al. 2020, section 5.1 and appendix F (IO, MS, RB); Whitehouse et al. 2013,
"Bidding" (KB). Cards count by their place below the top of their suit, in any deck.

Where the papers print no numbers, ours are in the constants of this file:

- RB: "each card has a value that depends on the number of cards from that suit in the hand".
- KB: the probability that a card takes a trick "may depend on what other cards are in hand"; how
  far the bag limit and the personality move the bid; when it bids nil.
"""

import numpy as np
from numpy.typing import NDArray

from spades.bidding.auction import (
    BIS,
    BLIND_NIL,
    IO,
    KB,
    MS,
    Auction,
    BidContext,
    BidderOptions,
    contract_bid,
    may_nil,
    partner_bid,
)
from spades.bidding.bis import bis_bid
from spades.bidding.hands import THIRD_CARD, nil_value, suit_bits, top_spades
from spades.core.kernel import (
    Int,
    highest,
    kernel,
    lowest,
    mixed,
    next_state,
    popcount,
    two_normals,
    unit,
)
from spades.core.rules import NIL_BID

ACE, KING, QUEEN, JACK, TEN = range(5)  # places below the top
NIL_SPADES = 3
NAIVE_PLACES = np.array([9, 6, 4])  # 5, 8, T: places below the ace

IO_LOW_SPADE = 0.4  # tricks
IO_GUARDED_KING = 0.5
IO_NIL_MOST = 3  # largest regular bid that gives way to nil
IO_NIL_PARTNER = 4  # least bid of the partner

RB_SIDE = np.array(
    [
        [0.0, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.2, 0.0, 0.0, 0.0],
        [0.0, 0.1, 0.7, 0.7, 0.6, 0.5, 0.3, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.1, 0.2, 0.1, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    ]
)
"""RB: tricks of ace, king and queen of a side suit, (3, 14), by the cards held of the suit."""
RB_HIGH_SPADE = np.array(
    [
        [0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        [0.0, 0.2, 0.9, 1.0, 1.0, 1.0, 1.0],
        [0.0, 0.0, 0.3, 0.8, 0.9, 1.0, 1.0],
        [0.0, 0.0, 0.1, 0.4, 0.7, 0.9, 1.0],
    ]
)
"""RB: tricks of the four highest spades, (4, 7), by the spades held; more than six as six."""
RB_LOW_SPADE = np.array([0.0, 0.0, 0.0, 0.1, 0.2, 0.5, 0.6])
"""RB: tricks of any other spade, (7,), by the spades held; more than six as six."""
RB_MOST = 6

KB_GUARDED = 0.93  # factor of P(a high spade wins) for each card above it that is out
KB_LONG = 0.9  # a spade beyond the fourth
KB_RUFF = np.array([0.75, 0.5, 0.15])  # a small spade with a void, a singleton, a doubleton
KB_FREE_SPADES = 4
KB_PERSONALITY = 0.6  # tricks that an aggressive player adds to a neutral one's
KB_NEAR_LIMIT = 3  # bags left below the limit at which the bid is raised
KB_BAG_RAISE = 0.5  # tricks
KB_NIL_VALUE = 0.6  # least nil value of a neutral player, by the reading below
KB_THIRD_CARD = list(THIRD_CARD).index("pattern")
KB_NIL_PERSONALITY = 0.1
KB_NIL_TRICKS = 3.0


@kernel
def is_naive_nil(hand: Int, auction: Auction, raised: Int, context: BidContext) -> bool:
    """The naive nil classifier of RB and MS (appendix F.2): the three lowest cards of every suit
    are no higher than 5, 8, T (``raised``: ranks added to these), the hand has at most three
    spades, and the partner hasn't bid nil."""
    if not may_nil(auction, context.rules) or popcount(suit_bits(hand, 0)) > NIL_SPADES:
        return False
    for suit in range(4):
        cards = suit_bits(hand, suit)
        top = highest(suit_bits(context.rules.deck, suit))
        for place in NAIVE_PLACES:
            if cards:
                if top - lowest(cards) < place - raised:
                    return False
                cards &= cards - 1
    return True


@kernel
def io_tricks(hand: Int, deck: Int) -> float:
    """IO: a high spade (A to T) 1, a low one 0.4; in side suits A 1, A K 2, a guarded K 0.5."""
    n_high = top_spades(hand, deck, TEN + 1)
    n_low = popcount(suit_bits(hand, 0)) - n_high
    tricks = n_high + IO_LOW_SPADE * n_low
    for suit in range(1, 4):
        cards = suit_bits(hand, suit)
        top = highest(suit_bits(deck, suit))
        has_ace = cards >> (top - ACE) & 1
        has_king = cards >> (top - KING) & 1
        tricks += has_ace
        if has_king and has_ace:
            tricks += 1.0
        elif has_king and popcount(cards) > 1:
            tricks += IO_GUARDED_KING
    return tricks


@kernel
def is_io_nil(hand: Int, regular: Int, auction: Auction, context: BidContext) -> bool:
    """IO bids nil instead of a bid up to 3, after a partner's bid of at least 4, with no A or K, no
    spade from the ten up and at most three spades."""
    deck = context.rules.deck
    if regular > IO_NIL_MOST or partner_bid(auction) < IO_NIL_PARTNER:
        return False
    if not may_nil(auction, context.rules) or popcount(suit_bits(hand, 0)) > NIL_SPADES:
        return False
    for suit in range(1, 4):
        king = highest(suit_bits(deck, suit)) - KING
        if suit_bits(hand, suit) >> king:
            return False
    return top_spades(hand, deck, TEN + 1) == 0


@kernel
def ms_tricks(hand: Int, deck: Int) -> Int:
    """MS: aces, kings with another card of the suit, the guarded queen of spades, long spades,
    short suits.

    The queen of spades counts with two other spades or the ace. Each spade beyond three counts; a
    trick is subtracted with at most one spade, and added with exactly three spades and a side suit
    of at most one card."""
    tricks = 0
    is_short = False
    for suit in range(4):
        cards = suit_bits(hand, suit)
        top = highest(suit_bits(deck, suit))
        tricks += cards >> (top - ACE) & 1
        if popcount(cards) > 1:
            tricks += cards >> (top - KING) & 1
        is_short |= suit > 0 and popcount(cards) <= 1
    spades = suit_bits(hand, 0)
    top = highest(suit_bits(deck, 0))
    n_spades = popcount(spades)
    has_queen = spades >> (top - QUEEN) & 1
    has_ace = spades >> (top - ACE) & 1
    if has_queen and (n_spades > 2 or has_ace):
        tricks += 1
    tricks += max(0, n_spades - NIL_SPADES)
    if n_spades <= 1:
        tricks -= 1
    if n_spades == NIL_SPADES and is_short:
        tricks += 1
    return tricks


@kernel
def rb_tricks(hand: Int, deck: Int) -> float:
    """RB: the sum of the cards' values, by rank and number of cards held of the suit."""
    spades = suit_bits(hand, 0)
    top = highest(suit_bits(deck, 0))
    n_low = popcount(spades)
    column = min(n_low, RB_MOST)
    tricks = 0.0
    for place in range(len(RB_HIGH_SPADE)):
        if spades >> (top - place) & 1:
            tricks += RB_HIGH_SPADE[place, column]
            n_low -= 1
    tricks += n_low * RB_LOW_SPADE[column]
    for suit in range(1, 4):
        cards = suit_bits(hand, suit)
        top = highest(suit_bits(deck, suit))
        for place in range(len(RB_SIDE)):
            if cards >> (top - place) & 1:
                tricks += RB_SIDE[place, popcount(cards)]
    return tricks


@kernel
def kb_side_tricks(hand: Int, deck: Int, p_holds: NDArray) -> float:
    """KB: the sum of P(trick) over the cards of the side suits. A card with n higher cards, out or
    held, waits for trick n + 1 of its suit: it needs n other cards, and no opponent void by
    then."""
    tricks = 0.0
    for suit in range(1, 4):
        cards = suit_bits(hand, suit)
        whole_suit = suit_bits(deck, suit)
        top = highest(whole_suit)
        n_out = popcount(whole_suit & ~cards)
        for place in range(min(popcount(cards), p_holds.shape[1])):
            if cards >> (top - place) & 1:
                tricks += p_holds[n_out, place]
    return tricks


@kernel
def kb_spade_tricks(hand: Int, deck: Int) -> float:
    """KB: the sum of P(trick) over the spades: as a high card, by length, or as a ruff."""
    spades = suit_bits(hand, 0)
    out = suit_bits(deck, 0) & ~spades
    n_spades = popcount(spades)
    tricks = 0.0
    n_small = 0
    n_below = 0  # spades held below the one counted
    while spades:  # from the lowest
        card = lowest(spades)
        spades &= spades - 1
        n_above = popcount(out >> card)
        if n_above <= n_below and n_above < KB_FREE_SPADES:
            tricks += KB_GUARDED**n_above
        else:
            n_small += 1
        n_below += 1
    n_long = min(n_small, max(0, n_spades - KB_FREE_SPADES))
    tricks += KB_LONG * n_long
    n_small -= n_long
    for suit in range(1, 4):
        length = popcount(suit_bits(hand, suit))
        if length < len(KB_RUFF) and n_small > 0:
            tricks += KB_RUFF[length]
            n_small -= 1
    return tricks


@kernel
def kb_tricks(hand: Int, auction: Auction, options: BidderOptions, context: BidContext) -> float:
    """KB: expected tricks, adjusted for the personality and for a bag limit that is near."""
    rules = context.rules
    bags = max(auction.bags, auction.their_bags) if options.their_bags else auction.bags
    tricks = kb_spade_tricks(hand, rules.deck)
    tricks += kb_side_tricks(hand, rules.deck, context.tables.p_hold[2])
    tricks += KB_PERSONALITY * options.personality
    if rules.bag_limit and rules.bag_limit - bags <= KB_NEAR_LIMIT:
        tricks += KB_BAG_RAISE
    return tricks


@kernel
def kb_bid(
    hand: Int, auction: Auction, options: BidderOptions, context: BidContext, state: np.uint64
) -> tuple[Int, np.uint64]:
    """The knowledge-based bid of Whitehouse 2013, and the random state two draws on. Nil with a nil
    value of at least 0.6 (0.5 when aggressive, 0.7 when timid) and at most three tricks."""
    noise, _, state = two_normals(state)
    tricks = kb_tricks(hand, auction, options, context) + options.randomness * noise
    if may_nil(auction, context.rules) and tricks <= KB_NIL_TRICKS:
        least = KB_NIL_VALUE - KB_NIL_PERSONALITY * options.personality
        if nil_value(hand, context.tables.p_cnil[KB_THIRD_CARD]) >= least:
            return NIL_BID, state
    return contract_bid(tricks, auction, context.rules), state


@kernel
def with_noise(
    bid: Int, auction: Auction, options: BidderOptions, context: BidContext, state: np.uint64
) -> tuple[Int, np.uint64]:
    """The bid with noise, and the random state three draws on. Nil with probability ``nil_rate``
    whatever the hand; otherwise a nil stays, and noise is added to a regular bid."""
    noise, _, state = two_normals(state)
    state = next_state(state)
    if bid == BLIND_NIL:
        return bid, state
    if unit(mixed(state)) < options.nil_rate and may_nil(auction, context.rules):
        return NIL_BID, state
    if bid == NIL_BID and context.rules.has_nil:
        return bid, state
    return contract_bid(bid + options.noise * noise, auction, context.rules), state


@kernel
def counted_bid(hand: Int, auction: Auction, options: BidderOptions, context: BidContext) -> Int:
    """The bid of IO, MS (with RB's nil classifier) or RB; they draw no random number."""
    deck = context.rules.deck
    code = options.code
    if code == IO:
        regular = contract_bid(io_tricks(hand, deck), auction, context.rules)
        is_nil = is_io_nil(hand, regular, auction, context)
    else:
        tricks = float(ms_tricks(hand, deck)) if code == MS else rb_tricks(hand, deck)
        regular = contract_bid(tricks, auction, context.rules)
        is_nil = is_naive_nil(hand, auction, options.nil_ranks, context)
    return NIL_BID if is_nil else regular


@kernel
def make_bid(
    hand: Int, auction: Auction, options: BidderOptions, context: BidContext, state: np.uint64
) -> tuple[Int, np.uint64]:
    """The bid of the bidder that ``options`` name, with their noise if any."""
    if options.code == BIS:
        bid, state = bis_bid(hand, auction, options, context, state)
    elif options.code == KB:
        bid, state = kb_bid(hand, auction, options, context, state)
    else:
        bid = counted_bid(hand, auction, options, context)
    if options.noise > 0.0 or options.nil_rate > 0.0:
        return with_noise(bid, auction, options, context, state)
    return bid, state
