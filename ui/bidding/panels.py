"""What the Bidding page shows of one hand: bids, BIS's reasons, points by simulation."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from analysis.bidding.checks import why_no_nil
from analysis.bidding.decisions import bid_name
from analysis.bidding.outcomes import BidTrials, distribution_table, histogram_table, outcome_table
from analysis.bidding.parts import curve_table, idle_cards, p_needed, parts_table, suits_table
from analysis.decisions.decision import pretty
from analysis.plots.bidding import (
    bidder_label,
    plot_bids,
    plot_curve,
    plot_ecdf,
    plot_histogram,
    plot_parts,
    plot_suits,
)
from spades.bidding import BisAnswer
from spades.core.rules import Rules
from ui.bidding import state
from ui.bidding.state import Question
from ui.shared.page import literal
from ui.shared.tables import count, ends, number, percent, show_table, with_ends
from ui.shared.widgets import show_chart

LESS_FIRST = ["less_first", "less_first_low", "less_first_high"]
REASONS = {
    "end of game": "somebody can win the game this round",
    "convention": "the bid says something to the partner",
    "blind nil": "it bids before looking at the hand",
}
"""Why BIS bids neither its regular bid nor nil by the threshold."""


def show_bidding_chart(figure: Figure, name: str) -> None:
    show_chart(figure, f"bidding_{name}", f"bidding-{name}")


def show_bids(bids: pd.DataFrame) -> None:
    """Every bidder's bid on the hand."""
    st.subheader(
        "What each bidder bids",
        help="Whoever draws at random is asked 200 times; a bubble's area is the share of times.",
    )
    show_bidding_chart(plot_bids(bids), "bids")
    n_asked = int(bids["n"].max())
    random = f"A bidder that draws at random was asked {n_asked} times. " if n_asked > 1 else ""
    human = "The human is simulated: a bidder calibrated to published figures, no real player."
    st.caption(f"{random}{human if (bids['bidder'] == 'human').any() else ''}")
    with st.expander("As a table"):
        show_table(
            bids.assign(bidder=bids["bidder"].map(bidder_label)),
            "bids",
            columns={
                "bidder": "Bidder",
                "bid": None,
                "name": "Bid",
                "count": "Times",
                "n": "Of",
                "share": percent("Share"),
                **ends(),
            },
        )
    st.text_input(
        "More bidders",
        key=state.key("more"),
        placeholder="bis:threshold=0 kb:personality=1",
        help="Bidders with options, separated by spaces: bis:end_game=off, noisy:of=bis,noise=1.",
        width=360,
    )


def show_verdict(answer: BisAnswer, question: Question) -> None:
    """BIS's bid and the arithmetic behind it, in a few sentences."""
    name = bid_name(answer.bid, question.rules, is_blind=answer.is_blind)
    st.subheader(
        f"Why BIS bids {name}",
        help="Cohensius et al. 2020: nil where 100 p − 100 (1 − p) passes the threshold of 25 "
        "points, p the chance that it succeeds; else a regular bid. Near the end of the game the "
        "score may change either.",
    )
    st.markdown(literal(_regular_text(answer)))
    st.markdown(literal(_nil_text(answer, question)))
    if answer.reason in REASONS:
        st.markdown(literal(f"It bids {name} because {REASONS[answer.reason]}."))


def _regular_text(answer: BisAnswer) -> str:
    total = answer.regular_before_bids + answer.previous_term
    return (
        f"Regular: the cards are worth {answer.regular_before_bids:.2f} tricks, the bids before "
        f"{'add' if answer.previous_term >= 0 else 'take'} {abs(answer.previous_term):.2f}: "
        f"{total:.2f}, a bid of {answer.regular}, worth about "
        f"{answer.expected_regular:+.0f} points."
    )


def _nil_text(answer: BisAnswer, question: Question) -> str:
    if p_needed(answer, question.rules) is None:
        return "Nil: these rules have none."
    if no_nil := why_no_nil(question.observation()):
        return f"No nil here: {no_nil}."
    sign = "more than" if answer.expected_nil > answer.threshold else "not more than"
    between = ""
    if answer.p_interval is not None:
        low, high = answer.p_interval
        between = f" ({low:.1%} to {high:.1%}; curve of {answer.n_curve:,} nils after these bids)"
    return (
        f"Nil: value {answer.nil_value:.3f}, chance {answer.p_nil:.1%}{between}, worth "
        f"{question.rules.nil} × (2 × {answer.p_nil:.3f} − 1) = {answer.expected_nil:+.1f} points, "
        f"{sign} the threshold of {answer.threshold:+.1f}."
    )


