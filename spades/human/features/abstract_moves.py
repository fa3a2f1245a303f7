"""The abstract moves of Cowling 2015, Devlin 2016 and Baier 2018.

An abstract move is a category of play and the card's position among the legal cards of the same
category and suit: there are 68 with the suit, 32 without. The 32 are numbered as the rows of the
table in Devlin's appendix, from "Lead Non Spade Boss" (0) to "Follow Steal Single" (31); the 68
are the same rows, those of side suits once each for hearts, diamonds and clubs.
"""

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import CLUBS, DIAMONDS, HEARTS, SPADES, SPADES_MASK, cards_in
from spades.core.kernel import Int, highest, kernel, lean_kernel, lowest
from spades.core.observation import Observation
from spades.human.features.view import BEST_CARD, DECK, LED_SUIT, LEGAL, PLAYED, View, view_of

DEFINITIONS_NOTE = (
    "The papers name the 68 abstract moves and print no definitions. These are our reconstruction "
    "from the names and the counts 68 and 32. The best card is the one that wins the trick so far. "
    "Lead: the first card of a trick. Follow steal, follow duck: a card of the side suit led that "
    "beats the best card, or doesn't. Trump steal, trump duck: a spade that beats it, or doesn't, "
    "spades led or not. No follow: a side suit that wasn't led. Single: the only legal card of its "
    "category and suit. Boss: the highest card of its suit not yet played (leads and steals only). "
    "Lowest, highest: of the same category and suit, the boss apart. Other: any other card."
)

CATEGORIES = (
    "Lead non-spade",
    "Lead spade",
    "Trump duck",
    "Trump steal",
    "No follow",
    "Follow duck",
    "Follow steal",
)
(
    LEAD_NON_SPADE, LEAD_SPADE, TRUMP_DUCK, TRUMP_STEAL, NO_FOLLOW, FOLLOW_DUCK, FOLLOW_STEAL,
) = range(7)  # fmt: skip
POSITIONS = ("boss", "highest", "lowest", "other", "single")
BOSS, HIGHEST, LOWEST, OTHER, SINGLE = range(5)
N_MOVES = 32
N_SUIT_MOVES = 68

_SPADE_CATEGORIES = (LEAD_SPADE, TRUMP_DUCK, TRUMP_STEAL)
_BOSS_CATEGORIES = (LEAD_NON_SPADE, LEAD_SPADE, TRUMP_STEAL, FOLLOW_STEAL)
_SIDE_SUITS = {HEARTS: "hearts", DIAMONDS: "diamonds", CLUBS: "clubs"}
_POSITION_AND_CATEGORY = [
    (position, category)
    for position in range(len(POSITIONS))
    for category in range(len(CATEGORIES))
    if position != BOSS or category in _BOSS_CATEGORIES
]
"""Position and category of each of the 32, in the order of Devlin's table."""


def _suits_of(category: int) -> tuple[int, ...]:
    return (SPADES,) if category in _SPADE_CATEGORIES else tuple(_SIDE_SUITS)


_MOVE_AND_SUIT = [
    (move, suit)
    for move, (_, category) in enumerate(_POSITION_AND_CATEGORY)
    for suit in _suits_of(category)
]
"""Move of the 32 and suit of each of the 68."""


def _index_of(pairs: list[tuple[int, int]], shape: tuple[int, int]) -> NDArray[np.int8]:
    """The place of each pair in the list, as a table; -1 for pairs that aren't there."""
    table = np.full(shape, -1, dtype=np.int8)
    table[tuple(np.transpose(pairs))] = np.arange(len(pairs))
    return table


POSITION_OF_32, CATEGORY_OF_32 = np.array(_POSITION_AND_CATEGORY, dtype=np.int8).T.copy()
MOVE_OF = _index_of(_POSITION_AND_CATEGORY, (len(POSITIONS), len(CATEGORIES)))
"""The move of the 32, (5, 7), by position and category; -1 for the three boss moves that don't
exist."""

MOVE_32_OF_68, SUIT_OF_68 = np.array(_MOVE_AND_SUIT, dtype=np.int8).T.copy()
MOVE_68_OF = _index_of(_MOVE_AND_SUIT, (N_MOVES, 4))
"""The move of the 68, (32, 4), by move of the 32 and suit; -1 for impossible suits."""

