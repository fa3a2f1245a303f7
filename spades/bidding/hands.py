"""What a hand is worth before the auction: exact suit probabilities, regular tricks, nil value.

Source: Cohensius et al. 2020, sections 4.1.1 to 4.2, tables 1, 5 and 6, which dealt 100,000 times;
both tables are finite, so here they are sums. My 13 cards are known, the other 39 equally likely to
lie anywhere in three hands. Cards count by their place below the top of their suit, in any deck.
"""

from functools import lru_cache
from math import comb, perm

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_CARDS, SPADES, SPADES_MASK, SUIT_CARDS, SUIT_WIDTH, Deck
from spades.core.kernel import Int, highest, lean_kernel, lowest, popcount

N_HIDDEN = N_CARDS - HAND_SIZE
N_LOW = 3  # cards of a suit that can set a nil, from the lowest
N_TRICKS = 3  # tricks of a suit that side-suit honours and cuts are counted for
MAX_DANGEROUS = 3
NIL_SPADES_DENIED = 4  # this many spades deny a nil
N_SPADE_HONOURS = 4
FREE_SPADES = 4  # every spade beyond these is long
VOID_FACTOR = 1.15
THIRD_CARD = {"printed": 1, "pattern": 3}
"""Readings of a nil's third card: cards above it by which a partner covers it (``nil_table``)."""


@lru_cache(maxsize=1)
def holding_table() -> NDArray[np.float64]:
    """P(each of k given players holds more than j cards of a suit of which c are out).

    Shape (4, 17, 3), by k = 0..3 dangerous opponents, c = 0..16 cards of the suit in the three
    hidden hands, j = 0, 1, 2. Tables 1, 5 and 6 of Cohensius 2020 are k = 2, 1, 3 with
    c = 13 - (cards held)."""
    table = np.zeros((MAX_DANGEROUS + 1, SUIT_WIDTH + 1, N_TRICKS))
    for k, c, j in np.ndindex(table.shape):
        hands = (MAX_DANGEROUS - k) * HAND_SIZE
        table[k, c, j] = _ways(k, c, j + 1, hands) / comb(N_HIDDEN, c)
    table.setflags(write=False)
    return table


def _ways(k: int, c: int, least: int, rest: int) -> int:
    """Ways to place c cards, at least ``least`` in each of k hands, the rest in ``rest`` cards."""
    if k == 0:
        return comb(rest, c)
    return sum(comb(HAND_SIZE, a) * _ways(k - 1, c - a, least, rest) for a in range(least, c + 1))


@lru_cache(maxsize=16)
def nil_table(n_cards: int, is_spades: bool, third_card: str = "printed") -> NDArray[np.float64]:
    """Pr(cnil) of every holding of a suit of ``n_cards``: shape (2**n_cards,), by its bits.

    Bit i is the suit's i-th card from the lowest. The nil is *not* set in the suit by the cards'
    lie alone (Cohensius 2020, section 4.2). It is set at the k-th lowest card x, k = 1, 2, 3,
    where each opponent has fewer than k cards of the suit or at least k below x, and the partner
    has at least k cards (else he cuts; in spades that can't help) and too few above x. A fourth
    spade denies nil. Holdings of more than 13 cards are 0.

    Readings. Too few above x are fewer than k for k = 1, 2. For the third card the paper prints "no
    higher card"; ``third_card``: ``printed`` (default) takes it at its word, ``pattern`` goes on
    with fewer than k (a partner who covers three times needs three). Its printed values don't tell:
    Q and A, Q are shorter, K, 9, 5, 4, 3 is 1 by both, A, K, J, 6, 2 of spades denied. {2, 7, Q} is
    0.894 as printed, 0.545 by the pattern, spades {4, 6, J} 0.920 and 0.575. The "or" of the
    paper's second case is read as the "and" of the other two: by "or" A, Q would be 0 whatever the
    partner holds, where the paper has a void partner save it."""
    table, sizes = np.zeros(1 << n_cards), range(SUIT_WIDTH + 1)
    choose = np.array([[comb(n, i) for i in sizes] for n in sizes], dtype=np.float64)
    falling, hidden = (np.array([float(perm(n, i)) for i in sizes]) for n in (HAND_SIZE, N_HIDDEN))
    known = np.full((N_LOW + 1, *(SUIT_WIDTH + 1,) * (N_LOW + 1)), -1.0)
    rule = is_spades, THIRD_CARD[third_card]
    fill_nil_table(n_cards, rule, (choose, falling, hidden), known, table)
    table.setflags(write=False)
    return table


