"""What the Bidding page shows of one hand: bids, BIS's reasons, points by simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from analysis.bidding.decisions import BIDDERS_COMPARED, bid_name
from analysis.bidding.outcomes import BidTrials
from analysis.decisions.decision import pretty
from analysis.plots.bidding import bidder_label
from spades.bidding import BisAnswer
from spades.core.rules import MAX_BID, Rules
from ui.bidding import state
from ui.shared.page import chart_config, literal
from ui.shared.tables import show_table

LESS_FIRST = ["less_first", "less_first_low", "less_first_high"]
REASONS = {
    "nil": "its expected points pass the threshold",
    "regular": "nil doesn't pass the threshold",
    "end of game": "somebody can win the game this round",
    "convention": "the bid says something to the partner",
    "blind nil": "it bids before looking at the hand",
}


def show_chart(figure: Figure, name: str) -> None:
    st.plotly_chart(
        figure, width="stretch", key=f"bidding_{name}", config=chart_config(f"bidding-{name}")
    )


def show_bids(bids: pd.DataFrame, figure: Figure) -> None:
    """Every bidder's bid on the hand."""
    st.subheader(
        "What each bidder bids",
        help="Whoever draws at random is asked 200 times; a bubble's area is the share of times.",
    )
    show_chart(figure, "bids")
    n_asked = int(bids["n"].max())
    asked = f"A bidder that draws at random was asked {n_asked} times. " if n_asked > 1 else ""
    human = "The human is simulated: a bidder calibrated to published figures, no real player."
    st.caption(f"{asked}{human if (bids['bidder'] == 'human').any() else ''}")
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
                "share": st.column_config.NumberColumn("Share", format="percent"),
                "low": st.column_config.NumberColumn("95 % from", format="percent"),
                "high": st.column_config.NumberColumn("to", format="percent"),
            },
        )


def show_more_control() -> None:
    st.text_input(
        "More bidders",
        key=state.key("more"),
        placeholder="bis:threshold=0 kb:personality=1",
        help="Bidders with options, separated by spaces: bis:end_game=off, noisy:of=bis,noise=1.",
        width=360,
    )


def show_verdict(answer: BisAnswer, rules: Rules, needed: float | None, no_nil: str | None) -> None:
    """BIS's bid and the arithmetic behind it, in a few sentences; ``no_nil``: why it may not be
    nil."""
    name = bid_name(answer.bid, rules, is_blind=answer.is_blind)
    st.subheader(
        f"Why BIS bids {name}",
        help="Cohensius et al. 2020: nil where 100 p − 100 (1 − p) passes the threshold of 25 "
        "points, p the chance that it succeeds; else a regular bid. Near the end of the game the "
        "score may change either.",
    )
    st.markdown(literal(_regular_text(answer)))
    st.markdown(literal(_nil_text(answer, rules, needed, no_nil)))
    if answer.reason != "nil" and answer.reason != "regular":
        st.markdown(literal(f"It bids {name} because {REASONS[answer.reason]}."))


def _regular_text(answer: BisAnswer) -> str:
    total = answer.regular_before_bids + answer.previous_term
    return (
        f"Regular: the cards are worth {answer.regular_before_bids:.2f} tricks, the bids before "
        f"{'add' if answer.previous_term >= 0 else 'take'} {abs(answer.previous_term):.2f}: "
        f"{total:.2f}, a bid of {answer.regular}, worth about "
        f"{answer.expected_regular:+.0f} points."
    )


def _nil_text(answer: BisAnswer, rules: Rules, needed: float | None, no_nil: str | None) -> str:
    if needed is None:
        return "Nil: these rules have none."
    if no_nil is not None:
        return f"No nil here: {no_nil}."
    sign = "more than" if answer.expected_nil > answer.threshold else "not more than"
    between = ""
    if answer.p_interval is not None:
        low, high = answer.p_interval
        between = f" ({low:.1%} to {high:.1%}; curve of {answer.n_curve:,} nils after these bids)"
    return (
        f"Nil: value {answer.nil_value:.3f}, chance {answer.p_nil:.1%}{between}, worth "
        f"{rules.nil} × (2 × {answer.p_nil:.3f} − 1) = {answer.expected_nil:+.1f} points, {sign} "
        f"the threshold of {answer.threshold:+.1f}."
    )


