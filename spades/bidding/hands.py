"""Hand evaluation before the auction: exact suit probabilities, regular tricks, nil value.

Source: Cohensius et al. 2020, sections 4.1.1 to 4.2, tables 1, 5 and 6. The paper estimates them
from 100,000 deals; here they are exact sums. The 13 cards held are known, the other 39 are equally
likely to lie anywhere in three hands. Cards count by their place below the top of their suit, in
any deck.
"""

from functools import lru_cache
from math import comb, perm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_CARDS, SPADES, SUIT_CARDS, SUIT_WIDTH, Deck
from spades.core.kernel import FloatArray, Int, highest, lean_kernel, lowest, popcount

N_HIDDEN = N_CARDS - HAND_SIZE
N_LOW = 3  # cards of a suit that can set a nil, from the lowest
N_TRICKS = 3  # first tricks of a side suit, in which honours and cuts count
MAX_DANGEROUS = 3
NIL_SPADES_DENIED = 4  # this many spades deny a nil
N_SPADE_HONOURS = 4
FREE_SPADES = 4  # every spade beyond these is long
VOID_FACTOR = 1.15
THIRD_CARD = {"printed": 1, "pattern": 3}
"""Readings of a nil's third card, see ``nil_table``: the number of higher cards with which the
partner covers it."""


@lru_cache(maxsize=1)
def holding_table() -> FloatArray:
    """P(each of k given players holds more than j of the c cards of a suit that are out).

    Shape (4, 17, 3): k = 0..3 dangerous opponents, c = 0..16 cards in the three hidden hands,
    j = 0, 1, 2. Tables 1, 5 and 6 of Cohensius 2020 are k = 2, 1, 3 with c = 13 - (cards held)."""
    table = np.zeros((MAX_DANGEROUS + 1, SUIT_WIDTH + 1, N_TRICKS))
    for k, c, j in np.ndindex(table.shape):
        hands = (MAX_DANGEROUS - k) * HAND_SIZE
        table[k, c, j] = _ways(k, c, j + 1, hands) / comb(N_HIDDEN, c)
    table.setflags(write=False)
    return table


def _ways(k: int, c: int, least: int, rest: int) -> int:
    """Ways to place c cards, at least ``least`` of them in each of k hands and the others among
    ``rest`` places."""
    if k == 0:
        return comb(rest, c)
    ways = 0
    for in_first in range(least, c + 1):
        ways += comb(HAND_SIZE, in_first) * _ways(k - 1, c - in_first, least, rest)
    return ways


@lru_cache(maxsize=16)
def nil_table(n_cards: int, is_spades: bool, third_card: str = "printed") -> FloatArray:
    """Pr(cnil) of every holding of a suit of ``n_cards``, (2**n_cards,): the probability that the
    lie of the cards doesn't set the nil in this suit (Cohensius 2020, section 4.2).

    Bit i of a holding is the suit's i-th card from the lowest. The nil is set at the k-th lowest
    card x, k = 1, 2, 3, if each opponent has fewer than k cards of the suit or at least k below x,
    and the partner has at least k cards (else he cuts; in spades that can't help) but too few above
    x. A fourth spade denies nil. Holdings of more than 13 cards are 0.

    Readings. Too few above x are fewer than k for k = 1, 2. For the third card the paper prints "no
    higher card". ``third_card``: ``printed`` (default) takes that literally, ``pattern`` continues
    with fewer than k (a partner who covers three times needs three). The paper's examples don't
    decide: Q and A, Q are shorter, K, 9, 5, 4, 3 is 1 by both, A, K, J, 6, 2 of spades is denied.
    {2, 7, Q} is 0.894 as printed, 0.545 by the pattern, spades {4, 6, J} 0.920 and 0.575. The "or"
    of the paper's second case is read as the "and" of the other two: by "or" A, Q would be 0
    whatever the partner holds, while in the paper a void partner saves it."""
    table = np.zeros(1 << n_cards)
    shape_of_regions = (SUIT_WIDTH + 1,) * (N_LOW + 1)
    known = np.full((N_LOW + 1, *shape_of_regions), -1.0)
    rule = is_spades, THIRD_CARD[third_card]
    fill_nil_table(n_cards, rule, _counting_tables(), known, table)
    table.setflags(write=False)
    return table


class CountingTables(NamedTuple):
    """Counts for kernels. ``choose`` (17, 17): binomials; ``falling`` and ``hidden`` (17,): falling
    factorials of 13 and 39."""

    choose: NDArray
    falling: NDArray
    hidden: NDArray


def _counting_tables() -> CountingTables:
    sizes = range(SUIT_WIDTH + 1)
    return CountingTables(
        choose=np.array([[comb(n, i) for i in sizes] for n in sizes], dtype=np.float64),
        falling=np.array([float(perm(HAND_SIZE, i)) for i in sizes]),
        hidden=np.array([float(perm(N_HIDDEN, i)) for i in sizes]),
    )


