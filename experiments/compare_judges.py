"""Judges of decisions compared on the truth set: ``python -m experiments.compare_judges``.

Writes ``data/tables/judges.json``, a row for each judge and stratum; Agents and ``docs`` show it.
*The judge* is the lab's (``analysis.decisions.evidence``), with its usual budget and two seeds; the
others value the cards within ``SECONDS`` of one core. Their leads are compared with those of the
rounds played out (``analysis.decisions.truth``); only the half for reporting counts.

- *slope*: realised over claimed lead, of the judge's best class over each other class that was
  played out, weighted by the inverse variance of the realised lead: 1 where leads are right.
- *explained*: the share of the realised leads' spread beyond their noise that the claimed ones,
  scaled by the slope, account for.
- *overturned*: conclusions that are clear, of these where another class is better than the judge's
  best by over a point and by two standard errors.
- *open*: conclusions that lean or on which judges differ.
- *repeats*: two seeds conclude the same, the same best class or both a toss-up.

The other judges look at every decision in ``EVERY``. With ``--judges`` only these are measured, and
the rows of the others stay. An hour of one core; stopped at any moment, it goes on where it was.
"""

import argparse
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from time import thread_time

import numpy as np

from analysis.decisions import judges, truth
from analysis.decisions.card_values import values_by_class
from analysis.decisions.conclusion import (
    CLEAR,
    DIFFER,
    LEANS,
    NETWORK,
    THRESHOLD,
    TOSS_UP,
    Conclusion,
    compare,
    kind_of,
    values_by_search,
)
from analysis.decisions.evidence import NETWORKS, decide
from analysis.decisions.judge import PLAYER, judge_settings
from analysis.decisions.judges import JUDGE, PATH
from analysis.decisions.played_on import WEIGHING
from analysis.decisions.settings import AnalysisSettings, new_search, settings_of_agent
from analysis.decisions.stability import item_of
from analysis.decisions.trust import trusts
from analysis.decisions.truth import TruthDecision
from analysis.intervals import share_interval
from analysis.runs.command import add_workers
from analysis.runs.store import ResultStore, version_of
from analysis.runs.tasks import Task
from experiments.command import make_table, run_tasks
from spades.agents import parse_agent
from spades.agents.compiled_network import PlayedOnByNetwork
from spades.agents.compiled_search import PlayedOnBySearch
from spades.agents.play import Continuation
from spades.belief import Dealing
from spades.core.deal import derive_seed
from spades.core.documents import Document
from spades.core.equivalence import equivalent_cards
from spades.core.kernel import FloatArray, IntArray, seed_state
from spades.core.observation import Observation
from spades.core.records import Record
from spades.notation.schema import record_of, row_of
from spades.search.solver import MAX_SOLVED, Solver

SECONDS = 4.0  # of one core: two seconds of two
EVERY = 5  # so that all strata have their part
MOST = 4000  # searches or deals
SEED = 31
RULES = 2  # a version of how conclusions are drawn
AGENTS = ("best", "ismcts", "srp", "wrp", "human", PLAYER)
OWN_AGENTS = (*AGENTS, *NETWORKS.values())
"""Those that the lab's judge asks, and that the others are."""
BY_NETWORK = "network plays on"
AGAIN = "judge, other seed"
SEEDS = {JUDGE: SEED, AGAIN: SEED + 1_000_000}
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
        yield from values_by_search([item_of(search.result())], seen, classes)[0]


def ruled_playouts(policy: str, seen: Observation, seed: int = SEED) -> Samples:
    """The class values of deals that a policy plays on."""
    table = Continuation(seen, policy)
    cards = [codes[0] for codes in equivalent_cards(seen)]
    for i, deal in enumerate(deals_of(seen, seed)):
        yield np.array(table.values(deal, cards, derive_seed(seed, i)), dtype=float)


def searched_playouts(player: str, seen: Observation, seed: int = SEED) -> Samples:
    """The class values of deals that a compiled search plays on."""
    table = PlayedOnBySearch(seen, parse_agent(player).player)
    cards = [codes[0] for codes in equivalent_cards(seen)]
    for i, deal in enumerate(deals_of(seen, seed)):
        tricks = table.tricks(deal[None], cards, [derive_seed(seed, i)])
        yield table.points(tricks)[0].astype(float)


def network_playouts(seen: Observation, seed: int = SEED) -> Samples:
    """The class values of deals that the distilled network plays on."""
    table = PlayedOnByNetwork(seen, parse_agent(NETWORKS[NETWORK]).player)
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


