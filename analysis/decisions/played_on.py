"""Rounds played on from each class of cards of a decision, stored as series.

Round i deals the hidden cards as the judge believes them, the same for every class, and four equal
players, each shown its own hand and the table alone, play on. Those of ``PLAYER`` search, all from
the same seed; networks don't, and play so many rounds that their means are nearly free of
noise.
"""

from collections.abc import Callable, Generator, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from analysis.decisions import truth
from analysis.decisions.chances import calibrated
from analysis.decisions.estimate import Means, means_of
from analysis.decisions.judge import PLAYER
from analysis.decisions.settings import AnalysisSettings, place_of
from analysis.runs.series import StoredSeries
from analysis.runs.store import version_of
from spades.agents import parse_agent
from spades.agents.compiled_network import PlayedOnByNetwork
from spades.agents.compiled_search import PlayedOnBySearch
from spades.belief.determinizations.posterior import LEAST_EFFECTIVE
from spades.core.cards import N_SEATS, partnership_of
from spades.core.deal import derive_seed
from spades.core.equivalence import equivalent_cards
from spades.core.kernel import FloatArray, IntArray, seed_state
from spades.core.observation import Observation
from spades.core.records import Record
from spades.search import Objective
from spades.search.outcomes import Outcomes, outcome_table

ROUNDS_A_BLOCK = 20
NETWORK_ROUNDS = 1000
NETWORK_ROUNDS_AT_ONCE = 100
NETWORK_ROUNDS_A_SLICE = 20
NETWORK_ITEMS = NETWORK_ROUNDS // NETWORK_ROUNDS_AT_ONCE
MOST_ROUNDS = 2000
WEIGHED_DEALS = 10_000  # so many that few of those drawn are the same
WEIGHING = f"{WEIGHED_DEALS} deals, {LEAST_EFFECTIVE:.0%} effective"
"""How the deals are weighed: results stored under another text are of other deals."""
DEAL_STREAM = 4  # a search draws from streams 1 and 2, other rounds played on from 3
Rounds = Sequence[Sequence[list[int] | None]]
"""Tricks of the round by seat, (4,), round by round for each class; None where it was set aside."""
Choose = Callable[[Rounds], Sequence[int]]
"""The classes, as indices, that are played on after these rounds."""


def rounds_series(
    record: Record,
    ply: int,
    settings: AnalysisSettings,
    choose: Choose,
    chosen_by: str,
    *,
    keep: bool = True,
) -> StoredSeries:
    """Rounds played on from a decision by the judge's ``settings``. Before each block ``choose``
    names the classes to play; its answer depends on the rounds before, the settings and the text
    ``chosen_by`` alone."""
    seen = record.observation(ply)
    cards = [codes[0] for codes in equivalent_cards(seen)]
    table = cache(lambda: PlayedOnBySearch(seen, parse_agent(PLAYER).player))
    deals = cache(lambda: _draw(seen, settings))
    chosen: dict[int, Sequence[int]] = {}  # by block

    def make(i: int) -> Generator[None, None, list[list[int] | None]]:
        block = i // ROUNDS_A_BLOCK
        if block not in chosen:
            chosen[block] = choose(series.items[: block * ROUNDS_A_BLOCK])
        deal = deals()[i : i + 1]
        seed = derive_seed(settings.seed, DEAL_STREAM, i)
        item: list[list[int] | None] = [None] * len(cards)
        for j in chosen[block]:
            item[j] = table().tricks(deal, cards[j : j + 1], [seed])[0, 0].tolist()
            yield
        return item

    question = {
        **place_of(record, ply),
        "seed": settings.seed,
        "search": repr(settings.search),
        "dealing": repr(settings.dealing),
        "weighing": WEIGHING,
        "chosen_by": chosen_by,
        "rounds": MOST_ROUNDS,
        "agents": version_of(PLAYER),
    }
    series = StoredSeries(
        "played-on", question, make, block=ROUNDS_A_BLOCK, unit="rounds", keep=keep
    )
    return series


