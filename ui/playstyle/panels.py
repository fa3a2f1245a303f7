"""What the Playstyle page shows of its groups: frequencies, divergences, bidding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from analysis.bidding.style import (
    PUBLISHED_BRANCHING,
    PUBLISHED_NIL_RATE,
    PUBLISHED_NIL_SUCCESS,
    PUBLISHED_SUM_OF_BIDS,
    BiddingStyle,
)
from analysis.style.bootstrap import REPLICATES
from analysis.style.compare import ALPHA, PUBLISHED_KL
from spades.human.features.abstract_moves import DEFINITIONS_NOTE
from ui.playstyle import behind, state
from ui.shared import window
from ui.shared.human_figures import show_nil_note
from ui.shared.page import chart_config, literal
from ui.shared.tables import show_download, show_table

HEAD, PANELS = "style_head", "style_panels"
"""Keys of the controls' container and of the panels below it."""
MEASURES = {"within": "of its category", "share": "of all plays"}
ERRORS = {"sd": "SD over games", "interval": "95 % interval"}
ENDS = {
    "sd": "its ends say how much games differ (standard deviation over games that have such plays)",
    "interval": "its ends say how well the share is known (95 % bootstrap interval over games)",
}
BIDDING_CHARTS = {
    "positions": (
        "Mean bid by position",
        "Who bids later has heard more; bars are 95 % intervals over games.",
    ),
    "sums": (
        "Sum of the four bids",
        "Share of the rounds in which the group has a seat, by what all four bid together. A click "
        "on a point lists its rounds.",
    ),
    "legal": (
        "Branching factor",
        "Share of the plays that pass the filters, by how many cards were legal.",
    ),
}


def show_groups(groups: pd.DataFrame) -> None:
    """How much each group played."""
    show_table(
        groups,
        "groups",
        columns={
            "group": "Group",
            "games": st.column_config.NumberColumn("Games", format="localized"),
            "decisions": st.column_config.NumberColumn(
                "Plays", format="localized", help="Cards played that pass the filters."
            ),
            "kl_halves": st.column_config.NumberColumn(
                "KL of two halves (nats)",
                format="%.5f",
                help="Mean KL between two random halves of the group's own games: noise alone.",
            ),
        },
    )


def show_frequency_controls() -> None:
    """The section's title; what a bar is a share of, and what its ends say."""
    st.subheader(
        "Abstract moves",
        help=f"Devlin 2016, figure 2. {DEFINITIONS_NOTE}",
    )
    with st.container(horizontal=True, gap="medium"):
        st.segmented_control(
            "Share", list(MEASURES), key=state.key("measure"), format_func=MEASURES.get,
            required=True,
        )  # fmt: skip
        st.segmented_control(
            "Bar ends", list(ERRORS), key=state.key("errors"), format_func=ERRORS.get,
            required=True,
        )  # fmt: skip
        window.watch(above=HEAD, below=PANELS)  # takes no room here


def show_panels(figure: Figure, classes: int) -> None:
    """Devlin's five panels; a click on a bar picks it."""
    event = st.plotly_chart(
        figure,
        width="stretch",
        key=PANELS,
        on_select="rerun",
        selection_mode="points",
        config=chart_config("style"),
    )
    behind.take_bar(event, classes)
    st.caption(
        f"A bar is the share {MEASURES[state.get('measure')]} that was in that position; "
        f"{ENDS[state.get('errors')]}. A click on a bar lists its hands. "
        "The moves are our reconstruction: the papers print only their names."
    )


def show_tables(frequencies: pd.DataFrame, groups: pd.DataFrame) -> None:
    """What the panels are made of: a row a group, and the frequencies to download."""
    show_download(frequencies, "frequencies", "Frequencies (CSV)")
    show_groups(groups)


def show_divergence_title() -> None:
    st.subheader(
        "How far apart",
        help=f"KL divergence of the abstract moves, in nats; {ALPHA:g} is added to the count of "
        f"every class. Jensen–Shannon divergence in bits, 0 to 1. Intervals: {REPLICATES:,} "
        "bootstraps over games.",
    )


def show_divergences(pairs: pd.DataFrame, start: str, figure: Figure) -> None:
    """KL and JS of every pair, the published figures beside them."""
    chart, table = st.columns([2, 3], gap="medium")
    with chart:
        st.plotly_chart(
            figure, width="stretch", key="style_divergences", config=chart_config("style-kl")
        )
        st.caption(
            f"KL({literal(start)} ‖ each other group): a dot whose interval reaches the grey "
            "tick, the chance level, shows no difference in style. Dotted lines: Devlin 2016, "
            "table 1, agents against real humans of AI Factory Spades."
        )
    with table:
        _show_pairs(pairs, start)


