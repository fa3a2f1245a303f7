"""A decision by classes of equivalent cards: the search's visits and the judge's conclusion.

Two agents stand in one table and are never mixed. *The search* is the agent under study: visits,
shares and the star are its own, means over all searches that were made of the decision. *The
judge* (``analysis.decisions.judge``) says points and what a card leads to, in a conclusion.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from analysis.decisions.conclusion import TOSS_UP, Conclusion
from analysis.decisions.decision import CardRow, Decision
from analysis.decisions.lenses import Scene
from spades.core.cards import SIDE_NAMES
from spades.core.equivalence import equivalent_cards
from spades.core.observation import Observation

if TYPE_CHECKING:  # it loads SciPy, which a first look does without
    from analysis.decisions.evidence import Repeats


def by_class(
    decision: Decision, conclusion: Conclusion | None = None, repeats: "Repeats | None" = None
) -> Decision:
    """The decision with a row for every class of equivalent cards, ``equals`` naming the lower
    ones; ``played`` and ``choice`` name classes.

    ``share`` and ``visits`` are those of the decision's own search, with ``repeats`` the means over
    them all (but for piKL, whose shares are its policy, of one search). ``choice``: see
    ``_choice``. ``value``, its error and ``outcomes`` are the conclusion's, nan and None
    without one."""
    by_code = {row.code: row for row in single_cards(decision, conclusion, repeats)}
    seen = decision.observation
    rows = [_merged([by_code[code] for code in codes]) for codes in equivalent_cards(seen)]
    names = {name: row.card for row in rows for name in (row.card, *row.equals)}
    played = names[decision.played] if decision.played else None
    choice = _choice(decision, rows, names, repeats)
    return replace(decision, cards=tuple(rows), played=played, choice=choice)


def single_cards(
    decision: Decision, conclusion: Conclusion | None = None, repeats: "Repeats | None" = None
) -> list[CardRow]:
    """The rows of single cards as ``by_class`` adds them up; a card has its class's points."""
    rows = list(decision.cards)
    if repeats is not None and not is_weighed(decision):
        rows = _repeated(rows, decision.search.iterations, repeats)
    return [_judged(row, conclusion) for row in rows]


def _choice(
    decision: Decision, rows: Sequence[CardRow], names: dict[str, str], repeats: "Repeats | None"
) -> str:
    """The class that the search chooses: the one with the largest share, that of the card visited
    most where shares are equal. A search that doesn't go by visits says itself what it chooses; of
    several the class that most of them choose."""
    own = names[decision.search_choice.card]
    if decision.search.choice is None:
        return max(rows, key=lambda row: (row.share, row.card == own)).card
    if repeats is None or is_weighed(decision):
        return own
    wins = {row.card: sum(repeats.wins[card] for card in (row.card, *row.equals)) for row in rows}
    return max(wins, key=lambda card: (wins[card], card == own))


def _repeated(rows: Sequence[CardRow], iterations: int, repeats: "Repeats") -> list[CardRow]:
    """Each row with its mean visit share, and visits: whole numbers whose sum is ``iterations``."""
    shares = [repeats.shares[row.card] for row in rows]
    total = sum(shares)
    found = []
    visited = 0
    so_far = 0.0
    for row, share in zip(rows, shares, strict=True):
        so_far += share
        visits = round(iterations * so_far / total) - visited
        visited += visits
        found.append(replace(row, share=share, visits=visits))
    return found


def _judged(row: CardRow, conclusion: Conclusion | None) -> CardRow:
    if conclusion is None or len(conclusion.classes) == 1:
        return replace(row, value=math.nan, value_se=math.nan)
    found = conclusion.class_of(row.card)
    return replace(row, value=found.value, value_se=found.error, outcomes=found.outcomes)


def _merged(rows: Sequence[CardRow]) -> CardRow:
    """Equivalent cards, highest first, as one row of a search."""
    if len(rows) == 1:
        return rows[0]
    n = sum(row.visits for row in rows)
    bias = math.nan
    if n:
        bias = sum(row.visits * row.bias for row in rows) / n
    return replace(
        rows[0],
        equals=tuple(row.card for row in rows[1:]),
        human={name: sum(row.human[name] for row in rows) for name in rows[0].human},
        visits=n,
        availability=max(row.availability for row in rows),
        share=sum(row.share for row in rows),
        abstract_move=", ".join(dict.fromkeys(row.abstract_move for row in rows)),
        prior=sum(row.prior for row in rows),
        policy=sum(row.policy for row in rows),
        bias=bias,
    )


def is_weighed(decision: Decision) -> bool:
    """Whether piKL chooses, by its policy."""
    return not math.isnan(decision.cards[0].policy)


def judged_best(conclusion: Conclusion | None) -> list[str]:
    """The classes that the judge puts first, by their highest cards: in a toss-up all that are as
    good; none without a conclusion or a choice."""
    if conclusion is None or len(conclusion.classes) == 1:
        return []
    if conclusion.kind == TOSS_UP:
        return [one.cards[0] for one in conclusion.within]
    return [conclusion.best.cards[0]]


def needs_text(seen: Observation) -> str:
    """What both sides lack for their contracts; empty where bids are unknown."""
    scene = Scene(seen)
    if not scene.knows_bids:
        return ""
    sides = (scene.side, 1 - scene.side)
    texts = [f"{SIDE_NAMES[side]} {_need(scene.needs(side), scene.tricks_left)}" for side in sides]
    return " · ".join(texts)


def _need(n: int, left: int) -> str:
    if n > left:
        return f"are set ({n} needed, {left} left)"
    return f"need {n} of the last {left}" if n > 0 else "have made theirs"
