"""Calibrate the judge's chances on games: ``python -m experiments.fit_chances``.

Writes ``data/tables/chances.json``, which ``analysis.decisions.chances`` reads. In ``--rounds``
rounds of four simulated humans and as many of four of ``STRONG``, one decision of each phase is
drawn; the network plays the card that was played on in ``DEALS`` deals, and what came of contracts
and nils in the round is held against its shares. What the tricks taken have decided doesn't count.
Half of the rounds is fitted to; ``checks`` has the expected calibration error on the other half, by
ten bins, before and after, beside the error that chances without any fault would show with so few
decisions: ``ece_without_fault``. It falls with the root of n, and is ``NOISE`` with ``n_needed``
chances. Luck and fault add up in squares, or nearly so: ``ece_beyond_luck`` is what is left.

Some 40 minutes of a core; stopped at any moment, it goes on where it was.
"""

import argparse
import math
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from analysis.decisions import truth
from analysis.decisions.chances import (
    PATH,
    QUANTITIES,
    Calibration,
    chance_stratum,
    columns_by_quantity,
    decided_columns,
    log_odds,
)
from analysis.decisions.judge import ANY, BOTS, HUMANS, NETWORK_PLAYER
from analysis.logs.simulate import SimulationPlan, play_part
from analysis.phases import PHASES
from analysis.runs.command import add_workers
from analysis.runs.store import ResultStore, version_of
from analysis.runs.tasks import Task, ranges
from experiments.command import make_table, number, run_tasks
from spades.agents import parse_agent
from spades.agents.compiled_network import PlayedOnByNetwork
from spades.belief import Dealing
from spades.belief.determinizations.posterior import LEAST_EFFECTIVE
from spades.core.deal import derive_seed
from spades.core.documents import Document
from spades.core.equivalence import equivalent_cards
from spades.core.kernel import BoolArray, FloatArray, IntArray, seed_state
from spades.core.records import Record
from spades.search.outcomes import outcome_table

STRONG = "best:iterations=500+bis"
TABLES = {HUMANS: "human", BOTS: STRONG}
SEED = 20_271_129
AGENTS = (STRONG, "human")
ROUNDS = 4000
A_TASK = 25
DEALS = 300
WEIGHED_DEALS = 3000
BINS = 10
REPEATS = 200  # of chances without fault
NOISE = 0.03
PRIOR = 0.2  # standard deviation of an offset, and of a slope around 1
"""By the likelihood of one quarter of the rounds under what was fitted to another: of the half that
is fitted to, .05 to 1 were tried."""


def play_and_predict(players: str, first: int, end: int, agent: str, seed: int) -> list[list]:
    """For every chance of rounds of four of an agent that was open: its stratum, its quantity, the
    round, the share of the network's rounds, and whether it came true. ``players``: what the deals
    take them for; ``seed``: of all rounds, of which ``first`` to ``end`` - 1 are played."""
    plan = SimulationPlan((agent,) * 4, end, "rounds", seed)
    log = play_part(plan, first, end)
    found = []
    for i in range(end - first):
        rng = np.random.default_rng(derive_seed(seed, first + i))
        for phase in PHASES:
            for chance in chances_at(log.record(i), phase, players, rng):
                found.append([*chance[:2], first + i, *chance[2:]])
    return found


def chances_at(
    record: Record, phase: str, players: str, rng: np.random.Generator
) -> Iterator[tuple[str, str, float, bool]]:
    """The open chances at one ply of a phase."""
    ply = int(rng.choice(truth.plies_of(phase)))
    seen = record.observation(ply)
    if len(equivalent_cards(seen)) < 2:
        return
    tricks = np.array(record.at(len(record.plays)).table.tricks_taken, np.int8)
    taken = tuple(seen.table.tricks_taken)
    outcomes = outcome_table(seen.rules, tuple(seen.table.bids), taken)
    seed = seed_state(int(rng.integers(2**31)))
    deals = Dealing.of("posterior", players=players)(seen, WEIGHED_DEALS).sample(DEALS, seed)[0]
    network = PlayedOnByNetwork(seen, parse_agent(NETWORK_PLAYER).player)
    played = network.tricks(deals, [record.plays[ply].code], range(DEALS))[:, 0]
    shares = outcomes[truth.places_of(played, taken)].mean(axis=0)
    came_true = outcomes[truth.places_of(tricks, taken)]
    is_open = ~decided_columns(seen)
    for quantity, columns in columns_by_quantity(seen).items():
        for column in columns:
            if is_open[column]:
                stratum = chance_stratum(seen, players)
                yield stratum, quantity, float(shares[column]), bool(came_true[column])


class Chances(NamedTuple):
    """n chances: the ``shares`` of the network's rounds, whether each ``came_true``, and whether it
    is of the half that is fitted to."""

    shares: FloatArray
    came_true: BoolArray
    is_fitted: BoolArray

    @classmethod
    def of(cls, rows: list[list]) -> "Chances":
        rounds, shares, came_true = (np.array(column) for column in zip(*rows, strict=True))
        return cls(shares.astype(float), came_true.astype(bool), rounds % 2 == 0)

    def half(self, *, fitted: bool) -> "Chances":
        kept = self.is_fitted == fitted
        return Chances(*(column[kept] for column in self))