def _show_pairs(pairs: pd.DataFrame, start: str) -> None:
    ordered = pairs.sort_values("of", key=lambda of: of != start, kind="stable")
    show_table(
        ordered.drop(columns="classes"),
        "divergences",
        columns={
            "of": "KL of",
            "to": "to",
            "kl": st.column_config.NumberColumn("KL (nats)", format="%.4f"),
            "kl_low": st.column_config.NumberColumn("95 % from", format="%.4f"),
            "kl_high": st.column_config.NumberColumn("to ", format="%.4f"),
            "chance": st.column_config.NumberColumn(
                "Chance level",
                format="%.4f",
                help="What two groups of one style and of these sizes would show by noise.",
            ),
            "js": st.column_config.NumberColumn("JS (bits)", format="%.4f"),
            "js_low": st.column_config.NumberColumn("95 % from ", format="%.4f"),
            "js_high": st.column_config.NumberColumn(" to", format="%.4f"),
            "of_games": st.column_config.NumberColumn("Games of", format="localized"),
            "to_games": st.column_config.NumberColumn("Games to", format="localized"),
            "of_decisions": st.column_config.NumberColumn("Plays of", format="localized"),
            "to_decisions": st.column_config.NumberColumn("Plays to", format="localized"),
        },
    )
    published = ", ".join(f"{name} {kl:.4f}" for name, kl in PUBLISHED_KL.items())
    st.caption(
        f"Published, against real humans (Devlin 2016, table 1): {published}. The paper says "
        "neither which way it took the divergence nor whether forced plays count: both move the "
        "figure (the table has both ways; forced plays are under “Which plays”)."
    )


def show_bidding(
    style: BiddingStyle, figures: Mapping[str, Figure], asks: Sequence[str], *, is_simulated: bool
) -> None:
    """Bids by position, sums of bids, branching factor, nils; a click picks one of ``asks``."""
    st.subheader(
        "Bidding",
        help="Beside Cohensius 2020: sum of bids (figure 5), branching factor (figure 6), and "
        "the nils of human players (section 1).",
    )
    for column, (name, (title, told)) in zip(
        st.columns(3, gap="medium"), BIDDING_CHARTS.items(), strict=True
    ):
        with column:
            st.markdown(f"**{title}**")
            clicks = {"on_select": "rerun", "selection_mode": "points"} if name == "sums" else {}
            event = st.plotly_chart(
                figures[name],
                width="stretch",
                key=f"style_{name}",
                config=chart_config(f"style-{name}"),
                **clicks,
            )
            if clicks:
                behind.take_sum(event, asks)
            st.caption(told)
    behind.take_nils(_show_nils(style.nils), asks)
    if is_simulated:
        show_nil_note()


def _percent(label: str, told: str | None = None):
    return st.column_config.NumberColumn(label, format="percent", help=told)


def _show_nils(nils: pd.DataFrame) -> Any:
    """The table of nils; what is selected of it."""
    event = show_table(
        nils,
        "nils",
        key="style_nils",
        on_select="rerun",
        selection_mode="single-cell",
        columns={
            "group": "Group",
            "bids": st.column_config.NumberColumn("Bids", format="localized"),
            "nils": st.column_config.NumberColumn("Nils", format="localized"),
            "rate": _percent("Nil rate", "Of the seat's rounds; 95 % Clopper–Pearson interval."),
            "rate_low": _percent("95 % from"),
            "rate_high": _percent("to"),
            "played_out": st.column_config.NumberColumn("Played out", format="localized"),
            "made": st.column_config.NumberColumn("Made", format="localized"),
            "success": _percent("Nil success", "Of those played out; 95 % Clopper–Pearson."),
            "success_low": _percent("95 % from "),
            "success_high": _percent("to "),
        },
    )
    st.caption(
        f"Published, of human players (Cohensius 2020): nil in {PUBLISHED_NIL_RATE:.1%} of a "
        f"seat's rounds, made in {PUBLISHED_NIL_SUCCESS:.1%}. A click on a number of nils, or of "
        "those made, lists their rounds."
    )
    return event


def show_means(style: BiddingStyle) -> None:
    """Means of bids and of legal cards, and the tables of all charts."""
    show_table(
        style.means,
        "means",
        columns={
            "measure": "Mean of",
            "group": "Group",
            "n": st.column_config.NumberColumn("n", format="localized"),
            "mean": st.column_config.NumberColumn("Mean", format="%.3f"),
            "low": st.column_config.NumberColumn("95 % from", format="%.3f"),
            "high": st.column_config.NumberColumn("to", format="%.3f"),
            "games": st.column_config.NumberColumn("Games", format="localized"),
        },
    )
    st.caption(
        f"Published means (Cohensius 2020): sum of bids {PUBLISHED_SUM_OF_BIDS:g}, legal cards "
        f"{PUBLISHED_BRANCHING:g}."
    )
    tables = {"positions": style.positions, "sums": style.sums, "legal-cards": style.legal}
    with st.container(horizontal=True, gap="small"):
        for name, table in tables.items():
            show_download(table, name, f"{name.capitalize().replace('-', ' ')} (CSV)")
