"""The conclusion where every possible deal can be listed and solved with open hands.

A class of equivalent cards is worth its exact mean over all deals that the seat can't rule out,
each as likely as any other, so that no difference has an error. With open hands nobody has to
guess, so that such a mean proves only what holds in every deal:

- If the best class is best in each deal, the proof alone decides: *clear* where the class is ahead
  of every other by more than the threshold in the mean, else a *toss-up* of those within it. What
  one of these gains over another where the others err is played out by agents that see their own
  hands alone (``find_gain``).
- If the best class differs by deal, the one with the highest mean comes first. The decision is
  *clear* or a *toss-up* only if the judge's searches, whose seats see their own cards alone, settle
  it in the same way; else it *leans*, and whatever may be better in some deal is not settled.

Proofs are in points: where the objective is to win the game nothing is proven here.
"""

from collections.abc import Generator
from dataclasses import replace
from itertools import permutations

import numpy as np

from analysis.decisions.candidates import TIE, values_by_class
from analysis.decisions.claims import n_possible
from analysis.decisions.conclusion import (
    LEANS,
    THRESHOLD,
    TOSS_UP,
    ClassValue,
    Conclusion,
    Gain,
    Proof,
    kind_of,
)
from spades.belief import Dealing, every_deal
from spades.core.deal import derive_seed
from spades.core.equivalence import equivalent_cards
from spades.core.kernel import FloatArray
from spades.core.observation import Observation
from spades.core.steps import last_value
from spades.search.solver import Solver

DEALS_A_STEP = 20
PLAYER = "best:iterations=1000"
"""Who plays on where others may err."""
GAIN_DEALS = 400


def is_provable(observation: Observation) -> bool:
    """Whether there is a choice and its possible deals are few enough to solve them all."""
    return len(equivalent_cards(observation)) > 1 and n_possible(observation, Dealing()) > 0


def prove(observation: Observation, threshold: float = THRESHOLD) -> Conclusion | None:
    """The conclusion from all possible deals; None where they can't all be solved. Where it isn't
    ``is_proven``, ``agreed`` combines it with that of the searches."""
    if not is_provable(observation):
        return None
    return last_value(prove_in_steps(observation, threshold))


def prove_in_steps(
    observation: Observation, threshold: float = THRESHOLD
) -> Generator[None, None, Conclusion]:
    """``prove`` of a decision that ``is_provable``, yielding between slices of the work."""
    solver = Solver(observation.table)
    values = []
    for i, deal in enumerate(every_deal(observation)):
        values.append(list(solver.values(deal).values()))
        if i % DEALS_A_STEP == 0:
            yield
    _, by_class = values_by_class(observation, np.array(values, dtype=float))
    return _concluded(observation, by_class, threshold)


def with_gain(observation: Observation, proven: Conclusion) -> Generator[None, None, Conclusion]:
    """A proven conclusion with what one of its best classes gains where others err, in steps."""
    assert proven.proof is not None
    gain = yield from find_gain(observation, proven)
    return replace(proven, proof=replace(proven.proof, gain=gain))


def find_gain(
    observation: Observation, proven: Conclusion, seed: int = 0
) -> Generator[None, None, Gain | None]:
    """The largest gain of one class over another of a proven toss-up where four of ``PLAYER`` play
    on, in ``GAIN_DEALS`` of the possible deals, drawn with equal chances; None where no mean is
    beyond the threshold with an interval above 0. In steps."""
    classes = proven.within
    if proven.kind != TOSS_UP or len(classes) < 2:
        return None
    from analysis.intervals import running_widths  # loads SciPy, as play-outs load every player
    from spades.agents import parse_agent
    from spades.agents.compiled_search import PlayedOn

    table = PlayedOn(observation, parse_agent(PLAYER).player)
    cards = [observation.rules.cards.parse_card(candidate.cards[0]) for candidate in classes]
    possible = every_deal(observation)
    drawn = possible[np.random.default_rng(seed).integers(len(possible), size=GAIN_DEALS)]
    points = []
    for first in range(0, GAIN_DEALS, DEALS_A_STEP):
        deals = drawn[first : first + DEALS_A_STEP]
        seeds = [derive_seed(seed, first + i) for i in range(len(deals))]
        points.append(table.points(table.tricks(deals, cards, seeds)))
        yield
    by_class = np.concatenate(points).astype(float)
    n_pairs = len(classes) * (len(classes) - 1) // 2
    largest = None
    for one, other in permutations(range(len(classes)), 2):
        leads = by_class[:, one] - by_class[:, other]
        mean = float(leads.mean())
        width = float(running_widths(leads.std(ddof=1), GAIN_DEALS, n_means=n_pairs))
        is_beyond = mean > proven.threshold and mean - width > 0
        if is_beyond and (largest is None or mean > largest.points):
            interval = (mean - width, mean + width)
            names = classes[one].cards, classes[other].cards
            largest = Gain(*names, mean, interval, GAIN_DEALS)
    return largest


def _concluded(observation: Observation, values: FloatArray, threshold: float) -> Conclusion:
    """The conclusion from values (deals, classes), classes in the order of ``equivalent_cards``."""
    means = values.mean(axis=0)
    n = len(values)
    best = int(means.argmax())
    best_in = int((values[:, best] >= values.max(axis=1) - TIE).sum())
    format_card = observation.rules.cards.format_card
    rows = []
    dominated = []
    for i, codes in enumerate(equivalent_cards(observation)):
        behind = float(max(0.0, means[best] - means[i]))
        cards = tuple(map(format_card, codes))
        rows.append(ClassValue(cards, behind, (behind, behind), float(means[i]), error=0.0))
        if i != best and (values[:, i] <= values[:, best] + TIE).all():
            dominated.append(cards)
    rows.sort(key=lambda row: row.behind)
    return Conclusion(
        kind=kind_of(rows[1:], threshold),
        classes=tuple(rows),
        threshold=threshold,
        searches=0,
        proof=Proof(n, best_in, tuple(dominated)),
    )


def agreed(proven: Conclusion, searched: Conclusion | None) -> Conclusion | None:
    """Combine the conclusion of a proof with that of the judge's searches. Where the best class
    differs by deal, it leans unless the two agree, and is None before the searches conclude."""
    if proven.proof is None or proven.is_proven:
        return proven
    if searched is None:
        return None
    combined = replace(
        proven,
        searches=searched.searches,
        iterations=searched.iterations,
        is_confirmed=searched.is_confirmed,
    )
    is_same_kind = searched.is_settled and searched.kind == proven.kind
    searched_best = searched.best.cards
    is_best_same = searched_best in [candidate.cards for candidate in proven.within]
    if is_same_kind and is_best_same:
        return combined
    settled = (proven.best.cards, *proven.proof.dominated)
    rival: tuple[str, ...] = ()
    if not is_best_same and searched_best not in settled:
        rival = searched_best
    classes = []
    for candidate in combined.classes:
        if candidate.cards not in settled:  # it may be the best
            candidate = replace(candidate, interval=(0.0, candidate.behind))
        classes.append(candidate)
    return replace(
        combined,
        kind=LEANS,
        classes=tuple(classes),
        proof=replace(proven.proof, rival=rival),
    )