@lru_cache(maxsize=16)
def nil_tables(deck: Deck, third_card: str = "printed") -> NDArray[np.float64]:
    """``nil_table`` of the four suits of a deck, shape (4, 2**longest suit)."""
    sizes = [len(names) for names in deck.suits]
    tables = np.zeros((len(sizes), 1 << max(sizes)))
    for suit, size in enumerate(sizes):
        tables[suit, : 1 << size] = nil_table(size, suit == SPADES, third_card)
    tables.setflags(write=False)
    return tables


def p_cnil(cards: int, suit: int, deck: Deck, third_card: str = "printed") -> float:
    """Pr(cnil) of the cards of one suit, a mask in place, as ``nil_table`` has it."""
    return float(nil_tables(deck, third_card)[suit, cards >> (SUIT_WIDTH * suit) & SUIT_CARDS])


@lean_kernel
def fill_nil_table(
    n_cards: Int, rule: tuple[bool, Int], numbers: tuple, known: NDArray, table: NDArray
) -> None:
    """Fill ``table`` (2**n_cards,). ``rule``: whether these are spades, and the cards above the
    third that cover it. ``numbers``: binomials, falling factorials of 13 and 39.
    ``known``: scratch of -1, by the number of low cards and the cards out in the four regions that
    the low cards cut the suit into: holdings that agree in these share one probability."""
    for bits in range(1 << n_cards):
        held = popcount(bits)
        if held > HAND_SIZE or (rule[0] and held >= NIL_SPADES_DENIED):
            continue
        r0, r1, r2, r3 = regions_of(bits, n_cards)
        n_low = min(held, N_LOW)
        if known[n_low, r0, r1, r2, r3] < 0.0:
            known[n_low, r0, r1, r2, r3] = 1.0 - p_set((r0, r1, r2, r3), n_low, rule, numbers)
        table[bits] = known[n_low, r0, r1, r2, r3]


@lean_kernel
def regions_of(bits: Int, n_cards: Int) -> tuple[Int, Int, Int, Int]:
    """Cards out below the lowest card held, between it and the second, the third, and above. With
    fewer than three cards the last regions are empty: what is above is in the last one used."""
    held, n = np.int64(bits), popcount(bits)
    first = lowest(held) if n > 0 else n_cards
    held &= held - 1
    second = lowest(held) if n > 1 else n_cards
    held &= held - 1
    third = lowest(held) if n > 2 else n_cards
    above_first = second - first - 1 if n > 0 else 0
    above_second = third - second - 1 if n > 1 else 0
    return first, above_first, above_second, n_cards - third + 2 - n if n > 2 else 0


@lean_kernel
def opponent_ducks(a0: Int, a1: Int, a2: Int, a3: Int) -> Int:
    """Bit k - 1: an opponent with these cards by region doesn't save the nil at the k-th card."""
    total = a0 + a1 + a2 + a3
    first = total < 1 or a0 >= 1
    second = total < 2 or a0 + a1 >= 2
    third = total < 3 or a0 + a1 + a2 >= 3
    return int(first) | int(second) << 1 | int(third) << 2


@lean_kernel
def partner_fails(a0: Int, a1: Int, a2: Int, a3: Int, rule: tuple[bool, Int]) -> Int:
    """Bit k - 1: a partner with these cards by region can't cover the k-th card."""
    (is_spades, third_covers), total = rule, a0 + a1 + a2 + a3
    first = (is_spades or total >= 1) and a1 + a2 + a3 < 1
    second = (is_spades or total >= 2) and a2 + a3 < 2
    third = (is_spades or total >= 3) and a3 < third_covers
    return int(first) | int(second) << 1 | int(third) << 2


