"""The biased search beside the unbiased one: its controls and what it is called."""

from __future__ import annotations

import streamlit as st

from spades.human import model_names
from spades.search import BiasSettings
from spades.search.bias import EXPERIENCE, KNOWLEDGE, NEVER, ROOT_ONLY, UNBIASED
from ui.replay import state
from ui.shared.links import model_label

TECHNIQUE_LABELS = {
    UNBIASED: "None",
    KNOWLEDGE: "Knowledge bias",
    EXPERIENCE: "Equivalent experience",
}
DELAY_LABELS = {ROOT_ONLY: "root only", NEVER: "never"}


def beside_label(bias: BiasSettings) -> str:
    """A biased search in a few words: ``Knowledge 0.03, K 1000``."""
    if bias.technique == KNOWLEDGE:
        return f"Biased C {bias.c_bt:g}, K {bias.k:g}"
    return f"Biased w {bias.w}"


def delay_label(delay: str) -> str:
    return DELAY_LABELS.get(delay, f"after {delay} visits" if delay != "1" else "in every node")


def show_beside_controls(step: int) -> None:
    """How a second search of each decision leans towards a human model."""
    _show_choice()
    if step < 0:
        st.caption("A bid is made here: the bias of a card's search is tuned at a play.")
        return
    st.page_link(
        "pages/4_Tuning.py",
        label="Tune the bias on this decision",
        icon=":material/tune:",
        query_params=_link_to_tuning(step),
    )


def _link_to_tuning(ply: int) -> dict[str, str]:
    """The Tuning page at the decision at hand, with the bias that is set."""
    shown = {"hand": state.get("hand").name, "ply": ply}
    if state.get("technique") != UNBIASED:
        shown |= {name: state.get(name) for name in ("technique", "c_bt", "k", "w", "delay")}
        shown["model"] = state.get("bias_model")
    return {name: f"{value}" for name, value in shown.items()}


def _show_choice() -> None:
    st.segmented_control(
        "Biased search beside the first",
        state.BESIDE,
        default=state.get("technique"),
        key=state.key("technique"),
        format_func=TECHNIQUE_LABELS.get,
        required=True,
        help="Knowledge bias: Devlin 2016; equivalent experience: Baier 2018.",
    )
    technique = state.get("technique")
    if technique == UNBIASED:
        st.caption("Pick a bias: a second search, leaning towards a human model, gets a column.")
        return
    st.selectbox(
        "Model it leans towards",
        model_names(),
        model_names().index(state.get("bias_model")),
        key=state.key("bias_model"),
        format_func=model_label,
    )
    (_show_knowledge if technique == KNOWLEDGE else _show_experience)()
    st.selectbox(
        "The model is asked",
        state.DELAYS,
        state.DELAYS.index(state.get("delay")),
        key=state.key("delay"),
        format_func=delay_label,
        help="Delayed bias (Baier 2018): only in nodes that were visited so often before.",
    )


def _show_knowledge() -> None:
    st.number_input(
        "C_BT, strength",
        0.0,
        state.MAX_C_BT,
        state.get("c_bt"),
        step=0.01,
        key=state.key("c_bt"),
        help="Published: 0.03 with the log-linear model, 0.2 with a network.",
    )
    st.number_input(
        "K, visits at which it has shrunk to 71 %",
        1.0,
        state.MAX_K,
        state.get("k"),
        step=100.0,
        key=state.key("k"),
        help="The bias is C_BT √(K / (n + K)) P, n the node's visits. Published: 1000.",
    )


def _show_experience() -> None:
    st.number_input(
        "w, visits that P counts for",
        0,
        state.MAX_W_OFFERED,
        state.get("w"),
        key=state.key("w"),
        help="Published: 10.",
    )
