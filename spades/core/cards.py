"""Cards, hands and decks: for people as ``Card`` and ``Hand``, for kernels as codes and masks.

A ``Card`` is its text, suit then rank: ``SA``, ``HT``, high joker ``JH``, low joker ``JL``. For
kernels it is a code, ``16 * suit + strength``: suits S H D C = 0 1 2 3, strength the rank order
inside its suit in that deck. A set of cards is one signed 64-bit mask, a bit a code; spades may
hold 16 cards, clubs at most 13, so bit 63 is never set. A ``Hand`` is such a mask.

Cards have one order everywhere: spades, hearts, diamonds, clubs, in each suit the lowest first.
It is the order of codes, of ``Card``, of the legal cards of a search and of the 52 columns of a
model; ``Card.place`` is a card's number in it, 0 to 51.

In the deck ``joker-joker-deuce-deuce`` the card written ``D2`` is a spade.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from spades.core.errors import InvalidCardError, InvalidDealError, InvalidRecordError, shown
from spades.look.words import JOKERS, SYMBOLS, pretty, pretty_rank

SUITS = "SHDC"
SPADES, HEARTS, DIAMONDS, CLUBS = range(4)
SUIT_WIDTH = 16
SUIT_CARDS = 0xFFFF
SPADES_MASK = SUIT_CARDS
ALL_CODES = (1 << 63) - 1
RANKS = "23456789TJQKA"
HIGH_JOKER = "JH"
LOW_JOKER = "JL"
N_CARDS = 52
HAND_SIZE = 13

SEATS = "NESW"
SEAT_NAMES = {"N": "North", "E": "East", "S": "South", "W": "West"}
SIDE_NAMES = ("North/South", "East/West")
N_SEATS = 4
NORTH, EAST, SOUTH, WEST = range(4)
Hands = tuple[int, int, int, int]
"""Masks by seat."""
Pair = tuple[int, int]
"""A number for each partnership: N/S, E/W."""
_MOST_RANKS = 14  # of a suit that are looked at: one more than it has, enough to be refused
_MOST_JOKERS = 3  # as well
_T = TypeVar("_T")


def four(values: Iterable[_T]) -> tuple[_T, _T, _T, _T]:
    """A value a seat, as a tuple of that length."""
    north, east, south, west = values
    return north, east, south, west


def clockwise(first: int) -> list[int]:
    """The four seats, from one on."""
    return [(first + i) % N_SEATS for i in range(N_SEATS)]


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


def suit_of(code: int) -> int:
    return code // SUIT_WIDTH


def strength_of(code: int) -> int:
    return code % SUIT_WIDTH


def hand_order(code: int) -> tuple[int, int]:
    """Sorts codes as players sort a hand: suit by suit, the strongest first."""
    return suit_of(code), -strength_of(code)


def cards_in(mask: int) -> Iterator[int]:
    """Codes in a mask, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def mask_of(codes: Iterable[int]) -> int:
    mask = 0
    for code in codes:
        mask |= 1 << code
    return mask