def show_parts(parts: pd.DataFrame, idle: Sequence[str], figure: Figure) -> None:
    """The regular bid card by card."""
    st.markdown("**The regular bid, card by card**")
    show_chart(figure, "parts")
    cards = ", ".join(pretty(card) for card in idle)
    st.caption(
        "Each bar starts where the one above it ended; the end is rounded to the regular bid."
        + (f" Counted for nothing: {cards}." if idle else "")
    )
    with st.expander("As a table"):
        show_table(
            parts,
            "bid-parts",
            columns={
                "step": "Card",
                "role": "Role",
                "cuts": "Cuts",
                "tricks": st.column_config.NumberColumn("Tricks", format="%.3f"),
                "end": st.column_config.NumberColumn("So far", format="%.3f"),
                "start": None,
            },
        )


def show_nil(suits: Figure, curve: Figure, answer: BisAnswer) -> None:
    """The nil value by suit, and the success curve with the hand on it."""
    st.markdown("**The nil, suit by suit, and its chance after these bids**")
    show_chart(suits, "suits")
    show_chart(curve, "curve")
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


def show_trial_controls() -> None:
    """How bids are tried."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox(
            "Rounds a bid", state.ROUNDS, key=state.key("rounds"), format_func="{:,}".format,
            width=130,
        )  # fmt: skip
        st.selectbox(
            "The others bid as",
            BIDDERS_COMPARED,
            key=state.key("others"),
            format_func=bidder_label,
            width=210,
            help="Who is taken to have made the bids before, and who bids after.",
        )
        st.selectbox(
            "Try also",
            ["", *range(MAX_BID + 1)],
            key=state.key("also"),
            format_func=lambda bid: "no other bid" if bid == "" else str(bid),
            width=150,
            help="Another bid, on the same deals; 0 is nil.",
        )
        st.number_input("Seed", 0, state.MAX_SEED, key=state.key("seed"), width=120)
        st.segmented_control(
            "Shown as",
            state.SHAPES,
            key=state.key("shape"),
            format_func={"histogram": "Histogram", "ecdf": "Cumulated"}.get,
            required=True,
        )


def show_trials(outcomes: pd.DataFrame, figure: Figure, told: str) -> None:
    """Points of the round after each bid."""
    show_chart(figure, "points")
    st.caption(told)
    first, shown = outcomes["name"].iloc[0], outcomes.copy()
    shown.loc[shown["name"] == first, LESS_FIRST] = math.nan  # nothing to compare with
    show_table(
        shown,
        "bid-outcomes",
        columns={
            "bid": None,
            "name": "Bid",
            "n": st.column_config.NumberColumn("Rounds", format="localized"),
            **_mean_columns("points", "Mean points", "Points of the round for the bidder's side."),
            "sd": st.column_config.NumberColumn("SD", format="%.1f"),
            **_mean_columns("difference", "Mean lead", "Points less the opponents' points."),
            "made": None,
            "made_share": st.column_config.NumberColumn(
                "Made", format="percent", help="The nil, or the contract of the partnership."
            ),
            "made_share_low": st.column_config.NumberColumn("made from", format="percent"),
            "made_share_high": st.column_config.NumberColumn("made to", format="percent"),
            "tricks": st.column_config.NumberColumn(
                "Tricks", format="%.2f", help="Mean tricks of the bidder alone."
            ),
            **_mean_columns(
                "less_first",
                f"Less {first}",
                f"Mean points less those of {first} on the same deals: closer than two means.",
            ),
        },
    )  # fmt: skip


def _mean_columns(name: str, label: str, told: str) -> dict[str, object]:
    number = st.column_config.NumberColumn
    return {
        name: number(label, format="%+.1f", help=told),
        f"{name}_low": number("95 % from", format="%+.1f"),
        f"{name}_high": number("to", format="%+.1f"),
    }


def trials_text(trials: BidTrials, n_before: int) -> str:
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
