"""The nil of a hand: its nil value suit by suit, its place on the curves, the expected points
of a nil, and how often its nil is made in simulated rounds."""

import pandas as pd
import streamlit as st

from analysis.bidding import bid_trials
from analysis.bidding.decisions import explain
from analysis.bidding.questions import bid_name, describe
from analysis.nil.rates import arithmetic, compute_places, compute_suits, value_of
from analysis.plots.nil import Mark
from analysis.text_tables import span
from spades.bidding import bidder_options, explain_bis
from spades.core.rules import NIL_BID
from ui.bids import state
from ui.bids.curves import Question, curve_figure, even, fitted
from ui.bids.hand import is_whole, show_question
from ui.bids.state import page
from ui.shared.page import literal
from ui.shared.states import show_empty
from ui.shared.tables import count, ends, number, percent, show_table
from ui.shared.widgets import errors_shown, show_chart, show_note

BIDDER = "bis"  # of the seats after this one in simulated rounds
P_CNIL = "Chance that the distribution of the cards alone doesn't set the nil here; exact."
SUIT_LABELS = {"S": "♠ Spades", "H": "♥ Hearts", "D": "♦ Diamonds", "C": "♣ Clubs"}


def show() -> None:
    seen = show_question()
    if not is_whole(seen):
        return
    if seen.rules.nil is None:
        show_empty("These rules have no nil.", "block")
        return
    suits, place = st.columns([2, 3], gap="large")
    with suits:
        hint = "BIS bids nil if it expects more points from it than this; 25 in the paper."
        page.number("Threshold (points)", "threshold", width=150, help=hint)
        _show_suits(seen)
    with place:
        _show_place(seen)


def _show_suits(seen: state.Question) -> None:
    deck = seen.rules.cards
    suits = compute_suits(seen.hand, deck)
    shown = suits.assign(
        suit=suits["suit"].map(SUIT_LABELS),
        cards=[_ranks(cards) or "void" for cards in suits["cards"]],
    )
    columns = {
        "suit": "Suit",
        "cards": "Cards",
        "p_cnil": number("Pr(cnil)", "%.3f", P_CNIL),
    }
    show_table(shown, "nil-suits", columns)
    show_note(f"Nil value: {arithmetic(suits, value_of(seen.hand, deck))}")


def _ranks(cards: str) -> str:
    """``SA ST S2`` as ``A 10 2``; jokers, and spades of another suit's face, stay whole."""
    texts = cards.split()
    suit = texts[-1][0] if texts else ""
    ranks = [text.removeprefix(suit) for text in texts]
    return " ".join(ranks).replace("T", "10")


def _show_place(seen: state.Question) -> None:
    """The hand's chance by every fitted curve, and what BIS bids."""
    pattern = seen.previous.bids
    value = value_of(seen.hand, seen.rules.cards)
    worth = seen.rules.nil or 0
    sources = [fitted(name) for name in state.TABLE_LABELS]
    places = compute_places(sources, pattern, value, worth)
    st.markdown(literal(describe(pattern)))
    figures = st.container(horizontal=True, gap="medium")
    with figures:
        _show_worth(places.iloc[0], value, worth)
    _show_bis(seen)
    on_curves = places.dropna(subset=["chance"])
    marks = tuple(Mark(value, place.chance, place.source) for place in on_curves.itertuples())
    question = Question(tuple(state.TABLE_LABELS), (), page.get("kind"), (pattern,))
    figure = curve_figure(question, marks, even(worth), 380)
    show_chart(figure, "nil_place", "nil-hand")
    st.caption("The star is this hand." if marks else "A nil value of 0 has no place on a curve.")
    columns = {
        "source": "Curves of",
        "made": count("Made"),
        "chance": percent("Chance of nil", "By the curve, at this hand's nil value.", bar=True),
        "points": number("Expected points", "%+.1f"),
        **ends(),
        **ends("%+.1f", "points"),
        "after": count("Nils after these bids", "Of any nil value, in the rounds of the fit."),
        "n": count("Nils like this", "After these bids, in the same twentieth of nil value."),
        "rate": percent("Share made", "Of the nils like this; empty if there are none."),
        **ends(name="rate"),
    }
    show_table(places, "nil-places", columns)
    with figures:
        _show_simulated(seen)


def _show_bis(seen: state.Question) -> None:
    options = bidder_options(threshold=float(page.get("threshold")))
    with st.spinner("Asking BIS (compiled the first time, about 15 s) ..."):
        observation = seen.observation()
        answer = explain_bis(observation, options)
    name = bid_name(answer.bid, seen.rules, is_blind=answer.is_blind)
    text = f"BIS bids {name}. {explain(answer, observation)}"
    st.markdown(f":material/gavel: {literal(text)}")


@st.cache_data(max_entries=64, show_spinner="Playing the nil in simulated rounds ...")
def _simulated(seen: state.Question) -> tuple[pd.Series, str]:
    """The outcome of a nil on this hand, and how its rounds were drawn."""
    trials = bid_trials.try_bids(seen.observation(), [NIL_BID], bidder=BIDDER)
    text = bid_trials.describe_deals(trials, BIDDER.upper(), has_before=bool(seen.previous.bids))
    return bid_trials.trials_table(trials).iloc[0], text


@errors_shown("This can't be simulated: ")
def _show_simulated(seen: state.Question) -> None:
    outcome, text = _simulated(seen)
    share = f"{outcome['made_share']:.1%}"
    st.metric("Made in simulation", share, help=text, width="content")
    interval = span((outcome["made_share_low"], outcome["made_share_high"]), ".1%")
    show_note(f"{outcome['made']:,} of {outcome['n']:,} simulated nils, 95%: {interval}.")


def _show_worth(best: pd.Series, value: float, worth: int) -> None:
    if not value:
        hint = "BIS denies nil with four spades or more, or with a sure trick, without a curve."
        st.metric("Nil value", "0", help=hint, width="content")
        return
    threshold = page.get("threshold")
    chance = f"{best['chance']:.1%}"
    by_curve = f"By the curve of {best['source']}"
    if not pd.isna(best["low"]):
        by_curve += f", 95%: {span((best['low'], best['high']), '.1%')}"
    metrics = [
        ("Nil value", f"{value:.3f}", "Pr(cnil) of the suits multiplied, 1.15 times with a void."),
        ("Chance of nil", chance, f"{by_curve}; {best['after']:,} nils seen after these bids."),
        ("Expected from nil", f"{best['points']:+.1f}", f"Points: {worth} × (2 × {chance} − 1)."),
        (
            "Over the threshold",
            f"{best['points'] - threshold:+.1f}",
            f"Points more than {threshold}; a chance of {even(worth):.1%} is just worth it.",
        ),
    ]
    for label, text, hint in metrics:
        st.metric(label, text, help=hint, width="content")
