"""How Replay searches a decision, and how a second search leans towards a human model."""

from __future__ import annotations

import streamlit as st

from analysis.decisions.decision import AnalysisSettings
from spades.belief import RULE_KEYS, Dealing
from spades.belief.dealing import MIXED
from spades.search import BiasSettings, SearchSettings
from spades.search.bias import KNOWLEDGE, UNBIASED
from spades.search.playouts import HEURISTIC, POLICIES
from ui.replay import state
from ui.replay.widgets import (
    DEALING_HELP,
    choose,
    model_options,
    number,
    segments,
    select_several,
    toggle,
)
from ui.shared.search_options import BIAS_FIELDS, ITERATION_CHOICES, TECHNIQUE_LABELS, delay_label


def search_label(settings: AnalysisSettings) -> str:
    """The first search in a few words: what differs from the standard agent's is named."""
    told = [f"ISMCTS {settings.iterations:,}"]
    if settings.dealing != Dealing():
        told.append(settings.dealing.text("deals"))
    if settings.search.playout != SearchSettings.playout:
        told.append(f"{settings.search.playout} playouts")
    if settings.search.skew:
        told.append("skewed")
    return ", ".join(told)


def bias_label(bias: BiasSettings) -> str:
    """A biased search in a few words: ``Biased C 0.03, K 1000``."""
    if bias.technique == KNOWLEDGE:
        return f"Biased C {bias.c_bt:g}, K {bias.k:g}"
    return f"Biased w {bias.w}"


def show_search_controls() -> None:
    """Iterations, seed and hidden cards; the rest folded away."""
    st.select_slider(
        "Iterations a decision",
        ITERATION_CHOICES,
        state.get("iterations"),
        key=state.key("iterations"),
        format_func="{:,}".format,
        help="2,500 is the standard agent of Whitehouse et al. 2013.",
    )
    left, right = st.columns(2)
    with left:
        number("Seed", "seed")
    with right:
        told = f"How the search deals the cards that the seat can't see. {DEALING_HELP}"
        choose("Hidden cards", "determinization", form=str.capitalize, help=told)
    _show_dealing()
    with st.expander("Exploration, playouts, rules of thumb"):
        _show_rest()


def _show_dealing() -> None:
    """What some ways of dealing leave to choose."""
    if not Dealing(state.get("determinization")).has_rules:
        return
    select_several(
        "Without these rules of inference",
        "without",
        RULE_KEYS,
        "What bids and plays tell of the cards a seat holds; the table of rules under Sampled "
        "deals says what each reads.",
    )
    if state.get("determinization") == MIXED:
        number("Share of biased deals", "share", step=0.1, told="The others are uniform.")


def _show_rest() -> None:
    left, right = st.columns(2)
    with left:
        told = "C of UCB1; published agents use 0.7."
        number("Exploration C", "exploration", step=0.1, told=told)
    with right:
        told = "Points that make up 1 of reward: a smaller scale explores less."
        number("Reward scale", "reward_scale", step=50.0, told=told)
    choose("Playouts", "playout")
    if POLICIES[state.get("playout")] == HEURISTIC:
        told = "Their share; the rest by rules."
        number("Random cards in playouts", "epsilon", step=0.05, told=told)
    toggle(
        "Rules of thumb skew the first card",
        "skew",
        "Whitehouse et al. 2013: a card's reward counts for more or less by rules of thumb. "
        "Not in a biased search.",
    )
    if state.get("skew"):
        number("Skew k", "skew_k", step=10.0, told="Iterations after which it has halved.")


def show_bias_controls(step: int) -> None:
    """How a second search of each decision leans towards a human model."""
    segments(
        "Biased search beside the first",
        "technique",
        TECHNIQUE_LABELS,
        help="Knowledge bias: Devlin 2016; equivalent experience: Baier 2018.",
    )
    if state.get("technique") == UNBIASED:
        st.caption("Pick a bias: a second search, leaning towards a human model, gets a column.")
    else:
        _show_bias()
    if step < 0:
        st.caption("A bid is made here: the bias of a card's search is tuned at a play.")
        return
    st.page_link(
        "pages/4_Tuning.py",
        label="Tune the bias on this decision",
        icon=":material/tune:",
        query_params=_link_to_tuning(step),
    )


def _show_bias() -> None:
    models = model_options()
    choose("Model it leans towards", "bias_model", options=models, form=models)
    if state.get("technique") == KNOWLEDGE:
        told = "Published: 0.03 with the log-linear model, 0.2 with a network."
        number("C_BT, strength", "c_bt", step=0.01, told=told)
        told = "The bias is C_BT √(K / (n + K)) P, n the node's visits. Published: 1000."
        number("K, visits at which it has shrunk to 71 %", "k", step=100.0, told=told)
    else:
        number("w, visits that P counts for", "w", told="Published: 10.")
    told = "Delayed bias (Baier 2018): only in nodes that were visited so often before."
    choose("The model is asked", "delay", form=delay_label, help=told)


def _link_to_tuning(ply: int) -> dict[str, str]:
    """The Tuning page at the decision at hand, with the bias that is set."""
    shown = {"hand": state.get("hand").name, "ply": ply}
    if state.get("technique") != UNBIASED:
        shown |= {name: state.get(name) for name in ("technique", *BIAS_FIELDS)}
        shown["model"] = state.get("bias_model")
    return {name: f"{value}" for name, value in shown.items()}
