"""How Replay searches a decision: every option of an ISMCTS agent but its bias."""

from __future__ import annotations

import streamlit as st

from analysis.decisions.decision import AnalysisSettings
from spades.belief import RULE_KEYS, Dealing
from spades.belief.dealing import MIXED
from spades.search import SearchSettings
from spades.search.playouts import HEURISTIC, POLICIES
from ui.replay import state
from ui.replay.why_state import DEALINGS

DEALING_HELP = (
    "Uniform: every deal that agrees with what was seen is equally likely. Biased: by the bids, as "
    "Whitehouse et al. 2013. Mixed: half of each. Posterior: by how likely a simulated human would "
    "have bid and played so."
)


def agent_label(settings: AnalysisSettings) -> str:
    """The first search in a few words: what differs from the standard agent's is named."""
    told = [f"ISMCTS {settings.iterations:,}"]
    if settings.dealing != Dealing():
        told.append(settings.dealing.text("deals"))
    if settings.search.playout != SearchSettings.playout:
        told.append(f"{settings.search.playout} playouts")
    if settings.search.skew:
        told.append("skewed")
    return ", ".join(told)


def show_search_controls() -> None:
    """Iterations, seed and hidden cards; the rest folded away."""
    st.select_slider(
        "Iterations a decision",
        state.ITERATION_CHOICES,
        state.get("iterations"),
        key=state.key("iterations"),
        format_func="{:,}".format,
        help="2,500 is the standard agent of Whitehouse et al. 2013.",
    )
    left, right = st.columns(2)
    with left:
        st.number_input("Seed", 0, state.MAX_SEED, state.get("seed"), key=state.key("seed"))
    with right:
        st.selectbox(
            "Hidden cards",
            DEALINGS,
            DEALINGS.index(state.get("determinization")),
            key=state.key("determinization"),
            format_func=str.capitalize,
            help=f"How the search deals the cards that the seat can't see. {DEALING_HELP}",
        )
    _show_dealing()
    with st.expander("Exploration, playouts, rules of thumb"):
        _show_rest()


def _show_dealing() -> None:
    """What some ways of dealing leave to choose."""
    if not Dealing(state.get("determinization")).has_rules:
        return
    st.multiselect(
        "Without these rules of inference",
        list(RULE_KEYS),
        default=state.get("without"),
        key=state.key("without"),
        format_func=RULE_KEYS.get,
        help="What bids and plays tell of the cards a seat holds; the table of rules under Sampled "
        "deals says what each reads.",
    )
    if state.get("determinization") == MIXED:
        _number("Share of biased deals", "share", 1.0, 0.1, "The others are uniform.")


def _show_rest() -> None:
    left, right = st.columns(2)
    with left:
        _number("Exploration C", "exploration", 10.0, 0.1, "C of UCB1; published agents use 0.7.")
    with right:
        _number(
            "Reward scale",
            "reward_scale",
            state.MAX_SCALE,
            50.0,
            "Points that make up 1 of reward: a smaller scale explores less.",
            least=1.0,
        )
    policies = list(POLICIES)
    st.selectbox(
        "Playouts", policies, policies.index(state.get("playout")), key=state.key("playout")
    )
    if POLICIES[state.get("playout")] == HEURISTIC:
        _number("Random cards in playouts", "epsilon", 1.0, 0.05, "Their share; the rest by rules.")
    st.toggle(
        "Rules of thumb skew the first card",
        state.get("skew"),
        key=state.key("skew"),
        help="Whitehouse et al. 2013: a card's reward counts for more or less by rules of thumb. "
        "Not in a biased search.",
    )
    if state.get("skew"):
        _number("Skew k", "skew_k", state.MAX_K, 10.0, "Iterations after which it has halved.")


def _number(
    label: str, name: str, most: float, step: float, told: str, *, least: float = 0.0
) -> None:
    st.number_input(
        label, least, most, float(state.get(name)), step=step, key=state.key(name), help=told
    )
