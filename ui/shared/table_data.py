"""What a table in the browser is sent of what every seat can see, and how a hand is laid out."""

from collections.abc import Sequence
from typing import Any

from spades.core.cards import N_SEATS, SEAT_NAMES, SEATS, cards_in, hand_order
from spades.core.rules import NO_BID, Rules, Table


def table_data(table: Table, players: Sequence[str], kinds: Sequence[str]) -> dict[str, Any]:
    """The public part of a round; ``players`` and ``kinds`` by seat."""
    deck = table.rules.cards
    return {
        "deck": deck.name,
        "dealer": table.dealer,
        "seats": [_seat_data(table, i, players[i], kinds[i]) for i in range(N_SEATS)],
        "trump_extra": [name for name in deck.suits[0] if name[0] != "S"],
        "plays": [deck.format_card(card) for card in table.plays],
        "play_seats": table.seats,
        "winners": table.winners,
        "has_nil": [table.is_nil(seat) for seat in range(N_SEATS)],
        "contract": None if NO_BID in table.bids else [table.contract_of(i) for i in (0, 1)],
        "complete": table.is_over,
    }


def _seat_data(table: Table, seat: int, player: str, kind: str) -> dict[str, Any]:
    letter, bid = SEATS[seat], table.bids[seat]
    known = (SEAT_NAMES[letter], kind.replace("-", " "), kind.rpartition("-")[2])
    text = "–" if bid == NO_BID else str(bid)
    if table.is_nil(seat):
        text = "blind nil" if table.blind[seat] else "nil"
    return {
        "seat": letter,
        "name": "" if player in known else player,
        "kind": kind,
        "bid": None if bid == NO_BID else bid,
        "bid_text": text,
    }


def sorted_hand(rules: Rules, hand: int) -> list[str]:
    """A hand by suits, high cards first."""
    order = sorted(cards_in(hand), key=hand_order)
    return [rules.cards.format_card(card) for card in order]
