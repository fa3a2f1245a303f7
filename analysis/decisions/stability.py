"""How often each card of a decision wins in independent searches, stored as a series.

Whitehouse et al. 2013: in 6 of 15 reported blunders the wrong card came out in fewer than 5% of
1,000 searches.
"""

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import NamedTuple

from analysis.decisions.settings import AnalysisSettings, new_search, place_of, search_in_slices
from analysis.intervals import share_interval
from analysis.runs.series import StoredSeries
from spades.core.cards import cards_in
from spades.core.documents import Document
from spades.core.equivalence import equivalent_cards
from spades.core.observation import Observation
from spades.core.records import Record
from spades.human import model_hash
from spades.search import SearchResult

SEARCHES_A_BLOCK = 20


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
