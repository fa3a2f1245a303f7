"""The review of a round: what each seat gave away, and how contracts and nils were decided.

A play gives away the points by which its class of cards is behind the best one in the conclusion on
its decision; nothing where it is the best or as good. So does a bid (``analysis.bidding.judged``);
tallies are of plays alone. Beside it stands what the play cost as the cards lay, and luck, the
difference of the two (``analysis.decisions.hindsight``).

The chances of contracts and nils come from the judge's rounds, as the seat to play sees the table.
A proof gives none: the last estimate stands. The four seats see different hands and differ widely:
one may give a contract 15%, the next 57%. Therefore the chance after a play is the mean of the four
seats' last estimates, each for the class that the seat played, until the tricks taken decide it;
and what a play costs is measured within its own decision, where one seat compares the cards.
"""

import math
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from analysis.bidding.judged import JudgedBid, judge_in_steps
from analysis.decisions.conclusion import Conclusion
from analysis.decisions.decision import EARLY, EARLY_TRICKS, LATE, pretty
from analysis.decisions.evidence import Evidence
from analysis.decisions.hindsight import UNKNOWN, Hindsight, hindsight_in_steps
from analysis.decisions.judge import PLAYER
from analysis.decisions.settings import AnalysisSettings
from analysis.records import Column, documents_of
from analysis.runs.series import StoredSeries
from spades.core.cards import (
    N_SEATS,
    SEAT_NAMES,
    SEATS,
    SIDE_NAMES,
    clockwise,
    partner_of,
    partnership_of,
    seat_name,
)
from spades.core.documents import Document
from spades.core.records import Record
from spades.core.scoring import GameScore, RoundScore, add_round
from spades.core.steps import last_value
from spades.human import load_model
from spades.search.outcomes import (
    N_MADE,
    NILS,
    Outcomes,
    outcome_table,
    seats_with_nil,
)

N_COSTLIEST = 5
SIDE_KEYS = ("ns", "ew")


@dataclass(frozen=True, kw_only=True)
class ReviewedPlay:
    """A play with a choice. ``given_away``: points, with the standard error ``se``; ``best``: one
    card of each class that is the best or as good; ``as_judge``: whether the play is of such a
    class; ``as_human``: whether it is of the class that humans likeliest play; ``is_settled``:
    whether what it gives away is more than a leaning. ``hindsight``: points that it cost as the
    cards lay, with ``hindsight_se``; nan where that wasn't measured."""

    ply: int
    seat: int
    card: str
    best: tuple[str, ...]
    given_away: float
    se: float
    as_judge: bool
    as_human: bool
    is_settled: bool
    hindsight: float = math.nan
    hindsight_se: float = math.nan

    @property
    def luck(self) -> float:
        """Points that the cards made good: what the play gives away less what it cost."""
        return self.given_away - self.hindsight

    @property
    def trick(self) -> int:
        """Number of the trick, from 0."""
        return self.ply // N_SEATS

    @property
    def phase(self) -> str:
        return EARLY if self.trick < EARLY_TRICKS else LATE

    def document(self) -> Document:
        """The play for JSON."""
        return {
            "ply": self.ply,
            "trick": self.trick,
            "seat": SEATS[self.seat],
            **documents_of(self, ("card", "best", "given_away", "se", "is_settled")),
            **documents_of(self, ("hindsight", "hindsight_se", "luck")),
        }


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Sums over plays with a choice, ``decisions`` of them: points ``given_away``, with the
    standard error ``se``; how many plays are ``as_judge``, ``as_human`` and ``unsettled``;
    ``hindsight``: points that they cost as the cards lay, with ``hindsight_se``, nan where that
    wasn't measured."""

    decisions: int
    given_away: float
    se: float
    as_judge: int
    as_human: int
    unsettled: int
    hindsight: float = 0.0
    hindsight_se: float = 0.0

    @classmethod
    def of(cls, plays: Iterable[ReviewedPlay]) -> "Tally":
        plays = list(plays)
        return cls(
            decisions=len(plays),
            given_away=sum(play.given_away for play in plays),
            se=math.sqrt(sum(play.se**2 for play in plays)),
            as_judge=sum(play.as_judge for play in plays),
            as_human=sum(play.as_human for play in plays),
            unsettled=sum(not play.is_settled for play in plays),
            hindsight=sum(play.hindsight for play in plays),
            hindsight_se=math.sqrt(sum(play.hindsight_se**2 for play in plays)),
        )

    @property
    def luck(self) -> float:
        """Points that the cards made good."""
        return self.given_away - self.hindsight

    @property
    def as_judge_share(self) -> float | None:
        """Share of the decisions; None without any."""
        return self.as_judge / self.decisions if self.decisions else None

    @property
    def as_human_share(self) -> float | None:
        """Share of the decisions; None without any."""
        return self.as_human / self.decisions if self.decisions else None

    def document(self) -> Document:
        """The tally for JSON."""
        counts = ("decisions", "given_away", "se", "as_judge", "as_human", "unsettled")
        shares = ("as_judge_share", "as_human_share")
        return documents_of(self, (*counts, *shares, "hindsight", "hindsight_se", "luck"))


