"""Judged bids held against rounds played: ``python -m experiments.check_bids``.

Writes ``data/tables/bids.json``:

- ``auctions``: in ``--auctions`` rounds, bid by several bidders, one seat's bid is judged as in a
  review, and its bids are then tried in ``PLAYED_DEALS`` other deals that four of ``PLAYED_BY``
  play on. ``mean_judged`` and ``mean_played``: points by which the bid made is behind the one that
  the judge puts first; ``within``: how often their difference lies within 1.96 of its own standard
  errors; ``mean_square``: of the difference in standard errors, 1 where the errors are right.
- ``pairs``: on ``--pairs`` deals, each played from both sides, one partnership bids what the
  judge's network puts first on ``TRIED_DEALS`` deals, the other as ``bis``; four of ``PAIRS_BY``
  play the cards. Points a round by which judged bids are ahead, with a 95% interval over deals.

Some two hours of a core; stopped at any moment, it goes on where it was.
"""

import argparse
import math
from functools import partial
from typing import Any

import numpy as np

from analysis.bidding.judged import BidEvidence, TriedAuctions, bids_to_judge, observation_before
from analysis.intervals import mean_interval, share_interval
from analysis.logs.simulate import SimulationPlan, play_part
from analysis.runs.command import add_workers
from analysis.runs.store import ResultStore, version_of
from analysis.runs.tasks import Task, ranges
from experiments.command import make_table, number, run_tasks
from spades.agents import parse_agent, parse_bidder
from spades.agents.compiled_search import made_auction, play_round, searcher_of
from spades.core.cards import N_SEATS, clockwise
from spades.core.deal import derive_seed, random_deal
from spades.core.documents import Document
from spades.core.observation import Observation
from spades.core.paths import DATA
from spades.core.rules import Rules, Table
from spades.core.steps import last_value

PATH = DATA / "tables" / "bids.json"
TABLES = (("srp+bis",) * 4, ("human",) * 4, ("srp+noisy:of=bis,noise=1,nil=0.1",) * 4)
"""Whose bids are judged."""
PLAYED_BY = "best:iterations=400"
PLAYED_DEALS = 150
PAIRS_BY = "best:iterations=1000"
TRIED_DEALS = 300
SEED = 20_271_130
OTHER_SEED = 1
A_TASK = 10
AGENTS = ("best", "distilled", "srp+bis", "human")


def check_auction(i: int, _: int) -> Document:
    """A bid judged, and its bids tried in other deals."""
    plan = SimulationPlan(TABLES[i % len(TABLES)], 10_000, "rounds", SEED)
    record = play_part(plan, i, i + 1).record(0)
    rng = np.random.default_rng([SEED, i])
    seat = int(rng.integers(N_SEATS))
    evidence = BidEvidence(record, seat)
    last_value(evidence.steps())
    conclusion = evidence.conclusion
    if conclusion is None or not conclusion.is_choice:
        return {}
    made = evidence.bids.index(record.bids[seat])
    name = evidence.names[made]
    judged = conclusion.class_of(name)
    best = evidence.bids[evidence.names.index(conclusion.best.cards[0])]
    observation = observation_before(record, seat)
    tried = TriedAuctions(observation, derive_seed(SEED, OTHER_SEED), PLAYED_BY)
    n = min(PLAYED_DEALS, len(tried.deals))
    gaps = np.array(
        [
            tried.points_by_search(best, deal) - tried.points_by_search(record.bids[seat], deal)
            for deal in range(n)
        ],
        dtype=float,
    )
    return {
        "kind": conclusion.kind,
        "judged": judged.behind,
        "judged_error": judged.gap_error,
        "played": float(gaps.mean()),
        "played_error": float(gaps.std(ddof=1)) / math.sqrt(n),
    }


def best_by_network(observation: Observation, seed: int) -> int:
    """The bid that the judge's network puts first."""
    usual = parse_bidder("bis").bid(observation, seed)
    bids = bids_to_judge(observation, usual)
    tried = TriedAuctions(observation, seed, n_deals=TRIED_DEALS)
    points = [[tried.points_by_network(bid, i) for bid in bids] for i in range(len(tried.deals))]
    return bids[int(np.mean(points, axis=0).argmax())]


