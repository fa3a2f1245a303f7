"""SRP: a hand-worked position for each rule."""

import numpy as np
import pytest

from spades.core.cards import STANDARD
from spades.core.rules import Rules
from spades.rule_based import Public
from spades.rule_based.sight import SIGNALS, open_round, record_play
from tests.rule_based.positions import Position, suits

NIL = {"bids": (0, 4, 4, 3)}
COVER = {"bids": (4, 4, 0, 3)}
AT_NEXT = {"bids": (3, 0, 3, 5), "tricks": (3, 0, 3, 0)}
AT_PREVIOUS = {"bids": (3, 5, 3, 0), "tricks": (3, 0, 3, 0)}
MADE = {"tricks": (3, 0, 3, 0), "bids": (3, 2, 3, 2)}

CASES = {
    # Leads to take tricks
    "cash the ace of the suit with most cards out": (
        {"hand": "HA H3 H4 H5 DA D2 S2"}, "DA"),
    "a winner that can be ruffed stays": (
        {"hand": "DA D2 CA C2 C3 C4 S2", "voids": ("", "D", "", "")}, "CA"),
    "the king is boss once the ace is gone": (
        {"hand": "HK H2 D5 D3", "out": "HQ HJ H9 DA DK S3 S4 S5 C2"}, "HK"),
    "a ruff for partner who showed out": (
        {"hand": "DK D2 CK C2 H9 H2", "voids": ("", "", "D", "")}, "D2"),
    "a ruff for partner who signalled": (
        {"hand": "DK D2 CK C2 H9 H2", "signals": ("", "", "C", "")}, "C2"),
    "no ruff where an opponent is out too": (
        {"hand": "DK D9 D2 H9 H8 H2", "voids": ("", "D", "D", "")}, "H2"),
    "draw spades with half of those out": (
        {"hand": "SA S9 S8 HK H2", "out": "S3 S4 S5 ST HA HQ D2 D3 C2 C3",
         "tricks": (2, 3, 2, 1)}, "SA"),
    "a singleton, to ruff": ({"hand": "S2 S3 D7 H9 H8 H2 CK C2"}, "D7"),
    "king from king and queen": (
        {"hand": "HK HQ H2 D9 D8 D2", "out": "HA HJ HT DA DK DQ S2 S3"}, "HK"),
    "not away from a king": ({"hand": "HK H2 D9 D8 D2"}, "D2"),
    # Following to take tricks
    "last hand wins cheaply": ({"hand": "HA HT H2", "trick": "H9 H3 H4"}, "HT"),
    "partner's trick stays partner's": ({"hand": "HA HT H2", "trick": "H3 HK H4"}, "H2"),
    "third hand with the boss": ({"hand": "HA HT H2", "trick": "H9 H3"}, "HA"),
    "third hand high": ({"hand": "HK HT H2", "trick": "H5 H3"}, "HK"),
    "third hand high, lowest of equals": ({"hand": "HK HQ H2", "trick": "H5 H3"}, "HQ"),
    "partner's king holds with the ace in hand": ({"hand": "HA HT H2", "trick": "HK H3"}, "H2"),
    "second hand low": ({"hand": "HK HT H2", "trick": "H5"}, "H2"),
    "second hand takes with the ace": ({"hand": "HA HT H2", "trick": "H5"}, "HA"),
    "no ace into a ruff": (
        {"hand": "HA HT H2", "trick": "H5", "voids": ("", "H", "", "")}, "H2"),
    "ruff low": ({"hand": "S9 S4 D2", "trick": "HA H3 H4"}, "S4"),
    "ruff over a ruff": ({"hand": "S9 S4 D2", "trick": "H3 H4 S5"}, "S9"),
    "ruff high before a hand that can go over": (
        {"hand": "S9 S4 D2", "trick": "H3 HA", "voids": ("", "H", "", "")}, "S9"),
    "no ruff of partner's trick": ({"hand": "S9 S4 D2", "trick": "H3 HA H4"}, "D2"),
    "a sure spade isn't wasted while partner may win": (
        {"hand": "SA D2 D3 D4 C5 C6 C7", "trick": "H5"}, "D2"),
    "but ruffs where every trick is needed": (
        {"hand": "SA D2", "trick": "H5", "out": "S3 S4 HA H7 D5",
         "tricks": (2, 3, 2, 4)}, "SA"),
    # Throwing away
    "discard the lowest plain card": (
        {"hand": "D7 D6 C8 C3 C9", "trick": "H3 HA H4"}, "C3"),
    "keep the guard of a king": (
        {"hand": "DK D2 C8 C6 C5", "trick": "H3 HA H4"}, "C5"),
    "keep winners": ({"hand": "DA C8", "trick": "H3 HA H4"}, "C8"),
    # High-low doubleton
    "high from a doubleton under the ace": ({"hand": "H7 H2 S3 D4", "trick": "HA"}, "H7"),
    "no signal with three": ({"hand": "H7 H3 H2 S3", "trick": "HA"}, "H2"),
    "no signal without a spade": ({"hand": "H7 H2 C3 D4", "trick": "HA"}, "H2"),
    "no signal with a card that may win": ({"hand": "HQ H2 S3 D4", "trick": "HA"}, "H2"),
    "no signal under less than the boss": ({"hand": "H7 H2 S3 D4", "trick": "HQ"}, "H2"),
    # Avoiding bags
    "duck as high as still loses": ({"hand": "HA HT H2 S3", "trick": "HK H3 H4", **MADE}, "HT"),
    "forced to win, last: the highest": ({"hand": "HA HT S3", "trick": "H9 H3 H4", **MADE}, "HA"),
    "forced to win, not last: the lowest": ({"hand": "HA HT S3", "trick": "H9 H3", **MADE}, "HT"),
    "void: a spade under a higher one": (
        {"hand": "S9 DA D2", "trick": "H3 SJ H4", **MADE}, "S9"),
    "void: the card most likely to win": (
        {"hand": "S9 DA D2 CK", "trick": "H3 HJ H4", **MADE}, "CK"),
    "lead what others must beat": ({"hand": "HA H5 D2 C9 S9", **MADE}, "D2"),
    # The own nil
    "nil: as high as still loses": ({"hand": "HT H8 H2", "trick": "H9 H3", **NIL}, "H8"),
    "nil: lowest where all go over": ({"hand": "HT H8", "trick": "H5 H3", **NIL}, "H8"),
    "nil: the most dangerous discard": (
        {"hand": "CK D9 D3 S2", "trick": "H9 H3", **NIL}, "CK"),
    "nil: a spade goes under a spade": ({"hand": "CK D9 S7", "trick": "H9 SJ", **NIL}, "S7"),
    "nil: lead the least likely winner": ({"hand": "CK D9 D3 H5", **NIL}, "D3"),
    "a failed nil plays for the contract": (
        {"hand": "HA HT H2", "trick": "H9 H3 H4", "tricks": (1, 0, 0, 0), **NIL}, "HT"),
    # Partner's nil
    "cover: over partner, as cheaply as can be": (
        {"hand": "HA HT H2", "trick": "H9 H3", **COVER}, "HT"),
    "cover: with a ruff": ({"hand": "S9 S3 D2", "trick": "H9 H3", **COVER}, "S3"),
    "cover: high before partner": ({"hand": "HK HT H2", "trick": "H5", **COVER}, "HK"),
    "cover: needless over a boss": ({"hand": "HK HT H2", "trick": "HA", **COVER}, "H2"),
    "cover: needless once partner is out": (
        {"hand": "HT H7 H2", "trick": "H5", "voids": ("", "", "H", ""), **COVER}, "H2"),
    "cover: lead high": ({"hand": "HA HT C4 C2", **COVER}, "HA"),
    "cover: lead what partner is out of": (
        {"hand": "HT H9 C4 C2", "voids": ("", "", "C", ""), **COVER}, "C4"),
    # An opponent's nil
    "attack: stay under a nil that is ahead": (
        {"hand": "HT H4 S3", "trick": "H5 H3 H2", **AT_NEXT}, "H4"),
    "attack: leave the trick that the nil is winning": (
        {"hand": "HA H8 H2", "trick": "H9 H3 H4", **AT_NEXT}, "H8"),
    "attack: stay low before the nil": ({"hand": "HA H3 S3", "trick": "H4 H2", **AT_NEXT}, "H3"),
    "attack: lead low": ({"hand": "HA H3 D9 D8 CK CQ", **AT_NEXT}, "H3"),
    "attack: not in a suit that the nil is out of": (
        {"hand": "H3 D4 DA CK CQ", "voids": ("", "H", "", ""), **AT_NEXT}, "D4"),
    "attack: the nil before the mover": ({"hand": "HA H8 H2", "trick": "H9", **AT_PREVIOUS}, "H8"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_rule(name):
    fields, card = CASES[name]
    assert Position(**fields).strong() == card


def test_covering_is_never_given_up_while_the_nil_is_live():
    fields = {"hand": "SA SK D2", "trick": "H9 H3", "out": "SQ HA HK HJ D4 D5 C2"}
    lost = {"bids": (7, 4, 0, 2), "tricks": (0, 6, 0, 4)}
    assert Position(**fields, **lost).strong() in ("SK", "SA")
    fallen = {"bids": (7, 4, 0, 2), "tricks": (0, 5, 1, 4)}
    assert Position(**fields, **fallen).strong() == "D2"


def test_attack_and_contract():
    fields = {"hand": "HA H8 H2", "trick": "H9 H3 H4", "bids": (5, 0, 4, 3)}
    spare = Position(**fields, tricks=(3, 0, 3, 4))  # 3 of 3 needed
    assert spare.strong() == "HA"
    safe = Position(**fields, tricks=(5, 0, 4, 1))
    assert safe.strong() == "H2"


def played(cards, dealer=3):
    public, deck = Public.empty(Rules()), STANDARD
    open_round(public, dealer, np.zeros(2, int), np.zeros(2, int))
    for card in cards.split():
        record_play(public, deck.parse_card(card))
    return public.seats[SIGNALS].tolist()


@pytest.mark.parametrize(
    ("cards", "signals"),
    [
        ("HA H7 H2 H3 HK H4 H5 H6", [0, suits("H"), 0, 0]),  # East: 7, then 4
        ("HA H4 H2 H3 HK H7 H5 H6", [0, 0, 0, 0]),  # low, then high
        ("HA H7 H2 H3 HK D4 H5 H6", [0, 0, 0, 0]),  # shown out
        ("HQ H7 H2 H3 HK H4 H5 H6", [0, 0, 0, 0]),  # not under the boss
        ("HA H7 H2 H3 HK H4 H5 H6 HQ H9 H8 HJ", [0, suits("H"), 0, 0]),
        ("HK HA H9 H3 HQ H5 H6 H4", [0, 0, suits("H"), 0]),  # South: 9 under the ace, then 5
    ],
)
def test_a_high_low_doubleton_is_read_from_the_cards(cards, signals):
    assert played(cards) == signals