@dataclass(frozen=True, kw_only=True)
class PlayersTally(Tally):
    """The tally of a seat or a partnership ``who`` (N, E, S, W, ns or ew), also by phase."""

    who: str
    early: Tally
    late: Tally

    @classmethod
    def of_players(
        cls, who: str, seats: Sequence[int], plays: Sequence[ReviewedPlay]
    ) -> "PlayersTally":
        own = [play for play in plays if play.seat in seats]
        early = Tally.of(play for play in own if play.phase == EARLY)
        late = Tally.of(play for play in own if play.phase == LATE)
        return cls(who=who, early=early, late=late, **vars(Tally.of(own)))

    @property
    def name(self) -> str:
        """The seat or the partnership in words."""
        if self.who in SIDE_KEYS:
            return SIDE_NAMES[SIDE_KEYS.index(self.who)]
        return SEAT_NAMES[self.who]

    def document(self) -> Document:
        """The tally for JSON, and that of each phase."""
        return {
            **super().document(),
            EARLY: self.early.document(),
            LATE: self.late.document(),
        }


TALLY_COLUMNS = (
    Column("who", "", meaning="Seats, then partnerships.", value=lambda tally: tally.name),
    Column("decisions", "Decisions", ",d", "Plays with a choice, equivalent cards being one."),
    Column("given_away", "Given away", ".1f", "Points."),
    Column("se", "SE", ".1f", "Standard error of the sum, points."),
    Column(
        "early_given_away",
        "Early",
        ".1f",
        f"Points, in tricks 1 to {EARLY_TRICKS}.",
        value=lambda tally: tally.early.given_away,
    ),
    Column(
        "late_given_away",
        "Late",
        ".1f",
        "Points, in the tricks after.",
        value=lambda tally: tally.late.given_away,
    ),
    Column(
        "hindsight", "As the cards lay", ".1f", "Points that the plays cost with all hands open."
    ),
    Column("hindsight_se", "SE of that", ".1f", "Standard error of that sum, points."),
    Column("luck", "Luck", "+.1f", "Points: given away less what the plays cost as the cards lay."),
    Column(
        "as_judge_share",
        "As the judge",
        ".1%",
        "Decisions: the best class was played, or one as good.",
    ),
    Column(
        "as_human_share",
        "As humans",
        ".1%",
        "Decisions: the human model's likeliest class was played.",
    ),
    Column("unsettled", "Not settled", ",d", "Decisions: the conclusion leans, no more."),
)
"""How people read a tally, in a terminal and on a page."""


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


@dataclass(frozen=True, kw_only=True)
class Review:
    """The result of a reviewed round.

    ``plays``: those with a choice and a conclusion; ``unjudged``: how many have no conclusion.
    ``seats``, ``partnerships``: their tallies. ``costliest``: up to ``N_COSTLIEST`` plays that gave
    points away, the costliest first. ``chances``: of contracts and nils. ``score``: of the round,
    ``score_after``: of the game; None where the record lacks it. ``movers``, ``cards``: of all
    plays in order. ``bids``: the round's, judged; empty where they aren't known."""

    plays: tuple[ReviewedPlay, ...]
    unjudged: int
    seats: tuple[PlayersTally, ...]
    partnerships: tuple[PlayersTally, ...]
    costliest: tuple[ReviewedPlay, ...]
    chances: tuple[Chance, ...]
    score: RoundScore | None
    score_after: GameScore | None
    movers: tuple[int, ...]
    cards: tuple[str, ...]
    bids: tuple[JudgedBid, ...] = ()

    def play_text(self, ply: int) -> str:
        """``West's 4♥ in trick 3``."""
        seat = seat_name(self.movers[ply])
        return f"{seat}'s {pretty(self.cards[ply])} in trick {ply // N_SEATS + 1}"

    def document(self) -> Document:
        """The review for JSON; points, and chances from 0 to 1."""
        return {
            "judge": PLAYER,
            "seats": {tally.who: tally.document() for tally in self.seats},
            "partnerships": {tally.who: tally.document() for tally in self.partnerships},
            **documents_of(
                self, ("costliest", "unjudged", "bids", "chances", "score", "score_after")
            ),
        }