OTHERS: dict[str, Callable[[Observation], Samples]] = {
    "ismcts": partial(searches, "ismcts"),
    "best": partial(searches, "best"),
    "ismcts:others=rules": partial(searches, "ismcts:others=rules"),
    "best:others=rules": partial(searches, "best:others=rules"),
    "best:iterations=250000": partial(searches, "best:iterations=250000"),
    "srp plays on": partial(ruled_playouts, "srp"),
    "wrp plays on": partial(ruled_playouts, "wrp"),
    "human plays on": partial(ruled_playouts, "human"),
    "best:iterations=50 plays on": partial(searched_playouts, "best:iterations=50"),
    "best:iterations=200 plays on": partial(searched_playouts, "best:iterations=200"),
    BY_NETWORK: network_playouts,
    "solved": solved_deals,
}
"""Judges that look at one kind of evidence, on deals as the belief network draws them."""
JUDGES = (JUDGE, AGAIN, *OTHERS)


def judged(name: str, row: Document, ply: int) -> Document:
    """What a judge makes of a decision: values by class, the kind of its conclusion and in what
    time. Empty where it has none."""
    record = record_of(row)
    started = thread_time()
    if name in SEEDS:
        found = by_the_judge(record, ply, SEEDS[name])
    else:
        found = by_samples(OTHERS[name], record.observation(ply))
    return {**found, "seconds": round(thread_time() - started, 3)} if found else {}


def by_the_judge(record: Record, ply: int, seed: int) -> Document:
    """What a class gains if others err counts as its lead."""
    settings = judge_settings(AnalysisSettings(seed=seed))
    conclusion = decide(record, ply, settings, budget=SECONDS)
    if conclusion is None:
        return {}
    values = {candidate.cards: -candidate.behind for candidate in conclusion.classes}
    first = gaining_class(conclusion)
    gain = conclusion.proof.gain if conclusion.proof else None
    if gain is not None:
        values[gain.over] = min(values[gain.over], values[first] - gain.points)
    return {
        "classes": [list(cards) for cards in values],
        "values": [round(value, 4) for value in values.values()],
        "best": list(first),
        "kind": conclusion.kind,
        "n": conclusion.rounds,
    }


def gaining_class(conclusion: Conclusion) -> tuple[str, ...]:
    """The best class; of several that are proven as good, the one that gains if others err."""
    gain = conclusion.proof.gain if conclusion.proof else None
    return gain.cards if gain else conclusion.best.cards


