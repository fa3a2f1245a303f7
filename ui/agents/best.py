"""What ``best`` is made of: each part changed at equal time; others against it and plain ISMCTS."""

from typing import Any

import streamlit as st

from analysis.matches import ablation
from analysis.plots.league import plot_gaps
from ui.shared.matches import show_human_note
from ui.shared.panel import Panel
from ui.shared.states import show_empty, show_partial
from ui.shared.tables import count, ends, number
from ui.shared.widgets import errors_shown

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
    evidence = ablation.stored_evidence()
    panel = Panel("best", "What best is made of")
    panel.answer(f"`{ablation.BEST}` stands for `{ablation.written_out(ablation.BEST)}`.")
    if evidence is None:
        show_empty(f"Its parts are not measured yet: `{ablation.COMMAND}` plays them.", "science")
        return
    age = ablation.age_text(evidence)
    if age:
        show_partial(age, icon="history")
    if evidence["variants"]:
        _show_parts(evidence)
    if evidence["opponents"]:
        _show_opponents(evidence)
    ceiling = ablation.ceiling_verdict(evidence)
    if ceiling:
        Panel("best-deals", "Its deals").answer(ceiling)
        st.caption(
            "The same search on the same deals, its hidden cards dealt in three ways, against "
            "plain ISMCTS. No agent can know the true hands: they show what better deals could "
            "gain."
        )
    _show_coverage(evidence)


def _show_coverage(evidence: dict[str, Any]) -> None:
    n_parts = len(evidence["variants"])
    n_opponents = len(evidence["opponents"])
    all_parts = len(ablation.VARIANTS)
    all_opponents = len(ablation.OPPONENTS)
    is_complete = n_parts == all_parts and n_opponents == all_opponents
    rest = "" if is_complete else " The same command plays the rest."
    st.caption(
        f"{n_parts} of {all_parts} parts and {n_opponents} of {all_opponents} opponents are "
        f"measured, by `{evidence['made_by']}`.{rest}"
    )


def _show_parts(evidence: dict[str, Any]) -> None:
    parts = ablation.part_table(evidence)
    panel = Panel("best-parts", "One part changed")
    panel.answer(ablation.part_verdict(parts))
    panel.figure(
        plot_gaps(parts, "changed"),
        "How far best is ahead of itself with one part changed, at equal time; right of 0 the part "
        "helps. Bars: 95% intervals over pairs of games, each for itself: one in twenty misleads.",
        command=evidence["made_by"],
    )
    panel.table(parts, PARTS, column_order=list(PARTS))


def _show_opponents(evidence: dict[str, Any]) -> None:
    others = ablation.opponent_table(evidence)
    panel = Panel("best-opponents", "Against others")
    panel.answer(ablation.opponent_verdict(others))
    note = (
        f"Plain: `{ablation.PLAIN}`, on the same deals; the last interval assumes that the two "
        "matches are independent."
    )
    panel.table(others, OPPONENTS, note, column_order=list(OPPONENTS))
    show_human_note(*others["agent"])
