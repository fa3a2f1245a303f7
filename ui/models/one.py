"""One human model on one set of data: measures, calibration, confusion by abstract move."""

from __future__ import annotations

import streamlit as st

from analysis.models.confusion import move_confusion
from analysis.models.measures import model_measures
from analysis.models.training import SIMULATED, seen_in_training
from analysis.plots.models import plot_confusion, plot_reliability
from analysis.runs.model_hashes import model_hash
from spades.core.errors import SpadesError
from spades.human import load_model, load_prior, model_names, simulate_humans
from spades.human.features.examples import examples_of_log
from ui.models import state
from ui.shared.links import model_label
from ui.shared.page import chart_config, literal
from ui.shared.stored_logs import opened
from ui.shared.tables import show_download

MAX_DECISIONS = 600_000


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


def show(logs: list[str]) -> None:
    show_pickers(logs)
    name = state.get("model")
    try:
        measures, confusion = measured(
            name, model_hash(name), state.get("data"), state.get("rounds"), state.get("seed")
        )
    except SpadesError as error:
        st.error(literal(str(error)), icon=":material/block:")
        return
    show_whether_seen(name)
    show_measures(measures)
    left, right = st.columns(2, gap="large")
    with left:
        show_calibration(measures)
    with right:
        show_confusion(confusion)


def show_pickers(logs: list[str]) -> None:
    """Which model, measured on what."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox(
            "Model", model_names(), key=state.key("model"), format_func=model_label, width=320
        )
        st.selectbox(
            "Measured on",
            [state.FRESH, *logs],
            key=state.key("data"),
            format_func=lambda name: name or "Simulated rounds",
            width=260,
            help="Decisions of humans and simulated humans; of a log the first 600,000.",
        )
        if not state.get("data"):
            st.selectbox("Rounds", state.ROUND_CHOICES, key=state.key("rounds"), width=110)
            st.number_input("Seed", 0, state.MAX_SEED, key=state.key("seed"), width=140)


def show_whether_seen(name: str) -> None:
    """Say so where the model knows the data from its training."""
    data = state.get("data") or SIMULATED
    if seen := seen_in_training(load_model(name), data, state.get("seed")):
        st.warning(
            literal(f"Not fresh: {seen} The figures are better than on data new to it."),
            icon=":material/repeat:",
        )


def show_calibration(measures) -> None:
    st.subheader("Calibration", help="Bars: 95 % intervals.")
    st.plotly_chart(
        plot_reliability(measures["reliability"]),
        width="stretch",
        key=state.key("reliability"),
        config=chart_config("reliability"),
    )
    st.caption(
        "Of the decisions in which the model was so sure of its likeliest card, how many "
        f"played it. Expected calibration error {measures['ece']:.4f}."
    )


def show_confusion(confusion) -> None:
    st.subheader("Confusion by abstract move")
    st.plotly_chart(
        plot_confusion(confusion),
        width="stretch",
        key=state.key("confusion"),
        config=chart_config("confusion"),
    )
    st.caption(
        "Rows: what was played, over decisions with a choice; columns: the abstract move of "
        "the model's likeliest card. All 32 moves are in the download."
    )
    show_download(confusion[confusion["n"] > 0], "confusion", "Confusion by move (CSV)")


def show_measures(measures) -> None:
    """The figures in a row, each with its interval."""
    cells = [
        ("Accuracy", "accuracy", "{:.1%}", "Its likeliest legal card was played."),
        (
            "Of the ceiling",
            "share_of_ceiling",
            "{:.1%}",
            "The ceiling is the best accuracy that any model can have, known where humans are "
            "simulated.",
        ),
        ("On abstract moves", "accuracy_moves", "{:.1%}", "The likeliest of the 68 was played."),
        ("Log-loss", "log_loss", "{:.4f}", "Nats a card; 0 is best."),
        ("KL to truth", "kl_to_truth", "{:.4f}", "Nats, from the simulated human's own."),
        ("Illegal first", "illegal_first", "{:.2%}", "First choices that weren't legal."),
    ]
    shown = [cell for cell in cells if measures.get(cell[1]) is not None]
    with st.container(horizontal=True):
        for label, name, form, meaning in shown:
            interval = measures["intervals"].get(name)
            within = f"{form.format(interval[0])} to {form.format(interval[1])}" if interval else ""
            st.metric(
                label,
                form.format(measures[name]),
                delta=within or None,
                delta_color="off",
                delta_arrow="off",
                help=meaning,
                border=True,
            )
    who = "simulated humans" if measures["simulated_humans"] else "humans"
    st.caption(
        f"{measures['decisions']:,} decisions of {who} in {measures['games']:,} games, forced ones "
        f"included; {measures['unforced']['decisions']:,} with a choice, of which it gets "
        f"{measures['unforced']['accuracy']:.1%}. Small print: 95 % intervals, a game counting "
        "once."
    )
