"""A hand entered by clicking cards, as text, or dealt; until it is complete it may have any size.

A browser sends all its widgets with every click, a quick second one before the first is answered.
So a click on a card never writes to the cards: the other side (the text after a click, the cards
after a text, both after a deal) gets new widgets, named by a number; old ones are ignored.
"""

import random
from contextlib import suppress
from dataclasses import dataclass

import streamlit as st

from spades.core.cards import HAND_SIZE, SUITS, Deck, Hand, format_hand, mask_of
from spades.core.deal import random_deal
from spades.core.errors import SpadesError
from spades.look.words import SYMBOLS, pretty
from spades.notation.hands import read_hand
from ui.shared.cards import with_red
from ui.shared.codecs import Codec, WrongValueError
from ui.shared.widgets import row, show_button, show_error

SUIT_WORDS = dict(zip(SUITS, ("Spades", "Hearts", "Diamonds", "Clubs"), strict=True))
MAX_SEED = 2**31 - 1
HOW_TO_WRITE = (
    "As text: spades, hearts, diamonds, clubs, as AKJ62.AQ.Q.K9543 or AKJ62 AQ Q K9543; or cards, "
    "as A♠ K♠ or SA SK. Jokers as a fifth group, HL."
)


def card_label(card: str) -> str:
    """A card as Markdown, such as ``:red[K♥]``; the jokers in words."""
    return with_red(pretty(card))


@dataclass(frozen=True)
class HandCodec(Codec):
    """A hand in a link, which may be incomplete; ``usual`` replaces a text that is no hand."""

    deck: Deck
    usual: str

    def parse(self, text: str) -> int:
        """Mask of the hand; of too many cards the first 13 are the nearest."""
        try:
            hand = read_hand(text, self.deck)
        except SpadesError as error:
            nearest = 0
            with suppress(SpadesError):  # another deck may not have the usual hand's cards
                nearest = read_hand(self.usual, self.deck)
            raise WrongValueError(str(error), nearest) from None
        names = self.deck.format_cards(hand).split()
        if len(names) <= HAND_SIZE:
            return hand
        nearest = mask_of(map(self.deck.parse_card, names[:HAND_SIZE]))
        raise WrongValueError(f"{len(names)} cards, a hand is {HAND_SIZE}", nearest)

    def format(self, value: int | None) -> str:
        return format_hand(value, self.deck) if value else "..."


def put_hand(key: str, hand: int, deck: Deck) -> None:
    """Let the entry hold these cards; before its widgets are drawn, or in a callback."""
    _keep(key, hand, deck)
    _renew_cards(key, hand, deck)
    _renew_text(key, hand, deck)


def get_hand(key: str, deck: Deck) -> int:
    """Mask of the entered cards that the deck has; 0 where none were."""
    known = {name for names in deck.suits for name in names}
    cards = st.session_state.get(f"{key}_cards", ())
    return mask_of(deck.parse_card(card) for card in cards if card in known)


def show_hand(key: str, deck: Deck) -> int:
    """The hand on a line and as text; its cards behind one button, open while some are missing.
    Mask of the cards entered."""
    _take_deck(key, deck)
    hand = get_hand(key, deck)
    with st.container(key=f"{key}_line"):
        line = f"**{_hand_line(hand, deck)}**" if hand else "**No cards yet**"
        st.markdown(line, help=HOW_TO_WRITE)
    _show_text(key, deck)
    is_whole = hand.bit_count() == HAND_SIZE
    icon = ":material/edit:"
    with st.expander("Pick the cards", expanded=not is_whole, key=f"{key}_change", icon=icon):
        _show_cards(key, deck)
    _show_note(key, hand.bit_count())
    return hand


def _hand_line(hand: int, deck: Deck) -> str:
    """A hand as Markdown, suit by suit, such as ``♠ A K 2 :red[♥ –] :red[♦ 10] ♣ 9``."""
    suits = []
    for (suit, symbol), ranks in zip(SYMBOLS.items(), Hand(hand, deck).suit_ranks(), strict=True):
        text = f"{symbol} {ranks or '–'}"
        suits.append(f":red[{text}]" if suit in "HD" else text)
    return " &ensp;".join(suits)


def _take_deck(key: str, deck: Deck) -> None:
    """Let the entry hold what this deck has of its cards."""
    is_other_deck = st.session_state.get(f"{key}_deck", deck.name) != deck.name
    if is_other_deck or text_key(key) not in st.session_state:  # first shown, or back here
        put_hand(key, get_hand(key, deck), deck)
    st.session_state[f"{key}_deck"] = deck.name


