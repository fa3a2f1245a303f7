"""A record replays through the rules, or says why not."""

import dataclasses

import pytest
from hypothesis import given, settings

from spades.core.cards import N_CARDS, NORTH, STANDARD, WEST, cards_in, mask_of
from spades.core.errors import IllegalBidError, IllegalPlayError, InvalidDealError
from spades.core.records import Record
from spades.core.rules import NO_BID, Rules
from spades.core.scoring import RoundScore, score_round
from tests.strategies import record_of, round_records

WHOLE = record_of(Rules(), WEST, 3)


def change(record, **fields):
    return dataclasses.replace(record, **fields)


@settings(max_examples=60)
@given(round_records())
def test_every_record_replays(record):
    final = record.final()
    assert final.table.plays == [card.code for card in record.plays]
    assert final.table.bids == list(record.bids)
    assert final.table.blind == list(record.blind)
    assert record.is_complete == (len(record.plays) == N_CARDS) == final.table.is_over


@settings(max_examples=20)
@given(round_records())
def test_positions_are_the_round_at_every_ply(record):
    n = 0
    for ply, state in enumerate(record.positions()):
        assert len(state.table.plays) == ply
        if ply % 7 == 0:
            assert state == record.at(ply)
        n += 1
    assert n == len(record.plays) + 1


@settings(max_examples=40)
@given(round_records())
def test_a_score_needs_a_whole_round_and_its_bids(record):
    scored = record.score()
    all_unknown = max(record.bids) == NO_BID and record.rules.first_hand_bids_itself
    assert (scored is not None) == (record.is_complete and (record.has_bids or all_unknown))
    if scored:
        taken = record.final().table.tricks_taken
        assert scored == score_round(record.rules, record.bids, record.blind, taken)


def test_playing_from_the_start_leaves_the_record_alone():
    state = WHOLE.start()
    state.play(WHOLE.plays[0])
    assert WHOLE.start().table.plays == []
    assert WHOLE.start().hands == list(WHOLE.hands)


def test_a_hand_worked_round():
    """N holds all spades and makes 13 beside a nil; E fails 2 beside a nil."""
    hands = tuple(mask_of(range(16 * suit, 16 * suit + 13)) for suit in range(4))
    plays = tuple(16 * suit + rank for rank in range(13) for suit in range(4))
    record = Record(Rules(), WEST, hands, (13, 2, 0, 0), plays=plays)
    assert record.final().table.tricks_taken == [13, 0, 0, 0]
    assert record.score() == RoundScore((130 + 100, -20 + 100), (0, 0))
    blind = change(record, blind=(False, False, True, False))
    assert blind.score() == RoundScore((130 + 200, -20 + 100), (0, 0))


def test_a_round_cut_short_is_valid_and_marked():
    short = change(WHOLE, plays=WHOLE.plays[:30])
    assert not short.is_complete
    assert short.score() is None
    assert len(short.final().table.winners) == 7


def test_a_round_without_bids():
    record = change(WHOLE, bids=(NO_BID,) * 4, blind=(False,) * 4)
    assert not record.has_bids
    assert record.final().table.is_over
    assert record.score() is None
    own = change(record, rules=Rules(first_hand_bids_itself=True))
    taken = own.final().table.tricks_taken
    assert own.score().points == (10 * (taken[0] + taken[2]), 10 * (taken[1] + taken[3]))


def test_one_unknown_bid_is_unknown_for_all():
    record = change(WHOLE, bids=(3, NO_BID, 2, 4), blind=(False,) * 4)
    assert not record.has_bids
    assert record.start().table.bids == [3, NO_BID, 2, 4]


def test_a_card_out_of_place_is_refused():
    first, second, *rest = WHOLE.plays
    with pytest.raises(IllegalPlayError, match="doesn't hold it"):
        change(WHOLE, plays=(second, first, *rest)).final()


def test_a_card_too_many_is_refused():
    with pytest.raises(IllegalPlayError, match="after the 13th trick"):
        change(WHOLE, plays=(*WHOLE.plays, WHOLE.plays[0])).final()


def refused_cards(state):
    """Cards held that the seat to play may not play in the middle of a trick."""
    return state.hands[state.table.turn] & ~state.legal_plays() if state.table.trick else 0


def test_a_revoke_is_refused():
    state = next(position for position in WHOLE.positions() if refused_cards(position))
    revoke = next(cards_in(refused_cards(state)))
    record = change(WHOLE, plays=(*state.table.plays, revoke))
    with pytest.raises(
        IllegalPlayError, match=f"can't play {STANDARD.format_card(revoke)}: . must"
    ):
        record.final()


def test_a_wrong_deal_is_refused():
    north, east, south, west = WHOLE.hands
    with pytest.raises(InvalidDealError, match="already dealt"):
        change(WHOLE, hands=(north, east, north, west)).start()
    assert change(WHOLE, hands=(north, east, south, west)).start().hands == list(WHOLE.hands)


@pytest.mark.parametrize(
    ("bids", "blind", "says"),
    [
        ((14, 0, 0, 0), (False,) * 4, "N can't bid 14"),
        ((1, 1, 1, 1), (False,) * 4, "S can't bid 1; 3 to 13"),
        ((4, 4, 4, 4), (True, False, False, False), "a blind bid of 4"),
    ],
)
def test_a_wrong_auction_is_refused(bids, blind, says):
    record = change(WHOLE, rules=Rules(min_bid=4), bids=bids, blind=blind)
    with pytest.raises(IllegalBidError, match=says):
        record.start()


def test_the_second_bidder_of_a_side_is_bound_by_the_minimum():
    for dealer, bidder in ((WEST, "S"), (NORTH, "W")):
        record = change(
            WHOLE, rules=Rules(min_bid=4), dealer=dealer, bids=(1, 1, 1, 1), blind=(False,) * 4
        )
        with pytest.raises(IllegalBidError, match=f"{bidder} can't bid 1"):
            record.start()