class Card(str):
    """A card of a deck: its text, suit then rank.

    It prints, hashes and compares equal as its text does, whatever the deck: a ``dict`` keyed by
    cards is looked up by ``"SA"`` too, and JSON and tables show ``SA``. Cards sort in the one order
    of the library: spades, hearts, diamonds, clubs, in each suit the lowest first.

    ``code``: what kernels take; another deck may give the card another one. ``place``: its number
    in the order, 0 to 51, and so the column of a model's probabilities.

    >>> from spades import Card
    >>> sorted([Card("CA"), Card("ST"), Card("SA")])
    [Card('ST'), Card('SA'), Card('CA')]
    >>> Card("SA").place
    12
    >>> Card("JH", deck="joker-joker-ace").suit
    'S'

    Raises ``InvalidCardError`` for a text that is no card of the deck."""

    __slots__ = ("code", "deck", "place")
    code: int
    place: int
    deck: Deck

    def __new__(cls, text: str, deck: Deck | str = "standard") -> Card:
        return deck_of(deck).card(text)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a card is never changed, and so has no {name} to set")

    @property
    def suit(self) -> str:
        """The suit that the card belongs to: ``S`` of jokers and of a deuce that is a trump."""
        return SUITS[suit_of(self.code)]

    @property
    def symbol(self) -> str:
        """The card as players write it: ``A♠``, ``10♥``, ``high joker``."""
        return pretty(self)

    def __repr__(self) -> str:
        return f"Card({_with_deck(str(self), self.deck)})"

    def _repr_html_(self) -> str:
        from spades.core.figures import card_figure

        return card_figure(self)

    def _repr_svg_(self) -> str:
        from spades.core.figures import card_drawing

        return card_drawing(self)

    def __reduce__(self) -> Any:
        return Card, (str(self), self.deck.name)

    def __lt__(self, other: str) -> bool:
        if isinstance(other, Card):
            return self.place < other.place
        return str.__lt__(self, other)

    def __le__(self, other: str) -> bool:
        if isinstance(other, Card):
            return self.place <= other.place
        return str.__le__(self, other)

    def __gt__(self, other: str) -> bool:
        if isinstance(other, Card):
            return self.place > other.place
        return str.__gt__(self, other)

    def __ge__(self, other: str) -> bool:
        if isinstance(other, Card):
            return self.place >= other.place
        return str.__ge__(self, other)


def _new_card(text: str, code: int, place: int, deck: Deck) -> Card:
    """Cards are made once a deck, here; ``Card(text)`` looks them up."""
    card = str.__new__(Card, text)
    for name, value in (("code", code), ("place", place), ("deck", deck)):
        object.__setattr__(card, name, value)
    return card


class Hand(int):
    """A set of cards of one deck: the mask that kernels take, read as cards.

    Made from a mask, a text ``S.H.D.C`` or cards. It has a length, is iterated over in the order of
    cards, and says whether a card is ``in`` it. As an ``int`` it is the mask: ``hand & other`` is
    one too.

    >>> from spades import Hand
    >>> hand = Hand("AKJ62.AQ.Q.K9543")
    >>> print(hand)
    ♠ A K J 6 2   ♥ A Q   ♦ Q   ♣ K 9 5 4 3
    >>> len(hand), "SA" in hand, [card for card in hand if card.suit == "H"]
    (13, True, [Card('HQ'), Card('HA')])

    Raises ``InvalidCardError`` for a card that the deck lacks, also where it is looked for."""

    deck: Deck

    def __new__(cls, cards: int | str | Iterable[str], deck: Deck | str = "standard") -> Hand:
        deck = deck_of(deck)
        if isinstance(cards, str):
            mask = parse_hand(cards, deck)
        elif isinstance(cards, (int, np.integer)):
            mask = int(cards)
        else:
            mask = deck.parse_cards(cards)
        hand = super().__new__(cls, mask)
        hand.deck = deck
        return hand

    def __len__(self) -> int:
        return self.bit_count()

    def __iter__(self) -> Iterator[Card]:
        return map(self.deck.card, cards_in(int(self)))

    def __contains__(self, card: str) -> bool:
        return bool(self >> self.deck.card(card).code & 1)

    def suit_lines(self) -> list[str]:
        """A line a suit, as players read a hand: ``♠ A K J 10 2``, a dash for a void."""
        lines = zip(SYMBOLS.values(), self.suit_ranks(), strict=True)
        return [f"{symbol} {ranks or '-'}" for symbol, ranks in lines]

    def suit_ranks(self) -> list[str]:
        """The ranks of each suit, the highest first: ``A K J 10 2``; empty for a void."""
        suits = []
        for suit in range(len(SYMBOLS)):
            cards = [self.deck.card(code) for code in cards_in(self & suit_mask(suit))]
            suits.append(" ".join(map(_rank_in_suit, reversed(cards))))
        return suits

    def __repr__(self) -> str:
        return f"Hand({_with_deck(format_hand(self, self.deck), self.deck)})"

    def __str__(self) -> str:
        return "   ".join(self.suit_lines())

    def _repr_html_(self) -> str:
        from spades.core.figures import hand_figure

        return hand_figure(self)

    def _repr_svg_(self) -> str:
        from spades.core.figures import hand_drawing

        return hand_drawing(self)

    def __reduce__(self) -> Any:
        return Hand, (int(self), self.deck.name)


