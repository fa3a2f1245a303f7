"""Judged bids held against rounds played: ``python -m experiments.check_bids``.

In ``--auctions`` rounds, bid by several bidders, one seat's bid is judged. Writes
``data/tables/bids.json``, which ``analysis.decisions.trust`` reads too:

- ``trust``: how far the judge trusts its network, fitted to every other auction: the likeliest one,
  given what the network says of all deals, ``FIT_DEALS`` searched ones, and ``PLAYED_DEALS`` other
  deals in which four of ``PLAYED_BY`` play on from every bid, under wide priors.
- ``auctions``: of the others, each judged as in a review; the bid made and the one that the judge
  puts first are then tried in ``PLAYED_DEALS`` other deals that four of ``PLAYED_BY`` play on.
  ``mean_judged`` and ``mean_played``: points by which the bid made is behind the first one;
  ``within``: how often their difference lies within 1.96 of its own standard errors;
  ``mean_square``: of the difference in standard errors, 1 where the errors are right; ``slope``:
  what is realised for a point claimed, ``explained``: the share of the realised losses' spread
  beyond their noise, as of cards (``experiments.compare_judges``).
- ``searched_alone``: the same where the searched deals alone tell which bid is first, by how much.
- ``pairs``: on ``--pairs`` deals, each played from both sides, one partnership bids what the
  judge's network puts first on ``TRIED_DEALS`` deals, the other as ``bis``; four of ``PAIRS_BY``
  play the cards. Points a round by which judged bids are ahead, with a 95% interval over deals.

Some three hours of a core with 2,000 pairs; stopped at any moment, it goes on where it was.
"""

import argparse
import math
from collections.abc import Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from analysis.bidding.judged import BidEvidence, TriedAuctions, bids_to_judge, observation_before
from analysis.decisions.conclusion import CLEAR, NETWORK, TOSS_UP
from analysis.decisions.estimate import Estimate, Means, Trust
from analysis.decisions.trust import BIDS_PATH
from analysis.intervals import mean_interval, share_interval
from analysis.logs.simulate import SimulationPlan, play_part
from analysis.runs.command import add_workers
from analysis.runs.store import ResultStore, version_of
from analysis.runs.tasks import Task, ranges
from experiments.command import make_table, number, run_tasks
from experiments.compare_judges import Pair, slope_and_explained, slope_interval
from experiments.fit_judge import LOG_DRIFT, LOG_SPREAD, surprise_of
from spades.agents import parse_agent, parse_bidder
from spades.agents.compiled_search import made_auction, play_round, searcher_of
from spades.core.cards import N_SEATS, clockwise
from spades.core.deal import derive_seed, random_deal
from spades.core.documents import Document
from spades.core.kernel import FloatArray
from spades.core.observation import Observation
from spades.core.records import Record
from spades.core.rules import Rules, Table
from spades.core.steps import last_value

TABLES = (("srp+bis",) * 4, ("human",) * 4, ("srp+noisy:of=bis,noise=1,nil=0.1",) * 4)
"""Whose bids are judged."""
PLAYED_BY = "best:iterations=400"
PLAYED_DEALS = 150
FIT_DEALS = 100
WEIGHT = (1.0, 0.3)  # a wide prior, normal
PAIRS_BY = "best:iterations=1000"
TRIED_DEALS = 300
SEED = 20_271_130
OTHER_SEED = 1
A_TASK = 10
AGENTS = ("best", "distilled", "srp+bis", "human")
KIND = "check-bids"
NO_TRUST = Trust({NETWORK: 0.0}, spread=0.0, drift=0.0)


class Case(NamedTuple):
    """An auction to fit to, with n bids: what the network makes of them, ``guess`` (n,); ``means``
    of searched deals; the ``true`` ones, of other deals played on."""

    guess: FloatArray
    means: Means
    true: Means


def auction_of(i: int) -> tuple[Record, int]:
    """A round, and the seat whose bid is judged."""
    plan = SimulationPlan(TABLES[i % len(TABLES)], 10_000, "rounds", SEED)
    rng = np.random.default_rng([SEED, i])
    return play_part(plan, i, i + 1).record(0), int(rng.integers(N_SEATS))


