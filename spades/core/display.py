"""Rounds and observations as players read them: what ``print`` shows of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from spades.core.cards import HAND_SIZE, N_SEATS, SEATS, Card, Pair, seat_name
from spades.core.rules import NIL_BID, NO_BID, Rules, Table

if TYPE_CHECKING:
    from spades.core.observation import Observation
    from spades.core.records import Record

_BOT = "bot"  # the kind of player that isn't named
_INDENT = 22  # columns before the hands of North and South
_EAST_AT = 44  # column of East's hand


def round_text(record: Record) -> str:
    """A round: where it is from, the four hands around the table, and the tricks."""
    lines = [*heading_lines(record), "", *_diagram(record)]
    if record.plays:
        lines += ["", *_trick_lines(record)]
    return "\n".join(lines)


def observation_text(observation: Observation) -> str:
    """What a seat sees: its hand, what it may play, the trick under way, bids and tricks."""
    rows = [("hand", str(observation.hand))]
    if observation.legal:
        rows.append(("legal", _symbols(observation.legal)))
    if observation.trick:
        cards = _symbols(observation.trick)
        rows.append(("trick", f"{cards}, {seat_name(observation.table.leader)} led"))
    rows.append(("bids", by_seat(bid_texts(observation.table))))
    rows.append(("tricks", by_seat(map(str, observation.table.tricks_taken))))
    rows += state_rows(observation)
    lines = [f"  {name:8}{text}" for name, text in rows]
    return "\n".join([whose_turn(observation), *lines])


def whose_turn(observation: Observation) -> str:
    """Who is to play which card, and in which trick."""
    table = observation.table
    n_plays = len(table.plays)
    seat = seat_name(observation.seat)
    if table.is_over:
        return "the round is over"
    if table.turn == observation.seat:
        return f"{seat} to play card {n_plays}, trick {len(table.winners) + 1} of {HAND_SIZE}"
    return f"{seat} sees card {n_plays} to be played, by {seat_name(table.turn)}"


def state_rows(observation: Observation) -> list[tuple[str, str]]:
    """Whether spades are broken, and the game's score and bags where they are known."""
    rows = [("spades", "broken" if observation.table.broken else "not broken")]
    if observation.score_before is not None:
        rows.append(("score", _by_side(observation.score_before)))
    if observation.bags_before is not None:
        rows.append(("bags", _by_side(observation.bags_before)))
    return rows


def heading_lines(record: Record) -> list[str]:
    """Where a round is from, who deals, the score, and rules that aren't default."""
    lines = [record.game_id] if record.game_id else []
    facts = [f"round {record.round_index + 1}", f"{seat_name(record.dealer)} deals"]
    if record.score_before is not None:
        facts.append(f"score {_by_side(record.score_before)}")
    if not record.is_complete:
        facts.append(f"{len(record.plays)} cards played")
    lines.append(", ".join(facts))
    options = [f"{name} {value}" for name, value in record.rules.non_defaults().items()]
    if options:
        lines.append(f"rules: {', '.join(options)}")
    return lines


def _diagram(record: Record) -> list[str]:
    """The hands as they lie at the table, each below its seat."""
    north, east, south, west = (_seat_lines(record, seat) for seat in range(N_SEATS))
    middle = [f"{left:{_EAST_AT}}{right}" for left, right in zip(west, east, strict=True)]
    return _indented(north) + middle + _indented(south)


def _indented(lines: Sequence[str]) -> list[str]:
    return [" " * _INDENT + line for line in lines]


def _seat_lines(record: Record, seat: int) -> list[str]:
    return [_seat_line(record, seat), *record.hands[seat].suit_lines()]


def _seat_line(record: Record, seat: int) -> str:
    """The seat, who sits there, and the bid."""
    bid = record.bids[seat]
    text = seat_name(seat)
    who = who_sits(record, seat)
    if who:
        text += f" ({who})"
    if bid == NO_BID:
        return text
    return f"{text} bids {bid_word(record.rules, bid, is_blind=record.blind[seat])}"


def who_sits(record: Record, seat: int) -> str:
    """The player's name or kind; empty for a bot without a name."""
    who = record.players[seat] or record.kinds[seat]
    return "" if who == _BOT else who


def _trick_lines(record: Record) -> list[str]:
    """A line a trick: its number, who led, the cards, and who took it."""
    table = record.final().table
    width = max(len(card.symbol) for card in record.plays)
    lines = []
    for start in range(0, len(record.plays), N_SEATS):
        trick = start // N_SEATS
        cards = record.plays[start : start + N_SEATS]
        symbols = " ".join(f"{card.symbol:{width}}" for card in cards)
        line = f"{trick + 1:2}  {seat_name(table.seats[start]):5} led  {symbols}"
        if trick < len(table.winners):
            line += f"  {seat_name(table.winners[trick])} takes it"
        lines.append(line)
    return lines


def bid_word(rules: Rules, bid: int, *, is_blind: bool) -> str:
    """A bid as players say it: ``4``, ``nil`` or ``blind nil``."""
    if bid != NIL_BID or rules.nil is None:
        return str(bid)
    return "blind nil" if is_blind else "nil"


def bid_texts(table: Table) -> list[str]:
    """Each seat's bid as players say it, a dash where it is unknown."""
    texts = []
    for bid, is_blind in zip(table.bids, table.blind, strict=True):
        texts.append("-" if bid == NO_BID else bid_word(table.rules, bid, is_blind=is_blind))
    return texts


def _symbols(cards: Iterable[Card]) -> str:
    return "  ".join(card.symbol for card in cards)


def by_seat(texts: Iterable[str]) -> str:
    return "  ".join(f"{letter} {text}" for letter, text in zip(SEATS, texts, strict=True))


def _by_side(values: Pair) -> str:
    ours, theirs = values
    return f"N/S {ours}, E/W {theirs}"
