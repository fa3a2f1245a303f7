"""What a decision is worth where every possible deal can be listed and solved with open hands.

A class of equivalent cards is worth its exact mean over all deals that the seat can't rule out,
each as likely as any other, so that no difference has an error. With open hands nobody has to
guess, so that such a mean is a proof only of what is so in every deal:

- The best class is best in each of them: the conclusion is the proof's alone, *clear* where it is
  ahead of every other by more than the threshold in the mean, else a *toss-up* of those within it.
- The best class differs by deal: the one with the highest mean comes first. It can't be worse than
  another in every deal. The decision is *clear* or a *toss-up* only if the judge's searches, whose
  seats see their own cards alone, settle it in the same way, else it *leans*, and whatever may be
  better in some deal is not settled.

What is proven is of points. Where the objective is to win the game nothing is proven here.
"""

from collections.abc import Generator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from analysis.decisions.candidates import TIE, values_by_class
from analysis.decisions.claims import n_possible
from analysis.decisions.conclusion import LEANS, THRESHOLD, ClassValue, Conclusion, Proof, kind_of
from spades.belief import Dealing, every_deal
from spades.core.equivalence import equivalent_cards
from spades.core.observation import Observation
from spades.search.solver import Solver

DEALS_A_STEP = 20


def is_provable(observation: Observation) -> bool:
    """Whether there is a choice, and all possible deals of it are to be solved."""
    return len(equivalent_cards(observation)) > 1 and n_possible(observation, Dealing()) > 0


def prove(observation: Observation, threshold: float = THRESHOLD) -> Conclusion | None:
    """The conclusion of the possible deals; None where they can't all be solved. Of one that isn't
    ``is_sure`` see ``agreed``."""
    if not is_provable(observation):
        return None
    steps = prove_in_steps(observation, threshold)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: Conclusion = end.value
            return found


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


def _concluded(
    observation: Observation, values: NDArray[np.float64], threshold: float
) -> Conclusion:
    """From the value of each class, as ``equivalent_cards`` has them, in each deal."""
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
    kind = kind_of(rows[1:], threshold)
    return Conclusion(kind, tuple(rows), threshold, 0, proof=Proof(n, best_in, tuple(dominated)))


def agreed(proven: Conclusion, searched: Conclusion | None) -> Conclusion | None:
    """The conclusion of a proof, given that of the judge's searches of the same decision. Where the
    best class differs by deal, it leans unless the two agree; there is none before the searches
    conclude."""
    if proven.proof is None or proven.is_proven:
        return proven
    if searched is None:
        return None
    is_same = searched.is_settled and searched.kind == proven.kind
    is_first = any(searched.best.cards == one.cards for one in proven.within)
    found = replace(
        proven,
        searches=searched.searches,
        iterations=searched.iterations,
        is_borne_out=searched.is_borne_out,
    )
    if is_same and is_first:
        return found
    known = (proven.best.cards, *proven.proof.dominated)
    rival = () if is_first or searched.best.cards in known else searched.best.cards
    return replace(
        found,
        kind=LEANS,
        classes=tuple(one if one.cards in known else _unsettled(one) for one in found.classes),
        proof=replace(proven.proof, rival=rival),
    )


def _unsettled(one: ClassValue) -> ClassValue:
    """A class that may be the best: by how much it is behind is not settled."""
    return replace(one, interval=(0.0, one.behind))