def review(
    record: Record,
    conclusions: Sequence[Conclusion | None],
    human: Sequence[Mapping[str, float]],
    costs: Mapping[int, Hindsight],
) -> Review:
    """A round from the conclusion on each play, the human probability of each card and what the
    plays cost as the cards lay, by ply."""
    movers = tuple(state.table.turn for state in record.positions())[: len(record.plays)]
    cards = tuple(map(record.rules.cards.format_card, record.plays))
    plays = [
        reviewed(ply, movers[ply], cards[ply], conclusion, human[ply], costs.get(ply, UNKNOWN))
        for ply, conclusion in enumerate(conclusions)
        if conclusion is not None and conclusion.is_choice
    ]
    score = record.score()
    return Review(
        plays=tuple(plays),
        unjudged=sum(conclusion is None for conclusion in conclusions),
        seats=tuple(PlayersTally.of_players(who, [seat], plays) for seat, who in enumerate(SEATS)),
        partnerships=tuple(
            PlayersTally.of_players(who, [side, partner_of(side)], plays)
            for side, who in enumerate(SIDE_KEYS)
        ),
        costliest=tuple(costliest_first(plays)[:N_COSTLIEST]),
        chances=_chances(record, conclusions, cards, movers),
        score=score,
        score_after=_score_after(record, score),
        movers=movers,
        cards=cards,
    )


def costliest_first(plays: Iterable[ReviewedPlay]) -> list[ReviewedPlay]:
    """The plays that gave points away."""
    costly = [play for play in plays if play.given_away > 0]
    return sorted(costly, key=lambda play: -play.given_away)


def _score_after(record: Record, score: RoundScore | None) -> GameScore | None:
    """The game's score after the round; None where the score before or of it isn't known."""
    if score is None or record.score_before is None or record.bags_before is None:
        return None
    before = GameScore(record.score_before, record.bags_before)
    return add_round(record.rules, before, score)


def reviewed(
    ply: int,
    seat: int,
    card: str,
    conclusion: Conclusion,
    human: Mapping[str, float],
    cost: Hindsight,
) -> ReviewedPlay:
    played = conclusion.class_of(card)
    within = conclusion.within
    human_shares = {
        candidate.cards: sum(human[name] for name in candidate.cards)
        for candidate in conclusion.classes
    }
    loss = conclusion.loss_of(card)
    return ReviewedPlay(
        ply=ply,
        seat=seat,
        card=card,
        best=tuple(candidate.cards[0] for candidate in within),
        given_away=loss.points,
        se=played.gap_error if loss.points else 0.0,
        as_judge=played in within,
        as_human=human_shares[played.cards] >= max(human_shares.values()) - 1e-9,
        is_settled=loss.is_settled,
        hindsight=cost.loss,
        hindsight_se=cost.se,
    )


class _Estimate(NamedTuple):
    """The judge's chances of each goal after a play by ``seat``: ``played``; and ``best``: after
    the best class, where the play is faulted."""

    seat: int
    played: dict[Goal, float]
    best: dict[Goal, float]


def _chances(
    record: Record,
    conclusions: Sequence[Conclusion | None],
    cards: Sequence[str],
    movers: Sequence[int],
) -> tuple[Chance, ...]:
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


def chance_sentence(reviewed: Review, chance: Chance) -> str:
    """How a contract or nil ended, and which play of its own side cost it most."""
    goal = chance.goal
    side = SIDE_NAMES[goal.side]
    if chance.is_reached is None:
        end = "is open"
    elif not chance.is_reached:
        end = "was set"
    else:
        end = "was kept" if goal.is_nil else "was made"
    text = f"{goal.name} {end}"
    cost = chance.costliest
    if cost is None:
        return f"{text}; no play of {side} that the judge faults cost it anything."
    played = reviewed.play_text(cost.ply)
    best = next(play for play in reviewed.plays if play.ply == cost.ply).best[0]
    chances = f"{cost.played:.1%} where {pretty(best)} leaves {cost.best:.1%}"
    return f"{text}; of {side}'s plays {played} cost it most: {chances}."


