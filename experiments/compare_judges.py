"""Judges of decisions compared on the truth set: ``python -m experiments.compare_judges``.

Each judge values the cards of every decision within ``SECONDS`` of one core; its leads are compared
with those of the rounds played out (``analysis.decisions.truth``). Prints a table a half. About
half a minute of one core a decision; what is valued is stored, so that a stopped command goes on
where it was.

- *slope*: realised over claimed lead, of the judge's best class over each other class that was
  played out, weighted by the inverse variance of the realised lead: 1 where leads are right.
- *explained*: the share of the realised leads' spread beyond their noise that the claimed ones,
  scaled by the slope, account for.
- *overturned*: decisions where another class is better than the judge's best by over a point and by
  two standard errors, of all, and of those that the judge calls clear.
"""

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from time import thread_time

import numpy as np

from analysis.decisions import truth
from analysis.decisions.candidates import OUTCOME_SEARCHES, item_of, values_by_class
from analysis.decisions.conclusion import CLEAR, THRESHOLD, compare, kind_of, values_by_search
from analysis.decisions.settings import new_search, settings_of_agent
from analysis.decisions.truth import TruthDecision
from analysis.intervals import share_interval
from analysis.runs.command import add_workers, interruptible, say
from analysis.runs.store import ResultStore, version_of
from analysis.runs.tasks import Task, TaskRunner
from spades.agents import parse_agent
from spades.agents.compiled_search import PlayedOn
from spades.agents.play import Continuation
from spades.belief import Dealing
from spades.core.deal import derive_seed
from spades.core.documents import Document
from spades.core.equivalence import equivalent_cards
from spades.core.kernel import FloatArray, IntArray, seed_state
from spades.core.observation import Observation
from spades.notation.schema import record_of, row_of
from spades.search.solver import MAX_SOLVED, Solver

SECONDS = 4.0  # of one core: two seconds of two
MOST = 4000  # searches or deals
SEED = 31
Samples = Iterator[FloatArray]
"""Values of the classes, search by search or deal by deal."""


def searches(agent: str, seen: Observation, seed: int = SEED) -> Samples:
    """The class values of searches that visited every class; all cards are to have values."""
    settings = settings_of_agent(agent)
    settings = replace(settings, search=replace(settings.search, duck=False))
    classes = equivalent_cards(seen)
    for i in count():
        search = new_search(seen, settings, offset=derive_seed(seed, i))
        search.run(settings.iterations)
        item = item_of(search.result(), seen, OUTCOME_SEARCHES)
        yield from values_by_search([item], seen, classes)[0]


def ruled_playouts(policy: str, seen: Observation, seed: int = SEED) -> Samples:
    """The class values of deals that a policy plays on."""
    table = Continuation(seen, policy)
    cards = [codes[0] for codes in equivalent_cards(seen)]
    for i, deal in enumerate(deals_of(seen, seed)):
        yield np.array(table.values(deal, cards, derive_seed(seed, i)), dtype=float)


def searched_playouts(player: str, seen: Observation, seed: int = SEED) -> Samples:
    """The class values of deals that a compiled search plays on."""
    table = PlayedOn(seen, parse_agent(player).player)
    cards = [codes[0] for codes in equivalent_cards(seen)]
    for i, deal in enumerate(deals_of(seen, seed)):
        tricks = table.tricks(deal[None], cards, [derive_seed(seed, i)])
        yield table.points(tricks)[0].astype(float)


def solved_deals(seen: Observation) -> Samples:
    """The class values of deals solved with open hands, in the last tricks; none before."""
    if len(seen.table.plays) < 52 - 4 * MAX_SOLVED:
        return
    solver = Solver(seen.table)
    for deal in deals_of(seen, SEED):
        _, by_class = values_by_class(seen, np.array([list(solver.values(deal).values())]))
        yield by_class[0]


def deals_of(seen: Observation, seed: int) -> IntArray:
    return Dealing.of("network")(seen).sample(MOST, seed_state(seed))[0]


JUDGES: dict[str, Callable[[Observation], Samples]] = {
    "ismcts": partial(searches, "ismcts"),
    "best": partial(searches, "best"),
    "best:iterations=250000": partial(searches, "best:iterations=250000"),
    "srp plays on": partial(ruled_playouts, "srp"),
    "wrp plays on": partial(ruled_playouts, "wrp"),
    "human plays on": partial(ruled_playouts, "human"),
    "best:iterations=50 plays on": partial(searched_playouts, "best:iterations=50"),
    "best:iterations=200 plays on": partial(searched_playouts, "best:iterations=200"),
    "solved": solved_deals,
}


