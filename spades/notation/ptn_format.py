"""Records as PTN text; ``spades.notation.ptn`` reads it back to the same records.

What PTN has no place for (game id, round, agents, seed, source, bags, rules it can't say, the
score before a round cut short, names that a tag can't hold) is written as columns of the log
schema into one more tag, ``[LabJson]``, which other programs skip: reading back gives the same
record.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spades.core.cards import N_SEATS, SEATS
from spades.core.records import RoundRecord
from spades.core.rules import NIL_BID, NO_BID
from spades.notation.hands import format_hand
from spades.notation.ptn_options import format_options
from spades.notation.ptn_scores import format_scores
from spades.notation.ptn_tags import (
    AUCTION,
    EVENT,
    GAME_CODE,
    LAB_TAG,
    NAME_TAGS,
    PLAY,
    UNKNOWN,
    format_name,
    format_tag,
    parse_name,
)
from spades.notation.schema import PLAIN_DEFAULTS, plain_row

_LAB_COLUMNS = ("game_id", "round", "player", "kind", "agent", "seed", "source", "bags_before")


def format_records(records: Iterable[RoundRecord]) -> str:
    """The records as PTN."""
    return "\n".join(_format_record(record) for record in records)


def _format_record(record: RoundRecord) -> str:
    options, unsaid = format_options(record.rules)
    table = record.final().table
    scores = format_scores(record, table.tricks_taken)
    names = [format_name(*pair) for pair in zip(record.players, record.kinds, strict=True)]
    tags = [
        (EVENT, "Spades decision lab"),
        ("GameCode", GAME_CODE),
        ("GameOptionsJson", _quoted(options)),
        *([("GameScores", scores)] if scores else []),
        *((NAME_TAGS[seat], names[seat]) for seat in (3, 0, 1, 2)),
        ("Dealer", SEATS[record.dealer]),
        ("Deal", _format_deal(record)),
        (LAB_TAG, _quoted(_lab_values(record, unsaid, has_scores=bool(scores)))),
    ]
    head = "".join(format_tag(name, value) for name, value in tags)
    return head + _format_auction(record) + _format_play(record, table.seats)


def _quoted(value: Mapping[str, object]) -> str:
    """JSON as it stands inside a tag: quotes escaped once more, ASCII only."""
    return json.dumps(json.dumps(value, separators=(",", ":")))[1:-1]


def _lab_values(
    record: RoundRecord, unsaid: dict[str, Any], *, has_scores: bool
) -> dict[str, object]:
    row, plain = plain_row(record), dict(PLAIN_DEFAULTS)
    heard = [parse_name(format_name(*p)) for p in zip(record.players, record.kinds, strict=True)]
    plain["player"] = [name for name, _ in heard]
    plain["kind"] = [kind for _, kind in heard]
    columns = [*_LAB_COLUMNS, *([] if has_scores else ["score_before"])]
    # Game and round always, so that the reader knows which records follow each other.
    values = {c: row[c] for c in columns if c in ("game_id", "round") or row[c] != plain[c]}
    return {**values, **({"rules": unsaid} if unsaid else {})}


def _format_deal(record: RoundRecord) -> str:
    deck = record.rules.cards
    order = [(record.dealer + i) % N_SEATS for i in range(N_SEATS)]
    hands = " ".join(format_hand(record.hands[seat], deck) for seat in order)
    return f"{SEATS[record.dealer]}:{hands}"


def _format_auction(record: RoundRecord) -> str:
    if max(record.bids) == NO_BID:
        return ""
    first = (record.dealer + 1) % N_SEATS
    order = [(first + i) % N_SEATS for i in range(N_SEATS)]
    bids = " ".join(_format_bid(record, seat) for seat in order)
    return format_tag(AUCTION, SEATS[first]) + bids + "\n"


def _format_bid(record: RoundRecord, seat: int) -> str:
    bid = record.bids[seat]
    if bid == NO_BID:
        return UNKNOWN
    if bid == NIL_BID and record.rules.nil is not None:
        return "BlindNil" if record.blind[seat] else "Nil"
    return str(bid)


def _format_play(record: RoundRecord, seats: Sequence[int]) -> str:
    if not record.plays:
        return ""
    deck, first = record.rules.cards, (record.dealer + 1) % N_SEATS
    rows = [[UNKNOWN] * N_SEATS for _ in range(0, len(record.plays), N_SEATS)]
    for ply, (card, seat) in enumerate(zip(record.plays, seats, strict=True)):
        rows[ply // N_SEATS][(seat - first) % N_SEATS] = deck.format_card(card)
    return format_tag(PLAY, SEATS[first]) + "".join(" ".join(row) + "\n" for row in rows)
