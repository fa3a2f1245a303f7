"""What ``best`` is made of: each part changed at equal time, and others beside plain ISMCTS."""

from typing import Any

import streamlit as st

from analysis.matches import ablation
from analysis.plots.league import plot_gaps
from ui.arena import match
from ui.arena.match import page
from ui.shared.tables import count, ends, number, show_table
from ui.shared.widgets import errors_shown, show_chart, show_info

POINTS = "%+.1f"
AHEAD = "Points a round, bag penalties taken off."
TIME = "Milliseconds of a processor for a choice between several cards."
PARTS = {
    "changed": "Changed",
    "gap": number("best ahead", POINTS, AHEAD),
    **ends(POINTS, "gap"),
    "rounds": count("Rounds"),
    "ms_first": number("best, ms", "%.2f", TIME),
    "ms_second": number("Changed, ms", "%.2f", TIME),
    "agent": "Agent",
}
OPPONENTS = {
    "agent": "Against",
    "gap": number("best ahead", POINTS, AHEAD),
    **ends(POINTS, "gap"),
    "plain": number("Plain ahead", POINTS, AHEAD),
    **ends(POINTS, "plain"),
    "gain": number("best further ahead", POINTS, "The first less the second."),
    **ends(POINTS, "gain"),
    "rounds": count("Rounds"),
    "ms_first": number("best, ms", "%.2f", TIME),
    "ms_second": number("Other, ms", "%.2f", TIME),
}


@errors_shown()
def show() -> None:
    st.subheader("What best is made of")
    found = ablation.stored_evidence()
    st.markdown(f"`{ablation.BEST}` stands for `{ablation.written_out(ablation.BEST)}`.")
    if found is None:
        show_info(f"Its parts are not measured yet: `{ablation.COMMAND}` plays them.", "science")
        return
    if age := ablation.age_text(found):
        st.warning(age, icon=":material/history:")
    if found["variants"]:
        _show_parts(found)
    if found["opponents"]:
        _show_opponents(found)
    if reached := ablation.ceiling_verdict(found):
        st.markdown(f"**Its deals.** {reached}")
        st.caption(
            "The same search on the same deals, its hidden cards dealt in three ways, against "
            "plain ISMCTS. No agent can know the true hands: they show what better deals could "
            "bring."
        )
    n, n_all = len(found["variants"]), len(ablation.VARIANTS)
    m, m_all = len(found["opponents"]), len(ablation.OPPONENTS)
    rest = "" if (n, m) == (n_all, m_all) else " The same command plays the rest."
    st.caption(
        f"{n} of {n_all} parts and {m} of {m_all} opponents are measured, by "
        f"`{found['made_by']}`.{rest}"
    )


def _show_parts(found: dict[str, Any]) -> None:
    parts = ablation.part_table(found)
    st.markdown(f"**One part changed.** {ablation.part_verdict(parts)}")
    show_chart(plot_gaps(parts, "changed"), page.key("parts"), "best-parts")
    st.caption(
        "How far best is ahead of itself with one part changed, at equal time; right of 0 the part "
        "pays. Bars: 95% intervals over pairs of games, each for itself: of twenty, one misleads."
    )
    show_table(parts, "best-parts", columns=PARTS, column_order=list(PARTS))


def _show_opponents(found: dict[str, Any]) -> None:
    others = ablation.opponent_table(found)
    st.markdown(f"**Against others.** {ablation.opponent_verdict(others)}")
    show_table(others, "best-opponents", columns=OPPONENTS, column_order=list(OPPONENTS))
    st.caption(
        f"Plain: `{ablation.PLAIN}`, on the same deals; the last interval takes the two matches as "
        "independent."
    )
    match.show_human_note(*others["agent"])
