"""The papers' matches next to ours, folded away: their results, and why they differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from analysis.papers.table import (
    corpus_differences,
    corpus_table,
    difference_table,
    knowledge_table,
    load_published,
    published_table,
)
from ui.shared.page import literal
from ui.shared.tables import count, ends, number, percent, show_table, text

POINTS = "%.1f"
MATCH_COLUMNS = {
    "name": "Match",
    "win_rate": percent("Ours"),
    **ends(),
    "games": count("Games"),
    "published": percent("Published", "Empty: no figure printed."),
    "agrees": text("Published is", "Inside or outside our interval."),
    "published_points": text(
        "Points, published", "Points a round of the first agent and the second."
    ),
    "points": text("Points, ours", "Points a round, bag penalties taken off."),
    "first": "First",
    "second": "Second",
    "target": number("Target", told="1: a single round."),
    "floor": "Floor",
    "source": "Source",
}
KNOWLEDGE_COLUMNS = {
    "win_rate": percent("ISMCTS wins"),
    "change": percent("Change in games won"),
    **ends(),
    "points_difference": number("Points a round ahead", POINTS),
}
CORPUS_COLUMNS = {
    "win_rate": percent("Ours"),
    **ends(),
    "published": percent("Published"),
    "published_level": percent("Level there"),
    "points": number("Points a round ahead", POINTS),
}
ORDER_COLUMNS = {
    "difference": percent("Win rates apart"),
    **ends(),
    "points": number("Points apart", POINTS),
    **ends(POINTS, "points"),
    "published_difference": percent("Published"),
}


@st.cache_data(show_spinner=False)
def published(table: Path) -> dict[str, Any]:
    return load_published(table)


def show_bidders(document: dict[str, Any]) -> None:
    """Cohensius 2020: a table of all matches, and what is known of the differences."""
    with _folded(
        "Bidders: published matches beside ours",
        "Win rate of the first agent: Cohensius 2020, and ours with exact 95 % intervals "
        "(Clopper–Pearson). Every deal is played twice, with the partnerships swapped. All "
        "players are bots; in the last match the bids are of the simulated human.",
    ):
        show_table(published_table(document), "published-matches", columns=MATCH_COLUMNS)
        st.markdown("**Why ours differ**")
        _show_notes(document)


def show_knowledge(document: dict[str, Any]) -> None:
    """Whitehouse 2013, figure 1: ISMCTS against the knowledge-based levels."""
    with _folded(
        "ISMCTS against knowledge: Whitehouse's figure 1",
        f"Share of games that ISMCTS won, {document['games']:,} games a row, exact 95 % "
        "intervals. The paper draws a chart and prints claims, no numbers; the "
        "knowledge-based player's rules were never published, ours stand in for them.",
    ):
        _show_two(
            document,
            (knowledge_table(document), "published-knowledge", KNOWLEDGE_COLUMNS),
            "What iterations and the skew change",
            (difference_table(document), "published-knowledge-changes", KNOWLEDGE_COLUMNS),
        )


def show_corpora(document: dict[str, Any]) -> None:
    """Dobre and Lascarides 2015, table I: what a seed is worth to Flat-UCB."""
    with _folded(
        "Corpus-seeded search: Dobre and Lascarides beside ours",
        "Win rates against the heuristic alone. The paper plays Settlers, one agent "
        "against three, so that 25 % is level; here 50 % is. What can be compared is "
        "the order. The corpus is of simulated humans.",
    ):
        _show_two(
            document,
            (corpus_table(document), "published-corpus", CORPUS_COLUMNS),
            "The order, on common deals",
            (corpus_differences(document), "published-corpus-order", ORDER_COLUMNS),
        )


def _folded(title: str, told: str) -> Any:
    panel = st.expander(title, icon=":material/menu_book:")
    panel.caption(literal(told))
    return panel


def _show_two(
    document: dict[str, Any],
    first: tuple[pd.DataFrame, str, dict],
    heading: str,
    second: tuple[pd.DataFrame, str, dict],
) -> None:
    """Two tables, each with the name of its file and its columns, and the document's notes."""
    table, file, columns = first
    show_table(table, file, columns=columns)
    st.markdown(f"**{heading}**")
    table, file, columns = second
    show_table(table, file, columns=columns)
    _show_notes(document)


def _show_notes(document: dict[str, Any]) -> None:
    st.markdown("\n".join(f"- {literal(note)}" for note in document["notes"]))
    st.caption(
        f"Remade by `{document['command']}`; seed {document['seed']}, code `{document['code']}`."
    )