def judged(name: str, row: Document, ply: int, seconds: float) -> Document:
    """What a judge makes of a decision: mean values and their covariance, by class, the kind of its
    conclusion, how many searches or deals it took and in what time. Empty where it has none."""
    seen = record_of(row).observation(ply)
    started = thread_time()
    samples: list[FloatArray] = []
    for values in JUDGES[name](seen):
        samples.append(values)
        if thread_time() - started > seconds or len(samples) == MOST:
            break
    if len(samples) < 2:
        return {}
    whole = np.array(samples)
    names = [tuple(map(seen.rules.cards.format_card, codes)) for codes in equivalent_cards(seen)]
    rows = compare(names, whole)
    covariance = np.atleast_2d(np.cov(whole, rowvar=False)) / len(whole)
    return {
        "classes": [list(cards) for cards in names],
        "values": whole.mean(axis=0).round(4).tolist(),
        "covariance": covariance.round(5).tolist(),
        "kind": kind_of(rows[1:], THRESHOLD),
        "n": len(whole),
        "seconds": round(thread_time() - started, 3),
    }


@dataclass(frozen=True)
class Pair:
    """A lead that a judge claims for its best class over another, and what was realised; points.
    ``error``: of the realised lead."""

    claimed: float
    realised: float
    error: float

    @property
    def is_overturned(self) -> bool:
        """Whether the other class is better by over a point and two standard errors."""
        return self.realised < -THRESHOLD and self.realised < -2 * self.error


def pairs_of(decision: TruthDecision, found: Document) -> list[Pair]:
    """The judge's best class, of those played out, against each other one."""
    values = dict(zip(map(tuple, found["classes"]), found["values"], strict=True))
    claimed = np.array([values[cards] for cards in decision.classes])
    best = int(claimed.argmax())
    pairs = []
    for other in range(len(claimed)):
        if other != best:
            lead, error = decision.lead(best, other)
            pairs.append(Pair(float(claimed[best] - claimed[other]), lead, error))
    return pairs


def slope_and_explained(pairs: Sequence[Pair]) -> tuple[float, float]:
    """The weighted slope of realised on claimed leads, through the origin, and the share of the
    realised leads' spread beyond their noise that it explains; nan without any."""
    claimed = np.array([pair.claimed for pair in pairs])
    realised = np.array([pair.realised for pair in pairs])
    errors = np.array([pair.error for pair in pairs])
    weights = 1 / (errors**2 + THRESHOLD**2)
    square = float(weights @ claimed**2)
    if not square:
        return math.nan, math.nan
    slope = float(weights @ (claimed * realised)) / square
    noise = float(weights @ errors**2)
    spread = float(weights @ realised**2) - noise
    left = float(weights @ (realised - slope * claimed) ** 2) - noise
    return slope, 1 - left / spread if spread > 0 else math.nan


def report(name: str, decisions: Sequence[TruthDecision], found: Sequence[Document]) -> str:
    """One judge in a line: see the module's docstring."""
    both = [(decision, row) for decision, row in zip(decisions, found, strict=True) if row]
    pairs_by_decision = [pairs_of(decision, row) for decision, row in both]
    pairs = [pair for pairs in pairs_by_decision for pair in pairs]
    if not pairs:
        return f"{name:30} none"
    slope, explained = slope_and_explained(pairs)
    is_overturned = [any(pair.is_overturned for pair in pairs) for pairs in pairs_by_decision]
    is_clear = [row["kind"] == CLEAR for _, row in both]
    n_clear = sum(is_clear)
    wrong = sum(np.logical_and(is_overturned, is_clear))
    interval = share_interval(int(wrong), n_clear) or (0.0, 1.0)
    seconds = float(np.mean([row["seconds"] for _, row in both]))
    return (
        f"{name:30} {len(both):4} decisions  slope {slope:5.2f}  explained {explained:6.1%}  "
        f"overturned {np.mean(is_overturned):5.1%}  clear {n_clear:4}, of them overturned {wrong} "
        f"({interval[0]:.1%} to {interval[1]:.1%})  {seconds:.1f} s"
    )


def question_of(name: str, decision: TruthDecision, seconds: float) -> Document:
    return {
        "judge": name,
        "round": row_of(decision.record),
        "ply": decision.ply,
        "seconds": seconds,
        "seed": SEED,
        **version_of("best", "ismcts", "srp", "wrp", "human"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--judges", nargs="+", choices=JUDGES, default=list(JUDGES))
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of one core, a decision")
    add_workers(parser)
    options = parser.parse_args()
    store = ResultStore()
    decisions = truth.truth_set()
    questions = {
        (name, i): question_of(name, decision, options.seconds)
        for name in options.judges
        for i, decision in enumerate(decisions)
    }
    tasks = [
        Task.of_store(
            (store, "judged-truth", question),
            judged,
            partial(tuple, (name, row_of(decisions[i].record), decisions[i].ply, options.seconds)),
            ("best", "ismcts", "srp", "wrp", "human"),
        )
        for (name, i), question in questions.items()
    ]
    with (
        interruptible(say) as is_cancelled,
        TaskRunner(
            len(tasks),
            "decisions",
            workers=options.workers,
            tell=lambda progress: say(progress.text()),
            is_cancelled=is_cancelled,
        ) as run,
    ):
        run.complete(tasks)
    for half in truth.HALVES:
        say(f"\nthe half to {half}")
        chosen = [i for i, decision in enumerate(decisions) if decision.half == half]
        for name in options.judges:
            found = [store.get("judged-truth", questions[name, i]) or {} for i in chosen]
            say(report(name, [decisions[i] for i in chosen], found))


if __name__ == "__main__":
    main()
