"""Arena: agent against agent on common deals, and the league of all matches stored."""

import streamlit as st

from analysis.matches.match import MATCH
from analysis.papers import corpus, knowledge, matches
from analysis.runs.store import ResultStore
from ui.arena import league, match, state
from ui.arena.published import published, show_bidders, show_corpora, show_knowledge
from ui.shared.jobs import show_jobs
from ui.shared.page import setup, show_complaints
from ui.shared.widgets import show_view_control

SHOW = {"league": league.show, "match": match.show}
PUBLISHED = {
    matches.TABLE: show_bidders,
    knowledge.TABLE: show_knowledge,
    corpus.TABLE: show_corpora,
}


def main() -> None:
    setup("Arena")
    st.title("Arena")
    state.page.read()
    report = st.container()
    view = show_view_control(state.VIEWS, state.key("view"))
    show_jobs("arena", made=lambda: ResultStore().stamp(MATCH))  # a match ended: draw it anew
    SHOW[view]()
    if view == "league":
        for table, show in PUBLISHED.items():
            if table.is_file():
                show(published(table))
    with report:
        show_complaints(state.page.complaints)
    state.write_state()


if __name__ == "__main__":
    main()
