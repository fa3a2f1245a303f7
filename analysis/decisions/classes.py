"""A decision by classes of equivalent cards: the search's visits and the judge's conclusion.

Two agents share one table and are kept apart. *The search* is the agent under study: visits and
shares are its own, means over all searches that were made of the decision, and the star is on what
most of them play. That need not be the class visited most: a search that counts equivalent cards
apart plays its most visited card, and a class of two may have more visits than any. *The judge*
(``analysis.decisions.judge``) says points and what a card leads to, in a conclusion.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from analysis.decisions.conclusion import Conclusion
from analysis.decisions.decision import CardRow, PlayDecision, Repeats, win_chance_at
from analysis.decisions.lenses import Scene
from spades.core.cards import SIDE_NAMES
from spades.core.equivalence import equivalent_cards
from spades.core.observation import Observation
from spades.core.winning import GameStakes


def with_findings(
    decision: PlayDecision,
    conclusion: Conclusion | None = None,
    repeats: Repeats | None = None,
    stakes: GameStakes | None = None,
) -> PlayDecision:
    """The decision with the judge's conclusion, and with mean shares, visits and wins of all
    ``repeats`` of its search (except for piKL, whose shares are the policy of one search).
    ``stakes``: those of the judge's objective, where it isn't the search's own."""
    rows = list(decision.cards)
    if repeats is not None and not decision.is_weighed:
        rows = _repeated(rows, decision.iterations, repeats)
    if conclusion is not None:
        stakes = stakes or decision.search.stakes
        rows = [_judged(row, conclusion, stakes, decision.seat) for row in rows]
    return replace(decision, cards=tuple(rows), conclusion=conclusion, repeats=repeats)


def by_class(decision: PlayDecision) -> PlayDecision:
    """The decision with a row for every class of equivalent cards; ``played`` names a class.

    The search's choice becomes the class that most of its searches play; of equal ones that with
    the most visits."""
    by_code = {row.code: row for row in decision.cards}
    classes = equivalent_cards(decision.observation)
    rows = [_merged([by_code[code] for code in codes]) for codes in classes]
    chosen = min(rows, key=lambda row: (-row.wins, -row.share, row.card))
    rows = [replace(row, is_search_choice=row is chosen) for row in rows]
    played = next((row.card for row in rows if row.is_played), None)
    return replace(decision, cards=tuple(rows), played=played)


def star_text(decision: PlayDecision) -> str:
    """Why the star isn't on the longest bar; empty where it is. ``decision``: by classes."""
    choice = decision.search_choice
    longest = max(decision.cards, key=lambda row: row.share)
    if choice.share == longest.share:
        return ""
    n = decision.n_searches
    who = "The search plays" if n == 1 else f"{choice.wins} of {n} searches play"
    how = "in sum: a search counts equal cards apart" if longest.equals else "in the mean"
    return f"★ {who} {choice.label}, though {longest.label} has more visits {how}."


def _repeated(rows: Sequence[CardRow], iterations: int, repeats: Repeats) -> list[CardRow]:
    """Each row with its mean visit share, wins, and visits: whole numbers whose sum is
    ``iterations``."""
    shares = [repeats.shares[row.card] for row in rows]
    total = sum(shares)
    repeated = []
    visited = 0
    so_far = 0.0
    for row, share in zip(rows, shares, strict=True):
        so_far += share
        visits = round(iterations * so_far / total) - visited
        visited += visits
        wins = repeats.wins[row.card]
        repeated.append(replace(row, share=share, visits=visits, wins=wins))
    return repeated


def _judged(row: CardRow, conclusion: Conclusion, stakes: GameStakes | None, seat: int) -> CardRow:
    """A card with what the conclusion says of its class."""
    if not conclusion.is_choice:
        return row
    judged = conclusion.class_of(row.card)
    return replace(
        row,
        judged_value=judged.value,
        judged_value_se=judged.error,
        judged_win_chance=win_chance_at(judged.value, stakes, seat),
        is_judged_best=judged in conclusion.judged_best,
        loss=conclusion.loss_of(row.card),
        outcomes=judged.outcomes,
    )


def _merged(rows: Sequence[CardRow]) -> CardRow:
    """Equivalent cards, highest first, as one row of a search. Value and bias are means over the
    visits."""
    if len(rows) == 1:
        return rows[0]
    visited = [row for row in rows if row.visits]
    n = sum(row.visits for row in visited)
    value = math.nan
    value_se = math.nan
    bias = math.nan
    if n:
        value = sum(row.visits * row.value for row in visited) / n
        value_se = math.hypot(*(row.visits * row.value_se for row in visited)) / n
        bias = sum(row.visits * row.bias for row in visited) / n
    return replace(
        rows[0],
        equals=tuple(row.card for row in rows[1:]),
        human={name: sum(row.human[name] for row in rows) for name in rows[0].human},
        visits=n,
        availability=max(row.availability for row in rows),
        share=sum(row.share for row in rows),
        value=value,
        value_se=value_se,
        abstract_move=", ".join(dict.fromkeys(row.abstract_move for row in rows)),
        prior=sum(row.prior for row in rows),
        policy=sum(row.policy for row in rows),
        bias=bias,
        is_played=any(row.is_played for row in rows),
        wins=sum(row.wins for row in rows),
        is_search_choice=any(row.is_search_choice for row in rows),
    )


def needs_text(seen: Observation) -> str:
    """How many tricks both sides need for their contracts; empty where bids are unknown."""
    scene = Scene(seen)
    if not scene.knows_bids:
        return ""
    sides = (scene.side, 1 - scene.side)
    texts = [f"{SIDE_NAMES[side]} {_need(scene.needs(side), scene.tricks_left)}" for side in sides]
    return " · ".join(texts)


def _need(n: int, left: int) -> str:
    if n > left:
        return f"are set ({n} needed, {left} left)"
    if n > 0:
        return f"need {n} of the last {left}"
    return "have made theirs"