def by_samples(samples: Callable[[Observation], Samples], seen: Observation) -> Document:
    started = thread_time()
    found: list[FloatArray] = []
    for values in samples(seen):
        found.append(values)
        if thread_time() - started > SECONDS or len(found) == MOST:
            break
    if len(found) < 2:
        return {}
    names = [tuple(map(seen.rules.cards.format_card, codes)) for codes in equivalent_cards(seen)]
    rows = compare(names, np.array(found))
    return {
        "classes": [list(row.cards) for row in rows],
        "values": [round(row.value, 4) for row in rows],
        "best": list(rows[0].cards),
        "kind": kind_of(rows[1:]),
        "n": len(found),
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
    if tuple(found["best"]) in decision.classes:
        best = decision.classes.index(tuple(found["best"]))
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


Judged = Sequence[tuple[TruthDecision, Document]]


def measured(found: Judged) -> Document:
    """How a judge fares on decisions that it judged: see the module's docstring."""
    pairs_by_decision = [pairs_of(decision, row) for decision, row in found]
    pairs = [pair for pairs in pairs_by_decision for pair in pairs]
    slope, explained = slope_and_explained(pairs)
    is_overturned = [any(pair.is_overturned for pair in pairs) for pairs in pairs_by_decision]
    is_clear = [row["kind"] == CLEAR for _, row in found]
    n_open = sum(row["kind"] in (LEANS, DIFFER) for _, row in found)
    n_overturned = int(sum(np.logical_and(is_overturned, is_clear)))
    return {
        "decisions": len(found),
        "pairs": len(pairs),
        "slope": rounded(slope),
        "slope_interval": list(map(rounded, slope_interval(pairs_by_decision))),
        "explained": rounded(explained),
        "clear": sum(is_clear),
        "overturned": n_overturned,
        "overturned_interval": share_interval(n_overturned, sum(is_clear)),
        "open": n_open,
        "open_interval": share_interval(n_open, len(found)),
        "seconds": rounded(float(np.mean([row["seconds"] for _, row in found]))),
    }


def slope_interval(pairs_by_decision: Sequence[Sequence[Pair]], n: int = 1000) -> list[float]:
    """The 95% interval of the slope, by drawing decisions anew."""
    rng = np.random.default_rng(SEED)
    slopes = []
    for _ in range(n):
        drawn = rng.integers(len(pairs_by_decision), size=len(pairs_by_decision))
        slopes.append(slope_and_explained([p for i in drawn for p in pairs_by_decision[i]])[0])
    return np.nanpercentile(slopes, [2.5, 97.5]).tolist()


def rounded(number: float) -> float | None:
    return None if math.isnan(number) else round(number, 3)


def repeats(one: Sequence[Document], other: Sequence[Document]) -> Document:
    """How often two seeds conclude the same."""
    both = [(a, b) for a, b in zip(one, other, strict=True) if a and b]
    n_same = sum(a["best"] == b["best"] or a["kind"] == b["kind"] == TOSS_UP for a, b in both)
    return {"decisions": len(both), "same": n_same, "interval": share_interval(n_same, len(both))}


def question_of(name: str, decision: TruthDecision) -> Document:
    return {
        "rules": RULES,
        "trust": f"{trusts()}, {WEIGHING}" if name in SEEDS else "",
        "judge": name,
        "round": row_of(decision.record),
        "ply": decision.ply,
        "seconds": SECONDS,
        "seed": SEED,
        **version_of(*agents_of(name)),
    }


def agents_of(name: str) -> tuple[str, ...]:
    """Whose behaviour a judge's values depend on."""
    return OWN_AGENTS if name in SEEDS or name == BY_NETWORK else AGENTS


def strata_of(decisions: Sequence[TruthDecision]) -> dict[str, list[int]]:
    """The decisions, as indices, by the names of strata, all together first."""
    strata: dict[str, list[int]] = {"all": list(range(len(decisions)))}
    for i, decision in enumerate(decisions):
        nil = "nil alive" if decision.has_nil else "no nil"
        stratum = f"{decision.table}, {nil}, {decision.phase}"
        for name in (nil, decision.phase, decision.table, stratum):
            strata.setdefault(name, []).append(i)
    return strata


def step_of(name: str) -> int:
    """A judge looks at every so manyth decision."""
    return 1 if name in SEEDS else EVERY


def make(options: argparse.Namespace) -> Document | None:
    """The table of judges; None where it was interrupted."""
    store = ResultStore()
    decisions = [one for one in truth.truth_set() if one.half == options.half]
    tasks = [
        Task.of_store(
            (store, "judged-truth", question_of(name, decision)),
            judged,
            partial(tuple, (name, row_of(decision.record), decision.ply)),
            agents_of(name),
        )
        for name in options.judges
        for decision in decisions[:: step_of(name)]
    ]
    if not run_tasks(tasks, "judgements", options.workers):
        return None
    found = {
        name: [store.get("judged-truth", question_of(name, one)) or {} for one in decisions]
        for name in options.judges
    }
    made_by = f"python -m experiments.compare_judges --half {options.half}"
    return {"made_by": made_by, **merged(decisions, found, stored_table(made_by))}


def stored_table(made_by: str) -> Document:
    """The table as it was; without rows where another command made it."""
    before = judges.measured()
    return before if before and before["made_by"] == made_by else {"rows": [], "repeats": None}


def merged(
    decisions: Sequence[TruthDecision], found: Mapping[str, Sequence[Document]], before: Document
) -> Document:
    """Rows and repeats: of judges that were asked, by name, as ``found``; of others as before."""
    rows = []
    for stratum, indices in strata_of(decisions).items():
        for name in JUDGES:
            if name not in found:
                rows += [row for row in before["rows"] if is_of(row, name, stratum)]
                continue
            known = [(decisions[i], found[name][i]) for i in indices if found[name][i]]
            if known and name != AGAIN:
                rows.append({"judge": name, "stratum": stratum, **measured(known)})
    both = JUDGE in found and AGAIN in found
    return {
        "rows": rows,
        "repeats": repeats(found[JUDGE], found[AGAIN]) if both else before["repeats"],
    }


def is_of(row: Document, judge: str, stratum: str) -> bool:
    return (row["judge"], row["stratum"]) == (judge, stratum)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--judges", nargs="+", choices=JUDGES, default=list(JUDGES))
    parser.add_argument("--half", choices=truth.HALVES, default=truth.REPORT)


if __name__ == "__main__":
    make_table(__doc__, PATH, make, add_options, add_workers)
