"""Feature vectors: by hand, by the book, and of nothing that is hidden."""

import random

import numpy as np
import pytest

from spades.core.cards import DECKS, STANDARD
from spades.core.errors import IllegalPlayError
from spades.core.observation import observe
from spades.core.rules import Round, Rules
from spades.human.features.corpus_features import N_FEATURES, NAMES, decision_features
from tests.human.features.book import features_by_the_book
from tests.positions import random_bids, random_round, swap_hidden


def named(vector):
    return {name: value for name, value in zip(NAMES, vector.tolist(), strict=True) if value}


def deal(*hands):
    return [STANDARD.parse_cards(hand.split()) for hand in hands]


NORTH = "SA S5 HA HK H7 H2 DQ D9 D4 C8 C6 C5 C3"
EAST = "SK S9 S8 S7 HQ HJ H9 H3 DK DJ D5 CK C2"
SOUTH = "SQ SJ ST S2 HT H8 H6 H5 DA DT D3 CQ CT"
WEST = "S6 S4 S3 H4 D8 D7 D6 D2 CA CJ C9 C7 C4"


def test_a_lead_worked_by_hand():
    state = Round.deal(Rules(), 3, deal(NORTH, EAST, SOUTH, WEST))
    state.table.bids[:] = [3, 4, 0, 2]
    found = decision_features(observe(state, score_before=(250, -20), bags_before=(5, 12)))
    before = named(found[0])
    assert before == {
        "spades_held": 24, "spades_masters": 33, "spades_honours": 25, "spades_low": 20,
        "spades_ranks": 17, "spades_out": 77,  # ranks: A 13, 5 is 4
        # Hearts and clubs are four each; hearts are stronger. Two hearts are masters.
        "first_held": 48, "first_masters": 66, "first_honours": 50, "first_low": 20,
        "first_ranks": 32, "first_out": 63,
        "second_held": 48, "second_low": 60, "second_ranks": 7 + 5 + 4 + 2, "second_out": 63,
        "third_held": 36, "third_honours": 25, "third_low": 20, "third_ranks": 11 + 8 + 3,
        "third_out": 70,
        "place_lead": 50,
        "bid_own": 36, "bid_left": 48, "bid_right": 24,
        "wanted_own": 30, "wanted_their": 60, "pressure_own": 18, "pressure_their": 36,
        "nil_partner": 80, "bags_own": 40, "bags_their": 80, "score_own": 20,
        "tricks_left": 78,
    }  # fmt: skip
    legal = [STANDARD.format_card(c) for c in range(64) if state.legal_plays() >> c & 1]
    after = {card: row - found[0] for card, row in zip(legal, found[1:], strict=True)}
    assert "SA" not in legal  # spades are not broken
    assert named(after["HK"]) == {
        "first_held": -12, "first_masters": -33, "first_honours": -25, "first_ranks": -12,
        "led_side_suit": 20, "ahead_own": 30, "rank_ahead": 27,
    }  # fmt: skip
    assert named(after["C3"]) == {
        "second_held": -12, "second_low": -20, "second_ranks": -2,
        "led_side_suit": 20, "ahead_own": 30, "rank_ahead": 4, "threats": 32,
    }  # fmt: skip


def test_a_fourth_card_ends_the_trick():
    state = Round.deal(Rules(), 3, deal(NORTH, EAST, SOUTH, WEST))
    state.table.bids[:] = [1, 4, 0, 1]
    for card in ("DQ", "D5", "D3"):
        state.play(STANDARD.parse_card(card))
    found = decision_features(observe(state))  # West: D8 D7 D6 D2 under the queen
    assert named(found[0])["ahead_opponent"] == 30
    assert "threats" not in named(found[0])
    low = named(found[1] - found[0])
    assert low == {
        "first_held": -12, "first_low": -20, "first_ranks": -1,
        "wanted_their": -10, "pressure_their": -6,
    }  # fmt: skip
    state = Round.deal(Rules(), 3, deal(NORTH, EAST, SOUTH, WEST))
    state.table.bids[:] = [1, 4, 0, 0]
    for card in ("H2", "HQ", "HT", "H4", "DK", "DA", "D2", "D9", "CT"):
        state.play(STANDARD.parse_card(card))
    assert state.table.turn == 3  # South leads clubs; West, with a live nil, is second
    found = decision_features(observe(state))
    ace = named(found[5] - found[0])  # C4 C7 C9 CJ CA
    assert (ace["ahead_own"], ace["ahead_opponent"]) == (30, -30)
    assert "nil_own" not in ace  # two others have still to play
    for card in ("C4", "C3"):
        state.play(STANDARD.parse_card(card))
    east = decision_features(observe(state))  # fourth, CK or C2: its king takes the trick
    taken = named(east[2] - east[0])
    assert (taken["wanted_own"], taken["ahead_own"], taken["ahead_opponent"]) == (-10, 30, -30)


