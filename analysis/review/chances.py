"""How contracts and nils were decided: the chance of each after every play of a round.

The chances come from the judge's rounds, as the seat to play sees the table. A proof gives none:
the last estimate stands. The four seats see different hands and differ widely: one may give a
contract 15%, the next 57%. Therefore the chance after a play is the mean of the four seats' last
estimates, each for the class that the seat played, until the tricks taken decide it; and what a
play costs is measured within its own decision, where one seat compares the cards.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from analysis.decisions.conclusion import Conclusion
from analysis.records import documents_of
from analysis.review.plays import SIDE_KEYS
from spades.core.cards import N_SEATS, SEATS, SIDE_NAMES, partnership_of, seat_name
from spades.core.documents import Document
from spades.core.records import Record
from spades.search.outcomes import N_MADE, NILS, Outcomes, outcome_table, seats_with_nil


class Goal(NamedTuple):
    """A partnership's contract (``of`` 0 or 1) or a seat's nil."""

    is_nil: bool
    of: int

    @property
    def side(self) -> int:
        return partnership_of(self.of)

    @property
    def name(self) -> str:
        if self.is_nil:
            return f"{seat_name(self.of)}'s nil"
        return f"{SIDE_NAMES[self.of]}'s contract"


class Cost(NamedTuple):
    """A play that lowered the chance of a goal: the chance with the card played, and with the best
    card of its decision."""

    ply: int
    played: float
    best: float


@dataclass(frozen=True)
class Chance:
    """How likely a goal is reached. ``values``: the chance after each play, nan until all seats
    have played, 1 or 0 once it is decided. ``is_reached``: None if the round ends before that.
    ``costliest``: the play of its own side that cost it most, of those that the judge faults."""

    goal: Goal
    values: tuple[float, ...]
    is_reached: bool | None
    costliest: Cost | None

    def document(self) -> Document:
        """The chance for JSON; ``of``: the bidder of a nil, the partnership of a contract."""
        goal = self.goal
        return {
            "goal": "nil" if goal.is_nil else "contract",
            "of": SEATS[goal.of] if goal.is_nil else SIDE_KEYS[goal.of],
            **documents_of(self, ("is_reached", "values", "costliest")),
        }


class _Estimate(NamedTuple):
    """The judge's chances of each goal after a play by ``seat``: ``played``; and ``best``: after
    the best class, where the play is faulted."""

    seat: int
    played: dict[Goal, float]
    best: dict[Goal, float]


def chances_of(
    record: Record,
    conclusions: Sequence[Conclusion | None],
    cards: Sequence[str],
    movers: Sequence[int],
) -> tuple[Chance, ...]:
    """The chances of a round's contracts and nils, by the conclusion on each play; none where the
    bids aren't known."""
    if not record.has_bids:
        return ()
    estimates = [
        _estimate(card, seat, conclusion)
        for card, seat, conclusion in zip(cards, movers, conclusions, strict=True)
    ]
    start = record.observation(0)
    goals = [Goal(False, side) for side in (0, 1) if start.table.contract_of(side)]
    goals += [Goal(True, seat) for seat in seats_with_nil(start)]
    return tuple(_chance(record, goal, estimates) for goal in goals)


def _estimate(card: str, seat: int, conclusion: Conclusion | None) -> _Estimate:
    if conclusion is None:
        return _Estimate(seat, {}, {})
    played = conclusion.class_of(card)
    best: dict[Goal, float] = {}
    if played not in conclusion.within:
        best = _by_goal(conclusion.best.outcomes, seat)
    return _Estimate(seat, _by_goal(played.outcomes, seat), best)


def _chance(record: Record, goal: Goal, estimates: Sequence[_Estimate]) -> Chance:
    latest: dict[int, float] = {}  # by seat
    values = []
    is_decided = False
    column = (NILS if goal.is_nil else N_MADE) + goal.of
    states = record.positions()  # one state that changes: it can't be kept in a list
    next(states)
    for estimate, state in zip(estimates, states, strict=True):
        if goal in estimate.played:
            latest[estimate.seat] = estimate.played[goal]
        ends = outcome_table(record.rules, record.bids, tuple(state.table.tricks_taken))
        ways = ends[:, column]
        is_decided = ways.min() == ways.max()
        if is_decided:
            values.append(float(ways[0]))
        elif len(latest) == N_SEATS:
            values.append(sum(latest.values()) / N_SEATS)
        else:
            values.append(math.nan)
    is_reached = bool(values[-1]) if is_decided else None
    return Chance(goal, tuple(values), is_reached, _costliest_play(goal, estimates))


def _costliest_play(goal: Goal, estimates: Sequence[_Estimate]) -> Cost | None:
    """The play of the goal's own side that cost it most; None if none cost it anything."""
    costs = [
        Cost(ply, estimate.played[goal], estimate.best[goal])
        for ply, estimate in enumerate(estimates)
        if goal in estimate.best and partnership_of(estimate.seat) == goal.side
    ]
    most = max(costs, key=lambda cost: cost.best - cost.played, default=None)
    if most is None or most.best <= most.played:
        return None
    return most


def _by_goal(outcomes: Outcomes | None, seat: int) -> dict[Goal, float]:
    """Outcomes, as a seat sees them, as the chance of each goal."""
    if outcomes is None:
        return {}
    own = partnership_of(seat)
    chances = {
        Goal(False, own): outcomes.own_contract,
        Goal(False, 1 - own): 1 - outcomes.their_set,
    }
    for bidder, kept in outcomes.nils.items():
        chances[Goal(True, bidder)] = kept
    return chances
