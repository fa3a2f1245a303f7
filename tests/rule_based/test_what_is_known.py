"""What a rule-based player makes of a position: sure takes, needs, round type, goal."""

import itertools

import pytest

from spades.core.cards import STANDARD
from spades.core.rules import Rules
from spades.rule_based.players import (
    DUCK,
    TAKE,
    attacks_nil,
    goal_of,
    plays_for_set,
    they_can_win,
    we_can_win,
)
from spades.rule_based.sight import MANY_BAGS, holding, sure_takes
from tests.rule_based.positions import Position

EVERY_SPADE = "SA SK SQ SJ ST S9 S8 S7 S6 S5 S4 S3 S2"


def spades(ranks):
    return STANDARD.parse_cards(f"S{rank}" for rank in ranks)


@pytest.mark.parametrize(
    ("held", "out", "takes"),
    [
        ("A", "KQJT98765432", 1),  # the paper's three (D.1)
        ("KQ", "AJT98765432", 1),
        ("T987", "AK", 2),
        ("K2", "AQ3", 0),
        ("QJT", "AK9", 1),
        ("", "A", 0),
        ("2", "", 1),
    ],
)
def test_sure_takes(held, out, takes):
    assert sure_takes(spades(held), spades(out)) == takes


def whist(mine, theirs):
    """Tricks of the side that leads every trick of one-suit Whist, by trying everything."""
    if not mine:
        return 0
    if not theirs:
        return len(mine)
    return max(
        min((card > answer) + whist(mine - {card}, theirs - {answer}) for answer in theirs)
        for card in mine
    )


@pytest.mark.parametrize("n", [3, 5, 6])
def test_sure_takes_are_those_of_one_suit_whist(n):
    for owners in itertools.product([0, 1, 2], repeat=n):
        mine = frozenset(i for i in range(n) if owners[i] == 1)
        theirs = frozenset(i for i in range(n) if owners[i] == 2)
        found = sure_takes(sum(1 << i for i in mine), sum(1 << i for i in theirs))
        assert found == whist(mine, theirs), (mine, theirs)


def test_a_zero_is_no_nil_where_the_rules_have_none():
    sight = Position(EVERY_SPADE, bids=(4, 0, 4, 3), rules=Rules(nil=None)).sight
    assert not sight.next_nil


LOW = "H2 H3 H4 D2 D3 D4 C2 C3"


@pytest.mark.parametrize(
    ("fields", "goal"),
    [
        ({"tricks": (0, 0, 0, 0)}, TAKE),  # the contract needs tricks
        ({"tricks": (3, 2, 3, 0), "bids": (3, 2, 3, 2)}, DUCK),  # made, a set needs four of five
        ({"tricks": (3, 1, 2, 0), "bids": (3, 2, 3, 2), "hand": "SA " + LOW}, DUCK),  # guaranteed
        ({"tricks": (3, 2, 3, 0), "rules": Rules(bag_limit=0)}, TAKE),  # bags cost nothing
        ({"tricks": (3, 2, 3, 0), "bids": (-1, 3, 3, 3)}, TAKE),  # bids not known
        ({"tricks": (3, 1, 3, 1), "bids": (3, 4, 3, 3)}, TAKE),  # all five make a set: no slack
        ({"tricks": (3, 0, 3, 2), "bids": (3, 2, 3, 4)}, TAKE),  # over, one spare: a bag for a set
        ({"tricks": (3, 0, 3, 2), "bids": (3, 2, 3, 4), "bags": (9, 0)}, DUCK),  # the tenth bag
        ({"tricks": (3, 2, 3, 4), "bids": (3, 3, 3, 3)}, DUCK),  # theirs is made
        ({"tricks": (0, 5, 0, 5), "bids": (3, 3, 3, 3)}, DUCK),  # ours is lost: give them bags
    ],
)
def test_the_goal(fields, goal):
    assert goal_of(Position(**{"hand": LOW, **fields}).sight) == goal


def test_a_set_needed_against_the_game_is_played_for_at_any_price():
    fields = {"hand": LOW, "tricks": (3, 1, 3, 1), "bids": (3, 2, 3, 2)}
    calm = Position(**fields, score=(300, 400)).sight
    lost = Position(**fields, score=(300, 470)).sight
    assert not they_can_win(calm)
    assert not plays_for_set(calm)
    assert they_can_win(lost)
    assert plays_for_set(lost)


def test_no_risk_is_taken_where_made_contracts_win_the_game():
    fields = {"hand": LOW, "tricks": (3, 0, 3, 2), "bids": (3, 2, 3, 4)}
    assert plays_for_set(Position(**fields, score=(300, 300)).sight)
    ahead = Position(**fields, score=(450, 300)).sight
    assert we_can_win(ahead)
    assert not plays_for_set(ahead)


@pytest.mark.parametrize(
    ("tricks", "score", "attacks"),
    [
        ((1, 0, 0, 5), (0, 0), True),  # 5 of 7 needed: two to spare
        ((0, 0, 0, 6), (0, 0), False),  # 6 of 7 needed
        ((0, 0, 0, 6), (0, 440), True),  # the nil and 5 bid win them the game
        ((0, 0, 0, 8), (0, 0), True),  # the contract is lost anyway
        ((6, 0, 0, 0), (0, 0), True),  # made
        ((0, 1, 0, 5), (0, 0), False),  # no nil any more
    ],
)
def test_the_attack_is_dropped_when_it_costs_the_contract(tricks, score, attacks):
    position = Position(LOW, bids=(3, 0, 3, 5), tricks=tricks, score=score)
    assert bool(attacks_nil(position.sight)) == attacks


def test_bags_before_the_penalty():
    assert Position(LOW, tricks=(3, 0, 5, 0), bags=(4, 0)).sight.bags_room == 3
    assert Position(LOW, rules=Rules(bag_limit=0)).sight.bags_room == MANY_BAGS
    assert Position(LOW, rules=Rules(bag_penalty=0)).sight.bags_room == MANY_BAGS


def test_tricks_of_a_failed_nil_count_where_the_rules_say():
    fields = {"hand": LOW, "bids": (4, 4, 0, 4), "tricks": (1, 0, 2, 0)}
    assert Position(**fields).sight.need == 1
    assert Position(**fields, rules=Rules(failed_nil_tricks="bags")).sight.need == 3


def test_what_no_opponent_to_play_may_beat():
    cards = STANDARD.parse_cards(["HA", "HK", "S2"])
    fields = {"hand": "HA HK S2", "trick": "HQ", "out": "S3 S4 H3 D2 D3"}
    assert holding(Position(**fields).sight, cards) == cards
    ruffed = Position(**fields, voids=("", "H", "", "")).sight
    assert holding(ruffed, cards) == 0
    trumpless = Position(**fields, voids=("", "SH", "", "")).sight
    assert holding(trumpless, cards) == cards
    nil = Position(**fields, voids=("", "H", "", ""), bids=(3, 0, 3, 3)).sight
    assert holding(nil, cards) == cards, "a live nil won't go over"