def score_sentence(reviewed: Review) -> str:
    """Points and bags of the round, and the game's score after it; empty if it isn't finished."""
    score = reviewed.score
    if score is None:
        return ""
    text = f"The round: {_side_texts(score.points, score.bags, '+d')}."
    after = reviewed.score_after
    if after is None:
        return text
    return f"{text} The game: {_side_texts(after.score, after.bags, 'd')}."


def _side_texts(points: Sequence[int], bags: Sequence[int], form: str) -> str:
    texts = []
    for name, score, n in zip(SIDE_NAMES, points, bags, strict=True):
        noun = "bag" if n == 1 else "bags"
        texts.append(f"{name} {score:{form}}, {n} {noun}")
    return "; ".join(texts)


class RoundEvidence:
    """Judges all plays of a round in steps. The searches are stored as those of ``Evidence``, which
    gets ``options``. ``settings``: the judge's (``judge_settings``); their first human model is
    compared with. ``conclusions``: of the plays judged so far; ``found``: the review, once all
    plays are judged."""

    def __init__(self, record: Record, settings: AnalysisSettings, **options: float) -> None:
        self.record = record
        self.options = options
        self.settings = replace(settings, others=(), models=settings.models[:1])
        self.conclusions: list[Conclusion | None] = []
        self.found: Review | None = None
        self._bids: list[JudgedBid] = []
        self._costs: dict[int, Hindsight] = {}

    @property
    def n_done(self) -> int:
        return len(self.conclusions)

    def steps(self) -> Generator[None, None, None]:
        record = self.record
        for ply in range(self.n_done, len(record.plays)):
            self.conclusions.append((yield from self.judge(ply)))
            yield
        self._bids = []
        if record.has_bids:
            for seat in clockwise(record.dealer + 1):
                self._bids.append((yield from judge_in_steps(record, seat, **self.options)))
        for ply, conclusion in enumerate(self.conclusions):
            if conclusion is not None and conclusion.is_choice and record.has_bids:
                self._costs[ply] = yield from hindsight_in_steps(record, ply)
        self.found = self.review_by(self.conclusions)

    def review_by(self, conclusions: Sequence[Conclusion | None]) -> Review:
        """The review by conclusions on all plays, which may rest on more rounds than its own."""
        found = review(self.record, conclusions, self.human, self._costs)
        return replace(found, bids=tuple(self._bids))

    def judge(self, ply: int) -> Generator[None, None, Conclusion | None]:
        """The conclusion on one play, in steps."""
        evidence = Evidence(self.record, ply, self.settings, **self.options)  # type: ignore[arg-type]
        once = self._once(evidence)
        once.extend(1)
        yield from once.steps()
        yield from evidence.prove()
        if evidence.conclusion is None:  # it was cut short
            yield from evidence.steps()
        return evidence.conclusion

    def _once(self, evidence: Evidence) -> StoredSeries:
        """A series whose one item is stored when the budget of a decision has been spent, so that
        it is spent once for all readers."""

        def make(_: int) -> Generator[None, None, bool]:
            yield from evidence.steps()
            yield from evidence.foresee()
            return True

        question = {
            **evidence.rounds.question,
            "budget": evidence.budget,
            "threshold": evidence.threshold,
        }
        return StoredSeries("reviewed", question, make, block=1, unit="decisions")

    @cached_property
    def human(self) -> list[dict[str, float]]:
        """The human model's probability of each card, by ply."""
        record = self.record
        deck = record.rules.cards
        observations = [record.observe(state) for state in record.positions()]
        observations = observations[: len(record.plays)]
        if not observations:
            return []
        rows = load_model(self.settings.models[0]).predict_proba(observations)
        names = [name for suit in deck.suits for name in suit]
        return [dict(zip(names, row.tolist(), strict=True)) for row in rows]


def review_round(record: Record, settings: AnalysisSettings, **options: float) -> Review:
    """The review of a round; arguments as of ``RoundEvidence``."""
    work = RoundEvidence(record, settings, **options)
    last_value(work.steps())
    assert work.found is not None
    return work.found
