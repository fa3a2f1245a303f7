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
from analysis.decisions.conclusion import CLEAR, LEANS, Conclusion
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


class Judged(NamedTuple):
    """A decision: what was concluded, None where the time was too short; whether the reference
    names the same best class; how far the conclusion's is behind there, points, with its error."""

    conclusion: Conclusion | None
    is_same: bool
    behind: float
    error: float

    @property
    def is_overturned(self) -> bool:
        return self.behind > OVERTURNED and self.behind > APART * self.error


def decisions(agent: str, n: int, seed: int) -> Iterator[tuple[Record, int]]:
    """So many decisions, one a round of four such agents that has any."""
    rng = random.Random(seed)
    first = 0
    plan = four_of(agent, 1_000_000, "rounds", seed)
    while n:
        log = play_part(plan, first, first + ROUNDS_A_PART)
        first += ROUNDS_A_PART
        for i in range(len(log)):
            record = log.record(i)
            plies = [ply for ply in range(len(record.plays)) if is_asked(record.observation(ply))]
            if plies and n:
                n -= 1
                yield record, rng.choice(plies)


def is_asked(seen: Observation) -> bool:
    """Whether there is a choice between classes while a nil can still be lost."""
    scene = Scene(seen)
    return any(map(scene.nil_alive, range(N_SEATS))) and len(equivalent_cards(seen)) > 1


def judged(record: Record, ply: int) -> Judged:
    """Judge a decision as the pages do, and compare it with the reference."""
    settings = judge_settings(AnalysisSettings())
    found = decide(record, ply, settings)
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
    if found is None:
        return Judged(None, False, math.nan, math.nan)
    own = names.index(next(card for card in names if card in found.best.cards))
    best = int(values.mean(axis=0).argmax())
    gaps = values[:, best] - values[:, own]
    error = float(gaps.std(ddof=1)) / math.sqrt(len(gaps))
    return Judged(found, best == own, float(gaps.mean()), error)


def share_text(name: str, n_of: int, n: int) -> str:
    """``name: 45 of 50, 90.0% (95%: 78.2% to 96.7%)``."""
    interval = share_interval(n_of, n)
    if interval is None:
        return f"{name}: none of 0"
    low, high = interval
    return f"{name}: {n_of} of {n}, {n_of / n:.1%} (95%: {low:.1%} to {high:.1%})"


def report(name: str, found: list[Judged]) -> list[str]:
    known = [one for one in found if one.conclusion is not None]
    clear = [one for one in known if one.conclusion and one.conclusion.kind == CLEAR]
    leans = [one for one in known if one.conclusion and one.conclusion.kind == LEANS]
    same = sum(one.is_same for one in clear)
    overturned = sum(one.is_overturned for one in clear)
    return [
        f"{name}, {len(found)} decisions, {len(found) - len(known)} of them not judged in time",
        share_text("  clear", len(clear), len(known)),
        share_text("  leans", len(leans), len(known)),
        share_text("  clear, and the same class is best", same, len(clear)),
        share_text("  clear, but overturned", overturned, len(clear)),
        share_text("  all: the same class first", sum(one.is_same for one in known), len(known)),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--n", type=int, default=100, help="decisions, half of each kind of round")
    options = parser.parse_args()
    everything = []
    for name, agent, seed in (("strong", STRONG, SEED), ("humans", HUMANS, SEED + 1)):
        found = []
        for record, ply in decisions(agent, options.n // 2, seed):
            found.append(judged(record, ply))
            if len(found) % 10 == 0:
                say("\n".join(report(name, found)))
        everything += found
        say("\n".join(report(name, found)))
    say("\n".join(report("both", everything)))


if __name__ == "__main__":
    main()