def _rank_in_suit(card: Card) -> str:
    """The rank; a trump deuce has its own suit too, and jokers are ``JH`` and ``JL``."""
    if card in JOKERS:
        return str(card)
    return pretty_rank(card) if card[0] == card.suit else card.symbol


def _with_deck(text: str, deck: Deck) -> str:
    """What the ``repr`` of a card or hand has in its brackets."""
    return repr(text) if deck == STANDARD else f"{text!r}, {deck.name!r}"


@dataclass(frozen=True, repr=False)
class Deck:
    """52 cards and their order. ``suits[s]`` lists the texts of suit s, lowest card first."""

    name: str
    suits: tuple[tuple[str, ...], ...]

    def __repr__(self) -> str:
        return f"<deck {self.name}>"

    @cached_property
    def mask(self) -> int:
        """All 52 cards."""
        return mask_of(card.code for card in self.order)

    @cached_property
    def order(self) -> tuple[Card, ...]:
        """All 52 cards in the one order: spades, hearts, diamonds, clubs, each lowest first."""
        cards: list[Card] = []
        for suit, texts in enumerate(self.suits):
            for strength, text in enumerate(texts):
                code = SUIT_WIDTH * suit + strength
                cards.append(_new_card(text, code, len(cards), self))
        return tuple(cards)

    @cached_property
    def codes(self) -> NDArray[np.int8]:
        """Code of each place of the order, shape (52,)."""
        return np.array([card.code for card in self.order], dtype=np.int8)

    @cached_property
    def indices(self) -> NDArray[np.int8]:
        """Place in the order of each code, shape (64,); -1 where the deck has no such card."""
        indices = np.full(64, -1, dtype=np.int8)
        indices[self.codes] = np.arange(N_CARDS)
        return indices

    @cached_property
    def _cards(self) -> dict[int | str, Card]:
        """Cards by code and by text."""
        by_code: dict[int | str, Card] = {card.code: card for card in self.order}
        by_text: dict[int | str, Card] = {str(card): card for card in self.order}
        return by_code | by_text

    def card(self, card: int | str) -> Card:
        """The card of a code or a text; ``InvalidCardError`` where the deck has none."""
        known = self._cards.get(card)
        if known is None and isinstance(card, str):
            known = self._cards.get(card.strip().upper())
        if known is not None:
            return known
        if not isinstance(card, str):
            raise InvalidCardError(f"{card} is no card code of the {self.name} deck")
        jokers = ", or the jokers JH and JL" if HIGH_JOKER in self._cards else ""
        raise InvalidCardError(
            f"{shown(card)} is no card of the {self.name} deck; "
            f"a card is suit, rank: SA, HT{jokers}"
        )

    def cards(self, cards: Iterable[int | str]) -> tuple[Card, ...]:
        """The cards of several codes or texts, as ``card`` gives each."""
        return tuple(map(self.card, cards))

    def parse_card(self, text: str) -> int:
        """Code of a card written suit then rank, as ``SA``; ``InvalidCardError`` otherwise."""
        return self.card(text).code

    def format_card(self, card: int | Card) -> Card:
        """The card of a code; ``InvalidCardError`` if the deck lacks it."""
        return self.card(card)

    def format_cards(self, mask: int) -> str:
        """Cards of a mask, suit by suit, highest first, separated by spaces."""
        codes = sorted(cards_in(mask), key=hand_order)
        return " ".join(map(self.card, codes))

    def parse_cards(self, texts: Iterable[str]) -> int:
        """Mask of several card texts; ``InvalidDealError`` where one comes twice."""
        mask = 0
        for text in texts:
            card = self.card(text)
            bit = 1 << card.code
            if mask & bit:
                raise InvalidDealError(f"{card} comes twice")
            mask |= bit
        return mask

    def hands(self, masks: Iterable[int]) -> tuple[Hand, Hand, Hand, Hand]:
        """Four masks by seat as hands of this deck."""
        return four(map(self._hand, masks))

    def _hand(self, mask: int) -> Hand:
        if isinstance(mask, Hand) and mask.deck is self:
            return mask
        return Hand(mask, self)


