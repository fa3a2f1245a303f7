"""Arena: agent against agent on common deals, and the league of all matches stored."""

import streamlit as st

from analysis.matches.match import MATCH
from analysis.papers import corpus as published_corpus
from analysis.papers import knowledge as published_knowledge
from analysis.papers import matches as published_matches
from analysis.runs.store import ResultStore
from ui.arena import league as arena_league
from ui.arena import match as arena_match
from ui.arena import state
from ui.arena.published import published, show_bidders, show_corpora, show_knowledge
from ui.shared.jobs import show_jobs
from ui.shared.page import setup, show_complaints

SHOW = {"league": arena_league.show, "match": arena_match.show}
PUBLISHED = {
    published_matches.TABLE: show_bidders,
    published_knowledge.TABLE: show_knowledge,
    published_corpus.TABLE: show_corpora,
}


def main() -> None:
    setup("Arena")
    st.title("Arena")
    state.read_state()
    report = st.container()
    chosen = st.segmented_control(
        "View",
        list(state.VIEWS),
        format_func=state.VIEWS.get,
        key=state.key("view"),
        required=True,
        label_visibility="collapsed",
    )
    show_jobs("arena", made=made)
    SHOW[chosen]()
    if chosen == "league":
        for table, show in PUBLISHED.items():
            if table.is_file():
                show(published(table))
    with report:
        show_complaints(state.get("complaints"))
    state.write_state()


def made() -> tuple[str, int, float]:
    """Changes when a match has been finished: the league is drawn anew then."""
    return ResultStore().stamp(MATCH)


if __name__ == "__main__":
    main()
