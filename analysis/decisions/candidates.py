"""Compare the legal cards of a decision by many trials, stored as series.

- *Stability*: how often each card wins in independent searches (Whitehouse et al. 2013: in 6 of 15
  reported blunders the wrong card came out in fewer than 5% of 1,000 searches).
- *Sampled deals*: the determinizations that a search looks at first, and each card's value there.
- *What if*: each card in the same deals, drawn from what the seat to play has seen, and the round
  played on; differences are taken deal by deal, which removes the luck of the deal.
"""

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np

from analysis.decisions.claims import (
    TrickClaim,
    best_sentence,
    claim_sentence,
    find_claim,
    n_possible,
    tricks_left,
)
from analysis.decisions.conclusion import INTERVAL_SE
from analysis.decisions.decision import Regret
from analysis.decisions.settings import (
    AnalysisSettings,
    new_search,
    record_key,
    search_in_slices,
)
from analysis.intervals import share_interval
from analysis.runs.series import StoredSeries
from spades.agents.play import Continuation
from spades.belief import Dealing, every_deal
from spades.core.cards import cards_in
from spades.core.deal import derive_seed
from spades.core.documents import Document
from spades.core.equivalence import equivalent_cards
from spades.core.errors import SpadesError
from spades.core.kernel import FloatArray, IntArray, seed_state
from spades.core.observation import Observation
from spades.core.records import Record
from spades.core.steps import last_value
from spades.human import model_hash
from spades.search import SearchResult, SearchSettings
from spades.search.deals import DEAL_ITERATIONS, first_deals, values_in_deal
from spades.search.solver import MAX_SOLVED, Solver, of_tricks

SEARCHES_A_BLOCK = 20
DEALS_A_BLOCK = 50
TRIALS_A_BLOCK = 100
MAX_DEALS = 1000
MAX_TRIALS = 5000
TRIAL_STREAM = 3  # a search draws from streams 1 and 2
HUMAN = "devlin2016-nil"
TIE = 1e-9


def stability_series(
    record: Record, ply: int, settings: AnalysisSettings, *, keep: bool = True
) -> StoredSeries:
    """Independent searches of one decision.

    Item i is ``[code of the card chosen, visits of each legal card, value of each]``, lowest code
    first; a card without visits has 0 points. Search i has the settings' seed + i: the first is the
    one in the decision table. ``duck`` is off, so that every card gets a value."""
    settings = replace(settings, search=replace(settings.search, duck=False))
    observation = record.observation(ply)
    bias = settings.search.bias

    def make(i: int) -> Generator[None, None, list]:
        search = new_search(observation, settings, offset=i)
        result = yield from search_in_slices(search, settings.iterations)
        best, visits, values = item_of(result)
        return [best, visits, [round(value, 2) for value in values]]

    question: Document = {
        **place_of(record, ply),
        "iterations": settings.iterations,
        "seed": settings.seed,
        "search": repr(settings.search),
        "dealing": repr(settings.dealing),
        "model": model_hash(bias.model) if bias else "",
    }
    if settings.agent:
        question["agent"] = settings.agent
    return StoredSeries(
        "evidence", question, make, block=SEARCHES_A_BLOCK, unit="searches", keep=keep
    )


def item_of(result: SearchResult) -> list:
    """The item of a search in a ``stability_series``."""
    values = [row.mean_value if row.visits else 0.0 for row in result.cards]
    return [result.best.card.code, [row.visits for row in result.cards], values]


def place_of(record: Record, ply: int) -> Document:
    """The decision in a stored series' question."""
    return {"round": record_key(record), "ply": ply}


class CardStability(NamedTuple):
    """How one class of equivalent cards, ``card`` its highest, fared in ``n`` searches.

    ``wins``: searches that choose a card of it; ``interval``: Clopper and Pearson's 95% interval of
    their share; ``mean_visits``, ``least``, ``greatest``: its share of a search's visits."""

    card: str
    wins: int
    n: int
    interval: tuple[float, float]
    mean_visits: float
    least: float
    greatest: float

    @property
    def share(self) -> float:
        return self.wins / self.n


def compute_stability(items: Sequence[list], observation: Observation) -> list[CardStability]:
    """A row for every class of equivalent cards, most wins first (equal: more visits); empty
    without searches."""
    n = len(items)
    rows = []
    index = {code: i for i, code in enumerate(cards_in(observation.legal_mask))}
    for codes in equivalent_cards(observation):
        wins = sum(item[0] in codes for item in items)
        interval = share_interval(wins, n)
        if interval is None:
            continue
        own = [index[code] for code in codes]
        shares = [sum(item[1][i] for i in own) / sum(item[1]) for item in items]
        row = CardStability(
            card=observation.rules.cards.format_card(codes[0]),
            wins=wins,
            n=n,
            interval=interval,
            mean_visits=sum(shares) / n,
            least=min(shares),
            greatest=max(shares),
        )
        rows.append(row)
    return sorted(rows, key=lambda row: (-row.wins, -row.mean_visits, row.card))


