"""Whether clear conclusions hold: ``python -m experiments.measure_judge``.

Decisions of fresh rounds, simulated for this alone, at which a nil is alive and there is a choice
between classes of cards: one a round, at random, half from rounds of strong searches, half from
rounds of simulated humans. Each is judged as everywhere, within the budget of the pages, and by
``REFERENCE_SEARCHES`` searches of the judge with ``TIMES`` its iterations, whose best class by mean
value is compared with the conclusion's. Prints shares with Clopper and Pearson's intervals; about
eight seconds of one core a decision.
"""

import argparse
import math
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from analysis.decisions.candidates import item_of, values_by_class
from analysis.decisions.conclusion import CLEAR, LEANS
from analysis.decisions.evidence import decide
from analysis.decisions.judge import judge_settings
from analysis.decisions.lenses import Scene
from analysis.decisions.settings import AnalysisSettings, new_search
from analysis.intervals import share_interval
from analysis.logs.simulate import play_part
from analysis.runs.command import say
from experiments.command import four_of
from spades.core.cards import N_SEATS
from spades.core.equivalence import equivalent_cards
from spades.core.observation import Observation
from spades.core.records import Record

STRONG = "best:iterations=1000+bis"
HUMANS = "human"
SEED = 27_411
REFERENCE_SEED = 1_000_000
REFERENCE_SEARCHES = 8
TIMES = 50
ROUNDS_A_PART = 10
APART = 2.0  # standard errors
OVERTURNED = 1.0  # points


class JudgedDecision(NamedTuple):
    """A decision: the ``kind`` of its conclusion, empty where the time was too short; whether the
    reference has the same best class; how many points the conclusion's best class is ``behind``
    there, with standard error."""

    kind: str = ""
    is_same: bool = False
    behind: float = math.nan
    error: float = math.nan

    @property
    def is_overturned(self) -> bool:
        return self.behind > OVERTURNED and self.behind > APART * self.error


def draw_decisions(agent: str, n: int, seed: int) -> Iterator[tuple[Record, int]]:
    """``n`` decisions, at most one of each round of four such agents."""
    rng = random.Random(seed)
    first = 0
    plan = four_of(agent, 1_000_000, "rounds", seed)
    while n:
        log = play_part(plan, first, first + ROUNDS_A_PART)
        first += ROUNDS_A_PART
        for i in range(len(log)):
            record = log.record(i)
            all_plies = range(len(record.plays))
            plies = [ply for ply in all_plies if is_asked(record.observation(ply))]
            if plies and n:
                n -= 1
                yield record, rng.choice(plies)


def is_asked(seen: Observation) -> bool:
    """Whether there is a choice between classes while a nil can still be lost."""
    is_nil_alive = any(map(Scene(seen).nil_alive, range(N_SEATS)))
    return is_nil_alive and len(equivalent_cards(seen)) > 1


def judged(record: Record, ply: int) -> JudgedDecision:
    """Judge a decision as the pages do, and compare it with the reference."""
    settings = judge_settings(AnalysisSettings())
    conclusion = decide(record, ply, settings)
    seen = record.observation(ply)
    longer = replace(
        settings,
        seed=REFERENCE_SEED,
        iterations=TIMES * settings.iterations,
        search=replace(settings.search, duck=False),  # all cards are to have values
    )
    items = []
    for i in range(REFERENCE_SEARCHES):
        search = new_search(seen, longer, offset=i)
        search.run(longer.iterations)
        items.append(item_of(search.result(), seen, i))
    visits = np.array([item[1] for item in items], dtype=float)
    points = np.array([item[2] for item in items]) * visits
    names, by_class = values_by_class(seen, points)
    _, n_visits = values_by_class(seen, visits)
    values = by_class / np.maximum(n_visits, 1e-9)
    if conclusion is None:
        return JudgedDecision()
    best_cards = conclusion.best.cards
    own = next(i for i, card in enumerate(names) if card in best_cards)
    best = int(values.mean(axis=0).argmax())
    gaps = values[:, best] - values[:, own]
    error = float(gaps.std(ddof=1)) / math.sqrt(len(gaps))
    return JudgedDecision(conclusion.kind, best == own, float(gaps.mean()), error)


def share_text(name: str, n_of: int, n: int) -> str:
    """``name: 45 of 50, 90.0% (95%: 78.2% to 96.7%)``."""
    interval = share_interval(n_of, n)
    if interval is None:
        return f"{name}: none of 0"
    low, high = interval
    return f"{name}: {n_of} of {n}, {n_of / n:.1%} (95%: {low:.1%} to {high:.1%})"


def report(name: str, decisions: list[JudgedDecision]) -> list[str]:
    known = [decision for decision in decisions if decision.kind]
    n = len(known)
    clear = [decision for decision in known if decision.kind == CLEAR]
    n_leans = sum(decision.kind == LEANS for decision in known)
    n_same = sum(decision.is_same for decision in known)
    n_clear_same = sum(decision.is_same for decision in clear)
    n_overturned = sum(decision.is_overturned for decision in clear)
    n_all = len(decisions)
    return [
        f"{name}, {n_all} decisions, {n_all - n} of them not judged in time",
        share_text("  clear", len(clear), n),
        share_text("  leans", n_leans, n),
        share_text("  clear, and the same class is best", n_clear_same, len(clear)),
        share_text("  clear, but overturned", n_overturned, len(clear)),
        share_text("  all: the same class first", n_same, n),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--n", type=int, default=100, help="decisions, half of each kind of round")
    options = parser.parse_args()
    everything = []
    for name, agent, seed in (("strong", STRONG, SEED), ("humans", HUMANS, SEED + 1)):
        decisions = []
        for record, ply in draw_decisions(agent, options.n // 2, seed):
            decisions.append(judged(record, ply))
            if len(decisions) % 10 == 0:
                say("\n".join(report(name, decisions)))
        everything += decisions
        say("\n".join(report(name, decisions)))
    say("\n".join(report("both", everything)))


if __name__ == "__main__":
    main()