class OtherDeals:
    """Bids of a seat tried in other deals than those that the judge looks at."""

    def __init__(self, record: Record, seat: int) -> None:
        observation = observation_before(record, seat)
        tried = TriedAuctions(observation, derive_seed(SEED, OTHER_SEED), PLAYED_BY)
        self._tried = tried
        self._n = min(PLAYED_DEALS, len(tried.deals))
        self.points = cache(self._points)

    def _points(self, bid: int) -> FloatArray:
        """Points after a bid, deal by deal."""
        return np.array([self._tried.points_by_search(bid, i) for i in range(self._n)], float)

    def lead(self, bid: int, other: int) -> tuple[float, float]:
        """Points by which a bid is ahead of another, and the standard error."""
        gaps = self.points(bid) - self.points(other)
        return float(gaps.mean()), float(gaps.std(ddof=1)) / math.sqrt(len(gaps))

    def means(self, bids: Sequence[int]) -> Means:
        """What the bids are worth."""
        points = np.array([self.points(bid) for bid in bids])
        return Means(points.mean(axis=1), np.atleast_2d(np.cov(points)) / points.shape[1])


def evidence_on(i: int) -> Document:
    """What the judge knows of the bids of an auction, and what they are worth in other deals."""
    record, seat = auction_of(i)
    evidence = BidEvidence(record, seat, trust=NO_TRUST)
    last_value(evidence.ask_network())
    evidence.series.extend(FIT_DEALS)
    last_value(evidence.series.steps())
    guess, means = evidence.means(FIT_DEALS)
    true = OtherDeals(record, seat).means(evidence.bids)
    return {
        "guess": guess.tolist(),
        "means": [part.tolist() for part in means],
        "true": [part.tolist() for part in true],
    }


def case_of(found: Document) -> Case:
    guess, means, true = (found[name] for name in Case._fields)
    return Case(np.array(guess), Means(*map(np.array, means)), Means(*map(np.array, true)))


def fit(cases: Sequence[Case]) -> Trust:
    """The likeliest trust in the network."""
    found = minimize(_surprise, (WEIGHT[0], LOG_SPREAD[0], LOG_DRIFT[0]), args=(cases,))
    weight, log_spread, log_drift = found.x.tolist()
    return Trust(
        {NETWORK: round(weight, 3)},
        spread=round(math.exp(log_spread), 3),
        drift=round(math.exp(log_drift), 3),
    )


def _surprise(vector: FloatArray, cases: Sequence[Case]) -> float:
    """The negative logarithm of the likelihood and prior, but for a constant."""
    weight, log_spread, log_drift = vector
    spread = math.exp(log_spread)
    drift = math.exp(log_drift)
    total = 0.0
    for case in cases:
        total += surprise_of(weight * case.guess, spread, drift, case.means, case.true)
    for value, (mean, deviation) in zip(vector, (WEIGHT, LOG_SPREAD, LOG_DRIFT), strict=True):
        total += (value - mean) ** 2 / (2 * deviation**2)
    return total


