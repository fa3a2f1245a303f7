"""Why one card is worth more than another: the terms that its points are made of.

A value is the sum of what contracts, nils and bags are worth, times how likely or how many they are
(``spades.search.outcomes``), so that a difference in points is a sum of such terms.
"""

from typing import NamedTuple

from spades.core.cards import partnership_of, seat_name
from spades.core.observation import Observation
from spades.look.words import pretty
from spades.search.outcomes import BAGS, N_MADE, NILS, Outcomes, outcome_points

ESTIMATE = "by the rounds played on"
LEAST_POINTS = 1.0
MOST_TERMS = 3
CONTRACT = "contract"
SET = "set"
NIL_KEPT = "nil kept"
NIL_BROKEN = "nil broken"
BAG = "bag"


def card_name(seen: Observation, code: int) -> str:
    """A card of a round as players write it."""
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
    terms = [*_chance_terms(card, other, seen), *_bag_terms(card, other, seen)]
    large = [term for term in terms if abs(term.points) >= LEAST_POINTS]  # nan is left out
    return sorted(large, key=lambda term: -abs(term.points))[:MOST_TERMS]


def _chance_terms(card: Outcomes, other: Outcomes, seen: Observation) -> list[Term]:
    """Contracts and nils: how much likelier with the card, times what they are worth."""
    worth = outcome_points(seen).tolist()
    own = partnership_of(seen.seat)
    terms: list[Term | None] = [
        _chance_term(
            CONTRACT,
            worth[N_MADE + own],
            (card.own_contract, other.own_contract),
            "makes the contract",
        ),
        # A contract set is worth what is lost with it made.
        _chance_term(
            SET, -worth[N_MADE + 1 - own], (card.their_set, other.their_set), "sets theirs"
        ),
    ]
    for bidder, kept in card.nils.items():
        whose = "its" if bidder == seen.seat else f"{seat_name(bidder)}'s"
        other_kept = other.nils[bidder]
        points = worth[NILS + bidder]
        if partnership_of(bidder) == own:
            chances = (kept, other_kept)
            terms.append(_chance_term(NIL_KEPT, points, chances, f"keeps {whose} nil"))
        else:
            chances = (1 - kept, 1 - other_kept)
            terms.append(_chance_term(NIL_BROKEN, -points, chances, f"breaks {whose} nil"))
    return [term for term in terms if term]


def _chance_term(kind: str, worth: float, chances: tuple[float, float], text: str) -> Term | None:
    """``chances``: with the card and with the other; None where they are printed alike."""
    p, q = chances
    if f"{p:.0%}" == f"{q:.0%}":
        return None
    return Term(worth * (p - q), f"{text} in {p:.0%} ({q:.0%})", kind)


def _bag_terms(card: Outcomes, other: Outcomes, seen: Observation) -> list[Term]:
    """Bags of both sides: how many more with the card, times what they cost."""
    worth = outcome_points(seen).tolist()
    own = partnership_of(seen.seat)
    own_gap = card.own_bags - other.own_bags
    their_gap = card.their_bags - other.their_bags
    return [
        Term(worth[BAGS + own] * own_gap, f"takes {_bags(own_gap)}", BAG),
        Term(worth[BAGS + 1 - own] * their_gap, f"gives the others {_bags(their_gap)}", BAG),
    ]


def reason(card: Outcomes | None, other: Outcomes | None, seen: Observation, name: str) -> str:
    """The terms of a card's value less another's, whose ``name`` is given, in words: those in the
    direction of their sum, then those against it; empty where none is known or of a point. Outcomes
    are the judge's, and said to be its estimate."""
    if card is None or other is None:
        return ""
    terms = terms_of(card, other, seen)
    if not terms:
        return ""
    is_more = sum(term.points for term in terms) > 0
    with_it = [term.text for term in terms if (term.points > 0) == is_more]
    against = [term.text for term in terms if (term.points > 0) != is_more]
    text = with_it[-1]
    if len(with_it) > 1:
        text = f"{', '.join(with_it[:-1])} and {text}"
    if against:
        text += f", but {' and '.join(against)}"
    return f"{text.replace('(', f'({name} ', 1)} {ESTIMATE}"


def _bags(gap: float) -> str:
    """A gap in bags: ``0.5 bags more``."""
    n = f"{abs(gap):.1f}"
    noun = "bag" if n == "1.0" else "bags"
    return f"{n} {noun} {'more' if gap > 0 else 'fewer'}"
