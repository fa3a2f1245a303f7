"""The Nil page's hand: its nil value suit by suit, its place on the curve, what nil is worth, and
how often its nil is made in simulated rounds."""

import pandas as pd
import streamlit as st

from analysis.bidding import outcomes
from analysis.bidding.decisions import even_chance, explain
from analysis.bidding.questions import ANY, Pattern, bid_name, describe
from analysis.nil.rates import arithmetic, compute_places, compute_suits, value_of
from analysis.plots.nil import Mark
from spades.bidding import bidder_options, explain_bis, observe_auction
from spades.core.cards import DECKS, HAND_SIZE
from spades.core.rules import NIL_BID, Rules
from ui.nil import state
from ui.nil.curves import Question, curve_figure, fitted
from ui.nil.state import page
from ui.shared.hand_entry import show_hand_entry
from ui.shared.page import literal
from ui.shared.tables import count, ends, number, percent, show_table
from ui.shared.widgets import row, show_chart, show_info, show_note

BIDDER = "bis"  # of the seats after this one in simulated rounds
P_CNIL = "Chance that the lie of the cards alone doesn't set the nil in this suit; exact."
SUIT_LABELS = {"S": "♠ Spades", "H": "♥ Hearts", "D": "♦ Diamonds", "C": "♣ Clubs"}


def show_hand() -> None:
    entry, place = st.columns(2, gap="large")
    with entry:
        with row():
            page.select("Deck", "deck", DECKS.keys(), width=230)
            hint = "BIS bids nil where it expects more points of it than this; 25 in the paper."
            page.number("Threshold (points)", "threshold", width=150, help=hint)
        hand = show_hand_entry(state.HAND, state.deck())
        is_whole = hand.bit_count() == HAND_SIZE
        if is_whole:
            _show_suits(hand)
    with place:
        if is_whole:
            _show_place(hand)
        else:
            hint = f"Its nil value is shown here once the hand has {HAND_SIZE} cards."
            show_info(hint, "playing_cards")


def _show_suits(hand: int) -> None:
    suits = compute_suits(hand, state.deck())
    cards = [_ranks(cards).replace("T", "10") or "void" for cards in suits["cards"]]
    shown = suits.assign(suit=suits["suit"].map(SUIT_LABELS), cards=cards)
    chance = number("Pr(cnil)", "%.3f", P_CNIL)
    show_table(shown, "nil-suits", {"suit": "Suit", "cards": "Cards", "p_cnil": chance})
    show_note(f"Nil value: {arithmetic(suits, value_of(hand, state.deck()))}")


def _ranks(cards: str) -> str:
    """``SA ST S2`` as ``A T 2``; jokers, and spades of another suit's face, stay whole."""
    texts = cards.split()
    suit = texts[-1][0] if texts else ""
    return " ".join(text[1] if text[0] == suit else text for text in texts)


def _show_place(hand: int) -> None:
    """The hand's chance by every fitted curve, and what BIS bids at a score of 0 to 0."""
    rules, pattern = Rules(deck=page.get("deck")), state.get_previous()
    value, worth = value_of(hand, state.deck()), rules.nil or 0
    places = compute_places(list(map(fitted, state.TABLE_LABELS)), pattern, value, worth)
    st.markdown(literal(describe(pattern)))
    figures = st.container(horizontal=True, gap="medium")
    with figures:
        _show_worth(places.iloc[0], value, worth)
    if ANY in pattern:
        show_info("Choose every bid before: an open one has no bid of BIS.", "help")
    else:
        options = bidder_options(threshold=float(page.get("threshold")))
        with st.spinner("Asking BIS (the first time ever it compiles, about 15 s) ..."):
            seen = observe_auction(hand, pattern, rules=rules)
            answer = explain_bis(seen, options)
        text = f"BIS bids {bid_name(answer.bid, rules)}. {explain(answer, seen)}"
        st.markdown(f":material/gavel: {literal(text)}")
    places_drawn = places.dropna(subset=["chance"])
    marks = tuple(Mark(value, place.chance, place.source) for place in places_drawn.itertuples())
    question = Question(tuple(state.TABLE_LABELS), (), page.get("kind"), (pattern,))
    show_chart(curve_figure(question, marks, even(worth), 380), "nil_place", "nil-hand")
    st.caption("The star is this hand." if marks else "No curve is asked for a nil value of 0.")
    columns = {
        "source": "Curves of", "made": count("Made"),
        "chance": percent("Chance of nil", "By the curve, at this hand's nil value.", bar=True),
        "points": number("Expected points", "%+.1f"), **ends(), **ends("%+.1f", "points"),
        "after": count("Nils after these bids", "Of every nil value, in the fit's rounds."),
        "n": count("Nils like this", "After these bids, in the same twentieth of nil value."),
        "rate": percent("Share made", "Of the nils like this; empty where there is none."),
        **ends(name="rate"),
    }  # fmt: skip
    show_table(places, "nil-places", columns)
    if ANY not in pattern:
        with figures:
            _show_simulated(hand, pattern)


@st.cache_data(max_entries=64, show_spinner="Playing the nil in simulated rounds ...")
def _simulated(hand: int, pattern: Pattern, deck: str) -> tuple[pd.Series, str]:
    """What a nil on this hand brought, and how its rounds were drawn."""
    seen = observe_auction(hand, pattern, rules=Rules(deck=deck))
    trials = outcomes.try_bids(seen, [NIL_BID], bidder=BIDDER)
    text = outcomes.describe_deals(trials, BIDDER.upper(), has_before=bool(pattern))
    return outcomes.outcome_table(trials).iloc[0], text


def _show_simulated(hand: int, pattern: Pattern) -> None:
    made, text = _simulated(hand, pattern, page.get("deck"))
    low, high = made["made_share_low"], made["made_share_high"]
    figure = f"{made['made_share']:.1%}"
    st.metric("Made in simulation", figure, help=text, width="content")
    show_note(f"{made['made']:,} of {made['n']:,} simulated nils, 95%: {low:.1%} to {high:.1%}.")


def even(worth: int) -> float:
    """The chance above which BIS bids nil, by the threshold chosen."""
    return even_chance(page.get("threshold"), worth)


def _show_worth(best: pd.Series, value: float, worth: int) -> None:
    if not value:
        hint = "Four spades or more by BIS's rule, or a sure trick: no curve is asked."
        st.metric("Nil value", "0", help=hint, width="content")
        return
    threshold, has_interval = page.get("threshold"), best["low"] == best["low"]
    interval = f", 95%: {best['low']:.1%} to {best['high']:.1%}" if has_interval else ""
    seen = f"{best['source']}{interval}; {best['after']:,} nils seen after these bids"
    beyond = f"Points more than {threshold}; a chance of {even(worth):.1%} is just worth it."
    hint = [
        ("Nil value", f"{value:.3f}", "Pr(cnil) of the suits multiplied, 1.15 times with a void."),
        ("Chance of nil", f"{best['chance']:.1%}", f"By the curve of {seen}."),
        ("Expected of nil", f"{best['points']:+.1f}",
         f"Points: {worth} × (2 × {best['chance']:.1%} − 1)."),
        ("Over the threshold", f"{best['points'] - threshold:+.1f}", beyond),
    ]  # fmt: skip
    for label, figure, help_text in hint:
        st.metric(label, figure, help=help_text, width="content")
