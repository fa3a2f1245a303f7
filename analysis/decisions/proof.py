"""The conclusion where every possible deal can be listed and solved with open hands.

A class of equivalent cards is worth its exact mean over all deals that the seat can't rule out,
each as likely as any other, so that no difference has an error. With open hands nobody has to
guess, so that such a mean proves only what holds in every deal:

- If the best class is best in each deal, the proof alone decides: *clear* where the class is ahead
  of every other by more than the threshold in the mean, else a *toss-up* of those within it. What
  one of these gains over another where the others err is that of the judge's rounds.
- If the best class differs by deal, the judge's rounds decide, whose seats see their own cards
  alone. Where they put a class first that is worth more than the proof's best in no deal, the
  *judges differ*; and what a class gains over another that is worth the same in every deal, it
  gains because others err.

Proofs are in points: where the objective is to win the game nothing is proven here.
"""

from collections.abc import Generator, Sequence
from dataclasses import replace

import numpy as np

from analysis.decisions.card_values import TIE, values_by_class
from analysis.decisions.claims import n_possible
from analysis.decisions.conclusion import (
    BEHIND,
    DIFFER,
    PLAYED_ON,
    SOLVER,
    THRESHOLD,
    TOSS_UP,
    ClassValue,
    Conclusion,
    Gain,
    Proof,
    View,
    kind_of,
    standing_of,
)
from spades.belief import Dealing, every_deal
from spades.core.equivalence import equivalent_cards
from spades.core.kernel import FloatArray
from spades.core.observation import Observation
from spades.core.steps import last_value
from spades.search.solver import Solver

DEALS_A_STEP = 20


def is_provable(observation: Observation) -> bool:
    """Whether there is a choice and its possible deals are few enough to solve them all."""
    return len(equivalent_cards(observation)) > 1 and n_possible(observation, Dealing()) > 0


def prove(observation: Observation, threshold: float = THRESHOLD) -> Conclusion | None:
    """The conclusion from all possible deals; None where they can't all be solved. Where it isn't
    ``is_proven``, ``agreed`` combines it with that of the judge's rounds."""
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


def _concluded(observation: Observation, values: FloatArray, threshold: float) -> Conclusion:
    """The conclusion from values (deals, classes), classes in the order of ``equivalent_cards``."""
    means = values.mean(axis=0)
    n = len(values)
    best = int(means.argmax())
    best_in = int((values[:, best] >= values.max(axis=1) - TIE).sum())
    format_card = observation.rules.cards.format_card
    names = [tuple(map(format_card, codes)) for codes in equivalent_cards(observation)]
    rows = []
    dominated = []
    for i, cards in enumerate(names):
        behind = float(max(0.0, means[best] - means[i]))
        interval = (behind, behind)
        standing = standing_of(interval, threshold)
        rows.append(ClassValue(cards, standing, behind, interval, float(means[i]), error=0.0))
        if i != best and (values[:, i] <= values[:, best] + TIE).all():
            dominated.append(cards)
    rows.sort(key=lambda row: row.behind)
    return Conclusion(
        kind=kind_of(rows[1:]),
        classes=tuple(rows),
        threshold=threshold,
        proof=Proof(n, best_in, tuple(dominated), _equals(names, values)),
    )


def _equals(
    names: Sequence[tuple[str, ...]], values: FloatArray
) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """The groups of several classes that are worth the same in every deal."""
    left = list(range(len(names)))
    groups = []
    while left:
        first, *others = left
        same = [i for i in others if np.abs(values[:, i] - values[:, first]).max() <= TIE]
        if same:
            groups.append(tuple(names[i] for i in (first, *same)))
        left = [i for i in others if i not in same]
    return tuple(groups)


def agreed(proven: Conclusion, judged: Conclusion | None) -> Conclusion | None:
    """Combine the conclusion of a proof with that of the judge's rounds; None before there is one
    where the proof isn't sure."""
    proof = proven.proof
    if proof is None:
        return proven
    if judged is None:
        return proven if proof.is_sure else None
    if proof.is_sure:
        gain = _gain_over(judged, proven.within)
        return replace(proven, proof=replace(proof, gain=gain), rounds=judged.rounds)
    best = judged.best.cards
    gain = _gain_over(judged, [judged.class_of(cards[0]) for cards in proof.equal_to(best)])
    combined = replace(judged, proof=replace(proof, gain=gain))
    if best in proof.dominated and gain is None and judged.kind != TOSS_UP:
        views = (View(SOLVER, proven.best.cards), View(PLAYED_ON, best))
        return replace(combined, kind=DIFFER, views=views)
    return combined


def _gain_over(judged: Conclusion, equals: Sequence[ClassValue]) -> Gain | None:
    """What the best class of a conclusion gains over the last of those that are proven as good;
    None where that isn't settled."""
    proven_equal = {equal.cards for equal in equals}
    behind = [
        candidate
        for candidate in judged.classes
        if candidate.standing == BEHIND and candidate.cards in proven_equal
    ]
    if not behind:
        return None
    last = behind[-1]
    return Gain(judged.best.cards, last.cards, last.behind, last.interval, judged.rounds)
