"""The paper's matches beside ours, folded away: what they came to, and why they differ."""

from __future__ import annotations

from typing import Any

import streamlit as st

from analysis.published_table import published_table
from ui.page import literal
from ui.playstyle_tables import show_table


def show_published(document: dict[str, Any]) -> None:
    """A table of all matches, and what is known of the differences."""
    with st.expander("Published matches beside ours", icon=":material/menu_book:"):
        st.caption(
            literal(
                "Win rate of the first agent: Cohensius 2020, and ours with exact 95 % intervals "
                "(Clopper–Pearson). Every deal is played twice, with the partnerships swapped. All "
                "players are bots; in the last match the bids are of the simulated human."
            )
        )
        _show_matches(document)
        st.markdown("**Why ours differ**")
        st.markdown("\n".join(f"- {literal(note)}" for note in document["notes"]))
        st.caption(
            f"Remade by `{document['command']}`; seed {document['seed']}, code "
            f"`{document['code']}`."
        )


def _show_matches(document: dict[str, Any]) -> None:
    percent = st.column_config.NumberColumn
    show_table(
        published_table(document),
        "published-matches",
        columns={
            "name": "Match",
            "published": percent("Published", format="percent", help="Empty: no figure printed."),
            "win_rate": percent("Ours", format="percent"),
            "low": percent("95 % from", format="percent"),
            "high": percent("to", format="percent"),
            "agrees": st.column_config.TextColumn(
                "Published is", help="Inside or outside our interval."
            ),
            "games": st.column_config.NumberColumn("Games", format="localized"),
            "published_points": st.column_config.TextColumn(
                "Points, published", help="Points a round of the first agent and the second."
            ),
            "points": st.column_config.TextColumn(
                "Points, ours", help="Points a round, bag penalties taken off."
            ),
            "first": "First",
            "second": "Second",
            "target": st.column_config.NumberColumn("Target", help="1: a single round."),
            "floor": "Floor",
            "source": "Source",
        },
    )
