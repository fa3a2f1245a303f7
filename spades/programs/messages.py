"""What a program is told, as documents: each is one line of JSON (``docs/protocol.md``).

Everything is made of an ``Observation``: a card that it doesn't hold can be in no message.
"""

import dataclasses
import hashlib
import json
from functools import lru_cache
from typing import NamedTuple

from spades.core.cards import N_SEATS, SEATS, clockwise
from spades.core.documents import Document
from spades.core.observation import Observation
from spades.core.rules import NO_BID, Rules
from spades.core.scoring import score_round

PROTOCOL = 1
SIDES = ("NS", "EW")
_EXACT_BITS = 53  # of a whole number: JavaScript's can't hold more


class BidMade(NamedTuple):
    """A bid that has been made."""

    seat: int
    bid: int
    is_blind: bool


class Known(NamedTuple):
    """What a program has been told of a round: which round it is, the bids and the plays."""

    round: Document
    bids: tuple[BidMade, ...]
    plays: tuple[int, ...]

    def continues(self, before: "Known | None") -> bool:
        """Whether this is the same round, at the same place or further on."""
        return (
            before is not None
            and self.round == before.round
            and self.bids[: len(before.bids)] == before.bids
            and self.plays[: len(before.plays)] == before.plays
        )


def known_of(observation: Observation) -> Known:
    """All that a seat knows of a round."""
    table = observation.table
    bids = [
        BidMade(seat, table.bids[seat], table.blind[seat])
        for seat in clockwise(table.dealer + 1)
        if table.bids[seat] != NO_BID
    ]
    return Known(_new_round(observation), tuple(bids), tuple(table.plays))


def _new_round(observation: Observation) -> Document:
    table = observation.table
    deck = table.rules.cards
    dealt = observation.hand_mask | table.played[observation.seat]
    return {
        "type": "newround",
        "seat": SEATS[observation.seat],
        "dealer": SEATS[table.dealer],
        "hand": deck.format_cards(dealt).split(),
        "rules": _rules_document(table.rules),
        "score": by_side(observation.score_before),
        "bags": by_side(observation.bags_before),
    }


@lru_cache(maxsize=16)
def _rules_document(rules: Rules) -> Document:
    return dataclasses.asdict(rules)


def news(before: Known | None, now: Known, observation: Observation) -> list[Document]:
    """The messages that bring a program from what it knew before to what it knows now: the events
    since then, or a new round with all of its events. At the end of a round also what it scored."""
    messages: list[Document] = []
    if before is None or not now.continues(before):
        before = Known(now.round, (), ())
        messages.append(now.round)
    messages += [bid_event(bid) for bid in now.bids[len(before.bids) :]]
    messages += _card_events(observation, len(before.plays))
    if observation.table.is_over and len(before.plays) < len(now.plays):
        messages.append(_round_event(observation))
    return messages


def bid_event(made: BidMade) -> Document:
    event = {"type": "event", "event": "bid", "seat": SEATS[made.seat], "bid": made.bid}
    return {**event, "blind": True} if made.is_blind else event


def _card_events(observation: Observation, n_known: int) -> list[Document]:
    """The cards played after the first ``n_known``, and the tricks that they end."""
    table = observation.table
    deck = table.rules.cards
    events: list[Document] = []
    for ply in range(n_known, len(table.plays)):
        card = deck.format_card(table.plays[ply])
        events.append(
            {"type": "event", "event": "card", "seat": SEATS[table.seats[ply]], "card": card}
        )
        n_tricks = (ply + 1) // N_SEATS
        if (ply + 1) % N_SEATS == 0:
            won = table.winners[:n_tricks]
            taken = {name: won.count(seat) for seat, name in enumerate(SEATS)}
            winner = SEATS[won[-1]]
            events.append({"type": "event", "event": "trick", "winner": winner, "tricks": taken})
    return events


def _round_event(observation: Observation) -> Document:
    """The end of a round: its points and bags before any bag penalty, null without bids."""
    table = observation.table
    scored = score_round(table.rules, table.bids, table.blind, table.tricks_taken)
    return {
        "type": "event",
        "event": "round",
        "points": by_side(scored.points if scored else None),
        "bags": by_side(scored.bags if scored else None),
    }


def bid_request(observation: Observation, number: int, seconds: float, seed: int) -> Document:
    """A request for a bid."""
    table = observation.table
    return {
        "type": "bid",
        "id": number,
        "seconds": seconds,
        "seed": seed_for_program(seed),
        "legal": list(observation.legal_bids),
        "bids": by_seat_or_null(table.bids),
    }


def play_request(observation: Observation, number: int, seconds: float, seed: int) -> Document:
    """A request for a card."""
    table = observation.table
    deck = table.rules.cards
    n_done = len(table.winners) * N_SEATS
    trick = [
        {"seat": SEATS[seat], "card": deck.format_card(card)}
        for seat, card in zip(table.seats[n_done:], table.trick, strict=True)
    ]
    return {
        "type": "play",
        "id": number,
        "seconds": seconds,
        "seed": seed_for_program(seed),
        "legal": deck.format_cards(observation.legal_mask).split(),
        "hand": deck.format_cards(observation.hand_mask).split(),
        "trick": trick,
        "bids": by_seat_or_null(table.bids),
        "tricks": dict(zip(SEATS, table.tricks_taken, strict=True)),
        "broken": table.broken,
    }


def by_seat_or_null(bids: list[int]) -> Document:
    """Bids by seat, null where there is none."""
    return {name: None if bid == NO_BID else bid for name, bid in zip(SEATS, bids, strict=True)}


def by_side(values: tuple[int, int] | None) -> Document | None:
    """Two numbers by partnership; null where they aren't known."""
    return None if values is None else dict(zip(SIDES, values, strict=True))


def seed_for_program(seed: int) -> int:
    """A number to draw at random by. A hash: from the seed itself the deal could be computed."""
    digest = hashlib.sha256(f"program {seed}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - _EXACT_BITS)


def line_of(message: Document) -> bytes:
    """A message as it is sent."""
    return json.dumps(message).encode() + b"\n"
