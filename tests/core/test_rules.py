"""A hand-worked case for every clause of play: following, leading, winning, refusals, texts."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades.core.cards import (
    DECKS,
    EAST,
    N_CARDS,
    NORTH,
    SOUTH,
    STANDARD,
    WEST,
    cards_in,
    format_hand,
    suit_mask,
)
from spades.core.errors import IllegalPlayError, InvalidDealError, SpadesError
from spades.core.rules import NO_BID, NO_SUIT, Round, Rules, Table, beats, legal_mask
from tests.positions import random_round

JOKER_DECKS = ["joker-joker-ace", "joker-joker-deuce-ace", "joker-joker-deuce-deuce"]
DEUCES = "joker-joker-deuce-deuce"


def cards(text, deck=STANDARD):
    return deck.parse_cards(text.split())


def position(hands, *, leader=NORTH, broken=False, played="", **options):
    """A position from texts of the hands N E S W; ``played`` are the cards of the trick so far."""
    table = Table(Rules(**options), (leader - 1) % 4, broken=broken)
    state = Round(table, [cards(hand, table.rules.cards) for hand in hands])
    for text in played.split():
        state.play(table.rules.cards.parse_card(text))
    return state


def legal(state):
    return state.table.rules.cards.format_cards(state.legal_plays())


def play(state, texts):
    for text in texts.split():
        state.play(state.table.rules.cards.parse_card(text))
    return state


# Following


def test_a_seat_that_can_follow_must():
    state = position(["HK", "SA H2 H9 C3", "D2", "D3"], played="HK")
    assert legal(state) == "H9 H2"


def test_a_seat_without_the_led_suit_plays_anything():
    state = position(["HK", "SA D2 C3", "D4", "D3"], played="HK")
    assert legal(state) == "SA D2 C3"


def test_spades_led_are_followed_too():
    state = position(["S3", "SA S2 HA", "D4", "D3"], played="S3")
    assert legal(state) == "SA S2"


def test_the_led_suit_is_followed_not_the_winning_one():
    state = position(["HK H3", "S2 C2", "H4 S9", "D3"], played="HK S2")
    assert legal(state) == "H4"


# Leading


def test_spades_may_not_be_led_before_they_are_broken():
    assert legal(position(["SA S2 H3 C4", "", "", ""])) == "H3 C4"


def test_a_broken_spade_may_be_led():
    assert legal(position(["SA S2 H3 C4", "", "", ""], broken=True)) == "SA S2 H3 C4"


def test_a_hand_of_only_spades_may_lead_one():
    state = position(["SA S2", "S3 H2", "H3 H4", "H5 H6"])
    assert legal(state) == "SA S2"
    assert play(state, "S2").table.broken


def test_spades_may_be_led_at_any_time_where_the_rules_say_so():
    state = position(["SA S2 H3 C4", "", "", ""], spades_lead="any")
    assert state.table.may_lead_spades
    assert not state.table.broken
    assert legal(state) == "SA S2 H3 C4"


def test_a_ruff_breaks_spades():
    state = position(["HK H3", "S2 C2", "H4 S9", "D3 D4"])
    assert not play(state, "HK").table.broken
    assert play(state, "S2").table.broken
    assert play(state, "H4 D3").table.leader == EAST


def test_a_discard_breaks_nothing():
    state = play(position(["HK S3", "H2 S4", "D4 S9", "C3 S5"]), "HK H2 D4 C3")
    assert not state.table.broken
    assert state.table.leader == NORTH
    assert legal(state) == "S3"  # the only card left


@pytest.mark.parametrize(("joker", "deck"), [("JL", "joker-joker-ace"), ("D2", DEUCES)])
def test_a_joker_or_trump_deuce_breaks_spades(joker, deck):
    state = position(["HK H3", f"{joker} C3", "H4 S9", "D3 D4"], deck=deck)
    assert play(state, f"HK {joker}").table.broken


# Winning


@pytest.mark.parametrize(
    ("trick", "winner"),
    [
        ("H3 HK H9 H2", EAST),  # the highest of the led suit
        ("H3 CA DA CK", NORTH),  # another suit never wins
        ("HA S2 HK H9", EAST),  # the lowest trump beats the ace
        ("HA S2 S9 HK", SOUTH),  # the higher trump
        ("HA S9 S2 HK", EAST),
        ("S3 S2 HA SA", WEST),
        ("D2 D3 SA S2", SOUTH),
    ],
)
def test_who_wins_a_trick(trick, winner):
    state = play(position(trick.split()), trick)
    assert state.table.winners == [winner]
    assert state.table.leader == winner
    assert state.table.tricks_taken == [int(seat == winner) for seat in range(4)]


@pytest.mark.parametrize(
    ("deck", "order"),
    [
        ("standard", "SA SK S3 S2"),
        ("joker-joker-ace", "JH JL SA SK S3 S2"),
        ("joker-joker-deuce-ace", "JH JL S2 SA SK S3"),
        ("joker-joker-deuce-deuce", "JH JL D2 S2 SA SK S3"),
    ],
)
def test_order_of_trumps(deck, order):
    codes = [DECKS[deck].parse_card(text) for text in order.split()]
    for high, low in itertools.combinations(codes, 2):
        assert beats(high, low)
        assert not beats(low, high)
        hands = [DECKS[deck].format_card(card) for card in (low, high)]
        state = position([hands[0], hands[1], "HA", "CA"], deck=deck)
        assert play(state, " ".join([*hands, "HA", "CA"])).table.winners == [EAST]


@pytest.mark.parametrize("deck", JOKER_DECKS)
def test_every_trump_beats_every_plain_ace(deck):
    trumps = cards_in(DECKS[deck].mask & suit_mask(0))
    aces = [DECKS[deck].parse_card(text) for text in ("HA", "DA", "CA")]
    assert all(beats(trump, ace) and not beats(ace, trump) for trump in trumps for ace in aces)


def test_plain_suits_beat_only_their_own():
    h3, hk, da = (STANDARD.parse_card(text) for text in ("H3", "HK", "DA"))
    assert beats(hk, h3)
    assert not beats(h3, hk)
    assert not beats(da, h3)
    assert not beats(h3, da)


def test_deuce_of_diamonds_follows_spades_where_it_is_one():
    state = position(["S5", "D2 HA", "S6", "S7"], deck=DEUCES, broken=True, played="S5")
    assert legal(state) == "D2"
    assert play(state, "D2 S6 S7").table.winners == [EAST]


def test_deuce_of_diamonds_does_not_follow_diamonds_where_it_is_a_spade():
    state = position(["DK", "D2 HA", "D6", "D7"], deck=DEUCES, played="DK")
    assert legal(state) == "D2 HA"
    assert play(state, "D2").table.voids[EAST] == suit_mask(2)


def test_deuce_of_diamonds_is_not_led_before_spades_are_broken():
    assert legal(position(["D2 HA", "", "", ""], deck=DEUCES)) == "HA"
    assert legal(position(["D2 HA", "", "", ""], deck="joker-joker-ace")) == "HA D2"


@pytest.mark.parametrize("deck", JOKER_DECKS)
def test_jokers_follow_spades(deck):
    state = position(["S5", "JL HA", "S6", "S7"], deck=deck, broken=True, played="S5")
    assert legal(state) == "JL"


# Turn, dealer, voids


@pytest.mark.parametrize("dealer", range(4))
def test_the_dealers_left_leads(dealer):
    assert Table(Rules(), dealer).leader == (dealer + 1) % 4
    assert Table(Rules(), dealer).turn == (dealer + 1) % 4


def test_seats_play_clockwise_and_the_winner_leads():
    state = position(["H2 C2", "H3 C3", "HA C4", "H5 C5"], leader=EAST)
    play(state, "H3 HA H5 H2 C4 C5 C2")
    assert state.table.seats == [EAST, SOUTH, WEST, NORTH, SOUTH, WEST, NORTH]
    assert state.table.turn == EAST
    assert state.table.trick == [STANDARD.parse_card(text) for text in ("C4", "C5", "C2")]
    assert state.table.led_suit == 3
    assert state.table.best_card == STANDARD.parse_card("C5")


def test_nothing_is_led_or_best_before_the_lead():
    table = Table(Rules(), WEST)
    assert (table.led_suit, table.best_card, table.trick) == (NO_SUIT, -1, [])


def test_a_seat_that_does_not_follow_shows_a_void():
    state = play(position(["HK", "S2", "D4", "H3"]), "HK S2 D4 H3")
    assert state.table.voids == [0, suit_mask(1), suit_mask(1), 0]


def test_who_leads_the_first_spade_has_nothing_else():
    table = play(position(["S3 S4", "S2 D2", "D4 D5", "H3 H4"]), "S3").table
    assert table.lacks(NORTH) == suit_mask(1) | suit_mask(2) | suit_mask(3)
    assert table.voids[NORTH] == 0
    broken = play(position(["HK S4", "S2 S3", "D4 D5", "H3 H4"]), "HK S2 D4 H3 S3").table
    assert broken.lacks(EAST) == suit_mask(1)


def test_voids_of_several_suits_add_up():
    state = position(["HK DK", "C2 C3", "H4 D4", "H3 D3"])
    assert play(state, "HK C2 H4 H3 DK C3").table.voids[EAST] == suit_mask(1) | suit_mask(2)


# Errors


def test_not_following_is_refused_with_card_reason_and_legal_cards():
    state = position(["HK S3", "SA H2", "D4", "D3"], played="HK")
    with pytest.raises(IllegalPlayError) as refused:
        play(state, "SA")
    assert str(refused.value) == (
        "E can't play SA: E must follow H; legal: H2 | "
        "N:3... A.2.. ..4. ..3.; bids NESW - - - -; tricks NESW 0 0 0 0; N led HK; "
        "spades not broken"
    )


def test_leading_an_unbroken_spade_is_refused():
    state = position(["SA H3", "", "", ""])
    with pytest.raises(
        IllegalPlayError, match=r"N can't play SA: spades are not broken; legal: H3 \|"
    ):
        play(state, "SA")


def test_a_card_not_held_is_refused():
    state = position(["SA H3", "HK", "", ""])
    with pytest.raises(IllegalPlayError, match=r"N can't play HK: N doesn't hold it; legal: H3 \|"):
        play(state, "HK")


@pytest.mark.parametrize("code", [-1, 13, 63, 64])
def test_a_code_that_is_no_card_is_refused(code):
    with pytest.raises(SpadesError, match=f"{code} is no card code"):
        position(["SA H3", "HK", "", ""]).play(code)


def test_a_card_after_the_last_trick_is_refused():
    state = random_round(random.Random(1), N_CARDS)
    with pytest.raises(IllegalPlayError, match="H5 after the 13th trick"):
        play(state, "H5")


def test_a_refused_card_changes_nothing():
    state = position(["HK S3", "SA H2", "D4", "D3"], played="HK")
    before = repr(state)
    with pytest.raises(IllegalPlayError):
        play(state, "SA")
    assert repr(state) == before


def test_a_wrong_deal_is_refused():
    with pytest.raises(InvalidDealError, match="N holds 1 cards"):
        Round.deal(Rules(), NORTH, [1, 2, 4, 8])


def test_text_of_a_position():
    state = position(["SA HK", "S2 JH", "D2 D3", "D4 CA"], deck=DEUCES, leader=EAST, broken=True)
    state.table.bids[:] = [4, 0, NO_BID, 13]
    play(state, "S2")
    assert state.text() == (
        "N:A.K.. ....H ..32. ..4.A; bids NESW 4 0 - 13; tricks NESW 0 0 0 0; E led S2; "
        "spades broken"
    )


def test_text_of_a_hand():
    assert format_hand(cards("SA S2 HK C3 CT"), STANDARD) == "A2.K..T3"
    assert format_hand(0, STANDARD) == "..."
    joker_deck = DECKS[DEUCES]
    assert format_hand(cards("JH JL D2 S2 SA", joker_deck), joker_deck) == "A2..2..HL"


# Kernels

HANDS = st.integers(0, (1 << 63) - 1)
CODES = st.integers(0, 62)


@given(HANDS, st.integers(NO_SUIT, 3), st.booleans())
def test_legal_mask_equals_its_plain_twin(hand, led, may_lead_spades):
    assert legal_mask(hand, led, may_lead_spades) == legal_mask.py_func(hand, led, may_lead_spades)


@given(CODES, CODES)
def test_beats_equals_its_plain_twin(card, best):
    assert beats(card, best) == beats.py_func(card, best)