def show_parts(answer: BisAnswer, hand: int, rules: Rules) -> None:
    """The regular bid card by card."""
    parts = parts_table(answer, rules.cards)
    st.markdown("**The regular bid, card by card**")
    show_bidding_chart(plot_parts(parts, regular=answer.regular), "parts")
    idle = ", ".join(pretty(card) for card in idle_cards(answer, hand, rules.cards))
    st.caption(
        "Each bar starts where the one above it ended; the end is rounded to the regular bid."
        + (f" Counted for nothing: {idle}." if idle else "")
    )
    with st.expander("As a table"):
        show_table(
            parts,
            "bid-parts",
            columns={
                "step": "Card",
                "role": "Role",
                "cuts": "Cuts",
                "tricks": number("Tricks", "%.3f"),
                "end": number("So far", "%.3f"),
                "start": None,
            },
        )


def show_nil(answer: BisAnswer, question: Question) -> None:
    """The nil value by suit, and the success curve with the hand on it; nothing without nil."""
    needed = p_needed(answer, question.rules)
    if needed is None:
        return
    st.markdown("**The nil, suit by suit, and its chance after these bids**")
    show_bidding_chart(plot_suits(suits_table(answer)), "suits")
    curve = plot_curve(
        curve_table(question.previous),
        point=(answer.nil_value, answer.p_nil),
        interval=answer.p_interval,
        needed=needed,
    )
    show_bidding_chart(curve, "curve")
    has_void = answer.nil_value > math.prod(answer.nil_by_suit)
    void = ", times 1.15 for the void (at most 1)" if has_void else ""
    st.caption(
        f"The nil value is the product of the four{void}: {answer.nil_value:.3f}. The curve, "
        "fitted to simulated rounds of BIS and the strong rule-based player, turns it into a "
        "chance; the band is its 95 % interval. Above the dotted line nil passes the threshold."
    )


def show_trials_title() -> None:
    st.subheader(
        "What a bid comes to",
        help="Points that the round adds to the game score of the bidder's partnership, a bag "
        "penalty taken off; Cohensius 2020, figure 2. The hidden cards are drawn at random.",
    )


def show_trials(trials: BidTrials, n_before: int) -> None:
    """Points of the round after each bid."""
    outcomes = outcome_table(trials)
    if state.get("shape") == "ecdf":
        figure = plot_ecdf(distribution_table(trials), outcomes)
    else:
        figure = plot_histogram(histogram_table(trials), outcomes)
    show_bidding_chart(figure, "points")
    st.caption(_trials_text(trials, n_before))
    first, shown = outcomes["name"].iloc[0], outcomes.copy()
    shown.loc[shown["name"] == first, LESS_FIRST] = math.nan  # nothing to compare with
    points = "Points of the round for the bidder's side."
    lead = "Points less the opponents' points."
    paired = f"Mean points less those of {first} on the same deals: closer than two means."
    show_table(
        shown,
        "bid-outcomes",
        columns={
            "bid": None,
            "name": "Bid",
            "n": count("Rounds"),
            **with_ends("points", "Mean points", "%+.1f", points),
            "sd": number("SD", "%.1f"),
            **with_ends("difference", "Mean lead", "%+.1f", lead),
            "made": None,
            "made_share": percent("Made", "The nil, or the contract of the partnership."),
            "made_share_low": percent("made from"),
            "made_share_high": percent("made to"),
            "tricks": number("Tricks", "%.2f", "Mean tricks of the bidder alone."),
            **with_ends("less_first", f"Less {first}", "%+.1f", paired),
        },
    )


def _trials_text(trials: BidTrials, n_before: int) -> str:
    """How the deals were drawn, in a sentence or two."""
    who, n_drawn = bidder_label(trials.settings.bidder), trials.n_drawn
    start = (
        f"{trials.n:,} deals of the other 39 cards, the same for every bid; {who} bids after it, "
        "and the strong rule-based player plays all four hands. Bands: 95 % intervals of the "
        "means. "
    )
    if not n_before:
        return start
    if trials.tolerance is None:
        return start + (
            f"The deals don't reflect the bids before: on too few of {n_drawn:,} drawn {who} would "
            "have bid nearly so."
        )
    near = ("exactly", "to within one trick", "to within two tricks")[trials.tolerance]
    return start + (
        f"They are those of {n_drawn:,} drawn on which {who} would have bid {near} what was bid "
        "before."
    )
