"""Rounds and observations as players read them: what ``print`` shows of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from spades.core.cards import EAST, HAND_SIZE, N_SEATS, NORTH, SEATS, SOUTH, WEST, seat_name
from spades.core.rules import NIL_BID, NO_BID, Rules, Table

if TYPE_CHECKING:
    from spades.core.observation import Observation
    from spades.core.records import Record

_BOT = "bot"  # the kind of player that isn't named
_INDENT = 22  # columns before the hands of North and South
_EAST_AT = 44  # column of East's hand


def round_text(record: Record) -> str:
    """A round: where it is from, the four hands around the table, and the tricks."""
    parts = ["\n".join(_heading(record)), "\n".join(_diagram(record))]
    if record.plays:
        parts.append("\n".join(_trick_lines(record)))
    return "\n\n".join(parts)


def observation_text(observation: Observation) -> str:
    """What a seat sees: its hand, what it may play, the trick under way, bids and tricks."""
    table = observation.table
    n_plays = len(table.plays)
    seat = seat_name(observation.seat)
    if table.is_over:
        heading = "the round is over"
    elif table.turn == observation.seat:
        heading = f"{seat} to play card {n_plays}, trick {len(table.winners) + 1} of {HAND_SIZE}"
    else:
        heading = f"{seat} sees card {n_plays} to be played, by {seat_name(table.turn)}"
    rows = [("hand", str(observation.hand))]
    if observation.legal:
        rows.append(("legal", " ".join(card.symbol for card in observation.legal)))
    if observation.trick:
        cards = " ".join(card.symbol for card in observation.trick)
        rows.append(("trick", f"{cards}, {seat_name(table.leader)} led"))
    rows.append(("bids", _by_seat(_bid_text(table, seat) for seat in range(N_SEATS))))
    rows.append(("tricks", _by_seat(map(str, table.tricks_taken))))
    rows.append(("spades", "broken" if table.broken else "not broken"))
    if observation.score_before is not None:
        rows.append(("score", _by_side(observation.score_before)))
    if observation.bags_before is not None:
        rows.append(("bags", _by_side(observation.bags_before)))
    return "\n".join([heading, *(f"  {name:8}{text}" for name, text in rows)])


def _heading(record: Record) -> list[str]:
    lines = [record.game_id] if record.game_id else []
    facts = [f"round {record.round_index + 1}", f"{seat_name(record.dealer)} deals"]
    if record.score_before is not None:
        facts.append(f"score {_by_side(record.score_before)}")
    if not record.is_complete:
        facts.append(f"{len(record.plays)} cards played")
    lines.append(", ".join(facts))
    options = record.rules.non_defaults()
    if options:
        lines.append("rules: " + ", ".join(f"{name} {value}" for name, value in options.items()))
    return lines


def _diagram(record: Record) -> list[str]:
    """The hands as they lie at the table, each below its seat."""
    blocks = [[_seat_line(record, seat), *record.hands[seat].suit_lines()] for seat in range(4)]
    lines = _indented(blocks[NORTH])
    for west, east in zip(blocks[WEST], blocks[EAST], strict=True):
        lines.append(f"{west:{_EAST_AT}}{east}")
    return lines + _indented(blocks[SOUTH])


def _indented(lines: Sequence[str]) -> list[str]:
    return [" " * _INDENT + line for line in lines]


def _seat_line(record: Record, seat: int) -> str:
    """The seat, who sits there, and the bid."""
    bid = record.bids[seat]
    text = seat_name(seat)
    who = record.players[seat] or record.kinds[seat]
    if who != _BOT:
        text += f" ({who})"
    if bid == NO_BID:
        return text
    return f"{text} bids {bid_word(record.rules, bid, is_blind=record.blind[seat])}"


def _trick_lines(record: Record) -> list[str]:
    """A line a trick: its number, who led, the cards, and who took it."""
    table = record.final().table
    lines = []
    for trick, start in enumerate(range(0, len(record.plays), N_SEATS)):
        cards = " ".join(f"{card.symbol:3}" for card in record.plays[start : start + N_SEATS])
        line = f"{trick + 1:2}  {seat_name(table.seats[start]):5} led  {cards:15}"
        if trick < len(table.winners):
            line += f"  {seat_name(table.winners[trick])} takes it"
        lines.append(line)
    return lines


def bid_word(rules: Rules, bid: int, *, is_blind: bool) -> str:
    """A bid as players say it: ``4``, ``nil`` or ``blind nil``."""
    if bid != NIL_BID or rules.nil is None:
        return str(bid)
    return "blind nil" if is_blind else "nil"


def _bid_text(table: Table, seat: int) -> str:
    bid = table.bids[seat]
    return "-" if bid == NO_BID else bid_word(table.rules, bid, is_blind=table.blind[seat])


def _by_seat(texts: Iterable[str]) -> str:
    return "  ".join(f"{letter} {text}" for letter, text in zip(SEATS, texts, strict=True))


def _by_side(values: tuple[int, int]) -> str:
    ours, theirs = values
    return f"N/S {ours}, E/W {theirs}"
