"""What holds after every card of random rounds, of every deck and any rules."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades.core.cards import DECKS, HAND_SIZE, cards_in, mask_of, suit_mask, suit_of
from spades.core.rules import NO_SUIT, Round, Rules
from tests.positions import random_round
from tests.strategies import rules


def winner_by_the_book(deck, leader, trick):
    """Winner of a trick worked out from the card texts and the order of each suit."""
    texts = [deck.format_card(card) for card in trick]
    suit = next(s for s in range(4) if texts[0] in deck.suits[s])
    trumps = [i for i in range(4) if texts[i] in deck.suits[0]]
    candidates = trumps or [i for i in range(4) if texts[i] in deck.suits[suit]]
    order = deck.suits[0 if trumps else suit]
    return (leader + max(candidates, key=lambda i: order.index(texts[i]))) % 4


def check_cards(state, dealt):
    """Cards are conserved: each seat holds what it was dealt without what it played."""
    table = state.table
    assert table.played_mask == mask_of(table.plays)
    assert len(set(table.plays)) == len(table.plays) == len(table.seats)
    for seat in range(4):
        played = mask_of(c for c, s in zip(table.plays, table.seats, strict=True) if s == seat)
        assert played & state.hands[seat] == 0
        assert played | state.hands[seat] == dealt[seat]


def check_tricks(table):
    leader = (table.dealer + 1) % 4
    for i, winner in enumerate(table.winners):
        trick = table.plays[4 * i : 4 * i + 4]
        assert table.seats[4 * i : 4 * i + 4] == [(leader + k) % 4 for k in range(4)]
        assert winner == winner_by_the_book(table.rules.cards, leader, trick)
        leader = winner
    assert len(table.winners) == len(table.plays) // 4
    assert table.leader == leader
    assert table.tricks_taken == [table.winners.count(seat) for seat in range(4)]


def check_voids(state):
    """Shown voids are true, and every seat that didn't follow has shown one."""
    table = state.table
    shown = [0] * 4
    for i, (card, seat) in enumerate(zip(table.plays, table.seats, strict=True)):
        led = suit_of(table.plays[i - i % 4])
        if suit_of(card) != led:
            shown[seat] |= suit_mask(led)
    assert table.voids == shown
    assert all(table.lacks(seat) & hand == 0 for seat, hand in enumerate(state.hands))


def check_legal(state):
    table = state.table
    hand, legal_plays = state.hands[table.turn], state.legal_plays()
    assert bool(legal_plays) != table.is_over
    assert legal_plays & ~hand == 0
    assert table.broken == any(suit_of(card) == 0 for card in table.plays)
    for card in cards_in(hand ^ legal_plays):
        if table.led_suit == NO_SUIT:
            assert suit_of(card) == 0
            assert not table.may_lead_spades
        else:
            assert suit_of(card) != table.led_suit
            assert hand & suit_mask(table.led_suit)


@settings(max_examples=40)
@given(rules(), st.integers(0, 3), st.randoms(use_true_random=False))
def test_invariants_after_every_card(options, dealer, rng):
    codes = [int(code) for code in options.cards.codes]
    rng.shuffle(codes)
    dealt = [mask_of(codes[i::4]) for i in range(4)]
    state = Round.deal(options, dealer, dealt)
    while not state.table.is_over:
        for check in (check_legal, check_voids):
            check(state)
        check_cards(state, dealt)
        check_tricks(state.table)
        state.play(rng.choice(list(cards_in(state.legal_plays()))))
    check_cards(state, dealt)
    check_tricks(state.table)
    assert state.hands == [0] * 4
    assert sum(state.table.tricks_taken) == len(state.table.winners) == HAND_SIZE
    assert state.table.best_card == -1


@pytest.mark.parametrize("deck", DECKS)
def test_a_copy_plays_on_its_own(deck):
    state = random_round(random.Random(7), 5, rules=Rules(deck=deck))
    other, before = state.copy(), repr(state)
    other.table.bids[0], other.table.blind[0] = 13, True
    while not other.table.is_over:
        other.play(next(cards_in(other.legal_plays())))
    assert any(other.table.voids)
    assert repr(state) == before
