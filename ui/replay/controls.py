"""The controls of Replay's search and of the biased one beside it."""

import streamlit as st

from analysis.decisions.decision import AnalysisSettings
from spades.belief import RULE_KEYS, Dealing
from spades.belief.dealing import MIXED
from spades.search import BiasSettings, SearchSettings
from spades.search.bias import KNOWLEDGE, UNBIASED
from spades.search.playouts import HEURISTIC, POLICIES
from ui.replay import state
from ui.replay.state import page
from ui.shared.options import BIAS_FIELDS, ITERATION_CHOICES, delay_label, model_label
from ui.shared.page import show_link

DEALING_HELP = (
    "Uniform: every deal that agrees with what was seen is equally likely. Biased: by the bids, as "
    "Whitehouse et al. 2013. Mixed: half of each. Posterior: by how likely a simulated human would "
    "have bid and played so."
)


def choose_dealing(name: str) -> Dealing:
    """How a panel's deals are drawn; by default as the search's."""
    of_search = state.settings().dealing

    def label_of(option: str) -> str:
        is_search = option == state.AS_SEARCH
        return f"As the search ({of_search.text()})" if is_search else option.capitalize()

    told = f"As the search: as those of the decision table. {DEALING_HELP}"
    chosen = page.select("Dealt by", name, format_func=label_of, width=220, help=told)
    return of_search if chosen == state.AS_SEARCH else Dealing(chosen)


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
    told = "2,500 is the standard agent of Whitehouse et al. 2013."
    look = {"format_func": "{:,}".format, "help": told}
    page.rungs("Iterations a decision", "iterations", ITERATION_CHOICES, **look)
    left, right = st.columns(2)
    with left:
        page.number("Seed", "seed")
    with right:
        told = f"How the search deals the cards that the seat can't see. {DEALING_HELP}"
        page.select("Hidden cards", "determinization", format_func=str.capitalize, help=told)
    if Dealing(page.get("determinization")).has_rules:
        told = "What bids and plays tell of the cards a seat holds; the table of rules under "
        told += "Sampled deals says what each reads."
        page.several("Without these rules of inference", "without", RULE_KEYS, help=told)
        if page.get("determinization") == MIXED:
            told = "The others are uniform."
            page.number("Share of biased deals", "share", step=0.1, help=told)
    with st.expander("Exploration, playouts, rules of thumb"):
        _show_rest()


def _show_rest() -> None:
    left, right = st.columns(2)
    with left:
        told = "C of UCB1; published agents use 0.7."
        page.number("Exploration C", "exploration", step=0.1, help=told)
    with right:
        told = "Points that make up 1 of reward: a smaller scale explores less."
        page.number("Reward scale", "reward_scale", step=50.0, help=told)
    page.select("Playouts", "playout")
    if POLICIES[page.get("playout")] == HEURISTIC:
        told = "Their share; the rest by rules."
        page.number("Random cards in playouts", "epsilon", step=0.05, help=told)
    told = "Whitehouse et al. 2013: a card's reward counts for more or less by rules of thumb. "
    page.toggle("Rules of thumb skew the first card", "skew", help=told + "Not in a biased search.")
    if page.get("skew"):
        page.number("Skew k", "skew_k", step=10.0, help="Iterations after which it has halved.")


def show_bias_controls(step: int) -> None:
    told = "Knowledge bias: Devlin 2016; equivalent experience: Baier 2018."
    page.segments("Biased search beside the first", "technique", help=told)
    if page.get("technique") == UNBIASED:
        st.caption("Pick a bias: a second search, leaning towards a human model, gets a column.")
    else:
        _show_bias()
    if step < 0:
        st.caption("A bid is made here: the bias of a card's search is tuned at a play.")
        return
    shown = {"hand": page.get("hand").name, "ply": step}
    if page.get("technique") != UNBIASED:
        shown |= {name: page.get(name) for name in ("technique", *BIAS_FIELDS)}
        shown["model"] = page.get("bias_model")
    show_link("Tuning", "Tune the bias on this decision", shown)


def _show_bias() -> None:
    page.select("Model it leans towards", "bias_model", format_func=model_label)
    if page.get("technique") == KNOWLEDGE:
        told = "Published: 0.03 with the log-linear model, 0.2 with a network."
        page.number("C_BT, strength", "c_bt", step=0.01, help=told)
        told = "The bias is C_BT √(K / (n + K)) P, n the node's visits. Published: 1000."
        page.number("K, visits at which it has shrunk to 71 %", "k", step=100.0, help=told)
    else:
        page.number("w, visits that P counts for", "w", help="Published: 10.")
    told = "Delayed bias (Baier 2018): only in nodes that were visited so often before."
    page.select("The model is asked", "delay", format_func=delay_label, help=told)