def deals_series(
    record: Record, ply: int, settings: AnalysisSettings, dealing: Dealing
) -> StoredSeries:
    """The first deals of a search with these settings, and what each card is worth in them.

    Item i is ``[[four hand masks], [value of each legal card, lowest code first]]``. Values are
    points: exact where ``is_solved``, otherwise those of a search without model, skew or other
    objective. Where ``n_possible``, the items are all possible deals in random order, and each also
    holds the values by ``of_tricks``."""
    observation = record.observation(ply)
    seed = settings.seed
    objective = SearchSettings.objective
    plain = replace(settings.search, bias=None, skew=None, objective=objective)
    n_all = n_possible(observation, dealing)

    def draw() -> IntArray:
        if n_all:
            return np.random.default_rng(seed).permutation(every_deal(observation))
        determinizer = dealing(observation, MAX_DEALS)
        return first_deals(observation, MAX_DEALS, seed=seed, determinizer=determinizer)

    scorings = [observation.table] if is_solved(observation) else []
    if scorings and n_all:
        scorings.append(of_tricks(observation.table))
    solvers = [Solver(scoring) for scoring in scorings]

    def value(i: int, deal: IntArray) -> list:
        if solvers:
            solved = [list(map(float, solver.values(deal).values())) for solver in solvers]
            return [deal.tolist(), *solved]
        values = values_in_deal(observation, deal, seed=seed + i, settings=plain)
        return [deal.tolist(), [round(value, 3) for value in values]]

    question: Document = {
        **place_of(record, ply),
        "seed": seed,
        "search": repr(plain),
        "dealing": repr(dealing),
    }
    if solvers:
        question["solved"] = True
    else:
        question["iterations"] = DEAL_ITERATIONS
    if n_all:
        question["possible"] = n_all
    make = _by_deal(draw, value)
    return StoredSeries("sampled-deals", question, make, block=DEALS_A_BLOCK, unit="deals")


def is_solved(observation: Observation) -> bool:
    """Whether sampled deals of a decision are solved exactly: its last ``MAX_SOLVED`` tricks."""
    return tricks_left(observation) <= MAX_SOLVED


@dataclass(frozen=True)
class WhatIf:
    """How a decision is played on: the way of dealing, who plays all seats, the seed."""

    dealing: Dealing = field(default_factory=Dealing)
    policy: str = "srp"
    seed: int = 0


def what_if_series(record: Record, ply: int, how: WhatIf, *, keep: bool = True) -> StoredSeries:
    """Item i: points of each legal card, lowest code first, in deal i."""
    observation = record.observation(ply)
    table = Continuation(observation, how.policy)
    cards = list(cards_in(observation.legal_mask))

    def value(i: int, deal: IntArray) -> list:
        return table.values(deal, cards, derive_seed(how.seed, i))

    question = {
        **place_of(record, ply),
        "how": repr(how),
        "trials": MAX_TRIALS,
        "model": model_hash(HUMAN),
    }
    make = _by_deal(lambda: draw_deals(observation, how), value)
    return StoredSeries("what-if", question, make, block=TRIALS_A_BLOCK, unit="deals", keep=keep)


def draw_deals(observation: Observation, how: WhatIf) -> IntArray:
    """The deals of a ``what_if_series``, (``MAX_TRIALS``, 4)."""
    determinizer = how.dealing(observation, MAX_TRIALS)
    return determinizer.sample(MAX_TRIALS, seed_state(how.seed, TRIAL_STREAM))[0]


def _by_deal(
    draw: Callable[[], IntArray], value: Callable[[int, IntArray], list]
) -> Callable[[int], Generator[None, None, list]]:
    """Makes item i from deal i; the deals are drawn once, with the first item."""
    deals = cache(draw)

    def make(i: int) -> Generator[None, None, list]:
        deals()
        yield
        return value(i, deals()[i])

    return make


