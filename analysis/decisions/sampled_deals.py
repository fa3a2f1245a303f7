"""The deals that a search of a decision looks at first, and each card's value there.

In the last tricks every deal is solved exactly, with open hands; where all possible deals are few,
all of them are, and what holds in every one is proven (``analysis.decisions.claims``).
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from analysis.decisions.card_values import CandidateValue, Regret, candidate_values, legal_cards
from analysis.decisions.claims import (
    TrickClaim,
    best_sentence,
    claim_sentence,
    find_claim,
    n_possible,
    tricks_left,
)
from analysis.decisions.settings import AnalysisSettings, place_of
from analysis.runs.series import StoredSeries
from spades.belief import Dealing, every_deal
from spades.core.documents import Document
from spades.core.kernel import IntArray
from spades.core.observation import Observation
from spades.core.records import Record
from spades.core.steps import last_value
from spades.search import SearchSettings
from spades.search.deals import DEAL_ITERATIONS, first_deals, values_in_deal
from spades.search.solver import MAX_SOLVED, Solver, of_tricks

DEALS_A_BLOCK = 50
MAX_DEALS = 1000


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
    make = by_deal(draw, value)
    return StoredSeries("sampled-deals", question, make, block=DEALS_A_BLOCK, unit="deals")


def is_solved(observation: Observation) -> bool:
    """Whether sampled deals of a decision are solved exactly: its last ``MAX_SOLVED`` tricks."""
    return tricks_left(observation) <= MAX_SOLVED


def by_deal(
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
