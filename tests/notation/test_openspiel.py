import pytest

from spades.core.cards import STANDARD, WEST, cards_in
from spades.core.records import BOT
from spades.core.rules import Rules
from spades.notation import NOTATIONS
from tests.strategies import record_of

openspiel = NOTATIONS["openspiel"]
SUITS, RANKS = "CDHS", "23456789TJQKA"


def action_of(card):
    suit, rank = STANDARD.format_card(card)
    return 13 * SUITS.index(suit) + RANKS.index(rank)


def history_of(record):
    hands = [list(cards_in(hand)) for hand in record.hands]
    deal = [action_of(hands[k % 4][k // 4]) for k in range(52)]
    bids = [52 + bid for bid in record.bids if bid >= 0]
    return [*deal, *bids, *map(action_of, record.plays)]


def line_of(actions):
    return " ".join(map(str, actions))


RECORD = record_of(Rules(blind_nil=None), WEST, 5)
HISTORY = history_of(RECORD)


def refusal_of(actions):
    reading = openspiel.parse(line_of(actions))
    assert reading.records == ()
    return reading.refused[0].reason


@pytest.mark.parametrize("n_actions", [52, 53, 55, 56, 57, 60, 107, 108])
def test_histories_as_far_as_they_go(n_actions):
    (record,) = openspiel.parse(line_of(HISTORY[:n_actions])).records
    assert record.hands == RECORD.hands
    assert record.dealer == WEST
    assert record.plays == RECORD.plays[: max(0, n_actions - 56)]
    known = max(0, min(4, n_actions - 52))
    assert record.bids == RECORD.bids[:known] + (-1,) * (4 - known)
    assert record.kinds == (BOT,) * 4


def test_first_card_is_the_deuce_of_clubs():
    (record,) = openspiel.parse(line_of(range(52))).records
    assert STANDARD.format_cards(record.hands[0]).endswith("CT C6 C2")


def test_one_round_a_line():
    text = "\n".join(["# histories", line_of(HISTORY), "", "1 2 x", line_of(HISTORY)])
    reading = openspiel.parse(text, name="a.openspiel")
    assert [record.source for record in reading.records] == ["a.openspiel:2", "a.openspiel:5"]
    assert [refusal.line for refusal in reading.refused] == [4]


@pytest.mark.parametrize(
    ("actions", "says"),
    [
        (HISTORY[:51], "51 actions"),
        ([*HISTORY, 3], "more actions"),
        ([*HISTORY[:52], 66], "a bid, 52 to 65"),
        ([*HISTORY[:52], 3], "a bid, 52 to 65"),
        ([52, *HISTORY[1:]], "a card, 0 to 51"),
        ([HISTORY[4], *HISTORY[1:]], "comes twice"),
        ([HISTORY[1], *HISTORY[1:]], "already dealt"),
        ([*HISTORY[:56], 60], "a card, 0 to 51"),
        ([*HISTORY[:56], HISTORY[1]], "doesn't hold it"),
        (["-1", *HISTORY[1:]], "action 0 is '-1'"),
        (["9999", *HISTORY[1:]], "action 0 is '9999'"),
        (["²", *HISTORY[1:]], "action 0"),
    ],
)
def test_refused(actions, says):
    assert says in refusal_of(actions)