@dataclass(frozen=True)
class MeanPoints:
    """Mean over ``n`` deals, points for the mover's partnership; the error is nan for one deal."""

    card: str
    n: int
    mean: float
    standard_error: float

    @classmethod
    def of(cls, card: str, values: FloatArray, *, is_every: bool = False, **more: Any) -> Self:
        """``is_every``: whether no other deal is possible, so that the mean has no error."""
        n = len(values)
        if is_every:
            error = 0.0
        elif n > 1:
            error = float(values.std(ddof=1)) / math.sqrt(n)
        else:
            error = math.nan
        return cls(card, n, float(values.mean()), error, **more)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the mean."""
        margin = INTERVAL_SE * self.standard_error
        return self.mean - margin, self.mean + margin


class Difference(MeanPoints):
    """Points of a card less those of another in the same deals."""

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.interval[0] > 0 or self.interval[1] < 0


@dataclass(frozen=True)
class CandidateValue(MeanPoints):
    """A candidate card. ``best_in``: deals where no candidate is worth more; ``regret``: points
    less than the best of each deal; ``is_fixed``: whether it is worth the same in all deals. By
    other card: ``against``, its value less the other's, and ``beats``, deals where it is worth
    more."""

    best_in: int
    regret: MeanPoints
    is_fixed: bool
    against: dict[str, Difference]
    beats: dict[str, int]


def candidate_values(
    cards: Sequence[str], values: FloatArray, *, is_every: bool = False
) -> list[CandidateValue]:
    """A row a card from ``values`` (deals, cards), the highest mean first. ``is_every``: whether no
    other deal is possible. Raises ``SpadesError`` without a deal."""
    if not len(values):
        raise SpadesError("no deal was sampled yet; values need at least one")
    best = values.max(axis=1)
    by_card = dict(zip(cards, values.T, strict=True))
    rows = []
    for card, points in by_card.items():
        gaps = {other: points - theirs for other, theirs in by_card.items() if other != card}
        row = CandidateValue.of(
            card,
            points,
            is_every=is_every,
            best_in=int((points >= best - TIE).sum()),
            regret=MeanPoints.of(card, best - points, is_every=is_every),
            is_fixed=bool(np.ptp(points) <= TIE),
            against={
                other: Difference.of(card, gap, is_every=is_every) for other, gap in gaps.items()
            },
            beats={other: int((gap > TIE).sum()) for other, gap in gaps.items()},
        )
        rows.append(row)
    return sorted(rows, key=lambda row: -row.mean)


@dataclass(frozen=True)
class SolvedDeals:
    """What holds in a decision's deals that were solved exactly, with all four hands open.

    ``rows``: of cards or classes, the highest mean first. ``is_every``: whether no other deal is
    possible; ``claim``: which side then takes how many tricks in all of them."""

    observation: Observation
    rows: list[CandidateValue]
    is_every: bool
    claim: TrickClaim | None

    @property
    def n(self) -> int:
        """How many deals were solved."""
        return self.rows[0].n

    @property
    def regrets(self) -> dict[str, Regret]:
        """By card how much less than the best of each deal it is worth."""
        regrets = {}
        for row in self.rows:
            low, high = row.regret.interval
            interval = (max(0.0, low), high)
            regrets[row.card] = Regret(row.regret.mean, interval, row.n, row.best_in)
        return regrets

    def text(self, named: Callable[[str], str] = str) -> str:
        """What holds in all of them, in sentences of Markdown; ``named``: how a card is written."""
        text = best_sentence(self.rows, named, is_every=self.is_every)
        if self.claim:
            text += f" {claim_sentence(self.claim, self.observation, named)}"
        return text

    def document(self) -> Document:
        """For JSON; ``best_in_all``: cards that are best in every deal."""
        return {
            "deals": self.n,
            "every": self.is_every,
            "claim": self.claim.document(self.observation.rules.cards) if self.claim else None,
            "best_in_all": [row.card for row in self.rows if row.best_in == self.n],
            "text": self.text().replace("**", ""),
        }


def claim_of(
    observation: Observation, items: Sequence[list], dealing: Dealing
) -> TrickClaim | None:
    """The claim that the items of a ``deals_series`` prove; None if they aren't all possible
    deals."""
    if not items or len(items) != n_possible(observation, dealing):
        return None
    return find_claim(observation, np.array([item[2] for item in items]))


def solve_deals(record: Record, ply: int, settings: AnalysisSettings, n: int) -> SolvedDeals:
    """What each card costs in ``n`` solved deals, drawn as the search draws them, or in all
    possible deals where they are few (``n_possible``)."""
    observation = record.observation(ply)
    series = deals_series(record, ply, settings, settings.dealing)
    n_all = n_possible(observation, settings.dealing)
    n_deals = n_all or n
    series.extend(n_deals)
    last_value(series.steps())
    items = series.items[:n_deals]
    values = np.array([item[1] for item in items])
    is_every = n_all > 0
    rows = candidate_values(legal_cards(observation), values, is_every=is_every)
    claim = claim_of(observation, items, settings.dealing)
    return SolvedDeals(observation, rows, is_every, claim)


def differences(rows: Sequence[CandidateValue], reference: str) -> list[Difference]:
    """Points of every other card less those of ``reference``, in the order of the rows."""
    return [row.against[reference] for row in rows if row.card != reference]


def legal_cards(observation: Observation) -> list[str]:
    """Texts of the legal cards, lowest code first."""
    deck = observation.rules.cards
    return [deck.format_card(card) for card in cards_in(observation.legal_mask)]


def values_by_class(observation: Observation, values: FloatArray) -> tuple[list[str], FloatArray]:
    """The highest card of each class of equivalent cards, and the classes' mean values: (n,
    classes) from (n, cards), lowest code first."""
    classes = equivalent_cards(observation)
    legal = list(cards_in(observation.legal_mask))
    means = [values[:, [legal.index(code) for code in codes]].mean(axis=1) for codes in classes]
    deck = observation.rules.cards
    return [deck.format_card(codes[0]) for codes in classes], np.stack(means, axis=1)
