"""How much ``best`` reaches of what the true hands would bring it: its deals' share of a ceiling.

``best`` meets plain ISMCTS in single rounds on common deals, each from both sides, three times: its
search deals the hidden cards uniformly, by the belief network, and as they truly lie, with as many
iterations. The third cheats, which no agent can: the hands go to the search here and nowhere else.
Points are those that a search counts, (s_p - 10 b_p) - (s_o - 10 b_o).
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from analysis.intervals import mean_interval, ratio_interval
from analysis.runs.store import ResultStore, version_of
from analysis.runs.tasks import Task, TaskRunner, ranges
from spades.agents import Duel, parse_agent
from spades.agents.play import LEVEL, deal_and_bid
from spades.agents.players.ismcts import IsmctsPlayer
from spades.belief import UniformDeals
from spades.belief.determinize import Determinizer
from spades.belief.owners import NetworkDeals
from spades.core.cards import N_CARDS, N_SEATS, partnership_of
from spades.core.deal import derive_seed
from spades.core.documents import Document
from spades.core.kernel import FloatArray
from spades.core.observation import Observation, observe
from spades.core.rules import Rules
from spades.core.scoring import score_round
from spades.search import search
from spades.search.deals import OpenDeal

PART = "ceiling-part"
SEED = 20261126
DEALS_A_PART = 4
Deal = Callable[[Observation, list[int]], Determinizer]
WAYS: dict[str, Deal] = {
    "uniform": lambda seen, hands: UniformDeals(seen),
    "network": lambda seen, hands: NetworkDeals(seen),
    "true": lambda seen, hands: OpenDeal(np.array(hands)),
}


def ceiling(best: str, plain: str, n_deals: int, run: TaskRunner) -> Document | None:
    """Points a round that each of ``WAYS`` is ahead of plain ISMCTS, what network and truth bring
    over uniform deals, and the share; None where it was cancelled."""
    store = ResultStore()
    asked = _asked(best, plain)
    questions = []
    parts = []
    for first, end in ranges(n_deals, DEALS_A_PART):
        question = {**asked, "first": first, "end": end}
        part = Task.of_store(
            (store, PART, question),
            play_part,
            partial(tuple, (best, plain, first, end)),
            agents=(best, plain),
            size=2 * len(WAYS) * (end - first),
        )
        questions.append(question)
        parts.append(part)
    if not run.complete(parts):
        return None
    points: list[list[float]] = []
    for question in questions:
        points += store.get(PART, question) or []
    return {**asked, **shares_of(np.array(points))}


def is_current(document: Document, best: str, plain: str) -> bool:
    """Whether a document is of these agents, as they play now."""
    return _asked(best, plain).items() <= document.items()


def _asked(best: str, plain: str) -> Document:
    return {"agents": [best, plain], "seed": SEED, **version_of(best, plain)}


def shares_of(points: FloatArray) -> Document:
    """What is ``ahead`` by way, what is won over uniform deals, and the network's ``share`` of
    what the truth wins (None where that is nothing), each with an interval over deals. ``points``
    (n, 3): by deal and way."""
    over_uniform = points - points[:, :1]
    _, by_network, by_truth = over_uniform.T
    share = None
    if by_truth.sum() > 0:
        share = {
            "value": float(by_network.sum() / by_truth.sum()),
            "interval": ratio_interval(by_network, by_truth),
        }
    by_way = zip(WAYS, points.T, strict=True)
    return {
        "deals": len(points),
        "ahead": {way: _mean(ahead) for way, ahead in by_way},
        "over_uniform": {"network": _mean(by_network), "true": _mean(by_truth)},
        "share": share,
    }


def _mean(values: FloatArray) -> Document:
    return {"value": float(values.mean()), "interval": mean_interval(values)}


def play_part(best: str, plain: str, first: int, end: int) -> list[list[float]]:
    """Points a round by way of deals ``first`` to ``end`` - 1, mean of both sides."""
    duel = Duel(parse_agent(best), parse_agent(plain), Rules())

    points = []
    for i in range(first, end):
        by_way = []
        for deal in WAYS.values():
            by_side = (play(duel, 0, i, deal), play(duel, 1, i, deal))
            by_way.append(sum(by_side) / 2)
        points.append(by_way)
    return points


def play(duel: Duel, side: int, i: int, deal: Deal) -> float:
    """Points that the first agent is ahead on deal ``i``, its seats N/S (0) or E/W (1)."""
    seating = duel.seatings[side]
    seed = derive_seed(SEED, i, 0)
    state = deal_and_bid(seating, i % N_SEATS, seed, LEVEL)
    best = duel.first.player
    assert isinstance(best, IsmctsPlayer)
    for ply in range(N_CARDS):
        seen = observe(state, score_before=LEVEL.score, bags_before=LEVEL.bags)
        play_seed = derive_seed(seed, 2, ply)
        is_forced = seen.legal_mask.bit_count() == 1
        if is_forced or partnership_of(seen.seat) != side:
            player = seating.agents[seen.seat].player
            state.play(player.play(seen, play_seed))
            continue
        result = search(
            seen,
            iterations=best.iterations,
            seed=play_seed,
            settings=best.search_settings,
            determinizer=deal(seen, list(state.hands)),
        )
        state.play(result.best.card)
    table = state.table
    scored = score_round(table.rules, table.bids, table.blind, table.tricks_taken)
    assert scored is not None
    north_south, east_west = np.array(scored.points) - 10 * np.array(scored.bags)
    ahead = float(north_south - east_west)
    return ahead if side == 0 else -ahead
