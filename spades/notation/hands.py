"""Seats, hands, deals and bids as text: what the notations share.

A hand is ``S.H.D.C``; in joker decks a fifth group holds the jokers, ``H`` and ``L``, and the deuce
of diamonds is among the diamonds even where it is a spade.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spades.core.cards import (
    HAND_SIZE,
    N_SEATS,
    SEATS,
    Deck,
    Hands,
    clockwise,
    four,
    parse_hand,
)
from spades.core.errors import InvalidDealError, InvalidRecordError, shown
from spades.core.records import Record
from spades.core.rules import MAX_BID, NIL_BID, NO_BID, Table
from spades.notation.reading import blamed_on

_SIGNS = str.maketrans("♠♤♥♡♦♢♣♧", "SSHHDDCC", "\ufe0e\ufe0f")  # also without what colours them
_RANKS = re.compile(r"[AKQJT2-9]{1,13}|[-–]")
_SUIT_FIRST = "([SHDC])([AKQJT2-9]{0,13})"
_RANK_FIRST = "([AKQJT2-9])([SHDC])"
_LONGEST_HAND = 200  # characters that are looked at; a hand takes at most some 60


def read_hand(text: str, deck: Deck) -> int:
    """Mask of a hand as people write one: ``AKJ62.AQ.Q.K9543``, ``AKJ62 AQ Q K9543``, ``A♠K♠``,
    ``SA SK``, ``AS, KS``, ``♠AKJ62 ♥AQ``; ``10`` or ``T``, a dash or nothing for a void, jokers as
    a fifth group. It may be incomplete; ``InvalidRecordError`` where it is none of these."""
    plain = text[:_LONGEST_HAND].upper().replace("10", "T").translate(_SIGNS)
    words = [word for word in re.split(r"[\s,;:|/]+", plain) if word]
    are_groups = len(words) in (4, 5) and all(map(_RANKS.fullmatch, words[:4]))
    separator = "." if are_groups else ""
    cards = re.sub(r"[-–]", "", separator.join(words))
    if "." in cards:
        return parse_hand(cards, deck)
    if re.fullmatch(f"(?:{_SUIT_FIRST})+", cards):
        suits = re.findall(_SUIT_FIRST, cards)
        return deck.parse_cards(suit + rank for suit, ranks in suits for rank in ranks)
    if re.fullmatch(f"(?:{_RANK_FIRST})+", cards):
        return deck.parse_cards(suit + rank for rank, suit in re.findall(_RANK_FIRST, cards))
    raise InvalidRecordError(
        f"the hand {shown(text)}; legal are AKJ62.AQ.Q.K9543, with spaces for the dots too, or "
        "cards such as A♠ K♠ or SA SK"
    )


def parse_seat(text: str, what: str) -> int:
    """Seat of a letter; ``what`` says in the message where it was found."""
    seat = text.strip().upper()
    if len(seat) != 1 or seat not in SEATS:
        raise InvalidRecordError(f"{what} names the seat {shown(text)}; N, E, S or W is legal")
    return SEATS.index(seat)


def complete_deal(
    hands: Sequence[int | None], cards: Callable[[], Sequence[int]], deck: Deck
) -> Hands:
    """Four hands where some may be unknown (None). One unknown hand is what is left of the deck;
    more are the ``cards`` (masks by seat) that their seats played if they are all, otherwise
    ``InvalidDealError``."""
    unknown = [seat for seat in range(N_SEATS) if hands[seat] is None]
    known = [hand or 0 for hand in hands]
    if len(unknown) == 1:
        north, east, south, west = known
        known[unknown[0]] = deck.mask & ~(north | east | south | west)
    elif unknown:
        played = cards()
        for seat in unknown:
            if played[seat].bit_count() != HAND_SIZE:
                names = ", ".join(SEATS[seat] for seat in unknown)
                raise InvalidDealError(
                    f"the hands of {names} are unknown; one may be, or more where all 13 plays of "
                    f"each are there: {SEATS[seat]} played "
                    f"{deck.format_cards(played[seat]) or 'nothing'}"
                )
            known[seat] = played[seat]
    return four(known)


def deal_of_plays(played: Sequence[int], deck: Deck) -> Hands:
    """The hands where they are known only from the cards that each seat played."""
    whole = [mask if mask.bit_count() == HAND_SIZE else None for mask in played]
    return complete_deal(whole, lambda: played, deck)


def played_masks(cards: Iterable[tuple[int, int, str]], deck: Deck) -> list[int]:
    """Mask of the cards that each seat played, of (line, seat, card)."""
    masks = [0] * N_SEATS
    for line, seat, text in cards:
        with blamed_on(line):
            masks[seat] |= 1 << deck.parse_card(text)
    return masks


def check_first(what: str, seat: int, table: Table) -> None:
    """Refuse bids or plays that start at another seat than the dealer's left."""
    if seat != table.leader:
        raise InvalidRecordError(
            f"{what} starts at {SEATS[seat]}; {SEATS[table.dealer]} deals, so "
            f"{SEATS[table.leader]} is first"
        )


def enter_bid(table: Table, seat: int, word: str, *, blind_nil: str, unknown: str) -> None:
    """Enter a number, ``nil`` or what a notation writes for blind nil; nothing for ``unknown``."""
    if word == unknown:
        return
    lower = word.lower()
    if word.isascii() and word.isdecimal() and len(word) <= 2:
        table.bid(seat, int(word))
    elif lower in ("nil", blind_nil.lower()):
        if table.rules.nil is None:
            raise InvalidRecordError(f"{SEATS[seat]} bids {word}, but these rules have no nil")
        table.bid(seat, NIL_BID, blind=lower != "nil")
    elif lower.startswith("blind"):
        raise InvalidRecordError(f"the bid {shown(word)}: blind bids but nil are not supported")
    else:
        raise InvalidRecordError(
            f"{SEATS[seat]} bids {shown(word)}; 0 to {MAX_BID}, nil, {blind_nil} and "
            f"{unknown or 'nothing'} (unknown) are legal"
        )


def format_bid(record: Record, seat: int, *, nil: str = "nil", blind_nil: str, unknown: str) -> str:
    bid = record.bids[seat]
    if bid == NO_BID:
        return unknown
    if bid == NIL_BID and record.rules.nil is not None:
        return blind_nil if record.blind[seat] else nil
    return str(bid)


def format_auction(record: Record, **words: str) -> str:
    """The four bids in the order made, spaces between; empty where none is known."""
    if max(record.bids) == NO_BID:
        return ""
    bids = [format_bid(record, seat, **words) for seat in clockwise(record.dealer + 1)]
    return " ".join(bids)


def record_of_table(table: Table, hands: Sequence[int], **values: Any) -> Record:
    """The record of a round that was played at a table; ``hands``: masks by seat, as dealt."""
    deck = table.rules.cards
    return Record(
        rules=table.rules,
        dealer=table.dealer,
        hands=deck.hands(hands),
        bids=four(table.bids),
        blind=four(table.blind),
        plays=deck.cards(table.plays),
        **values,
    )
