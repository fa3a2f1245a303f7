"""What may be asked about a bid: words, patterns, rules, scores, bags, why no nil is bid."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.bidding.questions import (
    ANY,
    ImpossibleScoreError,
    PreviousBids,
    bid_name,
    check_bags,
    check_score,
    describe,
    format_bids,
    format_rules,
    name_of,
    nearest_bags,
    nearest_score,
    observe_bids,
    parse_pattern,
    parse_previous,
    parse_rules,
    sequences_of,
    why_no_nil,
)
from spades.bidding.auction import INDEX_OF, SEQUENCES
from spades.core.cards import DECKS, STANDARD, parse_hand
from spades.core.errors import IllegalBidError, InvalidRulesError
from spades.core.rules import Rules

HAND = parse_hand("42.J543.9832.Q64", STANDARD)
FLOOR = Rules(target=200, losing_floor=-100)


@pytest.mark.parametrize(
    ("text", "bids", "blind"),
    [
        ("", (), ()),
        ("3,1", (3, 1), (False, False)),
        (" NIL , 0,13", (0, 0, 13), (False, False, False)),
        ("blind  nil,Blindnil,blind", (0, 0, 0), (True, True, True)),
    ],
)
def test_bids_in_words_and_numbers(text, bids, blind):
    assert parse_previous(text) == PreviousBids(bids, blind)
    assert parse_previous(format_bids(bids, blind)) == PreviousBids(bids, blind)


@pytest.mark.parametrize("text", ["14", "-1", "3,", "zero", "3;1", "1.5", "9" * 5000])
def test_what_is_no_bid_is_refused(text):
    with pytest.raises(IllegalBidError, match="0 to 13 are legal, nil"):
        parse_previous(text)


@pytest.mark.parametrize(
    ("rules", "score", "is_over"),
    [
        (Rules(), (499, 499), False),
        (Rules(), (500, 499), True),
        (Rules(), (530, 530), False),
        (Rules(), (-2000, 300), False),
        (FLOOR, (-99, 199), False),
        (FLOOR, (-100, 150), True),
        (FLOOR, (150, -300), True),
        (FLOOR, (-130, -130), False),
    ],
)
def test_a_round_is_bid_while_the_game_goes_on(rules, score, is_over):
    if is_over:
        with pytest.raises(ImpossibleScoreError, match="or two equal ones"):
            check_score(rules, score)
    else:
        check_score(rules, score)
        assert nearest_score(rules, score) == score
    check_score(rules, nearest_score(rules, score))


def test_the_nearest_score_moves_only_what_is_out_of_range():
    assert nearest_score(FLOOR, (250, -140)) == (199, -99)
    assert nearest_score(FLOOR, (120, -140)) == (120, -99)


def test_bags_stay_below_the_limit_where_there_is_one():
    check_bags(Rules(), (9, 0))
    for bags in ((10, 0), (0, -1)):
        with pytest.raises(ImpossibleScoreError, match="0 to 9 are legal"):
            check_bags(Rules(), bags)
        check_bags(Rules(), nearest_bags(Rules(), bags))
    check_bags(Rules(bag_limit=0), (40, 3))
    check_bags(Rules(bag_limit=0), nearest_bags(Rules(bag_limit=0), (-2, 40)))


def test_a_blind_nil_is_one_on_the_table():
    seen = observe_bids(HAND, parse_previous("4,blind nil,3"), rules=Rules())
    assert seen.table.bids[1:] == [4, 0, 3]
    assert seen.table.blind == [False, False, True, False]
    with pytest.raises(IllegalBidError, match="blind nil is off"):
        observe_bids(HAND, parse_previous("blind nil"), rules=Rules(blind_nil=None))


@pytest.mark.parametrize(
    ("previous", "rules", "reason"),
    [
        ("3,1", Rules(), None),
        ("3,nil", Rules(), None),
        ("nil,3", Rules(), "the partner has bid nil"),
        ("3,1", Rules(nil=None), "these rules have no nil"),
        ("3,1", Rules(min_bid=4), "the partner bid 3, so 1 to 13 are"),
        ("nil,1", Rules(min_bid=4), "the partner bid nil, so 4 to 13 are"),
        ("1", Rules(min_bid=4), None),
    ],
)
def test_why_there_is_no_nil(previous, rules, reason):
    found = why_no_nil(observe_bids(HAND, parse_previous(previous), rules=rules))
    assert found is None if reason is None else reason in found


bids = st.lists(st.integers(ANY, 13), max_size=3).map(tuple)


@given(bids)
def test_patterns_survive_being_written(pattern):
    assert parse_pattern(format_bids(pattern)) == pattern


@given(bids)
def test_a_pattern_means_the_sequences_that_agree_with_it(pattern):
    indices = sequences_of(pattern)
    assert len(set(indices)) == 14 ** pattern.count(ANY)
    for index in indices[:: max(1, len(indices) // 20)]:
        sequence = SEQUENCES[index]
        assert len(sequence) == len(pattern)
        assert all(bid in (ANY, made) for bid, made in zip(pattern, sequence, strict=True))


def test_patterns_in_words():
    assert parse_pattern(" Nil, any ,3") == (0, ANY, 3)
    assert parse_pattern("blind nil,Nil") == (0, 0)
    assert name_of((0, ANY, 3)) == "after nil, any, 3"
    assert name_of(()) == "first to bid"
    assert describe((4, 0)) == "You bid third: partner 4, right opponent nil."


@pytest.mark.parametrize("text", ["14", "3,x", "1,2,3,4", "-1", "3,,4", "²"])
def test_what_cannot_have_been_bid_is_refused(text):
    with pytest.raises(IllegalBidError, match=r"nil \(0\)|can come before"):
        parse_pattern(text)


def test_an_index_is_that_of_the_bidding_room():
    assert sequences_of((4, 0)).tolist() == [INDEX_OF[(4, 0)]]


def test_names_of_bids():
    assert bid_name(0, Rules()) == "nil"
    assert bid_name(0, Rules(nil=None)) == "0"
    assert bid_name(0, Rules(), is_blind=True) == "blind nil"
    assert bid_name(7, Rules()) == "7"


@pytest.mark.parametrize(
    "rules",
    [Rules(), Rules(nil=None, min_bid=4), Rules(deck=list(DECKS)[2], ten_for_200=True, target=250)],
)
def test_rules_as_text(rules):
    assert parse_rules(format_rules(rules)) == rules


def test_rules_that_are_none():
    assert parse_rules(" target = 300 , ") == Rules(target=300)
    for text in ("targets=300", "target=many", "deck=tarot", "nil"):
        with pytest.raises(InvalidRulesError):
            parse_rules(text)
