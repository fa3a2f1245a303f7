"""The Nil page's hand: its nil value suit by suit, its place on the curve, what nil is worth."""

from __future__ import annotations

import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from analysis.nil.hand import arithmetic, even_chance
from spades.bidding import BisAnswer
from spades.core.cards import DECKS
from ui.nil import state
from ui.nil.curves import count, percent
from ui.shared.page import chart_config, literal
from ui.shared.tables import show_table

SUIT_LABELS = {"S": "♠ Spades", "H": "♥ Hearts", "D": "♦ Diamonds", "C": "♣ Clubs"}


def show_deck_controls() -> None:
    """The deck, and the threshold."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox("Deck", list(DECKS), key=state.key("deck"), width=230)
        st.number_input(
            "Threshold (points)",
            -100,
            100,
            key=state.key("threshold"),
            width=150,
            help="BIS bids nil where it expects more points of it than this; 25 in the paper.",
        )


def show_worth(places: pd.DataFrame, value: float, worth: int) -> None:
    """The figures that decide, by the curves of the bots."""
    best = places.iloc[0]
    threshold = state.get("threshold")
    has_interval = best["low"] == best["low"]
    interval = f", 95 %: {best['low']:.1%} to {best['high']:.1%}" if has_interval else ""
    told = {
        "Nil value": (
            f"{value:.3f}",
            "Pr(cnil) of the suits multiplied, 1.15 times with a void.",
        ),
        "Chance of nil": (
            f"{best['chance']:.1%}",
            f"By the curve of {best['source']}{interval}; {best['after']:,} nils seen after these "
            "bids.",
        ),
        "Expected of nil": (
            f"{best['points']:+.1f}",
            f"Points: {worth} × (2 × {best['chance']:.3f} − 1).",
        ),
        "Over the threshold": (
            f"{best['points'] - threshold:+.1f}",
            f"Points more than {threshold}; a chance of {even_chance(threshold, worth):.1%} is "
            "just worth it.",
        ),
    }
    with st.container(horizontal=True, gap="medium"):
        for label, (number, help_text) in told.items():
            st.metric(label, number, help=help_text, width="content")


def show_verdict(answer: BisAnswer | None, value: float) -> None:
    """What BIS bids, in a sentence."""
    if answer is None:
        st.info("Choose every bid before: an open one has no bid of BIS.", icon=":material/help:")
        return
    st.markdown(f":material/gavel: {literal(verdict(answer, value))}")


def verdict(answer: BisAnswer, value: float) -> str:
    """What BIS bids and why."""
    bid = "nil" if answer.bid == 0 else str(answer.bid)
    if not answer.may_nil:
        return f"BIS bids {bid}: the partner bid nil, and it bids no second one."
    if value == 0.0:
        told = "this hand takes a trick for sure by the rules of the nil value"
    else:
        side = "more" if answer.expected_nil > answer.threshold else "no more"
        told = (
            f"nil is expected to bring {answer.expected_nil:+.1f} points, {side} than the "
            f"threshold of {answer.threshold:g}"
        )
    rule = "" if answer.reason in ("nil", "regular") else f" (a rule of the {answer.reason})"
    return f"BIS bids {bid}{rule}: {told}. Its regular bid is {answer.regular}."


def show_suits(suits: pd.DataFrame, value: float) -> None:
    """Where the nil value comes from."""
    show_table(
        suits.assign(
            suit=suits["suit"].map(SUIT_LABELS),
            cards=[text.replace("T", "10") or "void" for text in map(_ranks, suits["cards"])],
        ),
        "nil-suits",
        columns={
            "suit": "Suit",
            "cards": "Cards",
            "p_cnil": percent(
                "Pr(cnil)",
                "Chance that the lie of the cards alone doesn't set the nil in this suit; exact.",
                bar=True,
            ),
        },
    )
    st.caption(literal(f"Nil value: {arithmetic(suits, value)}"))


def _ranks(cards: str) -> str:
    """``SA ST S2`` as ``A T 2``; jokers, and spades of another suit's face, stay whole."""
    texts = cards.split()
    suit = texts[-1][0] if texts else ""
    return " ".join(text[1] if text[0] == suit else text for text in texts)


def show_places(places: pd.DataFrame, figure: Figure) -> None:
    """The hand on the curves of bots and simulated humans."""
    st.plotly_chart(figure, width="stretch", key="nil_place", config=chart_config("nil-hand"))
    st.caption("The star is this hand on the curve after these bids; points as under the curves.")
    show_table(
        places,
        "nil-places",
        columns={
            "source": "Curves of",
            "chance": percent("Chance of nil", "By the curve, at this hand's nil value.", bar=True),
            "low": percent("95 % from", "Of the curve."),
            "high": percent("to"),
            "points": st.column_config.NumberColumn("Expected points", format="%+.1f"),
            "points_low": st.column_config.NumberColumn("95 % from ", format="%+.1f"),
            "points_high": st.column_config.NumberColumn("to ", format="%+.1f"),
            "after": count("Nils after these bids", "Of every nil value, in the fit's rounds."),
            "n": count("Nils like this", "After these bids, in the same twentieth of nil value."),
            "made": count("Made"),
            "rate": percent("Share made", "Of the nils like this; empty where there is none."),
            "rate_low": percent(" 95 % from"),
            "rate_high": percent(" to"),
        },
    )
