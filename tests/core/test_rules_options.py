"""Bids and the options of the rules, a hand-worked case each."""

import pytest
from hypothesis import given

from spades.core.cards import EAST, NORTH, SOUTH, WEST
from spades.core.errors import IllegalBidError, InvalidRulesError
from spades.core.rules import Rules, Table
from tests.strategies import rules

# Bids


def auction(*bids, **options):
    table = Table(Rules(**options), WEST)
    for seat, bid in enumerate(bids):
        table.bid(seat, bid)
    return table


def test_any_bid_from_nil_to_thirteen():
    assert auction().legal_bids(NORTH) == list(range(14))
    assert auction(13, 13, 13, 13).bids == [13] * 4  # no limit on a partnership's sum


@pytest.mark.parametrize("bid", [-2, -1, 14, 100])
def test_other_bids_are_refused(bid):
    with pytest.raises(IllegalBidError, match=f"^E can't bid {bid}; 0 to 13 are legal$"):
        auction().bid(EAST, bid)


def test_least_sum_of_a_partnerships_bids_binds_the_second_bidder():
    table = auction(1, 0, min_bid=4)
    assert table.legal_bids(SOUTH) == list(range(3, 14))
    assert table.legal_bids(WEST) == list(range(4, 14))
    with pytest.raises(
        IllegalBidError, match=r"S can't bid 2; 3 to 13 are legal \(partnership minimum 4\)"
    ):
        table.bid(SOUTH, 2)
    table.bid(SOUTH, 3)
    assert table.contract_of(0) == 4


def test_a_partner_over_the_minimum_leaves_every_bid():
    assert auction(6, 0, min_bid=4).legal_bids(SOUTH) == list(range(14))


def test_blind_nil():
    table = auction()
    table.bid(NORTH, 0, blind=True)
    assert (table.bids[NORTH], table.blind) == (0, [True, False, False, False])


@pytest.mark.parametrize("options", [{"blind_nil": None}, {"nil": None}])
def test_blind_nil_may_be_forbidden(options):
    table = auction(**options)
    assert not table.rules.has_blind_nil
    with pytest.raises(IllegalBidError, match="N can't bid blind: blind nil is off in these rules"):
        table.bid(NORTH, 0, blind=True)
    table.bid(NORTH, 0)
    assert table.bids[NORTH] == 0


def test_only_nil_may_be_bid_blind():
    with pytest.raises(IllegalBidError, match="a blind bid of 3; only nil may be blind"):
        auction().bid(NORTH, 3, blind=True)


def test_contract_and_tricks_of_a_partnership():
    table = auction(3, 0, 4)
    table.tricks_taken[:] = [1, 2, 3, 4]
    assert [table.contract_of(p) for p in (0, 1)] == [7, 0]
    assert [table.tricks_of(p) for p in (0, 1)] == [4, 6]


# Options


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"deck": "tarot"}, "deck is 'tarot'; standard, joker-joker-ace"),
        ({"spades_lead": "never"}, "spades_lead is 'never'; broken, any are legal"),
        ({"failed_nil_tricks": "lost"}, "failed_nil_tricks is 'lost'; contract, bags are legal"),
        ({"bag_limit": -1}, "bag_limit is -1; 0 to 1,000,000 are legal"),
        ({"bag_penalty": -1}, "bag_penalty is -1"),
        *(
            ({name: number}, f"{name} is {number}; .* to 1,000,000 are legal")
            for name in ("target", "nil", "blind_nil", "bag_limit", "failed_contract")
            for number in (10**6 + 1, 2**63, 10**20)
        ),
        ({"losing_floor": -(2**63) - 1}, "losing_floor is -9223372036854775809; -1,000,000 to"),
        ({"failed_contract": -10}, "failed_contract is -10"),
        ({"min_bid": -1}, "min_bid is -1"),
        ({"min_bid": 14}, "min_bid is 14; 0 to 13 are legal"),
        ({"target": 200, "losing_floor": 200}, "losing_floor 200 must be below the target 200"),
    ],
)
def test_options_that_contradict_are_refused(options, says):
    with pytest.raises(InvalidRulesError, match=says):
        Rules(**options)
    with pytest.raises(InvalidRulesError, match=says):
        Rules.from_options(options)


@pytest.mark.parametrize(
    ("name", "value", "default"),
    [
        ("target", "500", "500"),
        ("target", None, "500"),
        ("target", True, "500"),
        ("target", 500.0, "500"),
        ("nil", True, "100"),
        ("nil", "100", "100"),
        ("losing_floor", 1.5, "None"),
        ("blind_nil", False, "200"),
        ("ten_for_200", 1, "False"),
        ("deck", None, "'standard'"),
        ("spades_lead", ["any"], "'broken'"),
    ],
)
def test_options_of_a_wrong_type_are_refused(name, value, default):
    with pytest.raises(InvalidRulesError) as refused:
        Rules.from_options({name: value})
    assert str(refused.value) == f"rule {name} can't be {value!r}, the default is {default}"


def test_an_unknown_option_is_refused_with_the_known_ones():
    with pytest.raises(
        InvalidRulesError, match=r"unknown rule 'nil_pass'; the engine knows bag_limit"
    ):
        Rules.from_options({"nil_pass": 2})


def test_options_that_may_be_absent():
    options = {"nil": None, "blind_nil": None, "losing_floor": None}
    assert Rules.from_options(options) == Rules(nil=None, blind_nil=None)


@given(rules())
def test_non_defaults_say_all(options):
    assert Rules.from_options(options.non_defaults()) == options
    assert all(value != getattr(Rules(), name) for name, value in options.non_defaults().items())


def test_the_defaults_of_the_spec():
    assert Rules().non_defaults() == {}
    assert Rules() == Rules(
        target=500,
        losing_floor=None,
        bag_limit=10,
        bag_penalty=100,
        nil=100,
        blind_nil=200,
        failed_nil_tricks="contract",
        spades_lead="broken",
        failed_contract=10,
        ten_for_200=False,
        min_bid=0,
        first_hand_bids_itself=False,
        deck="standard",
    )
