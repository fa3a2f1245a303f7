"""Hypothesis strategies: random rules, and rounds played at random as far as one likes."""

import random

from hypothesis import strategies as st

from spades.core.cards import DECKS, N_CARDS, cards_in, mask_of
from spades.core.logs import SEED_RANGE
from spades.core.records import KINDS, Record
from spades.core.rules import Round, Rules

POINTS = st.integers(-2_000, 2_000)
NAMES = st.text(max_size=12) | st.sampled_from(
    ['Q "uo" te', "<b>x</b>", 'a"]\n[Dealer "N"]', "% x", "; y", "?", "(Auto)", "b (7)", "a\u2028b"]
)


def fours(of):
    return st.tuples(of, of, of, of)


@st.composite
def rules(draw, *, decks=tuple(DECKS)):
    return Rules(
        target=draw(st.sampled_from([200, 350, 500, 1])),
        losing_floor=draw(st.sampled_from([None, -200, -100])),
        bag_limit=draw(st.sampled_from([10, 0, 5])),
        bag_penalty=draw(st.sampled_from([100, 50])),
        nil=draw(st.sampled_from([100, None, 50])),
        blind_nil=draw(st.sampled_from([200, None])),
        failed_nil_tricks=draw(st.sampled_from(["contract", "bags"])),
        spades_lead=draw(st.sampled_from(["broken", "any"])),
        failed_contract=draw(st.sampled_from([10, 0, 5])),
        ten_for_200=draw(st.booleans()),
        min_bid=draw(st.sampled_from([0, 4])),
        first_hand_bids_itself=draw(st.booleans()),
        deck=draw(st.sampled_from(decks)),
    )


def played_round(options, dealer, shuffle, *, n_bids=4, n_plays=N_CARDS):
    """A round dealt, bid and played at random (legally) from a seed, ``shuffle``."""
    rng = random.Random(shuffle)
    codes = [int(code) for code in options.cards.codes]
    rng.shuffle(codes)
    state = Round.deal(options, dealer, [mask_of(codes[i::4]) for i in range(4)])
    for i in range(1, 1 + n_bids):
        seat = (dealer + i) % 4
        bid = rng.choice([b for b in state.table.legal_bids(seat) if b <= 6])
        is_blind = bid == 0 and options.has_blind_nil and rng.random() < 0.3
        state.table.bid(seat, bid, blind=is_blind)
    for _ in range(n_plays):
        state.play(rng.choice(list(cards_in(state.legal_plays()))))
    return state


def record_of(options, dealer=0, shuffle=0, *, n_bids=4, n_plays=N_CARDS, **fields):
    """The record of ``played_round``."""
    state = played_round(options, dealer, shuffle, n_bids=n_bids, n_plays=n_plays)
    hands = played_round(options, dealer, shuffle, n_bids=n_bids, n_plays=0).hands
    table = state.table
    return Record(
        options,
        dealer,
        tuple(hands),
        bids=tuple(table.bids),
        blind=tuple(table.blind),
        plays=tuple(table.plays),
        **fields,
    )


@st.composite
def round_records(draw, *, decks=tuple(DECKS)):
    """Any record that logs may hold: every deck, all rules, whole and cut short."""
    n_plays = draw(st.sampled_from([N_CARDS, 0]) | st.integers(0, N_CARDS))
    return record_of(
        draw(rules(decks=decks)),
        draw(st.integers(0, 3)),
        draw(st.integers(0, 2**32)),
        n_bids=draw(st.sampled_from([4, 0])) if n_plays else draw(st.integers(0, 4)),
        n_plays=n_plays,
        game_id=draw(NAMES),
        round_index=draw(st.integers(0, 30)),
        score_before=draw(st.none() | st.tuples(POINTS, POINTS)),
        bags_before=draw(st.none() | st.tuples(st.integers(0, 9), st.integers(0, 9))),
        players=draw(fours(NAMES)),
        kinds=draw(fours(st.sampled_from(KINDS))),
        agents=draw(fours(NAMES)),
        seed=draw(st.none() | st.integers(*SEED_RANGE)),
        source=draw(NAMES),
    )