def check_auction(i: int, trust: Document) -> Document:
    """A bid judged, and what it gives away in other deals; ``trust``: the judge's."""
    record, seat = auction_of(i)
    evidence = BidEvidence(record, seat, trust=Trust(**trust))
    last_value(evidence.steps())
    conclusion = evidence.conclusion
    if conclusion is None or not conclusion.is_choice:
        return {}
    others = OtherDeals(record, seat)
    bid = record.bids[seat]
    made = evidence.bids.index(bid)
    judged = conclusion.class_of(evidence.names[made])
    first = evidence.names.index(conclusion.best.cards[0])
    alone = Estimate(*evidence.means(evidence.n_deals)[1])
    return {
        "kind": conclusion.kind,
        "judge": [judged.behind, judged.gap_error, *others.lead(evidence.bids[first], bid)],
        "alone": [*alone.lead(alone.best, made), *others.lead(evidence.bids[alone.best], bid)],
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


def question_of(kind: str, first: int, end: int, **more: Document) -> Document:
    return {"kind": kind, "range": [first, end], "seed": SEED, **more, **version_of(*AGENTS)}


def losses_row(found: Sequence[Sequence[float]]) -> Document:
    """How far losses are right: ``found``, a loss judged, its standard error, the loss played and
    its standard error, by auction."""
    losses = np.array(found, float).reshape(-1, 4)
    is_other = losses[:, 1] > 0  # not the bid that the judge puts first
    judged, judged_errors, played, played_errors = losses[is_other].T
    scaled = (judged - played) / np.hypot(judged_errors, played_errors)
    n_within = int((np.abs(scaled) < 1.96).sum())
    difference = mean_interval(judged - played) or (math.nan, math.nan)
    pairs = [Pair(*pair) for pair in zip(judged, played, played_errors, strict=True)]
    slope, explained = slope_and_explained(pairs)
    return {
        "other_bid_first": len(scaled),
        "mean_judged": round(float(judged.mean()), 3),
        "mean_played": round(float(played.mean()), 3),
        "mean_difference_interval": [round(end, 3) for end in difference],
        "within": n_within,
        "within_interval": share_interval(n_within, len(scaled)),
        "mean_square": round(float((scaled**2).mean()), 3),
        "mean_judged_error": round(float(judged_errors.mean()), 3),
        "slope": round(slope, 3),
        "slope_interval": [round(end, 3) for end in slope_interval([[pair] for pair in pairs])],
        "explained": round(explained, 3),
    }


def pairs_row(leads: list[float]) -> Document:
    low, high = mean_interval(np.array(leads)) or (math.nan, math.nan)
    return {
        "deals": len(leads),
        "points": round(float(np.mean(leads)), 3),
        "interval": [round(low, 3), round(high, 3)],
    }


def fitted(store: ResultStore, auctions: Sequence[int], workers: int | None) -> Trust | None:
    """The trust that is fitted to the auctions; None where it was interrupted."""
    questions = {i: question_of("fit", i, i + 1) for i in auctions}
    tasks = [
        Task.of_store((store, KIND, question), evidence_on, partial(tuple, (i,)), AGENTS)
        for i, question in questions.items()
    ]
    if not run_tasks(tasks, "auctions to fit to", workers):
        return None
    return fit([case_of(store.get(KIND, question) or {}) for question in questions.values()])


def make(options: argparse.Namespace) -> Document | None:
    """The table; None where it was interrupted."""
    store = ResultStore()
    trust = fitted(store, range(0, options.auctions, 2), options.workers)
    if trust is None:
        return None
    auctions = {
        i: question_of("check", i, i + 1, trust=vars(trust)) for i in range(1, options.auctions, 2)
    }
    tasks = [
        Task.of_store(
            (store, KIND, question), check_auction, partial(tuple, (i, vars(trust))), AGENTS
        )
        for i, question in auctions.items()
    ]
    pairs = {part: question_of("pairs", *part) for part in ranges(options.pairs, A_TASK)}
    tasks += [
        Task.of_store((store, KIND, question), play_pairs, partial(tuple, part), AGENTS)
        for part, question in pairs.items()
    ]
    if not run_tasks(tasks, "parts", options.workers):
        return None
    judged = list(filter(None, (store.get(KIND, question) for question in auctions.values())))
    leads = [lead for question in pairs.values() for lead in store.get(KIND, question) or []]
    return {
        "made_by": (
            f"python -m experiments.check_bids --auctions {options.auctions} "
            f"--pairs {options.pairs}"
        ),
        "trust": vars(trust),
        "auctions": {
            "auctions": len(judged),
            "settled": sum(row["kind"] in (CLEAR, TOSS_UP) for row in judged),
            **losses_row([row["judge"] for row in judged]),
        },
        "searched_alone": losses_row([row["alone"] for row in judged]),
        "pairs": pairs_row(leads),
    }


if __name__ == "__main__":
    make_table(
        __doc__,
        BIDS_PATH,
        make,
        number("--auctions", 200, "half to fit to, half to report on"),
        number("--pairs", 2000, "deals, each played twice"),
        add_workers,
    )
