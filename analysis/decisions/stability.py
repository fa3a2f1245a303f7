"""Decision stability: how often each legal card wins in independent searches of one decision.

A search draws its deals and its tree at random, so that two searches of a close decision may choose
differently. Whitehouse et al. 2013 repeated the search of each reported blunder 1,000 times: in 6
of 15 reports the wrong card came out in fewer than 5 %, bad luck rather than bad play.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from analysis.decisions.decision import AnalysisSettings, new_search
from analysis.decisions.searching import record_key
from analysis.intervals import share_interval
from analysis.runs.jobs import StoredRun
from analysis.runs.store import ResultStore, model_hash
from spades.core.observation import Observation
from spades.core.records import RoundRecord
from spades.search.search import CHUNK

KIND = "stability"
BLOCK = 20
SEARCH_COUNTS = (20, 100, 300, 1000)
PUBLISHED_SEARCHES = 1000


def stability_question(
    record: RoundRecord, ply: int, settings: AnalysisSettings
) -> dict[str, object]:
    """All that the searches depend on but the code: round so far, ply, settings, model."""
    bias = settings.search.bias
    return {
        "round": record_key(record),
        "ply": ply,
        "iterations": settings.iterations,
        "seed": settings.seed,
        "search": repr(settings.search),
        "dealing": repr(settings.dealing),
        "model": model_hash(bias.model) if bias else "",
    }


def stability_run(
    record: RoundRecord, ply: int, settings: AnalysisSettings, *, store: ResultStore | None = None
) -> StoredRun:
    """Independent searches of one decision; item i is ``[card code, visits of each legal card]``.

    Search i has the settings' seed + i, so that the first is the one in the decision table. Legal
    cards come lowest code first.
    """
    observation = record.observation(ply)

    def search_once(i: int) -> Generator[None, None, list]:
        run = new_search(observation, settings, offset=i)
        while left := settings.iterations - run.iterations:
            run.run(min(left, CHUNK))
            yield
        result = run.result()
        return [result.best.card, [row.visits for row in result.cards]]

    question = stability_question(record, ply, settings)
    return StoredRun(KIND, question, search_once, block=BLOCK, unit="searches", store=store)


@dataclass(frozen=True)
class CardStability:
    """How one legal card fared in ``n`` searches.

    ``wins``: searches that choose it; ``interval``: Clopper and Pearson's of their share, at 95 %;
    ``mean_visits``: its mean share of the visits, ``least`` and ``greatest`` that share.
    """

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
    """A row for every legal card, most wins first (equal: more visits); empty without searches."""
    if not items:
        return []
    deck, legal, n = observation.rules.cards, observation.legal_mask, len(items)
    codes = [card for card in range(64) if legal >> card & 1]
    rows = []
    for i, code in enumerate(codes):
        wins = sum(card == code for card, _ in items)
        shares = [visits[i] / sum(visits) for _, visits in items]
        interval = share_interval(wins, n)
        assert interval is not None
        rows.append(
            CardStability(
                card=deck.format_card(code),
                wins=wins,
                n=n,
                interval=interval,
                mean_visits=sum(shares) / n,
                least=min(shares),
                greatest=max(shares),
            )
        )
    return sorted(rows, key=lambda row: (-row.wins, -row.mean_visits, row.card))
