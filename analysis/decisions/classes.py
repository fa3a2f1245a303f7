"""A decision with touching cards as one, by many searches once there is a conclusion.

The published reading of a decision is one search. What is shown rests on more: where a conclusion
is known, visit shares and values are means over all its searches, each of which is such a one.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from analysis.decisions.conclusion import TOSS_UP, Conclusion
from analysis.decisions.decision import CardRow, Decision
from analysis.decisions.lenses import Scene
from spades.core.cards import SIDE_NAMES
from spades.core.equivalence import equivalent_cards
from spades.core.observation import Observation


def by_class(decision: Decision, conclusion: Conclusion | None = None) -> Decision:
    """The decision with a row for every class of equivalent cards, ``equals`` naming the lower
    ones; ``played`` and ``choice`` name classes. With a conclusion,
    ``share``, ``value`` and its error are means over all searches and ``choice`` is the
    conclusion's; ``visits`` are those of the one published search, and so are ``share`` and
    ``choice`` of piKL, whose policy isn't by value alone."""
    by_code, seen = {row.code: row for row in decision.cards}, decision.observation
    rows = [_merged([by_code[code] for code in codes]) for codes in equivalent_cards(seen)]
    if conclusion is not None and len(conclusion.classes) > 1:
        rows = [_judged(row, conclusion) for row in rows]
    choice = decision.search_choice.card
    if conclusion is not None and not is_weighed(decision):
        choice = conclusion.best.cards[0]
    names = {name: row.card for row in rows for name in (row.card, *row.equals)}
    played = names[decision.played] if decision.played else None
    return replace(decision, cards=tuple(rows), played=played, choice=names[choice])


def _merged(rows: Sequence[CardRow]) -> CardRow:
    """Equivalent cards, highest first, as one row of a search."""
    if len(rows) == 1:
        return rows[0]
    visited = [row for row in rows if row.visits]
    n = sum(row.visits for row in visited)

    def mean(values: Sequence[float]) -> float:
        weighed = (row.visits * value for row, value in zip(visited, values, strict=True))
        return sum(weighed) / n if n else math.nan

    squares = mean([row.visits * row.value_se**2 for row in visited])
    return replace(
        rows[0],
        equals=tuple(row.card for row in rows[1:]),
        human={name: sum(row.human[name] for row in rows) for name in rows[0].human},
        visits=n,
        availability=max(row.availability for row in rows),
        share=sum(row.share for row in rows),
        value=mean([row.value for row in visited]),
        value_se=math.sqrt(squares / n) if n else math.nan,
        abstract_move=", ".join(dict.fromkeys(row.abstract_move for row in rows)),
        prior=sum(row.prior for row in rows),
        policy=sum(row.policy for row in rows),
        bias=mean([row.bias for row in visited]),
    )


def _judged(row: CardRow, conclusion: Conclusion) -> CardRow:
    found = conclusion.class_of(row.card)
    share = found.share if math.isnan(row.policy) else row.share
    return replace(
        row, share=share, value=found.value, value_se=found.error, outcomes=found.outcomes
    )


def is_weighed(decision: Decision) -> bool:
    """Whether piKL chooses, by its policy."""
    return not math.isnan(decision.cards[0].policy)


def chosen_cards(decision: Decision, conclusion: Conclusion | None = None) -> list[str]:
    """The classes that the search chooses, by their highest cards: of ``by_class`` its choice, and
    in a toss-up all that are as good."""
    if conclusion is not None and conclusion.kind == TOSS_UP and not is_weighed(decision):
        return [one.cards[0] for one in conclusion.within]
    return [decision.search_choice.card]


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
