"""A round as the scripts of ``spades.look`` draw it: plain values, cards in the order of a hand."""

from collections.abc import Sequence
from typing import Any

from spades.core.cards import HAND_SIZE, N_SEATS, SEAT_NAMES, SEATS, cards_in, hand_order
from spades.core.observation import Observation
from spades.core.records import HUMAN, Record
from spades.core.rules import NO_BID, Rules, Table

HIDDEN = "?"


def round_data(record: Record) -> dict[str, Any]:
    score = record.score()
    return {
        **table_data(record.final().table, record.players, record.kinds),
        "hands": [sorted_hand(record.rules, hand) for hand in record.hands],
        "score_before": list(record.score_before) if record.score_before else None,
        "bags_before": list(record.bags_before) if record.bags_before else None,
        "points": list(score.points) if score else None,
        "has_auction": record.has_bids,
    }


def seen_round(seen: Observation, players: Sequence[str], kinds: Sequence[str]) -> dict[str, Any]:
    """A round under way as its seat may see it, unknown cards as ``?``; without points."""
    table = seen.table
    hands = []
    for seat in range(N_SEATS):
        held = seen.hand_mask if seat == seen.seat else 0
        known = sorted_hand(seen.rules, table.played[seat] | held)
        hands.append(known + [HIDDEN] * (HAND_SIZE - len(known)))
    return {
        **table_data(table, players, kinds),
        "hands": hands,
        "score_before": list(seen.score_before or (0, 0)),
        "bags_before": list(seen.bags_before or (0, 0)),
        "has_auction": True,
    }


def table_data(table: Table, players: Sequence[str], kinds: Sequence[str]) -> dict[str, Any]:
    """The public part of a round; ``players`` and ``kinds`` by seat."""
    deck = table.rules.cards
    has_contracts = NO_BID not in table.bids
    return {
        "deck": deck.name,
        "dealer": table.dealer,
        "seats": [_seat_data(table, i, players[i], kinds[i]) for i in range(N_SEATS)],
        "trump_extra": [name for name in deck.suits[0] if name[0] != "S"],
        "plays": [deck.format_card(card) for card in table.plays],
        "play_seats": table.seats,
        "winners": table.winners,
        "has_nil": [table.is_nil(seat) for seat in range(N_SEATS)],
        "contract": [table.contract_of(side) for side in (0, 1)] if has_contracts else None,
        "complete": table.is_over,
    }


def _seat_data(table: Table, seat: int, player: str, kind: str) -> dict[str, Any]:
    from spades.agents.words import agent_words, short_words  # loads the players

    letter = SEATS[seat]
    default_names = (SEAT_NAMES[letter], kind.replace("-", " "), kind.rpartition("-")[2])
    bid = None if table.bids[seat] == NO_BID else table.bids[seat]
    bid_text = "–" if bid is None else str(bid)
    if table.is_nil(seat):
        bid_text = "blind nil" if table.blind[seat] else "nil"
    name = player if kind == HUMAN else short_words(player)
    return {
        "seat": letter,
        "name": "" if player in default_names or name.lower() == kind.replace("-", " ") else name,
        "title": player if kind == HUMAN else agent_words(player),
        "kind": kind,
        "bid": bid,
        "bid_text": bid_text,
    }


def sorted_hand(rules: Rules, hand: int) -> list[str]:
    """A hand by suits, high cards first."""
    cards = sorted(cards_in(hand), key=hand_order)
    return [rules.cards.format_card(card) for card in cards]
