"""A whole hand: what each seat gave away, and how contracts and nils came to their end.

A play gives away what its class of cards is behind the best one in the conclusion on its decision,
and nothing where it is the best or as good. Bids are not judged.

The chances of contracts and nils are those of the judge's own playouts, as the seat to play sees
the table, and not calibrated. Where a conclusion is a proof's there are none: what was last thought
stands. Four seats that see four hands differ widely: of one contract, one may think 15% and the
next 57%. So the chance after a play is the mean of what each seat last thought of it, when it
played the class that it played, until the tricks taken decide it; and what a play costs is taken
within its own decision, where one pair of eyes compares the cards.
"""

import math
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from analysis.decisions.conclusion import LONGER, LONGEST, Conclusion
from analysis.decisions.decision import AnalysisSettings, new_search, pretty, search_in_slices
from analysis.decisions.evidence import Evidence
from analysis.runs.series import StoredSeries
from spades.core.cards import N_SEATS, SEATS, SIDE_NAMES, partner_of, partnership_of, seat_name
from spades.core.equivalence import equivalent_cards
from spades.core.records import RoundRecord
from spades.core.scoring import GameScore, RoundScore, add_round
from spades.human import load_model
from spades.search.outcomes import (
    N_MADE,
    NILS,
    Outcomes,
    knows_outcomes,
    outcome_sums,
    outcome_table,
    seats_with_nil,
)

EARLY_TRICKS = 6
EARLY, LATE = "early", "late"
N_COSTLIEST = 5
SIDE_KEYS = ("ns", "ew")


@dataclass(frozen=True)
class ReviewedPlay:
    """A play with a choice. ``given``: points given away, ``error`` their standard error between
    searches; ``best``: the cards that are as good as any, one a class; ``as_search``: it is one
    of their classes; ``as_human``: of the likeliest class; ``is_settled``: not one that leans."""

    ply: int
    seat: int
    card: str
    best: tuple[str, ...]
    given: float
    error: float
    as_search: bool
    as_human: bool
    is_settled: bool

    @property
    def phase(self) -> str:
        return EARLY if self.ply < EARLY_TRICKS * N_SEATS else LATE


class Tally(NamedTuple):
    """``decisions``: plays with a choice; ``given_away``: their points, ``se`` the sum's standard
    error; how many of them are ``as_search``, ``as_human`` and ``unsettled``."""

    decisions: int
    given_away: float
    se: float
    as_search: int
    as_human: int
    unsettled: int

    @classmethod
    def of(cls, plays: Iterable[ReviewedPlay]) -> "Tally":
        found = list(plays)
        return cls(
            len(found),
            sum(play.given for play in found),
            math.sqrt(sum(play.error**2 for play in found)),
            sum(play.as_search for play in found),
            sum(play.as_human for play in found),
            sum(not play.is_settled for play in found),
        )


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
    """A play that lost the search something of a goal: its chance then, and with the best card."""

    ply: int
    played: float
    best: float


class Chance(NamedTuple):
    """How likely a goal is reached, after each play (n_plays,): nan until all seats have played, 1
    or 0 once decided. ``is_reached``: None in a round cut short before that. ``costliest``: of the
    plays of its own side that the conclusions fault, the one that cost it most."""

    goal: Goal
    values: tuple[float, ...]
    is_reached: bool | None
    costliest: Cost | None


@dataclass(frozen=True)
class Review:
    """``plays``: those with a choice and a conclusion; ``n_unjudged``: with a choice and none;
    ``cards``: of all plays, in order; ``score`` of the round, ``after``: the game's; None where the
    record doesn't say."""

    plays: tuple[ReviewedPlay, ...]
    n_unjudged: int
    cards: tuple[str, ...]
    seats: tuple[int, ...]
    chances: tuple[Chance, ...]
    score: RoundScore | None
    after: GameScore | None

    def tally(self, seats: Iterable[int], phase: str = "") -> Tally:
        those = set(seats)
        found = (play for play in self.plays if play.seat in those)
        return Tally.of(play for play in found if phase in ("", play.phase))

    @property
    def costliest(self) -> list[ReviewedPlay]:
        costly = [play for play in self.plays if play.given > 0]
        return sorted(costly, key=lambda play: -play.given)[:N_COSTLIEST]

    def play_text(self, ply: int) -> str:
        """``West's 4♥ in trick 3``."""
        seat = seat_name(self.seats[ply])
        return f"{seat}'s {pretty(self.cards[ply])} in trick {ply // N_SEATS + 1}"


