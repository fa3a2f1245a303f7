"""The papers' matches beside ours, folded away: what they came to, and why they differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from analysis.papers.corpus_table import comparison_table
from analysis.papers.corpus_table import difference_table as corpus_differences
from analysis.papers.table import (
    difference_table,
    knowledge_table,
    load_published,
    published_table,
)
from ui.shared.page import literal
from ui.shared.tables import show_table

_SHARE, _POINTS = {"format": "percent"}, {"format": "%.1f"}
_ENDS = {"low": ("95 % from", _SHARE), "high": ("to", _SHARE)}


@st.cache_data(show_spinner=False)
def published(table: Path) -> dict[str, Any]:
    return load_published(table)


def show_bidders(document: dict[str, Any]) -> None:
    """Cohensius 2020: a table of all matches, and what is known of the differences."""
    with st.expander("Bidders: published matches beside ours", icon=":material/menu_book:"):
        st.caption(
            literal(
                "Win rate of the first agent: Cohensius 2020, and ours with exact 95 % intervals "
                "(Clopper–Pearson). Every deal is played twice, with the partnerships swapped. All "
                "players are bots; in the last match the bids are of the simulated human."
            )
        )
        _show_matches(document)
        st.markdown("**Why ours differ**")
        _show_notes(document)


def show_knowledge(document: dict[str, Any]) -> None:
    """Whitehouse 2013, figure 1: ISMCTS against the knowledge-based levels."""
    title = "ISMCTS against knowledge: Whitehouse's figure 1"
    with st.expander(title, icon=":material/menu_book:"):
        st.caption(
            literal(
                f"Share of games that ISMCTS won, {document['games']:,} games a row, exact 95 % "
                "intervals. The paper draws a chart and prints claims, no numbers; the "
                "knowledge-based player's rules were never published, ours stand in for them."
            )
        )
        show_table(
            knowledge_table(document),
            "published-knowledge",
            columns=_columns(
                win_rate=("ISMCTS wins", _SHARE),
                **_ENDS,
                points_difference=("Points a round ahead", _POINTS),
            ),
        )
        st.markdown("**What iterations and the skew change**")
        show_table(
            difference_table(document),
            "published-knowledge-changes",
            columns=_columns(
                change=("Change in games won", _SHARE),
                **_ENDS,
            ),
        )
        _show_notes(document)


def show_corpora(document: dict[str, Any]) -> None:
    """Dobre and Lascarides 2015, table I: what a seed is worth to Flat-UCB."""
    title = "Corpus-seeded search: Dobre and Lascarides beside ours"
    with st.expander(title, icon=":material/menu_book:"):
        st.caption(
            literal(
                "Win rates against the heuristic alone. The paper plays Settlers, one agent "
                "against three, so that 25 % is level; here 50 % is. What can stand beside it is "
                "the order. The corpus is of simulated humans."
            )
        )
        show_table(
            comparison_table(document),
            "published-corpus",
            columns=_columns(
                win_rate=("Ours", _SHARE),
                **_ENDS,
                published=("Published", _SHARE),
                published_level=("Level there", _SHARE),
                points=("Points a round ahead", _POINTS),
            ),
        )
        st.markdown("**The order, on common deals**")
        show_table(
            corpus_differences(document),
            "published-corpus-order",
            columns=_columns(
                difference=("Win rates apart", _SHARE),
                **_ENDS,
                points=("Points apart", _POINTS),
                points_low=("95 % from ", _POINTS),
                points_high=("to ", _POINTS),
                published_difference=("Published", _SHARE),
            ),
        )
        _show_notes(document)


def _show_notes(document: dict[str, Any]) -> None:
    st.markdown("\n".join(f"- {literal(note)}" for note in document["notes"]))
    st.caption(
        f"Remade by `{document['command']}`; seed {document['seed']}, code `{document['code']}`."
    )


def _columns(**numbers: tuple[str, dict[str, str]]) -> dict[str, Any]:
    """Number columns by field: title and format."""
    return {
        name: st.column_config.NumberColumn(title, **options)
        for name, (title, options) in numbers.items()
    }


def _show_matches(document: dict[str, Any]) -> None:
    show_table(
        published_table(document),
        "published-matches",
        columns={
            "name": "Match",
            **_columns(
                win_rate=("Ours", _SHARE),
                **_ENDS,
                games=("Games", {"format": "localized"}),
            ),
            "published": st.column_config.NumberColumn(
                "Published", format="percent", help="Empty: no figure printed."
            ),
            "agrees": st.column_config.TextColumn(
                "Published is", help="Inside or outside our interval."
            ),
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