def play_pairs(first: int, end: int) -> list[float]:
    """Points a round by which judged bids are ahead on each deal, played from both sides."""
    rules = Rules()
    searcher = searcher_of(parse_agent(PAIRS_BY).player)
    usual = parse_bidder("bis")
    found = []
    for deal in range(first, end):
        seed = derive_seed(SEED, deal, 2)
        hands = random_deal(rules.cards, seed)
        dealer = deal % N_SEATS
        points = []
        for side in (0, 1):
            table = Table(rules, dealer)
            for seat in clockwise(dealer + 1):
                seen = Observation(seat, int(hands[seat]), table, (0, 0), (0, 0))
                bid_seed = derive_seed(seed, seat)
                if seat % 2 == side:
                    table.bid(seat, best_by_network(seen, bid_seed))
                else:
                    bid = usual.bid(seen, bid_seed)
                    table.bid(seat, bid, blind=usual.bids_blind(seen))
            leader = (dealer + 1) % N_SEATS
            auction = made_auction(rules, leader, table.bids, table.blind)
            dealt = np.array([int(hand) for hand in hands], np.int64)
            lead = play_round(dealt, auction, searcher, searcher, seed)
            points.append(lead if side == 0 else -lead)
        found.append(sum(points) / 2)
    return found


def question_of(kind: str, first: int, end: int) -> Document:
    return {"kind": kind, "range": [first, end], "seed": SEED, **version_of(*AGENTS)}


def auctions_row(found: list[Document]) -> Document:
    judged, judged_errors, played, played_errors = (
        np.array([row[name] for row in found])
        for name in ("judged", "judged_error", "played", "played_error")
    )
    errors = np.hypot(judged_errors, played_errors)
    is_other = errors > 0  # not the bid that the judge puts first
    scaled = (judged - played)[is_other] / errors[is_other]
    n_within = int((np.abs(scaled) < 1.96).sum())
    low, high = mean_interval((judged - played)[is_other]) or (math.nan, math.nan)
    return {
        "auctions": len(found),
        "other_bid_first": len(scaled),
        "settled": sum(row["kind"] in ("clear", "toss-up") for row in found),
        "mean_judged": round(float(judged[is_other].mean()), 3),
        "mean_played": round(float(played[is_other].mean()), 3),
        "mean_difference_interval": [round(low, 3), round(high, 3)],
        "within": n_within,
        "within_interval": share_interval(n_within, len(scaled)),
        "mean_square": round(float((scaled**2).mean()), 3),
        "mean_judged_error": round(float(judged_errors[is_other].mean()), 3),
    }


def pairs_row(leads: list[float]) -> Document:
    low, high = mean_interval(np.array(leads)) or (math.nan, math.nan)
    return {
        "deals": len(leads),
        "points": round(float(np.mean(leads)), 3),
        "interval": [round(low, 3), round(high, 3)],
    }


def make(options: argparse.Namespace) -> Document | None:
    """The table; None where it was interrupted."""
    store = ResultStore()
    parts: list[tuple[str, Any, tuple[int, int]]] = [
        ("auction", check_auction, (i, i + 1)) for i in range(options.auctions)
    ]
    parts += [("pairs", play_pairs, part) for part in ranges(options.pairs, A_TASK)]
    tasks = [
        Task.of_store(
            (store, "check-bids", question_of(kind, *part)), check, partial(tuple, part), AGENTS
        )
        for kind, check, part in parts
    ]
    if not run_tasks(tasks, "parts", options.workers):
        return None
    found: dict[str, list] = {"auction": [], "pairs": []}
    for kind, _, part in parts:
        answer = store.get("check-bids", question_of(kind, *part))
        if kind == "pairs":
            found[kind] += answer or []
        elif answer:
            found[kind].append(answer)
    return {
        "made_by": f"python -m experiments.check_bids --pairs {options.pairs}",
        "auctions": auctions_row(found["auction"]),
        "pairs": pairs_row(found["pairs"]),
    }


if __name__ == "__main__":
    make_table(
        __doc__,
        PATH,
        make,
        number("--auctions", 200, "whose bids are judged"),
        number("--pairs", 2000, "deals, each played twice"),
        add_workers,
    )
