"""What a reading holds, as plain values: the answer of the command ``validate`` (spec 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from spades.core.cards import N_CARDS, N_SEATS, SEATS
from spades.core.records import RoundRecord
from spades.core.rules import NO_BID
from spades.notation.reading import Reading


def summarise(reading: Reading) -> dict[str, Any]:
    """Counts of rounds, decks, and who played by seat; refusals and notes by line.

    ``seats``: rounds by kind of player. ``played_by``: by kind and agent, the commonest first.
    """
    return summarise_parts([reading])


def summarise_parts(readings: Iterable[Reading]) -> dict[str, Any]:
    """As ``summarise``, of a file read in parts; rounds count through all of them."""
    document: dict[str, Any] = {
        "notation": "",
        "rounds": 0,
        "complete": 0,
        "incomplete": [],
        "refused": [],
        "notes": [],
    }
    seats: dict[str, Counter[str]] = {name: Counter() for name in SEATS}
    agents: dict[str, Counter[tuple[str, str]]] = {name: Counter() for name in SEATS}
    decks: Counter[str] = Counter()
    for reading in readings:
        _add(document, reading)
        for seat, name in enumerate(SEATS):
            seats[name].update(record.kinds[seat] for record in reading.records)
            agents[name].update((r.kinds[seat], r.agents[seat]) for r in reading.records)
        decks.update(record.rules.deck for record in reading.records)
    by_seat = {name: dict(counter) for name, counter in seats.items()}
    played_by = {
        name: [
            {"kind": kind, "agent": agent, "rounds": n}
            for (kind, agent), n in counter.most_common()
        ]
        for name, counter in agents.items()
    }
    return {**document, "seats": by_seat, "played_by": played_by, "decks": dict(decks)}


def _add(document: dict[str, Any], reading: Reading) -> None:
    first = document["rounds"]
    document["notation"] = reading.notation or document["notation"]
    document["rounds"] += len(reading.records)
    document["complete"] += sum(record.is_complete for record in reading.records)
    document["incomplete"] += [
        {"round": i, "source": record.source, "lacks": lacks(record)}
        for i, record in enumerate(reading.records, start=first)
        if lacks(record)
    ]
    document["refused"] += [{"line": r.line, "reason": r.reason} for r in reading.refused]
    document["notes"] += [{"line": note.line, "text": note.text} for note in reading.notes]


def lacks(record: RoundRecord) -> str:
    """What a valid record doesn't have, in words; empty for a complete one."""
    missing = []
    unbid = [SEATS[seat] for seat in range(N_SEATS) if record.bids[seat] == NO_BID]
    if len(unbid) == N_SEATS and not record.rules.first_hand_bids_itself:
        missing.append("the auction")
    elif 0 < len(unbid) < N_SEATS:
        missing.append(f"the bid of {', '.join(unbid)}")
    if not record.plays:
        missing.append("all plays")
    elif not record.is_complete:
        missing.append(f"{N_CARDS - len(record.plays)} of {N_CARDS} plays")
    return ", ".join(missing)
