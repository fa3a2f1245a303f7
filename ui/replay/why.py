"""The panel that says of every card why it is worth less than the best, and what others play."""

import streamlit as st

from analysis.decisions.conclusion import Conclusion
from analysis.decisions.decision import PlayDecision
from analysis.decisions.judge import PLAYER
from analysis.decisions.judgement import NOT_JUDGED, compared, touching
from analysis.text_tables import counted
from ui.replay import panel, state
from ui.shared.cards import with_red
from ui.shared.options import model_label

CHECKING = f"Four of `{PLAYER}` play the round on from each card; what they find will stand here."


def show_why(here: panel.Here) -> None:
    decision = panel.judged_decision(here)
    if decision is None:
        return
    if here.conclusion is None:
        st.markdown(CHECKING if here.is_checking else NOT_JUDGED)
    else:
        _show_classes(decision, here.conclusion)
    st.caption(with_red(_others(decision)))


def _show_classes(decision: PlayDecision, conclusion: Conclusion) -> None:
    """Every class beside the best, best first."""
    lines = [
        f"- **{touching(judged)}**: {compared(decision, conclusion, judged)}."
        for judged in conclusion.classes
    ]
    st.markdown(with_red("\n".join(lines)))


def _others(decision: PlayDecision) -> str:
    """What humans most often play, what the search does, and how far they are apart."""
    model = state.settings().models[0]
    likeliest = decision.human_choices(model)
    cards = " or ".join(row.label for row in likeliest)
    each = " each" if len(likeliest) > 1 else ""
    choice = decision.search_choice
    searches = counted(decision.n_searches, "search", "searches")
    return (
        f"Humans most often play {cards} ({likeliest[0].human[model]:.1%}{each}), by "
        f"{model_label(model)}; the search plays {choice.label} in {choice.wins:,} of "
        f"{searches} of {decision.iterations:,} iterations ({choice.share:.1%} of their visits). "
        f"Divergence of the two: {decision.divergence:.2f} bits."
    )
