"""Cards, decks and the text of hands.

A card is an int code: ``16 * suit + strength``, suits S H D C = 0 1 2 3, strength the rank order
inside its suit in that deck. A set of cards is one signed 64-bit mask, a bit a code; spades may
hold 16 cards, clubs at most 13, so bit 63 is never set. Networks see a dense index 0..51,
which a deck maps to and from codes. Text is suit then rank: ``SA``, ``HT``, high joker ``JH``,
low joker ``JL``.

In the deck ``joker-joker-deuce-deuce`` the card written ``D2`` is a spade.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from spades.core.errors import InvalidCardError, InvalidDealError

SUITS = "SHDC"
SPADES, HEARTS, DIAMONDS, CLUBS = range(4)
SUIT_WIDTH = 16
SUIT_CARDS = 0xFFFF
SPADES_MASK = SUIT_CARDS
ALL_CODES = (1 << 63) - 1
RANKS = "23456789TJQKA"
HIGH_JOKER, LOW_JOKER = "JH", "JL"
N_CARDS = 52
HAND_SIZE = 13

SEATS = "NESW"
SEAT_NAMES = {"N": "North", "E": "East", "S": "South", "W": "West"}
SIDE_NAMES = ("North/South", "East/West")
N_SEATS = 4
NORTH, EAST, SOUTH, WEST = range(4)
_T = TypeVar("_T")


def four(values: Iterable[_T]) -> tuple[_T, _T, _T, _T]:
    """A value a seat, as a tuple of that length."""
    north, east, south, west = values
    return north, east, south, west


def seat_name(seat: int) -> str:
    return SEAT_NAMES[SEATS[seat]]


def partner_of(seat: int) -> int:
    return (seat + 2) % 4


def partnership_of(seat: int) -> int:
    """0 for North and South, 1 for East and West."""
    return seat % 2


def suit_mask(suit: int) -> int:
    """Every code of a suit, whichever deck; fits a signed 64-bit mask."""
    return SUIT_CARDS << (SUIT_WIDTH * suit) & ALL_CODES


def suit_of(card: int) -> int:
    return card // SUIT_WIDTH


def hand_order(card: int) -> tuple[int, int]:
    """As a hand is sorted: suit by suit, the strongest first."""
    return suit_of(card), -strength_of(card)


def strength_of(card: int) -> int:
    return card % SUIT_WIDTH


def cards_in(mask: int) -> Iterator[int]:
    """Codes in a mask, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def mask_of(cards: Iterable[int]) -> int:
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


@dataclass(frozen=True)
class Deck:
    """52 cards and their order. ``suits[s]`` lists the texts of suit s, lowest card first."""

    name: str
    suits: tuple[tuple[str, ...], ...]

    @cached_property
    def mask(self) -> int:
        """All 52 cards."""
        return sum(
            ((1 << len(names)) - 1) << (SUIT_WIDTH * s) for s, names in enumerate(self.suits)
        )

    @cached_property
    def codes(self) -> NDArray[np.int8]:
        """Code of each dense index, shape (52,): spades, hearts, diamonds, clubs, lowest first."""
        return np.array(list(cards_in(self.mask)), dtype=np.int8)

    @cached_property
    def indices(self) -> NDArray[np.int8]:
        """Dense index of each code, shape (64,); -1 where the deck has no such card."""
        indices = np.full(64, -1, dtype=np.int8)
        indices[self.codes] = np.arange(N_CARDS)
        return indices

    @cached_property
    def _code_of(self) -> dict[str, int]:
        return {
            text: SUIT_WIDTH * s + strength
            for s, names in enumerate(self.suits)
            for strength, text in enumerate(names)
        }

    @cached_property
    def _text_of(self) -> dict[int, str]:
        return {code: text for text, code in self._code_of.items()}

    def parse_card(self, text: str) -> int:
        """Code of a card written suit then rank, as ``SA``; ``InvalidCardError`` otherwise."""
        code = self._code_of.get(text.strip().upper())
        if code is None:
            raise InvalidCardError(
                f"{text!r} is no card of the {self.name} deck; a card is suit, rank: SA, HT"
                + (", or the jokers JH and JL" if HIGH_JOKER in self._code_of else "")
            )
        return code

    def format_card(self, card: int) -> str:
        """Text of a code, suit then rank; ``InvalidCardError`` if the deck lacks it."""
        text = self._text_of.get(int(card))
        if text is None:
            raise InvalidCardError(f"{card} is no card code of the {self.name} deck")
        return text

    def format_cards(self, mask: int) -> str:
        """Cards of a mask, suit by suit, highest first, separated by spaces."""
        return " ".join(
            self.format_card(card)
            for s in range(4)
            for card in sorted(cards_in(mask & suit_mask(s)), reverse=True)
        )

    def parse_cards(self, texts: Iterable[str]) -> int:
        """Mask of several card texts; ``InvalidDealError`` where one comes twice."""
        mask = 0
        for text in texts:
            card = 1 << self.parse_card(text)
            if mask & card:
                raise InvalidDealError(f"{text.strip().upper()} comes twice")
            mask |= card
        return mask


def _plain_suit(suit: str, without: str = "") -> tuple[str, ...]:
    return tuple(suit + rank for rank in RANKS if rank not in without)


def _joker_deck(name: str, deuces: tuple[str, ...]) -> Deck:
    """Deck without 2H and 2C whose spades end in ``deuces`` (low to high) and the two jokers."""
    spades = (*_plain_suit("S", "2" if "S2" in deuces else ""), *deuces, LOW_JOKER, HIGH_JOKER)
    diamonds = _plain_suit("D", "2" if "D2" in deuces else "")
    return Deck(name, (spades, _plain_suit("H", "2"), diamonds, _plain_suit("C", "2")))


STANDARD = Deck("standard", tuple(_plain_suit(suit) for suit in SUITS))
DECKS = {
    deck.name: deck
    for deck in (
        STANDARD,
        _joker_deck("joker-joker-ace", ()),
        _joker_deck("joker-joker-deuce-ace", ("S2",)),
        _joker_deck("joker-joker-deuce-deuce", ("S2", "D2")),
    )
}


def check_hand(hand: int, deck: Deck, who: str = "the hand") -> None:
    """Raise ``InvalidDealError`` unless a hand is 13 cards of the deck."""
    if foreign := hand & ~deck.mask:
        codes = sorted(cards_in(foreign))
        raise InvalidDealError(f"{who} holds card codes {codes}, none of {deck.name}")
    if (n := hand.bit_count()) != HAND_SIZE:
        cards = deck.format_cards(hand) or "none"
        raise InvalidDealError(f"{who} holds {n} cards, a hand is {HAND_SIZE}: {cards}")


def check_deal(hands: Iterable[int], deck: Deck) -> None:
    """Raise ``InvalidDealError`` unless four hands of 13 hold each card of the deck once."""
    seen = 0
    for seat, hand in enumerate(hands):
        if double := seen & hand:
            raise InvalidDealError(
                f"{deck.format_cards(double)} in {SEATS[seat]}'s hand was already dealt"
            )
        check_hand(hand, deck, SEATS[seat])
        seen |= hand
    if missing := deck.mask & ~seen:
        raise InvalidDealError(f"{deck.format_cards(missing)} not dealt")