@lru_cache(maxsize=16)
def nil_tables(deck: Deck, third_card: str = "printed") -> FloatArray:
    """``nil_table`` of the four suits of a deck, shape (4, 2**longest suit)."""
    sizes = [len(names) for names in deck.suits]
    tables = np.zeros((len(sizes), 1 << max(sizes)))
    for suit, size in enumerate(sizes):
        tables[suit, : 1 << size] = nil_table(size, suit == SPADES, third_card)
    tables.setflags(write=False)
    return tables


def p_cnil(cards: int, suit: int, deck: Deck, third_card: str = "printed") -> float:
    """Pr(cnil) of the cards of one suit (a card mask), by ``nil_table``."""
    holding = cards >> (SUIT_WIDTH * suit) & SUIT_CARDS
    return float(nil_tables(deck, third_card)[suit, holding])


@lean_kernel
def fill_nil_table(
    n_cards: Int, rule: tuple[bool, Int], counts: CountingTables, known: NDArray, table: NDArray
) -> None:
    """Fill ``table`` (2**n_cards,) of ``nil_table``. ``rule``: whether the suit is spades, and the
    number of higher cards that cover the third.

    ``known`` (4, 17, 17, 17, 17): scratch of -1, by the number of low cards and the cards out in
    the four regions into which they divide the suit; holdings that agree in these share one
    probability."""
    is_spades, _ = rule
    for bits in range(1 << n_cards):
        n_held = popcount(bits)
        if n_held > HAND_SIZE or (is_spades and n_held >= NIL_SPADES_DENIED):
            continue
        r0, r1, r2, r3 = regions_of(bits, n_cards)
        n_low = min(n_held, N_LOW)
        if known[n_low, r0, r1, r2, r3] < 0.0:
            known[n_low, r0, r1, r2, r3] = 1.0 - p_set((r0, r1, r2, r3), n_low, rule, counts)
        table[bits] = known[n_low, r0, r1, r2, r3]


@lean_kernel
def regions_of(bits: Int, n_cards: Int) -> tuple[Int, Int, Int, Int]:
    """Numbers of cards out below the lowest card held, between it and the second lowest, between
    that and the third, and above. With fewer than three cards held, those above the last one are in
    its region and the regions after it are empty."""
    held = np.int64(bits)
    n = popcount(bits)
    first = lowest(held) if n > 0 else n_cards
    held &= held - 1
    second = lowest(held) if n > 1 else n_cards
    held &= held - 1
    third = lowest(held) if n > 2 else n_cards
    above_first = second - first - 1 if n > 0 else 0
    above_second = third - second - 1 if n > 1 else 0
    above_third = n_cards - third + 2 - n if n > 2 else 0
    return first, above_first, above_second, above_third


@lean_kernel
def opponent_ducks(a0: Int, a1: Int, a2: Int, a3: Int) -> Int:
    """Bit k - 1: whether an opponent with these cards by region can duck under the k-th card."""
    total = a0 + a1 + a2 + a3
    first = total < 1 or a0 >= 1
    second = total < 2 or a0 + a1 >= 2
    third = total < 3 or a0 + a1 + a2 >= 3
    return int(first) | int(second) << 1 | int(third) << 2


@lean_kernel
def partner_fails(a0: Int, a1: Int, a2: Int, a3: Int, rule: tuple[bool, Int]) -> Int:
    """Bit k - 1: whether a partner with these cards by region can't cover the k-th card."""
    is_spades, third_covers = rule
    total = a0 + a1 + a2 + a3
    first = (is_spades or total >= 1) and a1 + a2 + a3 < 1
    second = (is_spades or total >= 2) and a2 + a3 < 2
    third = (is_spades or total >= 3) and a3 < third_covers
    return int(first) | int(second) << 1 | int(third) << 2


@lean_kernel
def nth_split(n: Int, r0: Int, r1: Int, r2: Int) -> tuple[Int, Int, Int, Int]:
    """The n-th way to take some of the cards of each region: n in mixed radix."""
    a0 = n % (r0 + 1)
    left = n // (r0 + 1)
    a1 = left % (r1 + 1)
    left = left // (r1 + 1)
    a2 = left % (r2 + 1)
    a3 = left // (r2 + 1)
    return a0, a1, a2, a3


@lean_kernel
def p_set(
    regions: tuple[Int, Int, Int, Int], n_low: Int, rule: tuple[bool, Int], counts: CountingTables
) -> float:
    """Probability that the nil is set at one of the ``n_low`` lowest cards: the sum over all ways
    in which the cards out of each region fall to the left opponent (a), the right one (b) and the
    partner."""
    r0, r1, r2, r3 = regions
    choose = counts.choose
    falling = counts.falling
    all_cards = (1 << n_low) - 1
    total = 0.0
    n_out = r0 + r1 + r2 + r3
    for n in range((r0 + 1) * (r1 + 1) * (r2 + 1) * (r3 + 1)):
        a0, a1, a2, a3 = nth_split(n, r0, r1, r2)
        left_ducks = all_cards & opponent_ducks(a0, a1, a2, a3)
        if not left_ducks:
            continue
        a = a0 + a1 + a2 + a3
        ways = choose[r0, a0] * choose[r1, a1] * choose[r2, a2] * choose[r3, a3] * falling[a]
        s0 = r0 - a0
        s1 = r1 - a1
        s2 = r2 - a2
        s3 = r3 - a3
        for m in range((s0 + 1) * (s1 + 1) * (s2 + 1) * (s3 + 1)):
            b0, b1, b2, b3 = nth_split(m, s0, s1, s2)
            fails = partner_fails(s0 - b0, s1 - b1, s2 - b2, s3 - b3, rule)
            if left_ducks & opponent_ducks(b0, b1, b2, b3) & fails:
                b = b0 + b1 + b2 + b3
                lies = choose[s0, b0] * choose[s1, b1] * choose[s2, b2] * choose[s3, b3]
                total += ways * lies * falling[b] * falling[n_out - a - b]
    return float(total / counts.hidden[n_out])