@lean_kernel
def p_set(
    regions: tuple[Int, Int, Int, Int], n_low: Int, rule: tuple[bool, Int], numbers: tuple
) -> float:
    """Probability that the nil is set at one of the ``n_low`` lowest cards, by enumeration. Every
    way in which the cards out of each region may fall to left, right and partner."""
    r0, r1, r2, r3 = regions
    choose, falling, hidden = numbers
    dangerous, total = (1 << n_low) - 1, 0.0
    out = r0 + r1 + r2 + r3
    for code in range((r0 + 1) * (r1 + 1) * (r2 + 1) * (r3 + 1)):
        a0, left = code % (r0 + 1), code // (r0 + 1)
        a1, left = left % (r1 + 1), left // (r1 + 1)
        a2, a3 = left % (r2 + 1), left // (r2 + 1)
        open_sets = dangerous & opponent_ducks(a0, a1, a2, a3)
        if not open_sets:
            continue
        a = a0 + a1 + a2 + a3
        ways = choose[r0, a0] * choose[r1, a1] * choose[r2, a2] * choose[r3, a3] * falling[a]
        s0, s1, s2, s3 = r0 - a0, r1 - a1, r2 - a2, r3 - a3
        for other in range((s0 + 1) * (s1 + 1) * (s2 + 1) * (s3 + 1)):
            b0, left = other % (s0 + 1), other // (s0 + 1)
            b1, left = left % (s1 + 1), left // (s1 + 1)
            b2, b3 = left % (s2 + 1), left // (s2 + 1)
            fails = partner_fails(s0 - b0, s1 - b1, s2 - b2, s3 - b3, rule)
            if open_sets & opponent_ducks(b0, b1, b2, b3) & fails:
                b = b0 + b1 + b2 + b3
                lies = choose[s0, b0] * choose[s1, b1] * choose[s2, b2] * choose[s3, b3]
                total += ways * lies * falling[b] * falling[out - a - b]
    return total / hidden[out]


@lean_kernel
def suit_bits(mask: Int, suit: Int) -> Int:
    """The cards of a suit within a mask, its lowest card at bit 0."""
    return mask >> np.int64(16 * suit) & np.int64(SUIT_CARDS)


@lean_kernel
def side_suit_tricks(cards: Int, top: Int, p_hold: NDArray) -> float:
    """Tricks that the three highest cards of a side suit are worth.

    ``cards``: the suit's bits, its highest card at bit ``top``. ``p_hold`` (3,): probability that
    its first, second, third trick isn't cut. The highest card is to win the first trick, the next
    the second, and so on; one with fewer other cards than tricks to wait for is worth nothing."""
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
    """Tricks of the spades, each used where it is worth most; and how many of them cut. The lowest
    spades cut, at the best short suits first; the rest are worth what they are without those.
    ``p_holds`` (17, 3): ``holding_table`` for the opponents that may cut higher."""
    spades, top = suit_bits(hand, 0), highest(suit_bits(deck, 0))
    best, n_cuts, cutting, cut_tricks = float(spade_tricks(spades, top)), 0, 0, 0.0
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
        cutting += 1
        cut_tricks += worth
        total = cut_tricks + spade_tricks(spades, top)
        if total > best:
            best, n_cuts = total, cutting
    return best, n_cuts


@lean_kernel
def regular_tricks(hand: Int, deck: Int, p_holds: NDArray) -> float:
    """Tricks of a hand, before the term in the previous bids: side-suit honours and spades.
    ``hand``, ``deck``: masks. ``p_holds``: as in ``allot_spades``."""
    tricks, _ = allot_spades(hand, deck, p_holds)
    for suit in range(1, 4):
        cards, whole = suit_bits(hand, suit), suit_bits(deck, suit)
        tricks += side_suit_tricks(cards, highest(whole), p_holds[popcount(whole & ~cards)])
    return tricks


@lean_kernel
def nil_value(hand: Int, p_cnils: NDArray) -> float:
    """Heuristic chance of a nil: Pr(cnil) of the four suits, times 1.15 with a void, at most 1.
    ``p_cnils``: ``nil_tables`` of the deck."""
    value, has_void = 1.0, False
    for suit in range(4):
        cards = suit_bits(hand, suit)
        value *= p_cnils[suit, cards]
        has_void |= cards == 0
    return min(1.0, value * VOID_FACTOR) if has_void else value


@lean_kernel
def top_spades(hand: Int, deck: Int, n: Int) -> Int:
    """How many of the n highest spades the hand holds."""
    top = highest(deck & np.int64(SPADES_MASK))
    return popcount((hand & np.int64(SPADES_MASK)) >> (top - n + 1))