def _show_cards(key: str, deck: Deck) -> None:
    for suit, names in zip(SUITS, deck.suits, strict=True):
        row_key = cards_key(key, suit)
        st.pills(
            SUIT_WORDS[suit],
            names[::-1],
            selection_mode="multi",
            format_func=card_label,
            key=row_key,
            on_change=_take_cards,
            args=(key, deck, row_key),
            label_visibility="collapsed",
            wrap=True,
        )


def _show_text(key: str, deck: Deck) -> None:
    with row():
        st.text_input(
            "Hand as text",
            key=text_key(key),
            label_visibility="collapsed",
            on_change=_take_text,
            args=(key, deck, text_key(key)),
            width=250,
        )
        show_button("Deal me a hand", "casino", f"{key}_deal", _deal, key, deck)
        show_button("Clear", "backspace", f"{key}_clear", put_hand, key, 0, deck, type="tertiary")


def cards_key(key: str, suit: str) -> str:
    """Session key of a suit's row of cards as it is now."""
    return f"{key}_{suit}_{_number(key, 'cards')}"


def text_key(key: str) -> str:
    """Session key of the hand as text as it is now."""
    return f"{key}_text_{_number(key, 'text')}"


def _number(key: str, side: str) -> int:
    """How often the widgets of a side, ``cards`` or ``text``, were renewed."""
    return st.session_state.get(f"{key}_{side}_number", 0)


def _show_note(key: str, n: int) -> None:
    """What is wrong with the text, or how many cards are missing."""
    error = st.session_state.get(f"{key}_error")
    if error:
        show_error(error, "This hand can't be read: ")
    hint = f"{n} of {HAND_SIZE} cards: {HAND_SIZE - n} to add."
    if n > HAND_SIZE:
        hint = f"{n} cards, a hand is {HAND_SIZE}: take {n - HAND_SIZE} out."
    if n != HAND_SIZE:
        st.caption(f":material/playing_cards: {hint}")


def _keep(key: str, hand: int, deck: Deck) -> None:
    st.session_state[f"{key}_cards"] = tuple(deck.format_cards(hand).split())
    st.session_state[f"{key}_error"] = ""


def _renew_cards(key: str, hand: int, deck: Deck) -> None:
    """New rows of cards, with those of the hand marked."""
    st.session_state[f"{key}_cards_number"] = _number(key, "cards") + 1
    names = deck.format_cards(hand).split()
    for suit, of_suit in zip(SUITS, deck.suits, strict=True):
        marked = [name for name in of_suit[::-1] if name in names]
        st.session_state[cards_key(key, suit)] = marked


def _renew_text(key: str, hand: int, deck: Deck) -> None:
    """A new box with the hand as text."""
    st.session_state[f"{key}_text_number"] = _number(key, "text") + 1
    _write_text(key, hand, deck)


def _write_text(key: str, hand: int, deck: Deck) -> None:
    text = format_hand(hand, deck) if hand else ""
    st.session_state[text_key(key)] = text
    st.session_state[f"{key}_read"] = text


def _take_cards(key: str, deck: Deck, clicked: str) -> None:
    """Take the hand as the rows of cards have it."""
    if clicked not in [cards_key(key, suit) for suit in SUITS]:
        return  # the row is gone
    if st.session_state[text_key(key)] != st.session_state[f"{key}_read"]:
        return  # a text came along with the click and says the whole hand
    cards = [card for suit in SUITS for card in st.session_state[cards_key(key, suit)]]
    hand = mask_of(map(deck.parse_card, cards))
    _keep(key, hand, deck)
    _renew_text(key, hand, deck)


def _take_text(key: str, deck: Deck, typed: str) -> None:
    """Take the hand as written; text that is no hand stays, next to the cards as they were."""
    if typed != text_key(key):
        return  # the box is gone
    text = st.session_state[typed]
    st.session_state[f"{key}_read"] = text
    try:
        hand = read_hand(text, deck) if text.strip() else 0
    except SpadesError as error:
        st.session_state[f"{key}_error"] = str(error)
        return
    _keep(key, hand, deck)
    _renew_cards(key, hand, deck)
    _write_text(key, hand, deck)


def _deal(key: str, deck: Deck) -> None:
    put_hand(key, random_deal(deck, random.randrange(MAX_SEED))[0], deck)
