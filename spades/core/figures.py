"""Cards, hands, rounds and observations as a notebook shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spades.core.cards import N_SEATS, SEATS, Card, Hand, seat_name, suit_mask
from spades.core.display import bid_texts, heading_lines, state_rows, who_sits, whose_turn
from spades.core.rules import NO_BID
from spades.look import svg
from spades.look.html import Html, Row, chip, element, figure, table, together
from spades.look.tokens import LIGHT
from spades.look.words import SYMBOLS

if TYPE_CHECKING:
    from spades.core.observation import Observation
    from spades.core.records import Record

_SEAT_COLUMNS = [(letter, seat_name(seat)) for seat, letter in enumerate(SEATS)]
_MARGIN = 8
_DEAL_SIZE = (620, 330)
_SEAT_CORNERS = ((220, 26), (420, 128), (220, 230), (20, 128))
"""Of a drawn deal: where each seat's name begins, North at the top."""


def card_figure(card: Card) -> str:
    return figure(chip(card))


def hand_figure(hand: Hand) -> str:
    return figure(_cards(hand))


def round_figure(record: Record) -> str:
    """A round: where it is from, each seat's hand and bid, and the tricks."""
    title, *facts = heading_lines(record)
    parts = [element("p", "title", title), *(element("p", "quiet", fact) for fact in facts)]
    parts.append(_deal(record))
    if record.plays:
        parts.append(_tricks(record))
    return figure(*parts)


def observation_figure(observation: Observation) -> str:
    """What a seat sees: its hand, with what it may play, the trick, bids and tricks taken."""
    seen = observation.table
    columns = [("what", ""), *_SEAT_COLUMNS]
    rows = [
        Row("", ["bids", *bid_texts(seen)]),
        Row("", ["tricks taken", *map(str, seen.tricks_taken)]),
    ]
    if observation.trick:
        cards = _by_seat(seen.leader, observation.trick)
        rows.insert(0, Row("", ["trick", *cards]))
    facts = [f"{name} {text}" for name, text in state_rows(observation)]
    return figure(
        element("p", "title", whose_turn(observation)),
        element("p", "", _cards(observation.hand, playable=observation.legal or None)),
        table(columns, rows, "sheet", header="what"),
        element("p", "quiet", " · ".join(facts)),
    )


def _cards(hand: Hand, playable: Hand | None = None) -> Html:
    """A hand as cards, suit by suit, the highest first; those that aren't ``playable`` pale."""
    suits = []
    for suit in range(len(SYMBOLS)):
        cards = Hand(hand & suit_mask(suit), hand.deck)
        chips = [
            chip(card, "" if playable is None or card in playable else "unplayable")
            for card in reversed(list(cards))
        ]
        if chips:
            suits.append(element("span", "suit", *chips))
    return element("span", "cards", *suits)


def _deal(record: Record) -> Html:
    """A row a seat: who sits there, the bid, the tricks taken, the hand."""
    state = record.final().table
    columns = [("seat", "Seat"), ("bid", "Bid"), ("taken", "Tricks"), ("hand", "Hand")]
    bids = bid_texts(state)
    rows = []
    for seat in range(N_SEATS):
        who = who_sits(record, seat)
        name = together(seat_name(seat), element("small", "", f" {who}") if who else "")
        taken = str(state.tricks_taken[seat])
        rows.append(Row("", [name, bids[seat], taken, _suit_lines(record.hands[seat])]))
    return table(columns, rows, "sheet", header="seat")


def _suit_lines(hand: Hand) -> Html:
    """A hand as text: a symbol and the ranks, suit by suit."""
    parts = []
    for letter, line in zip(SYMBOLS, hand.suit_lines(), strict=True):
        symbol, ranks = line.split(" ", maxsplit=1)
        parts.append(element("span", f"ranks suit-{letter}", element("b", "", symbol), f" {ranks}"))
    return together(*parts)


def _tricks(record: Record) -> Html:
    """A row a trick: the card of each seat, the one led and the one that took it marked."""
    state = record.final().table
    columns = [("trick", "Trick"), *_SEAT_COLUMNS, ("taken", "Taken by")]
    rows = []
    for start in range(0, len(record.plays), N_SEATS):
        number = start // N_SEATS
        winner = state.winners[number] if number < len(state.winners) else None
        cards = record.plays[start : start + N_SEATS]
        cells = _by_seat(state.seats[start], cards, winner)
        taken_by = "" if winner is None else seat_name(winner)
        rows.append(Row("", [str(number + 1), *cells, taken_by]))
    return table(columns, rows, "sheet", header="trick")


def _by_seat(leader: int, cards: Sequence[Card], winner: int | None = None) -> list[str]:
    """The cards of a trick in the order of the seats, "" where none is played yet."""
    cells: list[str] = [""] * N_SEATS
    for i, card in enumerate(cards):
        seat = (leader + i) % N_SEATS
        played = chip(card, "took" if seat == winner else "")
        led = element("small", "", " led") if i == 0 else ""
        cells[seat] = together(played, led)
    return cells


def card_drawing(card: Card) -> str:
    """A card as an SVG picture."""
    width = svg.CARD_WIDTH + 2 * _MARGIN
    height = svg.CARD_HEIGHT + 2 * _MARGIN
    return svg.drawing(width, height, card.symbol, svg.card_at(_MARGIN, _MARGIN, card))


def hand_drawing(hand: Hand) -> str:
    """A hand as an SVG picture: its cards side by side, suit by suit, the highest first."""
    cards: list[Card] = []
    for suit in range(len(SYMBOLS)):
        cards += reversed(list(Hand(hand & suit_mask(suit), hand.deck)))
    width = max(svg.CARD_WIDTH, svg.row_width(len(cards))) + 2 * _MARGIN
    height = svg.CARD_HEIGHT + 2 * _MARGIN
    return svg.drawing(width, height, str(hand), svg.cards_at(_MARGIN, _MARGIN, cards))


def deal_drawing(record: Record) -> str:
    """The deal of a round as an SVG picture: the four hands around the table, with their bids."""
    parts: list[str] = []
    bids = bid_texts(record.start().table)
    for seat, (x, y) in enumerate(_SEAT_CORNERS):
        who = who_sits(record, seat)
        name = f"{seat_name(seat)} ({who})" if who else seat_name(seat)
        parts.append(svg.words(x, y, name, bold=True))
        if record.bids[seat] != NO_BID:
            bid = f"bids {bids[seat]}"
            parts.append(svg.words(x + 180, y, bid, LIGHT["quiet"], anchor="end"))
        parts.append(svg.ranks_at(x, y + 20, record.hands[seat].suit_lines()))
    title, *_ = heading_lines(record)
    return svg.drawing(*_DEAL_SIZE, title, *parts)