MOVES_32 = tuple(
    f"{CATEGORIES[category]} {POSITIONS[position]}" for position, category in _POSITION_AND_CATEGORY
)


def _name_with_suit(move: int, suit: int) -> str:
    name = MOVES_32[move]
    return name if suit == SPADES else f"{name}, {_SIDE_SUITS[suit]}"


MOVES_68 = tuple(_name_with_suit(move, suit) for move, suit in _MOVE_AND_SUIT)

HAS_BOSS = np.array([category in _BOSS_CATEGORIES for category in range(len(CATEGORIES))])


@kernel
def suit_cards(mask: Int, suit: Int) -> Int:
    return mask & (np.int64(SPADES_MASK) << np.int64(16 * suit))


@kernel
def boss_mask(unplayed: Int) -> Int:
    """The bosses: the highest card of each suit among those not yet played. Cards of the current
    trick count as played, own cards as unplayed."""
    bosses = np.int64(0)
    for suit in range(4):
        cards = suit_cards(unplayed, suit)
        if cards:
            bosses |= np.int64(1) << np.int64(highest(cards))
    return bosses


@kernel
def beating_mask(best_card: Int) -> Int:
    """Mask of all card codes that beat ``best_card``; 0 before the lead (-1)."""
    if best_card < 0:
        return np.int64(0)
    suit = best_card >> 4
    up_to_best = (np.int64(2) << best_card) - 1
    above = (np.int64(SPADES_MASK) << np.int64(16 * suit)) & ~up_to_best
    return above if suit == SPADES else above | SPADES_MASK


@kernel
def position_of(bit: Int, group: Int, bosses: Int) -> Int:
    """The position of a card, a one-bit mask, in its group: the first that applies. ``group``:
    legal cards of its category and suit; ``bosses``: 0 for a category without boss."""
    if group == bit:
        return SINGLE
    if bit & bosses:
        return BOSS
    rest = group & ~bosses & ~bit
    if bit == group & -group:
        return LOWEST
    return HIGHEST if bit > rest else OTHER


@kernel
def move_of(card: Int, legal: Int, led_suit: Int, beating: Int, bosses: Int) -> Int:
    """The abstract move, of the 32, of a legal card. ``led_suit`` is ``NO_SUIT`` for the leader;
    ``beating``: ``beating_mask`` of the best card; ``bosses``: ``boss_mask`` of the cards not yet
    played."""
    suit = card >> 4
    bit = np.int64(1) << np.int64(card)
    group = suit_cards(legal, suit)
    if led_suit < 0:
        category = LEAD_SPADE if suit == SPADES else LEAD_NON_SPADE
    elif suit not in (SPADES, led_suit):
        category = NO_FOLLOW
    elif bit & beating:
        category = TRUMP_STEAL if suit == SPADES else FOLLOW_STEAL
        group &= beating
    else:
        category = TRUMP_DUCK if suit == SPADES else FOLLOW_DUCK
        group &= ~beating
    position = position_of(bit, group, bosses if HAS_BOSS[category] else 0)
    return MOVE_OF[position, category]


@lean_kernel
def classify_legal(view: View, out: NDArray) -> Int:
    """Write the abstract move, of the 68, of every legal card into ``out``, lowest code first;
    returns their number. ``view``: int64 (24,); ``out``: int8, at least as long as the hand. The
    move of the 32 is ``MOVE_32_OF_68[out[i]]``."""
    beating = beating_mask(view[BEST_CARD])
    bosses = boss_mask(view[DECK] & ~view[PLAYED])
    n = 0
    remaining = view[LEGAL]
    while remaining:
        card = lowest(remaining)
        move = move_of(card, view[LEGAL], view[LED_SUIT], beating, bosses)
        out[n] = MOVE_68_OF[move, card >> 4]
        remaining &= remaining - 1
        n += 1
    return n


def abstract_move_ids(observation: Observation) -> dict[int, int]:
    """Abstract move, of the 68, of each card (code) that the seat may play; empty out of turn."""
    legal = observation.legal_mask
    if not legal:
        return {}
    moves = np.empty(legal.bit_count(), dtype=np.int8)
    classify_legal(view_of(observation), moves)
    return dict(zip(cards_in(legal), moves.tolist(), strict=True))


def abstract_move_names(observation: Observation) -> dict[int, str]:
    return {card: MOVES_68[move] for card, move in abstract_move_ids(observation).items()}