def review(
    record: RoundRecord,
    conclusions: Sequence[Conclusion | None],
    human: Sequence[Mapping[str, float]],
) -> Review:
    """A round from the conclusion on each play and the human probability of each card, by ply."""
    seats = tuple(state.table.turn for state in record.positions())[: len(record.plays)]
    cards = record.plays
    plays = [
        _reviewed(ply, seats[ply], cards[ply], found, human[ply])
        for ply, found in enumerate(conclusions)
        if found is not None and len(found.classes) > 1
    ]
    score, before = record.score(), None
    if record.score_before is not None and record.bags_before is not None:
        before = GameScore(record.score_before, record.bags_before)
    return Review(
        tuple(plays),
        sum(found is None for found in conclusions),
        cards,
        seats,
        _chances(record, conclusions, cards, seats),
        score,
        add_round(record.rules, before, score) if before and score else None,
    )


def _reviewed(
    ply: int, seat: int, card: str, found: Conclusion, likely: Mapping[str, float]
) -> ReviewedPlay:
    played, within = found.class_of(card), found.within
    odds = {one.cards: sum(likely[name] for name in one.cards) for one in found.classes}
    is_good = played in within
    return ReviewedPlay(
        ply,
        seat,
        card,
        tuple(one.cards[0] for one in within),
        0.0 if is_good else played.behind,
        0.0 if is_good else played.gap_error,
        is_good,
        odds[played.cards] >= max(odds.values()) - 1e-9,
        found.is_settled,
    )


class _View(NamedTuple):
    """Of a play: who made it, what it led to by goal, and in the best class where it is faulted."""

    seat: int
    played: dict[Goal, float]
    best: dict[Goal, float]


def _chances(
    record: RoundRecord,
    conclusions: Sequence[Conclusion | None],
    cards: Sequence[str],
    seats: Sequence[int],
) -> tuple[Chance, ...]:
    if not record.has_bids:
        return ()
    start, views = record.observation(0), []
    for card, seat, conclusion in zip(cards, seats, conclusions, strict=True):
        view = _View(seat, {}, {})
        if conclusion is not None:
            played, best = conclusion.class_of(card), conclusion.best
            view = view._replace(played=_by_goal(played.outcomes, seat))
            if played not in conclusion.within:
                view = view._replace(best=_by_goal(best.outcomes, seat))
        views.append(view)
    contracts = [Goal(False, side) for side in (0, 1) if start.table.contract_of(side)]
    goals = [*contracts, *(Goal(True, seat) for seat in seats_with_nil(start))]
    return tuple(_chance(record, goal, views) for goal in goals)


def _chance(record: RoundRecord, goal: Goal, views: Sequence[_View]) -> Chance:
    latest: dict[int, float] = {}
    values, is_decided, after = [], False, record.positions()
    next(after)
    for view, state in zip(views, after, strict=True):
        latest |= {view.seat: view.played[goal]} if goal in view.played else {}
        ends = outcome_table(record.rules, record.bids, tuple(state.table.tricks_taken))
        ways = ends[:, (NILS if goal.is_nil else N_MADE) + goal.of]
        is_decided = ways.min() == ways.max()
        mean = sum(latest.values()) / N_SEATS if len(latest) == N_SEATS else math.nan
        values.append(float(ways[0]) if is_decided else mean)
    costs = [
        Cost(ply, view.played[goal], view.best[goal])
        for ply, view in enumerate(views)
        if goal in view.best and partnership_of(view.seat) == goal.side
    ]
    most = max(costs, key=lambda cost: cost.best - cost.played, default=None)
    costliest = most if most and most.best > most.played else None
    return Chance(goal, tuple(values), bool(values[-1]) if is_decided else None, costliest)


def _by_goal(outcomes: Outcomes | None, seat: int) -> dict[Goal, float]:
    """A mover's outcomes as chances of every goal that there is."""
    if outcomes is None:
        return {}
    own = partnership_of(seat)
    found = {Goal(False, own): outcomes.own_contract, Goal(False, 1 - own): 1 - outcomes.their_set}
    return found | {Goal(True, bidder): kept for bidder, kept in outcomes.nils.items()}


def chance_sentence(found: Review, chance: Chance) -> str:
    """How a contract or nil ended, and which play of its own side cost it most."""
    goal, cost = chance.goal, chance.costliest
    side = SIDE_NAMES[goal.side]
    ends = {None: "is open", False: "was set", True: "was kept" if goal.is_nil else "was made"}
    text = f"{goal.name} {ends[chance.is_reached]}"
    if cost is None:
        return f"{text}; no play of {side} that the judge faults cost it anything."
    play = found.play_text(cost.ply)
    best = next(play for play in found.plays if play.ply == cost.ply).best[0]
    chances = f"{cost.played:.1%} where {pretty(best)} leaves {cost.best:.1%}"
    return f"{text}; of {side}'s plays {play} cost it most: {chances}."


def score_sentence(found: Review) -> str:
    """Points and bags of the round and the game's score after it; empty of a round cut short."""
    if found.score is None:
        return ""
    texts = _side_texts(found.score.points, found.score.bags, "+d")
    text = f"The round: {'; '.join(texts)}."
    if found.after is None:
        return text
    return f"{text} The game: {'; '.join(_side_texts(found.after.score, found.after.bags, 'd'))}."


