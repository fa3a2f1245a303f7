"""The entry of a hand, in a page of nothing else."""

import pytest
from streamlit.testing.v1 import AppTest

from spades.core.cards import DECKS, STANDARD
from spades.notation.hands import read_hand
from ui.shared.hand_entry import card_label

PAPER = "AKJ62.AQ.Q.K9543"


def page(deck="standard"):
    import streamlit as st

    from spades.core.cards import DECKS, format_hand
    from ui.shared.hand_entry import show_hand

    deck = st.session_state.get("which", deck)
    st.markdown(format_hand(show_hand("entry", DECKS[deck]), DECKS[deck]) or "none")


@pytest.fixture
def app():
    shown = AppTest.from_function(page, default_timeout=20).run()
    assert not shown.exception
    return shown


def test_text_clicks_and_dealing_make_one_hand(app):
    assert app.markdown[-1].value == "..."
    assert "0 of 13 cards: 13 to add" in app.caption[0].value
    app.text_input[0].set_value("akj62 . AQ . q . K9543").run()
    assert app.markdown[-1].value == PAPER
    assert app.button_group[0].value == ["SA", "SK", "SJ", "S6", "S2"]
    assert not app.caption
    app.button_group[1].set_value(["HA", "HQ", "H2"]).run()
    assert app.markdown[-1].value == "AKJ62.AQ2.Q.K9543"
    assert "14 cards, a hand is 13: take 1 out" in app.caption[0].value
    app.button(key="entry_deal").click().run()
    assert not app.caption
    assert read_hand(app.markdown[-1].value, STANDARD).bit_count() == 13
    app.button(key="entry_clear").click().run()
    assert app.markdown[-1].value == "..."


def test_what_is_no_hand_is_said_and_nothing_is_lost(app):
    app.text_input[0].set_value(PAPER).run()
    app.text_input[0].set_value("AKJ62.AX.Q.K9543").run()
    assert "HX" in app.error[0].value
    assert app.markdown[-1].value == PAPER


def test_another_deck_keeps_the_cards_it_knows(app):
    app.text_input[0].set_value("AKJ62.A2.Q.K9543").run()
    app.session_state["which"] = "joker-joker-ace"
    app.run()
    assert app.markdown[-1].value == "AKJ62.A.Q.K9543"
    assert "12 of 13" in app.caption[0].value
    assert app.text_input[0].value == "AKJ62.A.Q.K9543"


@pytest.mark.parametrize("deck", DECKS.values(), ids=DECKS)
def test_every_card_has_a_label_of_its_own(deck):
    names = [name for names in deck.suits for name in names]
    assert len({card_label(name) for name in names}) == 52
