"""The controls of a bias, on the bench and on the ladder."""

import streamlit as st

from analysis.sweeps.sweep import AGENT_OPTIONS, REWARD_SCALE
from spades.search import TECHNIQUES
from ui.shared.options import model_label
from ui.shared.widgets import show_popover
from ui.tune import state
from ui.tune.state import page


def show_bias_controls() -> None:
    """The technique, its strengths and its model."""
    page.control("technique")
    technique = page.get("technique")
    for name in state.STRENGTHS:
        if AGENT_OPTIONS[name].applies({"bias": technique}):
            page.stops(name)
    page.menu("model", format_func=model_label)


def show_setting_controls() -> None:
    """The bench's: the technique and how strong it is; behind one button, which names what is set,
    the rest of the setting."""
    page.control("technique")
    technique = TECHNIQUES[page.get("technique")]
    strengths = [name for name in (technique.strength, technique.second) if name]
    for name in strengths:
        page.stops(name)
    options = [name for name in state.STRENGTHS if name not in strengths]
    others = [name for name in options if AGENT_OPTIONS[name].applies({"bias": technique.name})]
    show_popover(_label_of(others), "tune", page.key("others"), _show_others, others)


def _label_of(others: list[str]) -> str:
    """The model and the iterations, and what else isn't at its default."""
    parts = [model_label(page.get("model")), f"{page.get('iterations'):,} iterations"]
    for name in (*others, REWARD_SCALE):
        option = AGENT_OPTIONS[name]
        value = page.get(name)
        if value != option.default:
            parts.append(f"{option.label}: {option.value_label(value)}")
    return ", ".join(parts)


def _show_others(others: list[str]) -> None:
    page.menu("model", format_func=model_label)
    for name in others:
        page.stops(name)
    with st.container(horizontal=True):
        page.menu("iterations", width=130)
        page.control(REWARD_SCALE, width=150)
