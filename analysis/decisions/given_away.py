"""What each play of a round gives away, as far as it is judged: the table of Replay's graph."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from analysis.decisions.conclusion import Conclusion
from spades.core.cards import Card
from spades.core.records import Record


class GivenAway(NamedTuple):
    """What a play loses against the judge's best card: ``points`` with their standard ``error``;
    ``is_settled`` and ``grade`` as in ``Loss``."""

    ply: int
    seat: int
    card: Card
    points: float
    error: float
    is_settled: bool
    grade: str


def given_away(
    record: Record, conclusions: Sequence[Conclusion | None], plies: Iterable[int]
) -> list[GivenAway]:
    """A row for each of these plays that is a judged choice. ``conclusions``: by ply."""
    rows = []
    for ply in plies:
        conclusion = conclusions[ply]
        if conclusion is None or not conclusion.is_choice:
            continue
        card = record.plays[ply]
        loss = conclusion.loss_of(card)
        row = GivenAway(
            ply=ply,
            seat=record.at(ply).table.turn,
            card=card,
            points=loss.points,
            error=conclusion.class_of(card).gap_error if loss.points else 0.0,
            is_settled=loss.is_settled,
            grade=loss.grade,
        )
        rows.append(row)
    return rows