def parse_hand(text: str, deck: Deck) -> int:
    """Mask of a hand written ``S.H.D.C``, in joker decks perhaps with a fifth group ``HL``.

    The deuce of diamonds is among the diamonds even where it is a spade."""
    groups = text.split(".", maxsplit=5)
    if len(groups) not in (4, 5):
        raise InvalidRecordError(f"the hand {shown(text)}; four groups S.H.D.C are legal")
    most = (_MOST_RANKS,) * 4 + (_MOST_JOKERS,)
    suits = zip(SUITS + "J", groups, most, strict=False)
    return deck.parse_cards(suit + rank for suit, ranks, n in suits for rank in ranks[:n])


def format_hand(hand: int, deck: Deck) -> str:
    """A hand as ``parse_hand`` reads it: ``AKJ62.AQ.Q.K9543``."""
    ranks = dict.fromkeys(SUITS + "J", "")
    for card in deck.format_cards(hand).split():
        ranks[card[0]] += card[1]
    jokers = ranks.pop("J")
    groups = [_deuce_last(group) for group in ranks.values()]
    return ".".join([*groups, jokers] if jokers else groups)


def _deuce_last(ranks: str) -> str:
    """A deuce ranks high in some decks, but is written last in all."""
    return ranks.replace("2", "") + "2" if "2" in ranks else ranks


def _plain_suit(suit: str) -> tuple[str, ...]:
    return tuple(suit + rank for rank in RANKS)


def _joker_deck(name: str, deuces: tuple[str, ...]) -> Deck:
    """Deck without 2H and 2C whose spades end in ``deuces`` (low to high) and the two jokers."""
    moved = {"H2", "C2", *deuces}
    spades, hearts, diamonds, clubs = (
        tuple(card for card in _plain_suit(suit) if card not in moved) for suit in SUITS
    )
    trumps = (*spades, *deuces, LOW_JOKER, HIGH_JOKER)
    return Deck(name, (trumps, hearts, diamonds, clubs))


STANDARD = Deck("standard", tuple(map(_plain_suit, SUITS)))
DECKS = {
    deck.name: deck
    for deck in (
        STANDARD,
        _joker_deck("joker-joker-ace", ()),
        _joker_deck("joker-joker-deuce-ace", ("S2",)),
        _joker_deck("joker-joker-deuce-deuce", ("S2", "D2")),
    )
}


def deck_of(deck: Deck | str) -> Deck:
    """A deck as it is, or the one of that name; ``InvalidCardError`` for an unknown name."""
    if isinstance(deck, Deck):
        return deck
    if deck not in DECKS:
        raise InvalidCardError(f"no deck is called {shown(deck)}; {', '.join(DECKS)} are")
    return DECKS[deck]


def check_hand(hand: int, deck: Deck, who: str = "the hand") -> None:
    """Raise ``InvalidDealError`` unless a hand is 13 cards of the deck."""
    foreign = hand & ~deck.mask
    if foreign:
        codes = sorted(cards_in(foreign))
        raise InvalidDealError(f"{who} holds card codes {codes}, none of {deck.name}")
    n_cards = hand.bit_count()
    if n_cards != HAND_SIZE:
        cards = deck.format_cards(hand) or "none"
        raise InvalidDealError(f"{who} holds {n_cards} cards, a hand is {HAND_SIZE}: {cards}")


def check_deal(hands: Iterable[int], deck: Deck) -> None:
    """Raise ``InvalidDealError`` unless four hands of 13 hold each card of the deck once."""
    dealt = 0
    for seat, hand in enumerate(hands):
        doubled = dealt & hand
        if doubled:
            raise InvalidDealError(
                f"{deck.format_cards(doubled)} in {SEATS[seat]}'s hand was already dealt"
            )
        check_hand(hand, deck, SEATS[seat])
        dealt |= hand
    missing = deck.mask & ~dealt
    if missing:
        raise InvalidDealError(f"{deck.format_cards(missing)} not dealt")
