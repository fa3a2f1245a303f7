"""The compiled replay says what the rules of the game say, round by round."""

import dataclasses
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spades.core.derived as derived
from spades.core.cards import DECKS, N_CARDS
from spades.core.derived import LEGAL, NO_PLY, check_rounds, derive, fault_text, require_legal
from spades.core.errors import InvalidCardError, InvalidRecordError, SpadesError
from spades.core.logs import Log
from spades.core.rules import NIL_BID, NO_BID, Rules
from tests.random_logs import random_log
from tests.strategies import record_of, round_records

ROUNDS = st.lists(round_records(), min_size=1, max_size=5).map(
    lambda records: [dataclasses.replace(record, seed=None) for record in records]
)


def refusal_of(record):
    """Why the rules refuse a record; empty if they don't."""
    try:
        record.final()
    except SpadesError as error:
        return str(error)
    return ""


def assert_derived_as_replayed(result, i, record):
    table, n = record.final().table, len(record.plays)
    assert result.seats[i, :n].tolist() == table.seats
    assert np.all(result.seats[i, n:] == derived.NOBODY)
    legal = [state.legal_plays().bit_count() for state in record.positions()][:n]
    assert result.legal_count[i].tolist() == legal + [0] * (N_CARDS - n)
    assert result.winners[i, : n // 4].tolist() == table.winners
    assert np.all(result.winners[i, n // 4 :] == derived.NOBODY)
    assert result.tricks_taken[i].tolist() == table.tricks_taken
    scored = record.score()
    assert result.has_score[i] == (scored is not None)
    assert result.points[i].tolist() == list(scored.points if scored else (0, 0))
    assert result.bags[i].tolist() == list(scored.bags if scored else (0, 0))
    for seat in range(4):
        is_nil = record.bids[seat] == NIL_BID and record.rules.nil is not None
        assert result.bid_nil[i, seat] == is_nil
        made = is_nil and record.is_complete and table.tricks_taken[seat] == 0
        assert result.made_nil[i, seat] == made


@settings(max_examples=60, deadline=None)
@given(ROUNDS)
def test_derived_is_what_the_replay_gives(records):
    log = Log.from_records(records)
    checked, result = check_rounds(log), derive(log)
    assert checked.is_legal.all()
    assert np.all(checked.ply == NO_PLY)
    for i, record in enumerate(records):
        assert_derived_as_replayed(result, i, record)


def test_the_game_s_first_round_may_bid_itself():
    rules = Rules(first_hand_bids_itself=True)
    record = record_of(rules, n_bids=0)
    result = derive(Log.from_records([record]))
    assert result.has_score[0]
    assert result.points[0].tolist() == list(record.score().points)


def test_kernels_and_their_plain_twins_agree(monkeypatch):
    log = random_log(15, 5, rules=tuple(Rules(deck=deck) for deck in DECKS), p_cut=0.3)
    log.plays[7, 20] = log.plays[7, 3]
    log.bids[9, 2] = 14
    compiled = (check_rounds(log), derive(log))
    for name in (
        "_check_rounds",
        "_derive_rounds",
        "walk_round",
        "is_deal",
        "auction_fault",
        "_rules_of",
    ):
        monkeypatch.setattr(derived, name, getattr(derived, name).py_func)
    monkeypatch.setattr(derived, "_score", derived._score.py_func)
    for fast, plain in zip(compiled, (check_rounds(log), derive(log)), strict=True):
        for column in dataclasses.fields(fast):
            found, due = getattr(fast, column.name), getattr(plain, column.name)
            assert np.array_equal(found, due), column.name
            assert found.dtype == due.dtype


def edited_log(edit, record=None):
    """A log of three rounds, the second with something wrong."""
    whole = record_of(Rules(), 3, 1)
    log = Log.from_records([whole, record or whole, whole])
    edit(log)
    return log


def swap_cards_of_hands(log):
    first = int(log.hands[1, 0]) & -int(log.hands[1, 0])
    second = int(log.hands[1, 1]) & -int(log.hands[1, 1])
    log.hands[1, 0] ^= first | second
    log.hands[1, 1] ^= first | second


def swap_plays(log):
    """The second card of the first trick for one of its seat's in another suit."""
    plays, seat = log.plays[1], 1
    hand = int(log.hands[1, seat])
    led = int(plays[0]) // 16
    assert int(plays[1]) // 16 == led, "the seed gives a seat that follows"
    other = next(code for code in range(64) if hand >> code & 1 and code // 16 != led)
    plays[1] = other


def lead_a_spade(log):
    hand = int(log.hands[1, 0])
    assert hand & 0xFFFF
    log.plays[1, 0] = (hand & -hand).bit_length() - 1


def at(array, index, value):
    def edit(log):
        getattr(log, array)[index] = value

    return edit


MIN_BID = record_of(Rules(min_bid=4), 3, 1)
NO_BLIND = record_of(Rules(blind_nil=None), 3, 1)
JOKERS = record_of(Rules(deck="joker-joker-ace"), 3, 1)


@pytest.mark.parametrize(
    ("edit", "record", "fault", "says"),
    [
        (at("dealer", 1, 4), None, derived.BAD_DEALER, "dealer is 4; 0 to 3"),
        (at("dealer", 1, -1), None, derived.BAD_DEALER, "dealer is -1"),
        (at("hands", (1, 2), 0), None, derived.BAD_DEAL, "S holds 0 cards"),
        (at("hands", (1, 2), -1), None, derived.BAD_DEAL, "bit 63"),
        (at("hands", (1, 0), 0xFFFF), None, derived.BAD_DEAL, "none of standard"),
        (lambda log: log.hands.__setitem__((1, 0), log.hands[1, 1]), None, derived.BAD_DEAL,
         "already dealt"),
        (at("rules_code", 1, 0), JOKERS, derived.BAD_DEAL, "standard"),
        (swap_cards_of_hands, None, derived.NOT_HELD, "doesn't hold it"),
        (at("bids", (1, 2), 14), None, derived.BAD_BID, "can't bid 14"),
        (at("bids", (1, 2), -2), None, derived.BAD_BID, "can't bid -2"),
        (lambda log: log.bids.__setitem__(1, 1), MIN_BID, derived.BAD_BID, "minimum 4"),
        (lambda log: (log.bids.__setitem__(1, 0), log.blind.__setitem__((1, 3), True)), NO_BLIND,
         derived.BAD_BLIND, "blind nil is off"),
        (lambda log: (log.bids.__setitem__(1, 3), log.blind.__setitem__((1, 3), True)), None,
         derived.BAD_BLIND, "only nil may be blind"),
        (lambda log: (log.bids.__setitem__(1, -1), log.blind.__setitem__((1, 3), True)), None,
         derived.BAD_BLIND, "W bids blind, but the bid is unknown"),
        (at("plays", (1, 10), -1), None, derived.GAP_IN_PLAYS, "play 11 is a card after -1"),
        (at("plays", (1, 10), 63), None, derived.NO_CARD, "no card code"),
        (at("plays", (1, 10), -9), None, derived.NO_CARD, "no card code"),
        (at("plays", (1, 10), 15), None, derived.NOT_HELD, "no card code"),
        (lambda log: log.plays.__setitem__((1, 40), log.plays[1, 2]), None, derived.NOT_HELD,
         "doesn't hold it"),
        (swap_plays, None, derived.NOT_FOLLOWING, "must follow"),
        (lead_a_spade, None, derived.NOT_BROKEN, "spades are not broken"),
    ],
)  # fmt: skip
def test_every_kind_of_corruption_is_found(edit, record, fault, says):
    log = edited_log(edit, record)
    checked = check_rounds(log)
    assert checked.fault.tolist() == [LEGAL, fault, LEGAL]
    assert says in fault_text(log, 1, checked)
    assert fault_text(log, 0, checked) == ""
    with pytest.raises(InvalidRecordError, match=r"^round 2: ") as error:
        require_legal(log)
    assert error.value.line == 2
    derive(log)  # as far as it goes, never out of bounds


def test_spades_may_be_led_where_the_rules_say_so():
    rules = Rules(spades_lead="any")
    log = edited_log(lead_a_spade, record_of(rules, 3, 1))
    assert check_rounds(log).fault[1] in (LEGAL, derived.NOT_HELD, derived.NOT_FOLLOWING)
    assert check_rounds(log).ply[1] != 0


@settings(max_examples=200, deadline=None)
@given(round_records(), st.integers(0, 2**32))
def test_random_damage_is_judged_as_by_the_rules(record, seed):
    rng = random.Random(seed)
    log = Log.from_records([dataclasses.replace(record, seed=None)])
    for _ in range(rng.randint(1, 2)):
        match rng.randrange(5):
            case 0:
                log.plays[0, rng.randrange(N_CARDS)] = rng.randrange(64)
            case 1:
                i, j = rng.randrange(N_CARDS), rng.randrange(N_CARDS)
                log.plays[0, [i, j]] = log.plays[0, [j, i]]
            case 2:
                log.hands[0, rng.randrange(4)] ^= 1 << rng.randrange(63)
            case 3:
                log.bids[0, rng.randrange(4)] = rng.randrange(-1, 15)
            case _:
                log.dealer[0] = rng.randrange(4)
    checked = check_rounds(log)
    if checked.fault[0] in (derived.GAP_IN_PLAYS, derived.BAD_BLIND):
        return  # a record has no gaps, and takes a blind bid that is unknown
    try:
        refusal = refusal_of(log.record(0))
    except InvalidCardError as error:  # a code that is no card's
        refusal = str(error)
    assert fault_text(log, 0, checked) == refusal


def test_the_first_play_to_blame_is_named():
    log = random_log(1)
    log.plays[0, 30] = log.plays[0, 0]
    checked = check_rounds(log)
    assert (checked.fault[0], checked.ply[0]) == (derived.NOT_HELD, 30)


def test_no_rounds_at_all():
    log = Log.from_records([])
    assert len(check_rounds(log).fault) == len(derive(log).points) == 0
    require_legal(log)


def test_unbid_rounds_have_no_score():
    record = dataclasses.replace(record_of(Rules(), 3, 1), bids=(NO_BID, 1, 2, 3))
    assert not derive(Log.from_records([record])).has_score[0]