@pytest.mark.parametrize("deck", DECKS)
@pytest.mark.parametrize(
    "options",
    [{}, {"failed_nil_tricks": "bags", "bag_limit": 0}, {"nil": None, "spades_lead": "any"}],
)
def test_every_feature_is_that_of_the_book(deck, options):
    rng, rules = random.Random(2), Rules(deck=deck, **options)
    for ply in range(52):
        state = random_round(rng, ply, rules=rules, bids=random_bids(rng))
        score = (rng.randrange(-90, 600), rng.randrange(-90, 600)) if ply % 3 else None
        seen = observe(state, score_before=score, bags_before=(3, rng.randrange(12)))
        found = decision_features(seen)
        assert found.dtype == np.int8
        assert found.shape == (1 + seen.legal_mask.bit_count(), N_FEATURES)
        cards = [c for c in range(64) if seen.legal_mask >> c & 1]
        for card, vector in zip([None, *cards], found, strict=True):
            expected = features_by_the_book(seen, card)
            assert dict(zip(NAMES, vector.tolist(), strict=True)) == expected


def test_suits_are_named_by_the_part_they_play():
    """Hearts for clubs and clubs for hearts: the same vectors."""
    swapped = [hand.replace("H", "x").replace("C", "H").replace("x", "C") for hand in
               (NORTH, EAST, SOUTH, WEST)]  # fmt: skip
    plain = Round.deal(Rules(), 3, deal(NORTH, EAST, SOUTH, WEST))
    other = Round.deal(Rules(), 3, deal(*swapped))
    for state, card in ((plain, "H7"), (other, "C7")):
        state.play(STANDARD.parse_card(card))
    first, second = (decision_features(observe(state)) for state in (plain, other))
    assert np.array_equal(first, second)


def test_no_two_cards_change_the_state_alike():
    rng = random.Random(4)
    for _ in range(300):
        deck = rng.choice(list(DECKS))
        state = random_round(rng, rng.randrange(48), rules=Rules(deck=deck), bids=random_bids(rng))
        found = decision_features(observe(state)).astype(int)
        assert len(np.unique(found[1:] - found[0], axis=0)) == len(found) - 1


def test_no_feature_looks_at_a_hidden_card():
    rng = random.Random(8)
    for ply in range(0, 50, 2):
        state = random_round(rng, ply, bids=random_bids(rng))
        other = swap_hidden(state, state.table.turn, rng)
        assert np.array_equal(decision_features(observe(state)), decision_features(observe(other)))


def test_a_seat_not_to_play_is_refused():
    state = random_round(random.Random(1), 5)
    with pytest.raises(IllegalPlayError, match="not this seat's turn"):
        decision_features(observe(state, (state.table.turn + 1) % 4))


def test_no_feature_dominates():
    """No feature is over a third of the squared length of states, or of actions, of random play."""
    rng, states, actions = random.Random(5), [], []
    for _ in range(400):
        state = random_round(rng, rng.randrange(52), bids=random_bids(rng))
        found = decision_features(observe(state)).astype(float)
        states.append(found[0])
        actions.extend(found[1:] - found[0])
    for vectors in (np.array(states), np.array(actions)):
        assert (np.square(vectors).sum(axis=0) / np.square(vectors).sum()).max() < 1 / 3
