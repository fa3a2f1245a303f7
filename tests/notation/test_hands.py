"""Hands as people write them."""

import pytest

from spades.core.cards import DECKS, STANDARD, format_hand
from spades.core.errors import SpadesError
from spades.notation.hands import read_hand

HAND = "AKJ62.AQ.T.K9543"


@pytest.mark.parametrize(
    "text",
    [
        HAND,
        " akj62 . aq . 10 . k9543 ",
        "AKJ62 AQ T K9543",
        "AKJ62, AQ, 10, K9543",
        "♠AKJ62 ♥AQ ♦10 ♣K9543",
        "S: A K J 6 2 H: A Q D: 10 C: K 9 5 4 3",
        "A♠K♠J♠6♠2♠A♥Q♥10♦K♣9♣5♣4♣3♣",
        "A♠️ K♠️ J♠ 6♠ 2♠ A♥ Q♥ 10♦ K♣ 9♣ 5♣ 4♣ 3♣",
        "SA SK SJ S6 S2 HA HQ DT CK C9 C5 C4 C3",
        "As Ks Js 6s 2s, Ah Qh, Td, Kc 9c 5c 4c 3c",
    ],
)
def test_a_hand_is_read_as_people_write_it(text):
    assert format_hand(read_hand(text, STANDARD), STANDARD) == HAND


@pytest.mark.parametrize("text", ["A.-.-.2", "A - - 2", "A...2", "SA C2", "A♠2♣", "♠A ♥- ♦– ♣2"])
def test_voids_may_be_written_or_left_out(text):
    assert format_hand(read_hand(text, STANDARD), STANDARD) == "A...2"


def test_jokers_are_a_fifth_group():
    deck = DECKS["joker-joker-ace"]
    assert read_hand("A Q T K HL", deck) == read_hand("A.Q.T.K.HL", deck)
    assert read_hand("A Q T K HL", deck).bit_count() == 6


@pytest.mark.parametrize("text", ["AKQ", "", "SA SK SA", "A.K", "1 2 3 4", "X" * 100_000, "AS KX"])
def test_what_is_no_hand_is_refused_with_what_is_legal(text):
    with pytest.raises(SpadesError):
        read_hand(text, STANDARD)