def fit(chances: Chances) -> Calibration:
    """The likeliest line, under a normal prior around leaving chances as they are."""
    odds = log_odds(chances.shares)
    sign = np.where(chances.came_true, 1.0, -1.0)

    def surprise(line: FloatArray) -> float:
        offset, slope = line
        loss = np.logaddexp(0, -sign * (offset + slope * odds)).sum()
        return float(loss + (offset**2 + (slope - 1) ** 2) / (2 * PRIOR**2))

    found = minimize(surprise, np.array([0.0, 1.0]), method="L-BFGS-B").x
    return Calibration(round(float(found[0]), 3), round(float(found[1]), 3))


def calibration_error(p: FloatArray, came_true: BoolArray) -> float:
    """Expected calibration error: the mean distance of a bin's share from its mean chance."""
    off = np.bincount(places_in_bins(p), came_true - p, BINS)
    return float(np.abs(off).sum() / len(p))


def places_in_bins(p: FloatArray) -> IntArray:
    """The bin of each chance, (n,)."""
    return np.minimum((p * BINS).astype(int), BINS - 1)


def check(calibration: Calibration, chances: Chances) -> Document:
    """How far chances are off, and how far they would be without fault."""
    p = calibration.of(chances.shares)
    rng = np.random.default_rng(SEED)
    drawn = [calibration_error(p, rng.random(len(p)) < p) for _ in range(REPEATS)]
    ece = round(calibration_error(p, chances.came_true), 4)
    without_fault = round(float(np.mean(drawn)), 4)
    return {
        "n": len(p),
        "came_true": round(float(chances.came_true.mean()), 4),
        "mean_before": round(float(chances.shares.mean()), 4),
        "mean": round(float(p.mean()), 4),
        "ece_before": round(calibration_error(chances.shares, chances.came_true), 4),
        "ece": ece,
        "ece_without_fault": without_fault,
        "ece_beyond_luck": round(beyond_luck(ece, without_fault), 4),
        "n_needed": n_needed(len(p), without_fault),
    }


def beyond_luck(ece: float, without_fault: float) -> float:
    """What is left of a calibration error without the part that luck has in it."""
    return math.sqrt(max(0.0, ece**2 - without_fault**2))


def n_needed(n: int, without_fault: float) -> int:
    """How many chances bring the error of luck, ``without_fault`` with n of them, to ``NOISE``."""
    return math.ceil(n * (without_fault / NOISE) ** 2)


def question_of(players: str, first: int, end: int, seed: int, *agents: str) -> Document:
    """What is stored of rounds ``first`` to ``end`` - 1, played by ``agents``."""
    return {
        "players": players,
        "rounds": [first, end],
        "deals": [DEALS, WEIGHED_DEALS, LEAST_EFFECTIVE],
        "seed": seed,
        **version_of(*agents, NETWORK_PLAYER),
    }


def make(options: argparse.Namespace) -> Document | None:
    """The fitted table; None where it was interrupted."""
    store = ResultStore()
    parts = [
        (players, first, end) for players in TABLES for first, end in ranges(options.rounds, A_TASK)
    ]
    tasks = [
        Task.of_store(
            (store, "chances", question_of(*part, SEED, *AGENTS)),
            play_and_predict,
            partial(tuple, (*part, TABLES[part[0]], SEED)),
            (*AGENTS, NETWORK_PLAYER),
        )
        for part in parts
    ]
    if not run_tasks(tasks, f"parts of {A_TASK} rounds", options.workers):
        return None
    rows: dict[tuple[str, str], list[list]] = defaultdict(list)
    for players, first, end in parts:
        found = store.get("chances", question_of(players, first, end, SEED, *AGENTS)) or []
        for stratum, quantity, *row in found:
            rows[stratum, quantity].append(row)
            of_any = stratum.replace(players, ANY, 1)
            rows[of_any, quantity].append(row)
    strata: dict[str, Document] = defaultdict(dict)
    checks = []
    for (stratum, quantity), own in sorted(rows.items(), key=lambda item: item[0]):
        chances = Chances.of(own)
        calibration = fit(chances.half(fitted=True))
        strata[stratum][quantity] = calibration._asdict()
        checks.append(
            {
                "stratum": stratum,
                "quantity": quantity,
                **check(calibration, chances.half(fitted=False)),
            }
        )
    for rows_of_stratum in strata.values():
        for quantity in QUANTITIES:
            rows_of_stratum.setdefault(quantity, Calibration(0.0, 1.0)._asdict())
    return {
        "made_by": f"python -m experiments.fit_chances --rounds {options.rounds}",
        "players": TABLES,
        "network": NETWORK_PLAYER,
        "strata": strata,
        "checks": checks,
    }


if __name__ == "__main__":
    make_table(
        __doc__, PATH, make, number("--rounds", ROUNDS, "of each kind of players"), add_workers
    )
