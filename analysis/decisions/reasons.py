"""Why one card is worth more than another: the terms that its points are made of.

A value is what contracts, nils and bags are worth, times how likely or how many they are
(``spades.search.outcomes``), so that a difference in points is a sum of such terms.
"""

import math
from typing import NamedTuple

from analysis.decisions.decision import pretty
from analysis.decisions.judge import JUDGE
from spades.core.cards import partnership_of, seat_name
from spades.core.observation import Observation
from spades.search.outcomes import BAGS, N_MADE, NILS, Outcomes, outcome_points

ESTIMATE = f"by {JUDGE}'s estimate"
LEAST_POINTS, MOST_TERMS = 1.0, 3
CONTRACT, SET, NIL_KEPT, NIL_BROKEN, BAG = "contract", "set", "nil kept", "nil broken", "bag"


def card_name(seen: Observation, code: int) -> str:
    return pretty(seen.rules.cards.format_card(code))


class Term(NamedTuple):
    """What a part of the round adds to a card's value beside another's: points, and in words."""

    points: float
    text: str
    kind: str


def terms_of(card: Outcomes, other: Outcomes, seen: Observation) -> list[Term]:
    """The terms of a card's value less another's, the largest first: up to three of a point or
    more, whose numbers differ as they are printed. The texts are of the card, the other's numbers
    in brackets."""
    worth, own = outcome_points(seen), partnership_of(seen.seat)
    found = []

    def add(kind: str, column: int, difference: float, text: str) -> None:
        points = float(worth[column]) * difference
        if not math.isnan(points) and abs(points) >= LEAST_POINTS:
            found.append(Term(points, text, kind))

    def add_chance(kind: str, column: int, chances: tuple[float, float], text: str) -> None:
        """``chances``: of the card and the other; the column counts them, or how often not."""
        mine, theirs = (f"{p:.0%}" for p in chances)
        if mine != theirs:
            sign = -1 if kind in (SET, NIL_BROKEN) else 1
            gap = sign * (chances[0] - chances[1])
            add(kind, column, gap, f"{text} in {mine} ({theirs})")

    made, sets = (card.own_contract, other.own_contract), (card.their_set, other.their_set)
    add_chance(CONTRACT, N_MADE + own, made, "makes the contract")
    add_chance(SET, N_MADE + 1 - own, sets, "sets theirs")
    for seat, p in card.nils.items():
        whose = "its" if seat == seen.seat else f"{seat_name(seat)}'s"
        q = other.nils[seat]
        if partnership_of(seat) == own:
            add_chance(NIL_KEPT, NILS + seat, (p, q), f"keeps {whose} nil")
        else:
            add_chance(NIL_BROKEN, NILS + seat, (1 - p, 1 - q), f"breaks {whose} nil")
    gaps = (card.own_bags - other.own_bags, card.their_bags - other.their_bags)
    add(BAG, BAGS + own, gaps[0], _bags(gaps[0]))
    add(BAG, BAGS + 1 - own, gaps[1], f"{_bags(gaps[1])} for the others")
    return sorted(found, key=lambda term: -abs(term.points))[:MOST_TERMS]


def reason(card: Outcomes | None, other: Outcomes | None, seen: Observation, name: str) -> str:
    """The terms of a card's value less another's, whose ``name`` is given, in words: those for what
    it is worth in all, then those against; empty where none is known or of a point. Outcomes are
    the judge's, and said to be its estimate."""
    if card is None or other is None or not (found := terms_of(card, other, seen)):
        return ""
    is_more = sum(term.points for term in found) > 0
    with_it = [term.text for term in found if (term.points > 0) == is_more]
    against = [term.text for term in found if (term.points > 0) != is_more]
    text = " and ".join([", ".join(with_it[:-1]), with_it[-1]] if with_it[1:] else with_it)
    text = f"{text}, but {' and '.join(against)}" if against else text
    return f"{text.replace('(', f'({name} ', 1)} {ESTIMATE}"


def _bags(gap: float) -> str:
    n = abs(gap)
    return f"{n:.1f} bag{'' if f'{n:.1f}' == '1.0' else 's'} {'more' if gap > 0 else 'fewer'}"
