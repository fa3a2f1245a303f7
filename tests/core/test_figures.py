"""What a notebook shows of cards, hands, rounds and observations."""

import random
import re
import subprocess
import sys
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from spades.core.cards import SEAT_NAMES, Card, Hand, seat_name
from spades.library import shipped
from spades.look.html import SYMBOLS
from tests.core.test_observation import with_other_hands

CHIP = re.compile(r'class="card chip suit-(\w)( took| unplayable)?".*?"rank">(\w+)<')


def body_of(thing):
    return re.sub("<style>.*?</style>", "", thing._repr_html_())


def cards_of(html):
    """Cards in the order shown, as (card, mark)."""
    return [
        (suit + rank.replace("10", "T"), mark.strip()) for suit, mark, rank in CHIP.findall(html)
    ]


def text_of(html):
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", html))


def test_a_card_is_one_chip():
    assert cards_of(body_of(Card("HT"))) == [("HT", "")]


def test_a_hand_is_shown_suit_by_suit_highest_first():
    hand = Hand("AKJ62.AQ.Q.K9543")
    shown = [card for card, _ in cards_of(body_of(hand))]
    assert shown == [
        *("SA", "SK", "SJ", "S6", "S2", "HA", "HQ", "DQ"),
        *("CK", "C9", "C5", "C4", "C3"),
    ]


def test_a_hand_of_a_joker_deck_has_its_jokers():
    hand = Hand(["JH", "S2", "SA"], "joker-joker-deuce-ace")
    assert text_of(body_of(hand)).split() == ["high", "joker", "2", "♠", "A", "♠"]


def test_a_round_shows_its_deal_its_bids_and_its_tricks():
    record = shipped("bug-report-335")
    html = body_of(record)
    text = text_of(html)
    for seat in range(4):
        assert seat_name(seat) in text
        for symbol, line in zip(SYMBOLS.values(), record.hands[seat].suit_lines(), strict=True):
            assert f"{symbol} {line.split(' ', 1)[1]}" in text
    assert text.count(" led") == 13
    marked = [card for card, mark in cards_of(html) if mark == "took"]
    table = record.final().table
    won = []
    for trick in range(13):
        seats = table.seats[4 * trick : 4 * trick + 4]
        won.append(record.plays[4 * trick + seats.index(table.winners[trick])])
    assert marked == [card for card in won if card[0] != "J"]


def test_texts_of_a_record_are_text():
    record = replace(
        shipped("bug-report-335"),
        game_id="<script>alert(1)</script>",
        players=("<img src=x>", "", "a&b", ""),
    )
    html = record._repr_html_()
    assert "<script" not in html
    assert "<img" not in html
    assert "a&amp;b" in html


@pytest.mark.parametrize("ply", [0, 3, 24, 51])
def test_an_observation_shows_what_its_seat_sees_and_nothing_else(ply):
    record = shipped("four-bots")
    seen = record.observation(ply)
    html = body_of(seen)
    shown = cards_of(html)
    trick = [str(card) for card in seen.trick]
    assert sorted(card for card, _ in shown) == sorted([*map(str, seen.hand), *trick])
    pale = {card for card, mark in shown if mark == "unplayable"}
    assert pale == set(seen.hand) - set(seen.legal)
    state = record.at(ply)
    other = with_other_hands(state, seen.seat, random.Random(ply))
    assert record.observe(other, seen.seat)._repr_html_() == seen._repr_html_()
    assert all(name in html for name in SEAT_NAMES.values())


def drawn(thing):
    """The texts of a picture in order, once it is parsed; the title first."""
    root = ElementTree.fromstring(thing._repr_svg_())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return [text for element in root.iter() if (text := (element.text or "").strip())]


def test_a_card_and_a_hand_are_drawn():
    assert drawn(Card("HT")) == ["10♥", "10", "♥"]
    hand = Hand("AKJ62.AQ.Q.K9543")
    title, *texts = drawn(hand)
    assert title == str(hand)
    suits = {symbol: letter for letter, symbol in SYMBOLS.items()}
    cards = [suits[suit] + rank for rank, suit in zip(texts[::2], texts[1::2], strict=True)]
    assert cards == [card for card, _ in cards_of(body_of(hand))]
    assert drawn(Hand(["JH", "SA"], "joker-joker-ace"))[1:] == ["high", "joker", "A", "♠"]
    assert drawn(Hand(0)) == [str(Hand(0))]


@pytest.mark.parametrize("name", ["bug-report-335", "deal-231"])
def test_a_deal_is_drawn_with_its_bids(name):
    record = shipped(name)
    texts = drawn(record)
    for seat in range(4):
        assert any(text.startswith(seat_name(seat)) for text in texts)
        for line in record.hands[seat].suit_lines():
            assert line.split(" ", 1)[1] in texts
    bids = [text for text in texts if text.startswith("bids")]
    assert bids == ([f"bids {bid}" for bid in record.bids] if record.has_bids else [])


def test_texts_of_a_drawn_record_are_text():
    record = replace(shipped("bug-report-335"), players=("<script>", "", "a&b", ""))
    assert "<script" not in record._repr_svg_()
    assert "South (a&b)" in drawn(record)


def test_nothing_heavy_is_loaded_for_it():
    code = (
        "import sys, spades; spades.Hand('AK..Q.')._repr_html_(); "
        "print([m for m in ('streamlit', 'plotly', 'pandas', 'IPython', 'anywidget') "
        "if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
