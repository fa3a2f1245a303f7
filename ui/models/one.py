"""One human model on one set of data: measures, calibration, confusion by abstract move."""

from __future__ import annotations

import streamlit as st

from analysis.models.measures import model_measures, move_confusion
from analysis.models.training import SIMULATED, seen_in_training
from analysis.plots.models import plot_confusion, plot_reliability
from analysis.runs.store import model_hash
from spades.core.errors import SpadesError
from spades.human import load_model, load_prior, model_names, simulate_humans
from spades.human.features.logs import examples_of_log
from ui.models import state
from ui.shared.options import model_label
from ui.shared.page import literal
from ui.shared.records import opened
from ui.shared.tables import show_download
from ui.shared.widgets import row, select, show_chart, show_error

MAX_DECISIONS = 600_000
CEILING = (
    "The ceiling is the best accuracy that any model can have, known where humans are simulated."
)
CELLS = {
    "accuracy": ("Accuracy", "{:.1%}", "Its likeliest legal card was played."),
    "share_of_ceiling": ("Of the ceiling", "{:.1%}", CEILING),
    "accuracy_moves": ("On abstract moves", "{:.1%}", "The likeliest of the 68 was played."),
    "log_loss": ("Log-loss", "{:.4f}", "Nats a card; 0 is best."),
    "kl_to_truth": ("KL to truth", "{:.4f}", "Nats, from the simulated human's own."),
    "illegal_first": ("Illegal first", "{:.2%}", "First choices that weren't legal."),
}


@st.cache_data(max_entries=32, show_spinner="Asking the model")
def measured(name: str, numbers: str, data: str, rounds: int, seed: int):
    """Measures and confusion of a model; ``numbers``: the hash of what it is made of."""
    log = opened(data) if data else simulate_humans(rounds, seed)
    examples = examples_of_log(log)
    if len(examples) > MAX_DECISIONS:
        examples = examples.take(slice(MAX_DECISIONS))
    if not len(examples):
        raise SpadesError(f"{data} has no play of a human or simulated human")
    return model_measures(load_model(name), examples), move_confusion(load_prior(name), examples)


def show_one() -> None:
    _show_pickers()
    name, data, seed = state.get("model"), state.get("data"), state.get("seed")
    try:
        found = measured(name, model_hash(name), data, state.get("rounds"), seed)
    except SpadesError as error:
        show_error(error)
        return
    if seen := seen_in_training(load_model(name), data or SIMULATED, seed):
        told = f"Not fresh: {seen} The figures are better than on data new to it."
        st.warning(literal(told), icon=":material/repeat:")
    measures, confusion = found
    _show_measures(measures)
    left, right = st.columns(2, gap="large")
    with left:
        _show_calibration(measures)
    with right:
        _show_confusion(confusion)


def _show_pickers() -> None:
    """Which model, measured on what."""
    with row():
        names = {name: model_label(name) for name in model_names()}
        select("Model", names, state.key("model"), width=320)
        logs = {state.FRESH: "Simulated rounds", **{name: name for name in state.log_names()}}
        told = "Decisions of humans and simulated humans; of a log the first 600,000."
        select("Measured on", logs, state.key("data"), width=260, help=told)
        if not state.get("data"):
            select("Rounds", state.ROUND_CHOICES, state.key("rounds"), width=110)
            st.number_input("Seed", 0, state.MAX_SEED, key=state.key("seed"), width=140)


def _show_calibration(measures) -> None:
    st.subheader("Calibration", help="Bars: 95 % intervals.")
    show_chart(plot_reliability(measures["reliability"]), state.key("reliability"), "reliability")
    st.caption(
        "Of the decisions in which the model was so sure of its likeliest card, how many "
        f"played it. Expected calibration error {measures['ece']:.4f}."
    )


def _show_confusion(confusion) -> None:
    st.subheader("Confusion by abstract move")
    show_chart(plot_confusion(confusion), state.key("confusion"), "confusion")
    st.caption(
        "Rows: what was played, over decisions with a choice; columns: the abstract move of "
        "the model's likeliest card. All 32 moves are in the download."
    )
    show_download(confusion[confusion["n"] > 0], "confusion", "Confusion by move (CSV)")


def _show_measures(measures) -> None:
    """The figures in a row, each with its interval."""
    with st.container(horizontal=True):
        for name, (label, form, meaning) in CELLS.items():
            if measures.get(name) is None:
                continue
            interval = measures["intervals"].get(name)
            within = " to ".join(form.format(end) for end in interval) if interval else None
            look = {"delta_color": "off", "delta_arrow": "off", "border": True}
            st.metric(label, form.format(measures[name]), delta=within, help=meaning, **look)
    who = "simulated humans" if measures["simulated_humans"] else "humans"
    st.caption(
        f"{measures['decisions']:,} decisions of {who} in {measures['games']:,} games, forced ones "
        f"included; {measures['unforced']['decisions']:,} with a choice, of which it gets "
        f"{measures['unforced']['accuracy']:.1%}. Small print: 95 % intervals, a game counting "
        "once."
    )
