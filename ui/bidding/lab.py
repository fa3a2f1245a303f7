"""The Bidding page's second half: bidders over many rounds, their contracts and their duels."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from analysis.bidding.decisions import BIDDERS_COMPARED
from analysis.bidding.outcomes import PLAYER
from analysis.plots.bidding import bidder_label
from ui.bidding import state
from ui.bidding.panels import show_chart
from ui.shared.tables import show_table

LAB_LABELS = {"kept": "Contracts kept", "duel": "Bidder against bidder"}
SIMULATED = "Simulated rounds of each bidder"


def show_lab_controls(log_names: Sequence[str]) -> None:
    """Which comparison, over what; nothing is simulated before one is chosen."""
    st.subheader(
        "Bidders over many rounds",
        help="Single rounds at 0 to 0, played by the strong rule-based player in all seats.",
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.segmented_control(
            "Compare", state.LABS, key=state.key("lab"), format_func=LAB_LABELS.get
        )
        if state.get("lab") == "kept":
            st.selectbox(
                "Bids from",
                ["", *log_names],
                key=state.key("log"),
                format_func=lambda name: name or SIMULATED,
                width=300,
            )
        if state.get("lab") == "duel":
            st.selectbox(
                "Bidder",
                BIDDERS_COMPARED,
                key=state.key("first"),
                format_func=bidder_label,
                width=210,
            )
        if state.get("lab") == "duel" or (state.get("lab") == "kept" and not state.get("log")):
            st.selectbox(
                "Deals",
                state.LAB_ROUNDS,
                key=state.key("lab_rounds"),
                format_func="{:,}".format,
                width=110,
            )
    if state.get("lab") is None:
        st.caption("Choose one: it takes a few seconds.")


def show_calibration(rows: pd.DataFrame, made: Figure, over: Figure) -> None:
    """Contracts made and tricks beyond the bid, by what was bid."""
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**Is the contract made?**")
        show_chart(made, "made")
    with right:
        st.markdown("**Tricks beyond the bid**")
        show_chart(over, "over")
    st.caption(
        "A contract is both partners' bids together; it counts at each number bid in it. Bars are "
        "95 % intervals: wide ones come from few bids. A bidder whose line is flat at zero tricks "
        "bids exactly what it takes; makers of more bid safely and collect bags."
    )
    show_table(
        rows.assign(
            group=rows["group"].map(bidder_label),
            bid=["all" if bid < 0 else str(bid) for bid in rows["bid"]],
        ),
        "bid-calibration",
        columns={
            "group": "Bidder",
            "bid": "Bid",
            "n": st.column_config.NumberColumn("Bids", format="localized"),
            "contracts": st.column_config.NumberColumn(
                "Contracts", format="localized", help="With at least one such bid."
            ),
            **_columns("made", "Contract made", "percent"),
            **_columns("over", "Tricks beyond", "%+.2f"),
        },
        height=320,
    )


def _columns(name: str, label: str, form: str) -> dict[str, object]:
    number = st.column_config.NumberColumn
    return {
        name: number(label, format=form),
        f"{name}_low": number("95 % from", format=form),
        f"{name}_high": number("to", format=form),
    }


def show_duels(duels: pd.DataFrame, figure: Figure) -> None:
    """How many points a round a bidder is ahead of the others."""
    first = bidder_label(str(duels["first"].iloc[0]))
    show_chart(figure, "duels")
    st.caption(
        f"{first} sits in both seats of a partnership against two of the other; every deal is "
        f"played twice, the partnerships swapped. Right of zero {first} is ahead. Bars are 95 % "
        "intervals over deals; a bag counts its point, the penalty for ten of them isn't in it."
    )
    show_table(
        duels.assign(first=first, second=duels["second"].map(bidder_label)),
        "bid-duels",
        columns={
            "first": "Bidder",
            "second": "Against",
            "deals": st.column_config.NumberColumn("Deals", format="localized"),
            "ahead": st.column_config.NumberColumn("Points a round ahead", format="%+.2f"),
            "low": st.column_config.NumberColumn("95 % from", format="%+.2f"),
            "high": st.column_config.NumberColumn("to", format="%+.2f"),
        },
    )


def show_matches(pairs: pd.DataFrame, first: str) -> None:
    """Whole games between agents that differ in their bidders alone; the way to more of them."""
    st.markdown("**Whole games**")
    second = next(name for name in BIDDERS_COMPARED if name != first)
    st.page_link(
        "pages/7_Arena.py",
        label=f"Play {bidder_label(first)} against {bidder_label(second)} in the Arena",
        icon=":material/trophy:",
        query_params={"view": "match", "ns": f"{PLAYER}+{first}", "ew": f"{PLAYER}+{second}"},
    )
    if pairs.empty:
        st.caption(
            "No match between agents that play alike and bid differently is stored or shipped. "
            "The link opens one; its button plays it, and it appears here."
        )
        return
    st.caption(
        "Matches in the store and those shipped, of agents that play alike: what they won tells "
        "of their bids. One whose text names no bidder, as a bare srp, bids as the simulated human."
    )
    show_table(
        pairs,
        "bid-matches",
        columns={
            "first": "Agent",
            "second": "Against",
            "games": st.column_config.NumberColumn("Games", format="localized"),
            "win_rate": st.column_config.NumberColumn(
                "Games won", format="percent", help="Of the games decided."
            ),
            "low": st.column_config.NumberColumn("95 % from", format="percent"),
            "high": st.column_config.NumberColumn("to", format="percent"),
            "points_first": st.column_config.NumberColumn("Points a round", format="%.1f"),
            "points_second": st.column_config.NumberColumn("the other", format="%.1f"),
            "rules": st.column_config.TextColumn(
                "Rules", help="Matches that other code played are named as such."
            ),
            "source": "From",
        },
    )
