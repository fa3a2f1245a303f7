"""Widgets bound to Replay's address, and the controls of the search made of them.

Bounds and options are those of the field; each widget gets the value also as its default: see
`ui.replay.state.get`.
"""

from collections.abc import Iterable
from typing import Any

import streamlit as st

from analysis.decisions.decision import AnalysisSettings
from spades.belief import RULE_KEYS, Dealing
from spades.belief.dealing import MIXED
from spades.human import model_names
from spades.search import BiasSettings, SearchSettings
from spades.search.bias import KNOWLEDGE, UNBIASED
from spades.search.playouts import HEURISTIC, POLICIES
from ui.replay import state
from ui.shared.options import (
    BIAS_FIELDS,
    ITERATION_CHOICES,
    TECHNIQUE_LABELS,
    delay_label,
    model_label,
)
from ui.shared.widgets import segments, select, select_several

DEALING_HELP = (
    "Uniform: every deal that agrees with what was seen is equally likely. Biased: by the bids, as "
    "Whitehouse et al. 2013. Mixed: half of each. Posterior: by how likely a simulated human would "
    "have bid and played so."
)


def number(label: str, name: str, *, step: float | None = None, told: str | None = None) -> Any:
    codec, value = state.WIDGETS[name].codec, state.get(name)
    return st.number_input(
        label, codec.low, codec.high, codec.kind(value), step=step, key=state.key(name), help=told
    )


def choose(label: str, name: str, options: Iterable | None = None, **settings: Any) -> Any:
    """One of a field's options; a mapping shows them by their labels."""
    if options is None:
        options = state.WIDGETS[name].codec.options
    index = list(options).index(state.get(name))
    return select(label, options, state.key(name), index=index, **settings)


def choose_several(label: str, name: str, options: dict[str, str], told: str) -> list:
    return select_several(label, options, state.key(name), default=state.get(name), help=told)


def toggle(label: str, name: str, told: str) -> bool:
    return st.toggle(label, state.get(name), key=state.key(name), help=told)


def choose_count(label: str, name: str, width: int, told: str | None = None) -> int:
    return choose(label, name, format_func="{:,}".format, width=width, help=told)


def choose_dealing(name: str) -> Dealing:
    """How a panel's deals are drawn; by default as the search's."""
    of_search = state.settings().dealing

    def label_of(option: str) -> str:
        is_search = option == state.AS_SEARCH
        return f"As the search ({of_search.text()})" if is_search else option.capitalize()

    told = f"As the search: as those of the decision table. {DEALING_HELP}"
    chosen = choose("Dealt by", name, format_func=label_of, width=220, help=told)
    return of_search if chosen == state.AS_SEARCH else Dealing(chosen)


def model_options() -> dict[str, str]:
    """The human models and what pages call them."""
    return {name: model_label(name) for name in model_names()}


def search_label(settings: AnalysisSettings) -> str:
    """The first search in a few words: what differs from the standard agent's is named."""
    parts = [f"ISMCTS {settings.iterations:,}"]
    if settings.dealing != Dealing():
        parts.append(settings.dealing.text("deals"))
    if settings.search.playout != SearchSettings.playout:
        parts.append(f"{settings.search.playout} playouts")
    if settings.search.skew:
        parts.append("skewed")
    return ", ".join(parts)


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
        choose("Hidden cards", "determinization", format_func=str.capitalize, help=told)
    if Dealing(state.get("determinization")).has_rules:
        told = "What bids and plays tell of the cards a seat holds; the table of rules under "
        told += "Sampled deals says what each reads."
        choose_several("Without these rules of inference", "without", RULE_KEYS, told)
        if state.get("determinization") == MIXED:
            number("Share of biased deals", "share", step=0.1, told="The others are uniform.")
    with st.expander("Exploration, playouts, rules of thumb"):
        _show_rest()


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
    told = "Whitehouse et al. 2013: a card's reward counts for more or less by rules of thumb. "
    toggle("Rules of thumb skew the first card", "skew", told + "Not in a biased search.")
    if state.get("skew"):
        number("Skew k", "skew_k", step=10.0, told="Iterations after which it has halved.")


def show_bias_controls(step: int) -> None:
    """How a second search of each decision leans towards a human model."""
    segments(
        "Biased search beside the first",
        TECHNIQUE_LABELS,
        state.key("technique"),
        default=state.get("technique"),
        help="Knowledge bias: Devlin 2016; equivalent experience: Baier 2018.",
    )
    if state.get("technique") == UNBIASED:
        st.caption("Pick a bias: a second search, leaning towards a human model, gets a column.")
    else:
        _show_bias()
    if step < 0:
        st.caption("A bid is made here: the bias of a card's search is tuned at a play.")
        return
    shown = {"hand": state.get("hand").name, "ply": step}
    if state.get("technique") != UNBIASED:
        shown |= {name: state.get(name) for name in ("technique", *BIAS_FIELDS)}
        shown["model"] = state.get("bias_model")
    st.page_link(
        "pages/4_Tuning.py",
        label="Tune the bias on this decision",
        icon=":material/tune:",
        query_params={name: f"{value}" for name, value in shown.items()},
    )


def _show_bias() -> None:
    choose("Model it leans towards", "bias_model", model_options())
    if state.get("technique") == KNOWLEDGE:
        told = "Published: 0.03 with the log-linear model, 0.2 with a network."
        number("C_BT, strength", "c_bt", step=0.01, told=told)
        told = "The bias is C_BT √(K / (n + K)) P, n the node's visits. Published: 1000."
        number("K, visits at which it has shrunk to 71 %", "k", step=100.0, told=told)
    else:
        number("w, visits that P counts for", "w", told="Published: 10.")
    told = "Delayed bias (Baier 2018): only in nodes that were visited so often before."
    choose("The model is asked", "delay", format_func=delay_label, help=told)