def _draw(seen: Observation, settings: AnalysisSettings) -> IntArray:
    determinizer = settings.dealing(seen, WEIGHED_DEALS)
    return determinizer.sample(MOST_ROUNDS, seed_state(settings.seed, DEAL_STREAM))[0]


def network_series(
    record: Record, ply: int, settings: AnalysisSettings, player: str, *, keep: bool = True
) -> StoredSeries:
    """Rounds that a network, ``player``, plays on from a decision.

    Item i adds up the points and the outcomes of ``NETWORK_ROUNDS_AT_ONCE`` rounds: ``[points (k,),
    products of points (k, k), outcomes (k, 8)]`` of k classes."""
    seen = record.observation(ply)
    cards = [codes[0] for codes in equivalent_cards(seen)]
    table = cache(lambda: PlayedOnByNetwork(seen, parse_agent(player).player))
    deals = cache(lambda: _draw(seen, settings))
    taken = tuple(seen.table.tricks_taken)
    outcomes = cache(lambda: outcome_table(seen.rules, tuple(seen.table.bids), taken))

    def make(i: int) -> Generator[None, None, list[list]]:
        first = i * NETWORK_ROUNDS_AT_ONCE
        parts = []
        for start in range(first, first + NETWORK_ROUNDS_AT_ONCE, NETWORK_ROUNDS_A_SLICE):
            numbers = range(start, start + NETWORK_ROUNDS_A_SLICE)
            seeds = [derive_seed(settings.seed, DEAL_STREAM, number) for number in numbers]
            parts.append(table().tricks(deals()[numbers.start : numbers.stop], cards, seeds))
            yield
        tricks = np.concatenate(parts)
        points = _points_of(tricks, seen, settings.search.objective)
        reached = outcomes()[truth.places_of(tricks, taken)].sum(axis=0)
        return [points.sum(axis=0).tolist(), (points.T @ points).tolist(), reached.tolist()]

    question = {
        **place_of(record, ply),
        "seed": settings.seed,
        "search": repr(settings.search),
        "dealing": repr(settings.dealing),
        "weighing": WEIGHING,
        "rounds": MOST_ROUNDS,
        "agents": version_of(player),
        "player": player,
    }
    return StoredSeries(
        "network-rounds", question, make, block=NETWORK_ITEMS, unit="hundred rounds", keep=keep
    )


def means_by_network(items: Sequence[list]) -> Means:
    """What the classes are worth by the items of a ``network_series``."""
    n = len(items) * NETWORK_ROUNDS_AT_ONCE
    points = np.sum([item[0] for item in items], axis=0) / n
    products = np.sum([item[1] for item in items], axis=0) / n
    return Means(points, (products - np.outer(points, points)) / n)


def outcomes_by_network(items: Sequence[list], seen: Observation, players: str) -> list[Outcomes]:
    """What each class leads to by the items of a ``network_series``, calibrated for ``players``."""
    n = len(items) * NETWORK_ROUNDS_AT_ONCE
    means = np.sum([item[2] for item in items], axis=0) / n
    return [Outcomes.of(row, seen) for row in calibrated(means, seen, players)]


def means_of_rounds(rounds: Rounds, seen: Observation, objective: Objective) -> Means:
    """What the classes are worth by the rounds, in the objective's points for the seat's side."""
    return means_of([_points_of(tricks, seen, objective) for tricks in _by_class(rounds)])


def _points_of(tricks: NDArray[np.int8], seen: Observation, objective: Objective) -> FloatArray:
    """What rounds' ``tricks`` (..., 4) are worth to the seat's side, in the objective's points."""
    rewards = objective.rewards(seen, objective.stakes(seen))
    sign = 1 if partnership_of(seen.seat) == 0 else -1
    return sign * rewards[tricks[..., 0], tricks[..., 1], tricks[..., 2]].astype(float)


def _by_class(rounds: Rounds) -> list[NDArray[np.int8]]:
    """The tricks by seat of each class's rounds, (n, 4) each."""
    by_class = []
    for of_class in zip(*rounds, strict=True):
        played = [tricks for tricks in of_class if tricks is not None]
        by_class.append(np.array(played, np.int8).reshape(-1, N_SEATS))
    return by_class
