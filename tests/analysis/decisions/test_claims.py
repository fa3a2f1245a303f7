"""What is proven of all possible deals: against exhaustive search in each of them."""

import random

import numpy as np
import pytest

from analysis.decisions.card_values import candidate_values
from analysis.decisions.claims import (
    TrickClaim,
    best_sentence,
    claim_sentence,
    find_claim,
    n_possible,
    of_tricks,
)
from spades.belief import Dealing, every_deal
from spades.core.cards import STANDARD, cards_in, partnership_of
from spades.core.observation import Observation, observe
from spades.core.rules import Round, Rules, Table
from spades.search.solver import Solver
from tests.positions import random_bids, random_round
from tests.search.test_solver import exhaustive

BIDS = [3, 3, 3, 3]


def seen_by_south(hand, played_by_others, winner=0):
    """South leads to the last tricks with ``hand``; the others hold what nobody has played."""
    own = STANDARD.parse_cards(hand.split())
    n, table = len(hand.split()), Table(Rules(), 1, list(BIDS), leader=2)
    left = own | STANDARD.parse_cards(played_by_others.split())
    table.played[0] = STANDARD.mask & ~left
    table.winners, table.plays = [winner] * (13 - n), [0] * 4 * (13 - n)
    table.tricks_taken[winner], table.broken = 13 - n, True
    return Observation(2, own, table)


def claim_in(seen):
    solver, deals = Solver(of_tricks(seen.table)), every_deal(seen)
    return find_claim(seen, np.array([list(solver.values(deal).values()) for deal in deals])), deals


def test_top_trumps_take_the_rest_if_drawn_before_the_side_suit():
    seen = seen_by_south("SA SK HA", "S2 S3 H2 H3 H4 D2 D3 D4 C2")
    found, deals = claim_in(seen)
    assert len(deals) == 1680 == n_possible(seen, Dealing())
    spades = [STANDARD.parse_card(card) for card in ("SK", "SA")]
    assert found == TrickClaim(0, 3, 3, tuple(spades))
    text = "The rest is North/South's: all 3 tricks in every possible deal"
    assert claim_sentence(found, seen) == f"{text}, if South plays SK or SA now."


@pytest.mark.parametrize(
    ("hand", "others", "text"),
    [
        ("SK HA", "SA H2 H3 D2 D3 C2", None),  # North or the others may hold SA
        ("DA", "SA SK SQ", None),
        ("D2", "H3 H4 C2", "The rest is North/South's: the last trick in every possible deal."),
        ("H2 H3", "SA SK H4 H5 H6 H7", None),  # East/West take both unless North has a spade
    ],
)
def test_a_claim_holds_wherever_the_hidden_cards_are(hand, others, text):
    seen = seen_by_south(hand, others)
    found, _ = claim_in(seen)
    assert (found and claim_sentence(found, seen)) == text


def test_claims_are_those_of_exhaustive_search_in_all_deals():
    rng, kinds = random.Random(4), set()
    for _ in range(60):
        state = random_round(rng, rng.randint(43, 47), bids=random_bids(rng))
        seen, side = observe(state), partnership_of(state.table.turn)
        found, deals = claim_in(seen)
        bare, taken = of_tricks(state.table), state.table.tricks_taken
        values = [exhaustive(Round(bare.copy(), list(map(int, deal)))) for deal in deals]
        own = [
            {
                card: (value // 10 + 13) // 2 - taken[side] - taken[side + 2]
                for card, value in v.items()
            }
            for v in values
        ]
        best = {max(tricks.values()) for tricks in own}
        sure = [c for c in cards_in(seen.legal_mask) if {tricks[c] for tricks in own} == best]
        left, kind = 13 - len(state.table.winners), None
        if len(best) == 1 and sure:
            (tricks,) = best
            kind = "lost" if not tricks else "all" if tricks == left else "some"
            wanted = TrickClaim(side, tricks, left, tuple(sure))
            assert found == (wanted if tricks else TrickClaim(1 - side, left, left, tuple(sure)))
        else:
            assert found is None
        kinds.add(kind)
    assert kinds == {None, "lost", "all", "some"}


def test_only_equally_likely_deals_are_listed_and_no_more_than_can_be_solved():
    rng = random.Random(5)
    late, early = (observe(random_round(rng, n)) for n in (40, 20))
    assert n_possible(late, Dealing.of("biased")) == n_possible(early, Dealing()) == 0
    assert n_possible(late, Dealing()) == len(every_deal(late))


@pytest.mark.parametrize(
    ("values", "is_every", "text"),
    [
        (
            [[5, 1], [5, 5]],
            True,
            "Proven: in all 2 possible deals nothing is worth more than **A**",
        ),
        ([[5, 1], [5, 5]], False, "In all 2 sampled deals nothing is worth more than **A**, +5"),
        ([[6, 1], [5, 5]], False, "In all 2 sampled deals nothing is worth more than **A**."),
        ([[5, 1], [5, 8]], True, "**A** costs least: 1.5 points a deal less than the card that"),
        ([[5, 1], [5, 8]], False, "**A** costs least: 1.5 points a deal (95%: 0.0 to 4.4) less"),
    ],
)
def test_what_is_said_of_the_best_card(values, is_every, text):
    rows = candidate_values(["SA", "SK"], np.array(values, float), is_every=is_every)
    said = best_sentence(rows, {"SA": "A", "SK": "K"}.get, is_every=is_every)
    assert said.startswith(text)
    assert ("sampled" in said) == (not is_every)
