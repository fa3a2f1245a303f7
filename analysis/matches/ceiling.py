"""How much ``best`` reaches of what the true hands would bring it: its deals' share of a ceiling.

``best`` meets plain ISMCTS in single rounds on common deals, each from both sides, three times: its
search deals the hidden cards uniformly, by the belief network, and as they truly lie, with as many
iterations. The third cheats, which no agent can: the hands go to the search here and nowhere else.
Points are those that a search counts, (s_p - 10 b_p) - (s_o - 10 b_o).
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.intervals import mean_interval, ratio_interval
from analysis.runs.store import Question, ResultStore, version_of
from analysis.runs.tasks import Task, TaskRunner, ranges
from spades.agents import Duel, parse_agent
from spades.agents.play import LEVEL, deal_and_bid
from spades.agents.players import IsmctsPlayer
from spades.belief import UniformDeals
from spades.belief.determinize import Determinizer
from spades.belief.owners import NetworkDeals
from spades.core.cards import N_CARDS, N_SEATS
from spades.core.deal import derive_seed
from spades.core.observation import Observation, observe
from spades.core.rules import Rules
from spades.core.scoring import score_round
from spades.search import search
from spades.search.deals import OpenDeal

PART, SEED, DEALS_A_PART = "ceiling-part", 20261126, 4
Deal = Callable[[Observation, list[int]], Determinizer]
WAYS: dict[str, Deal] = {
    "uniform": lambda seen, hands: UniformDeals(seen),
    "network": lambda seen, hands: NetworkDeals(seen),
    "true": lambda seen, hands: OpenDeal(np.array(hands)),
}


def ceiling(best: str, plain: str, n_deals: int, run: TaskRunner) -> dict[str, Any] | None:
    """Points a round that each of ``WAYS`` is ahead of plain ISMCTS, what network and truth bring
    over uniform deals, and the share; None where it was cancelled."""
    store, agents = ResultStore(), (best, plain)
    asked = _asked(*agents)

    def part(first: int, end: int, question: Question) -> Task:
        place, size = (store, PART, question), 2 * len(WAYS) * (end - first)
        return Task.of_store(place, play_part, lambda: (*agents, first, end), agents, size)

    pieces = ranges(n_deals, DEALS_A_PART)
    questions = {piece: {**asked, "first": piece[0], "end": piece[1]} for piece in pieces}
    if not run.complete([part(*piece, question) for piece, question in questions.items()]):
        return None
    rows = [row for question in questions.values() for row in store.get(PART, question) or []]
    return {**asked, **shares_of(np.array(rows))}


def is_current(document: Mapping[str, Any], best: str, plain: str) -> bool:
    """Whether a document is of these agents, as they play now."""
    return _asked(best, plain).items() <= document.items()


def _asked(best: str, plain: str) -> dict[str, Any]:
    return {"agents": [best, plain], "seed": SEED, **version_of(best, plain)}


def shares_of(points: NDArray[np.float64]) -> dict[str, Any]:
    """What is ``ahead`` by way, what is won over uniform deals, and the network's ``share`` of
    what the truth wins (None where that is nothing), each with an interval over deals. ``points``
    (n, 3): by deal and way."""
    ways, over = list(WAYS), points - points[:, :1]
    _, reached, truth = over.sum(axis=0).tolist()
    share = (
        {"value": reached / truth, "interval": ratio_interval(*over.T[1:])} if truth > 0 else None
    )
    return {
        "deals": len(points),
        "ahead": dict(zip(ways, map(_mean, points.T), strict=True)),
        "over_uniform": dict(zip(ways[1:], map(_mean, over.T[1:]), strict=True)),
        "share": share,
    }


def _mean(values: NDArray[np.float64]) -> dict[str, Any]:
    return {"value": float(values.mean()), "interval": mean_interval(values)}


def play_part(best: str, plain: str, first: int, end: int) -> list[list[float]]:
    """Points a round by way of deals ``first`` to ``end`` - 1, mean of both sides."""
    duel = Duel(parse_agent(best), parse_agent(plain), Rules())
    return [
        [sum(play(duel, side, i, deal) for side in (0, 1)) / 2 for deal in WAYS.values()]
        for i in range(first, end)
    ]


def play(duel: Duel, side: int, i: int, deal: Deal) -> float:
    """Points that the first agent is ahead on deal ``i``, its seats N/S (0) or E/W (1)."""
    seating, seed = duel.seatings[side], derive_seed(SEED, i, 0)
    state = deal_and_bid(seating, i % N_SEATS, seed, LEVEL)
    best = duel.first.player
    assert isinstance(best, IsmctsPlayer)
    for ply in range(N_CARDS):
        seen = observe(state, score_before=LEVEL.score, bags_before=LEVEL.bags)
        at = derive_seed(seed, 2, ply)
        if seen.seat % 2 != side or seen.legal_mask.bit_count() == 1:
            state.play(seating.agents[seen.seat].player.play(seen, at))
            continue
        dealt = deal(seen, list(state.hands))
        n, settings = best.iterations, best.search_settings
        found = search(seen, iterations=n, seed=at, settings=settings, determinizer=dealt)
        state.play(found.best.card)
    table = state.table
    scored = score_round(table.rules, table.bids, table.blind, table.tricks_taken)
    assert scored is not None
    worth = [points - 10 * bags for points, bags in zip(scored.points, scored.bags, strict=True)]
    return float(worth[side] - worth[1 - side])
