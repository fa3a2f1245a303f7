"""The determinizations behind a choice, deal by deal, and the candidates' values over them."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from analysis.decisions.decision import INTERVAL_SE, AnalysisSettings
from analysis.decisions.searching import record_key
from analysis.runs.jobs import StoredRun
from analysis.runs.store import ResultStore
from spades.belief import Dealing, Determinizer, PosteriorDeals
from spades.belief.dealing import POSTERIOR
from spades.core.cards import cards_in
from spades.core.errors import SpadesError
from spades.core.observation import Observation
from spades.core.records import RoundRecord
from spades.search import SearchSettings
from spades.search.deals import DEAL_ITERATIONS, first_deals, value_deals

KIND = "sampled-deals"
BLOCK = 50
MAX_DEALS = 1000
TIE = 1e-9


def deals_run(
    record: RoundRecord,
    ply: int,
    settings: AnalysisSettings,
    dealing: Dealing,
    *,
    store: ResultStore | None = None,
) -> StoredRun:
    """The deals that a search with these settings looks at first, with the candidates' values.

    Item i is ``[[four hand masks], [value of each legal card, lowest code first]]``. ``dealing``:
    the settings' own is that of the decision table. The posterior has more deals of its own here
    than in a search, lest the same ones come again. Cards are valued without what biases the search
    of the table, a model or rules of thumb.
    """
    observation = record.observation(ply)
    how = replace(settings.search, bias=None, skew=False, skew_k=SearchSettings.skew_k)
    drawn: list[NDArray[np.int64]] = []  # once, by whoever makes the first item

    def make(i: int) -> Generator[None, None, list]:
        if not drawn:
            determinizer = determinizer_for(dealing, observation, MAX_DEALS)
            drawn.append(
                first_deals(observation, MAX_DEALS, seed=settings.seed, determinizer=determinizer)
            )
            yield
        deal = drawn[0][i]
        values = next(value_deals(observation, deal[None], seed=settings.seed + i, settings=how))
        return [[int(hand) for hand in deal], [round(value, 3) for value in values]]

    question = {
        "round": record_key(record),
        "ply": ply,
        "seed": settings.seed,
        "search": repr(how),
        "dealing": repr(dealing),
        "iterations": DEAL_ITERATIONS,
    }
    return StoredRun(KIND, question, make, block=BLOCK, unit="deals", store=store)


def determinizer_for(dealing: Dealing, observation: Observation, n: int) -> Determinizer:
    """A way of dealing; the posterior with as many deals of its own as are wanted."""
    if dealing.determinization == POSTERIOR:
        return PosteriorDeals(observation, particles=n)
    return dealing(observation)


@dataclass(frozen=True)
class CandidateValue:
    """A candidate over ``n`` deals, points for the mover's partnership.

    ``best_in``: deals where no candidate is worth more. ``against``: mean of its value less the
    other's in the same deal, by card, with standard error; ``beats``: deals where it is worth more.
    """

    card: str
    n: int
    mean: float
    standard_error: float
    best_in: int
    against: dict[str, tuple[float, float]]
    beats: dict[str, int]

    @property
    def interval(self) -> tuple[float, float]:
        margin = INTERVAL_SE * self.standard_error
        return self.mean - margin, self.mean + margin


def candidate_values(cards: Sequence[str], values: NDArray[np.float64]) -> list[CandidateValue]:
    """A row a card from ``values`` (deals, cards), the highest mean first.

    Standard errors are over deals; nan for a single one. Raises
    ``SpadesError`` without a deal.
    """
    n = len(values)
    if not n:
        raise SpadesError("no deal was sampled yet; values need at least one")
    best = values.max(axis=1)
    rows = []
    for i, card in enumerate(cards):
        ahead = {other: values[:, i] - values[:, j] for j, other in enumerate(cards) if j != i}
        mean, error = mean_and_error(values[:, i])
        rows.append(
            CandidateValue(
                card=card,
                n=n,
                mean=mean,
                standard_error=error,
                best_in=int((values[:, i] >= best - TIE).sum()),
                against={other: mean_and_error(gap) for other, gap in ahead.items()},
                beats={other: int((gap > TIE).sum()) for other, gap in ahead.items()},
            )
        )
    return sorted(rows, key=lambda row: -row.mean)


def mean_and_error(values: NDArray[np.float64]) -> tuple[float, float]:
    """Mean and its standard error; nan for the error of a single value."""
    n = len(values)
    error = float(values.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    return float(values.mean()), error


def legal_cards(observation: Observation) -> list[str]:
    """Texts of the legal cards, lowest code first."""
    deck = observation.rules.cards
    return [deck.format_card(card) for card in cards_in(observation.legal_mask)]