def _side_texts(points: Sequence[int], bags: Sequence[int], form: str) -> list[str]:
    return [
        f"{name} {score:{form}}, {n} bag{'s' * (n != 1)}"
        for name, score, n in zip(SIDE_NAMES, points, bags, strict=True)
    ]


def review_document(found: Review) -> dict[str, Any]:
    """A review as ``analyze --review --json`` prints it; points, chances 0 to 1."""

    def whole(seats: Sequence[int]) -> dict[str, Any]:
        phases = {phase: found.tally(seats, phase)._asdict() for phase in (EARLY, LATE)}
        return {**found.tally(seats)._asdict(), **phases}

    return {
        "seats": {name: whole([seat]) for seat, name in enumerate(SEATS)},
        "partnerships": {
            key: whole([side, partner_of(side)]) for side, key in enumerate(SIDE_KEYS)
        },
        "costliest": [_play_document(play) for play in found.costliest],
        "unjudged": found.n_unjudged,
        "chances": [_chance_document(chance) for chance in found.chances],
        "score": asdict(found.score) if found.score else None,
        "score_after": asdict(found.after) if found.after else None,
    }


def _play_document(play: ReviewedPlay) -> dict[str, Any]:
    place = {"ply": play.ply, "trick": play.ply // N_SEATS, "seat": SEATS[play.seat]}
    more = {"best": list(play.best), "given_away": play.given, "se": play.error}
    return {**place, "card": play.card, **more, "is_settled": play.is_settled}


def _chance_document(chance: Chance) -> dict[str, Any]:
    goal, cost = chance.goal, chance.costliest
    return {
        "goal": "nil" if goal.is_nil else "contract",
        "of": SEATS[goal.of] if goal.is_nil else SIDE_KEYS[goal.of],
        "is_reached": chance.is_reached,
        "values": [None if math.isnan(value) else value for value in chance.values],
        "costliest": cost._asdict() if cost else None,
    }


class RoundEvidence:
    """The conclusions on all plays of a round, made in steps and stored as ``Evidence`` is, which
    takes ``options``; ``found`` once all are there. ``settings``: the judge's (``judge_settings``),
    whose first model counts."""

    def __init__(self, record: RoundRecord, settings: AnalysisSettings, **options: float) -> None:
        self.record, self.options = record, options
        self.settings = replace(settings, others=(), models=settings.models[:1])
        self.conclusions: list[Conclusion | None] = []
        self.found: Review | None = None

    @property
    def n_done(self) -> int:
        return len(self.conclusions)

    def steps(self) -> Generator[None, None, None]:
        record = self.record
        for ply in range(self.n_done, len(record.plays)):
            evidence = Evidence(record, ply, self.settings, **self.options)
            once = self._once(evidence)
            once.extend(1)
            yield from once.steps()
            yield from evidence.prove()
            if evidence.conclusion is None:  # it was cut short
                yield from evidence.steps()
            found, only = evidence.conclusion, once.items[0]
            if found is not None and only:
                outcomes = Outcomes.of(np.array(only), evidence.observation)
                found = replace(found, classes=(replace(found.best, outcomes=outcomes),))
            self.conclusions.append(found)
            yield
        self.found = review(record, self.conclusions, self.human())

    def _once(self, evidence: Evidence) -> StoredSeries:
        """Spends the budget of a decision, once for all readers; its one item is what the only
        class that is legal leads to, by one search; empty where there are more."""
        seen, settings = evidence.observation, self.settings

        def make(_: int) -> Generator[None, None, list[float]]:
            yield from evidence.steps()
            is_counted = knows_outcomes(seen) and not settings.agent and not settings.search.solved
            if len(equivalent_cards(seen)) > 1 or not is_counted:
                return []
            search = new_search(seen, settings)
            result = yield from search_in_slices(search, settings.iterations)
            means: list[float] = outcome_sums(result.endings, seen).sum(axis=0) / result.iterations
            return np.asarray(means).tolist()

        limits = {"budget": evidence.budget, "threshold": evidence.threshold}
        limits |= {"longer": LONGER, "longest": LONGEST}
        question = {**evidence.series.question, **limits}
        return StoredSeries("reviewed", question, make, block=1, unit="decisions")

    def human(self) -> list[dict[str, float]]:
        """The human model's probability of each card, by ply."""
        record = self.record
        seen = [record.observe(state) for state in record.positions()][: len(record.plays)]
        model = load_model(self.settings.models[0])
        return [model.probabilities(one) for one in seen]


def review_round(record: RoundRecord, settings: AnalysisSettings, **options: float) -> Review:
    """A round searched for now, as ``RoundEvidence`` takes it."""
    work = RoundEvidence(record, settings, **options)
    for _ in work.steps():
        pass
    assert work.found is not None
    return work.found
