"""The Bidding page's second half: bidders over many rounds, their contracts and their duels."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from analysis.bidding.decisions import BIDDERS_COMPARED
from analysis.bidding.outcomes import PLAYER
from analysis.plots.bidding import bidder_label, plot_duels, plot_made, plot_over
from ui.bidding.panels import show_bidding_chart
from ui.shared.tables import count, ends, number, percent, show_table, text, with_ends


def show_calibration(rows: pd.DataFrame) -> None:
    """Contracts made and tricks beyond the bid, by what was bid."""
    groups = list(dict.fromkeys(rows["group"]))
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**Is the contract made?**")
        show_bidding_chart(plot_made(rows, groups), "made")
    with right:
        st.markdown("**Tricks beyond the bid**")
        show_bidding_chart(plot_over(rows, groups), "over")
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
            "n": count("Bids"),
            "contracts": count("Contracts", "With at least one such bid."),
            **with_ends("made", "Contract made"),
            **with_ends("over", "Tricks beyond", "%+.2f"),
        },
        height=320,
    )


def show_duels(duels: pd.DataFrame) -> None:
    """How many points a round a bidder is ahead of the others."""
    first = bidder_label(str(duels["first"].iloc[0]))
    show_bidding_chart(plot_duels(duels), "duels")
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
            "deals": count("Deals"),
            "ahead": number("Points a round ahead", "%+.2f"),
            **ends("%+.2f"),
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
            "games": count("Games"),
            "win_rate": percent("Games won", "Of the games decided."),
            **ends(),
            "points_first": number("Points a round", "%.1f"),
            "points_second": number("the other", "%.1f"),
            "rules": text("Rules", "Agents that played otherwise then are named as such."),
            "source": "From",
        },
    )
