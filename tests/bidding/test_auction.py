"""What kernels read out of an auction."""

import numpy as np
import pytest

from spades.bidding import auction as auctions
from spades.bidding.answer import auction_of, observe_auction
from spades.bidding.auction import INDEX_OF, N_SEQUENCES, SEQUENCES
from spades.core.errors import IllegalBidError, SpadesError
from spades.core.rules import Rules
from tests.bidding.auctions import auction, context, hand_of


def test_every_sequence_has_its_index():
    sequences = [SEQUENCES[index] for index in range(N_SEQUENCES)]
    assert N_SEQUENCES == 2955 == len(set(sequences))
    assert [INDEX_OF[sequence] for sequence in sequences] == list(range(N_SEQUENCES))
    assert sequences[:3] == [(), (0,), (1,)]
    assert INDEX_OF[(13, 13, 13)] == 2954


@pytest.mark.parametrize("previous", [(), (3,), (0, 13), (4, 0, 2)])
def test_kernels_read_the_previous_bids(previous):
    seen = auction(*previous)
    assert auctions.previous_index(seen) == INDEX_OF[previous]
    assert auctions.n_previous(seen) == len(previous)
    assert auctions.sum_previous(seen) == sum(previous)
    rotated = seen._replace(seat=2, bids=np.roll(seen.bids, 2))
    assert auctions.previous_index(rotated) == INDEX_OF[previous]


def test_partner_and_opponents():
    rules = context().rules
    assert auctions.partner_bid(auction(4, 0, 2)) == 0
    assert auctions.partner_bid(auction(4)) == -1
    assert auctions.n_opponent_nils(auction(0, 3, 0), rules) == 2
    assert auctions.n_opponent_nils(auction(3, 0, 3), rules) == 0
    no_nil = context(Rules(nil=None, blind_nil=None)).rules
    assert auctions.n_opponent_nils(auction(0, 3, 0), no_nil) == 0


def test_least_bid_and_contract():
    rules = context(Rules(min_bid=4)).rules
    assert auctions.least_bid(auction(3, 1, 3), rules) == 3
    assert auctions.least_bid(auction(3), rules) == 0
    assert auctions.contract_bid(1.2, auction(3, 1, 3), rules) == 3
    assert auctions.contract_bid(-2.0, auction(), rules) == 1  # 0 would be nil
    assert auctions.contract_bid(20.0, auction(), rules) == 13
    assert auctions.contract_bid(2.5, auction(), rules) == 3
    no_nil = context(Rules(nil=None, blind_nil=None)).rules
    assert auctions.contract_bid(-2.0, auction(), no_nil) == 0


def test_nil_needs_the_rules_and_a_partner_without():
    assert auctions.may_nil(auction(3, 3, 3), context().rules)
    assert not auctions.may_nil(auction(3, 0, 3), context().rules)
    assert not auctions.may_nil(auction(3, 3, 3), context(Rules(min_bid=4)).rules)
    assert not auctions.may_nil(auction(), context(Rules(nil=None, blind_nil=None)).rules)


def test_outlooks_count_unknown_bids_as_three():
    rules = context().rules
    seen = auction(4, 0, score=(100, 200))  # the partner four, the right opponent nil
    assert auctions.our_outlook(5, seen, rules) == 100 + 40 + 50
    assert auctions.our_outlook(0, seen, rules) == 100 + 40 + 100
    assert auctions.their_outlook(seen, rules) == 200 + 30 + 100


def test_an_observation_becomes_an_auction():
    hand = hand_of("AKJ62.AQ.Q.K9543")
    seen = auction_of(observe_auction(hand, (3, 0), score=(-20, 95), bags=(2, 7)))
    expected = auction(3, 0, score=(-20, 95), bags=(2, 7))
    assert seen._replace(bids=None) == expected._replace(bids=None)
    assert np.array_equal(seen.bids, expected.bids)


@pytest.mark.parametrize(
    ("previous", "options", "error", "message"),
    [
        ((3, 3, 3, 3), {}, IllegalBidError, "4 previous bids: 3, 3, 3, 3; 0 to 3 are legal"),
        ((15,), {}, IllegalBidError, "can't bid 15; 0 to 13 are legal"),
        ((2, 3, 2), {"rules": Rules(min_bid=5)}, IllegalBidError, "3 to 13 are legal"),
        ((), {"score": (2_000_000, 0)}, SpadesError, "score 2000000, 0"),
        ((), {"bags": (-1, 0)}, SpadesError, "bags -1, 0; 0 to"),
    ],
)
def test_impossible_auctions_are_refused(previous, options, error, message):
    with pytest.raises(error, match=message):
        observe_auction(hand_of("AKJ62.AQ.Q.K9543"), previous, **options)
