"""What a seat sees: all of the table, its own hand, nothing of the others'."""

import dataclasses
import random

import pytest

from spades.core.cards import DECKS, HAND_SIZE, N_CARDS, STANDARD, WEST, cards_in, mask_of
from spades.core.observation import observe
from spades.core.records import Record
from spades.core.rules import Round, Rules, Table
from tests.positions import random_bids, random_round
from tests.strategies import record_of


def rounds(deck, n=4):
    """Positions before every card of ``n`` random rounds."""
    rng = random.Random(deck)
    for _ in range(n):
        state = random_round(rng, 0, rules=Rules(deck=deck), bids=random_bids(rng))
        while not state.table.is_over:
            yield state
            state.play(rng.choice(list(cards_in(state.legal_plays()))))
        yield state


def with_other_hands(state, seat, rng):
    """The same table; the cards of the other three seats shuffled among them."""
    others = [i for i in range(4) if i != seat]
    codes = [card for i in others for card in cards_in(state.hands[i])]
    rng.shuffle(codes)
    hands = list(state.hands)
    for i in others:
        size = hands[i].bit_count()
        hands[i] = mask_of(codes[:size])
        codes = codes[size:]
    return Round(state.table.copy(), hands)


@pytest.mark.parametrize("deck", DECKS)
def test_what_every_seat_sees_after_every_card(deck):
    for state in rounds(deck):
        for seat in range(4):
            seen = observe(state, seat)
            others = [hand for i, hand in enumerate(state.hands) if i != seat]
            assert seen.hand == state.hands[seat]
            assert seen.hand_sizes == [hand.bit_count() for hand in state.hands]
            assert seen.unseen_mask == others[0] | others[1] | others[2]
            on_turn = seat == state.table.turn
            assert seen.legal_mask == (state.legal_plays() if on_turn else 0)


@pytest.mark.parametrize("deck", DECKS)
def test_hidden_hands_are_no_part_of_an_observation(deck):
    rng = random.Random(5)
    n_changed = 0
    for state in rounds(deck, n=2):
        for seat in range(4):
            other = with_other_hands(state, seat, rng)
            n_changed += other.hands != state.hands
            assert observe(other, seat) == observe(state, seat)
            assert repr(observe(other, seat)) == repr(observe(state, seat))
            assert observe(other, seat).text() == observe(state, seat).text()
    assert n_changed > 300


def parts(value):
    """Every value reachable from an observation."""
    yield value
    if dataclasses.is_dataclass(value):
        inside = list(vars(value).values())
    elif isinstance(value, list | tuple):
        inside = list(value)
    else:
        inside = []
    for part in inside:
        yield from parts(part)


def test_no_part_of_an_observation_is_a_hidden_hand_or_the_round():
    for state in rounds("standard", n=1):
        for seat in range(4):
            hidden = {h for i, h in enumerate(state.hands) if i != seat and h.bit_count() > 1}
            for part in parts(observe(state, seat)):
                assert not isinstance(part, Round)
                assert not (type(part) is int and part in hidden)


def test_playing_on_does_not_change_an_observation():
    state = random_round(random.Random(2), 17)
    seen = observe(state)
    before = repr(seen)
    state.play(next(cards_in(state.legal_plays())))
    assert repr(seen) == before


def test_changing_an_observed_table_does_not_change_the_round():
    state = random_round(random.Random(2), 17)
    before = repr(state)
    seen = observe(state)
    seen.table.record_play(next(cards_in(seen.legal_mask)))
    seen.table.bids[0] = 13
    assert repr(state) == before


def test_the_seat_to_play_observes_unless_another_is_named():
    state = random_round(random.Random(3), 21)
    assert observe(state).seat == state.table.turn
    assert observe(state, 0).seat == 0


def test_score_and_bags_are_passed_on():
    seen = observe(random_round(random.Random(3), 0), 1, score_before=(120, -7), bags_before=(3, 9))
    assert (seen.score_before, seen.bags_before) == ((120, -7), (3, 9))
    assert observe(random_round(random.Random(3), 0)).score_before is None


def test_hand_sizes_in_the_middle_of_a_trick():
    table = Table(Rules(), WEST)
    state = Round(table, [mask_of(map(int, STANDARD.codes[i::4])) for i in range(4)])
    for n_played in range(3):
        assert sum(observe(state, 2).hand_sizes) == N_CARDS - n_played
        assert observe(state, 2).hand_sizes == [HAND_SIZE - (i < n_played) for i in range(4)]
        state.play(next(cards_in(state.legal_plays())))


def test_text_of_an_observation():
    state = random_round(random.Random(4), 51)
    seat = state.table.turn
    seen = observe(state, seat)
    assert seen.text().startswith(f"{'NESW'[seat]}:")
    assert seen.text().endswith(state.table.text())
    assert seen.rules is state.table.rules


def test_a_record_observes_with_its_score():
    record = record_of(Rules(), 1, 9, score_before=(50, 60), bags_before=(1, 2))
    for ply in (0, 13, 51):
        seen = record.observation(ply)
        assert seen == observe(record.at(ply), score_before=(50, 60), bags_before=(1, 2))
        assert record.observation(ply, 3).seat == 3
    assert isinstance(record, Record)
