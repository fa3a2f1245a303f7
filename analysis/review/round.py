"""The review of a round: what each seat gave away, and how contracts and nils were decided.

Plays and bids are judged alike (``analysis.bidding.judged``); tallies are of plays alone.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from analysis.bidding.judged import JudgedBid, judge_in_steps
from analysis.decisions.conclusion import Conclusion
from analysis.decisions.evidence import Evidence
from analysis.decisions.hindsight import UNKNOWN, Hindsight, hindsight_in_steps
from analysis.decisions.judge import PLAYER
from analysis.decisions.settings import AnalysisSettings
from analysis.records import documents_of
from analysis.review.chances import Chance, chances_of
from analysis.review.plays import (
    SIDE_KEYS,
    PlayersTally,
    ReviewedPlay,
    costliest_first,
    reviewed,
)
from analysis.runs.series import StoredSeries
from analysis.text_tables import counted
from spades.core.cards import N_SEATS, SEATS, SIDE_NAMES, clockwise, partner_of, seat_name
from spades.core.documents import Document
from spades.core.records import Record
from spades.core.scoring import GameScore, RoundScore, add_round
from spades.core.steps import last_value
from spades.human import load_model
from spades.look.words import pretty

N_COSTLIEST = 5


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
        chances=chances_of(record, conclusions, cards, movers),
        score=score,
        score_after=_score_after(record, score),
        movers=movers,
        cards=cards,
    )


def _score_after(record: Record, score: RoundScore | None) -> GameScore | None:
    """The game's score after the round; None where the score before or of it isn't known."""
    if score is None or record.score_before is None or record.bags_before is None:
        return None
    before = GameScore(record.score_before, record.bags_before)
    return add_round(record.rules, before, score)


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
        texts.append(f"{name} {score:{form}}, {counted(n, 'bag')}")
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