@lean_kernel
def suit_bits(mask: Int, suit: Int) -> Int:
    """The cards of a suit within a mask, its lowest card at bit 0."""
    return mask >> np.int64(16 * suit) & np.int64(SUIT_CARDS)


@lean_kernel
def side_suit_tricks(cards: Int, top: Int, p_hold: NDArray) -> float:
    """Tricks that the three highest cards of a side suit are worth.

    ``cards``: bits of the suit, whose highest card is bit ``top``. ``p_hold`` (3,): probability
    that its first, second, third trick isn't cut. The highest card is to win the first trick, the
    next the second, and so on; one with too few cards to wait so long is worth nothing."""
    tricks = 0.0
    for place in range(min(popcount(cards), N_TRICKS)):
        if cards >> (top - place) & 1:
            tricks += p_hold[place]
    return tricks


@lean_kernel
def spade_tricks(spades: Int, top: Int) -> Int:
    """Tricks of spades kept for their own suit: mostly protected honours, and long spades."""
    length = popcount(spades)
    tricks = max(0, length - FREE_SPADES)
    for place in range(min(length, N_SPADE_HONOURS)):
        tricks += spades >> (top - place) & 1
    return tricks


@lean_kernel
def allot_spades(hand: Int, deck: Int, p_holds: NDArray) -> tuple[float, Int]:
    """Tricks of the spades, each used where it is worth most, and how many of them cut. The lowest
    spades cut, in the best short suits first; the rest are evaluated without those. ``p_holds``
    (17, 3): ``holding_table`` of the opponents that may cut higher."""
    spades = suit_bits(hand, 0)
    top = highest(suit_bits(deck, 0))
    best = float(spade_tricks(spades, top))
    n_cuts = 0
    n_cutting = 0
    cut_tricks = 0.0
    trick_1 = popcount(suit_bits(hand, 1))
    trick_2 = popcount(suit_bits(hand, 2))
    trick_3 = popcount(suit_bits(hand, 3))
    out_1 = popcount(suit_bits(deck, 1)) - trick_1
    out_2 = popcount(suit_bits(deck, 2)) - trick_2
    out_3 = popcount(suit_bits(deck, 3)) - trick_3
    while spades:
        worth_1 = p_holds[out_1, trick_1] if trick_1 < N_TRICKS else 0.0
        worth_2 = p_holds[out_2, trick_2] if trick_2 < N_TRICKS else 0.0
        worth_3 = p_holds[out_3, trick_3] if trick_3 < N_TRICKS else 0.0
        worth = max(worth_1, worth_2, worth_3)
        if worth <= 0.0:
            break
        if worth == worth_1:
            trick_1 += 1
        elif worth == worth_2:
            trick_2 += 1
        else:
            trick_3 += 1
        spades &= spades - 1
        n_cutting += 1
        cut_tricks += worth
        total = cut_tricks + spade_tricks(spades, top)
        if total > best:
            best = total
            n_cuts = n_cutting
    return best, n_cuts


@lean_kernel
def regular_tricks(hand: Int, deck: Int, p_holds: NDArray) -> float:
    """Tricks of a hand without the term in the previous bids: side-suit honours and spades.
    ``hand``, ``deck``: masks. ``p_holds`` as in ``allot_spades``."""
    tricks, _ = allot_spades(hand, deck, p_holds)
    for suit in range(1, 4):
        cards = suit_bits(hand, suit)
        whole_suit = suit_bits(deck, suit)
        n_out = popcount(whole_suit & ~cards)
        tricks += side_suit_tricks(cards, highest(whole_suit), p_holds[n_out])
    return tricks


@lean_kernel
def nil_value(hand: Int, p_cnils: NDArray) -> float:
    """Heuristic chance of a nil: the product of Pr(cnil) of the four suits, times 1.15 with a void,
    at most 1. ``p_cnils``: ``nil_tables`` of the deck."""
    value = 1.0
    has_void = False
    for suit in range(4):
        cards = suit_bits(hand, suit)
        value *= p_cnils[suit, cards]
        has_void |= cards == 0
    return min(1.0, value * VOID_FACTOR) if has_void else value


@lean_kernel
def top_spades(hand: Int, deck: Int, n: Int) -> Int:
    """How many of the n highest spades the hand holds."""
    top = highest(suit_bits(deck, 0))
    return popcount(suit_bits(hand, 0) >> (top - n + 1))
