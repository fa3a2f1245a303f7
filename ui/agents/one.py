"""One human model measured on one set of data; training of models."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from analysis.models import training
from analysis.models.measures import model_measures, move_confusion
from analysis.models.training import TrainingPlan, train_apart
from analysis.plots.models import plot_confusion, plot_losses, plot_reliability
from spades.core.errors import SpadesError
from spades.human import load_model, load_prior, model_hash, model_names, simulate_humans
from spades.human.features.logs import examples_of_log
from spades.human.networks.config import ABSTRACT, BAIER_2018, OURS
from ui.agents.state import log_labels, page
from ui.shared import widgets
from ui.shared.jobs import page_jobs, show_jobs, start_job
from ui.shared.options import model_label
from ui.shared.page import literal
from ui.shared.panel import Panel
from ui.shared.records import n_repeated, opened
from ui.shared.states import show_partial
from ui.shared.tables import count, number, show_repeated, warn_few
from ui.shared.widgets import once, row, show_button, show_metric, show_note

MAX_DECISIONS = 600_000
ARCHITECTURES = (*BAIER_2018, ABSTRACT, OURS, *training.LOG_LINEAR)
CEILING = "The best accuracy that any model can have, known where humans are simulated."
RUN_COLUMNS = {
    "name": "Model",
    "state": "State",
    "architecture": "Architecture",
    "log": "Trained on",
    "seed": number("Seed", "%d"),
    "epochs": count("Epochs"),
    "loss": number("Least loss held out (nats)", "%.4f"),
    "seconds": number("Training, s", "%.0f"),
}
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
    """Measures and confusion of a model; ``numbers``: the hash of its contents."""
    log = opened(data).distinct() if data else simulate_humans(rounds, seed)
    examples = examples_of_log(log)
    if len(examples) > MAX_DECISIONS:
        examples = examples.take(slice(MAX_DECISIONS))
    if not len(examples):
        raise SpadesError(f"{data} has no play of a human or simulated human")
    return model_measures(load_model(name), examples), move_confusion(load_prior(name), examples)


@widgets.errors_shown()
def show_one() -> None:
    _show_pickers()
    name = page.get("model")
    data = page.get("data")
    seed = page.get("model_seed")
    measures, confusion = measured(name, model_hash(name), data, page.get("rounds"), seed)
    seen = training.seen_in_training(load_model(name), data or training.SIMULATED, seed)
    if seen:
        warning = f"Not fresh: {seen} The figures are better than on data new to it."
        show_partial(literal(warning), icon="repeat")
    if data:
        show_repeated(n_repeated(data), "this log")
    _show_measures(measures)
    left, right = st.columns(2, gap="large")
    with left:
        panel = Panel("reliability", "Calibration", "Bars: 95% intervals.")
        panel.figure(
            plot_reliability("model", {"this model": measures["reliability"]}),
            "How often the model's likeliest card was played, by its probability. Expected "
            f"calibration error {measures['ece']:.4f}.",
        )
    with right:
        panel = Panel("confusion", "Confusion by abstract move")
        panel.figure(
            plot_confusion(confusion),
            "Rows: what was played, over decisions with a choice; columns: the abstract move of "
            "the model's likeliest card. All 32 moves are in the download.",
        )
        panel.export(confusion[confusion["n"] > 0], "moves")


def _show_pickers() -> None:
    with row():
        page.select("Model", "model", format_func=model_label, width=320)
        hint = "Decisions of humans and simulated humans; of a log the first 600,000."
        page.select("Measured on", "data", log_labels(), width=260, help=hint)
        if not page.get("data"):
            page.select("Rounds", "rounds", width=110)
            page.number("Seed", "model_seed", width=140)


def _show_measures(measures) -> None:
    with st.container(horizontal=True):
        for name, (label, form, meaning) in CELLS.items():
            if measures.get(name) is None:
                continue
            interval = measures["intervals"].get(name)
            within = " to ".join(form.format(end) for end in interval) if interval else None
            show_metric(label, form.format(measures[name]), within, meaning)
    warn_few({"here": measures["games"]}, "games")
    players = "simulated humans" if measures["simulated_humans"] else "humans"
    unforced = measures["unforced"]
    st.caption(
        f"{measures['decisions']:,} decisions of {players} in {measures['games']:,} games, forced "
        f"ones included; {unforced['decisions']:,} with a choice, its accuracy there "
        f"{unforced['accuracy']:.1%}. Small print: 95% intervals, by game."
    )


def show_train() -> None:
    st.caption(
        "Nine networks of Baier 2018 (t-: bids and tricks too; c: convolutions; A: with the raw "
        "input), one over abstract moves, one of ours (h-: the cards played so far), and the "
        "log-linear model of Devlin 2016. A tenth of the games is held out for early stopping; of "
        "the log-linear model, as published, a fifth, and another fifth to test it."
    )
    with st.form(page.key("train_form")):
        with row():
            st.selectbox(
                "Architecture",
                ARCHITECTURES,
                ARCHITECTURES.index("t-200-150-100"),
                accept_new_options=True,
                help="Or any of the same form, such as t-300-100.",
                key=page.key("train_architecture"),
            )
            page.select("Trained on", "train_log", log_labels(training.SIMULATED))
            page.number("Rounds, if simulated", "train_rounds")
        with row():
            page.number("Epochs, at most", "train_epochs")
            page.number("Seed", "train_seed")
            st.text_input("Name of the model", "my-model", key=page.key("train_name"))
        # A callback runs before any other rerun.
        st.form_submit_button("Train", icon=":material/play_arrow:", on_click=once(_start))
    widgets.show_refusal(page.key("train_refused"))
    show_jobs("agents", made=lambda: (model_names(), *_changes()))
    st.caption(
        "About 10 s an epoch for 24,100 rounds (1.25 million plays). A trained model is a file in "
        "`data/models` and can be chosen on every page, and in an agent's text as `model=NAME`. "
        "Resumable: start the same training again, and it continues after its last epoch."
    )
    _show_runs({run["plan"]["name"]: run for run in training.read_runs()})


def _changes() -> list[float]:
    """When each training last recorded an epoch."""
    return [run["changed"] for run in training.read_runs()]


def _show_runs(runs: Mapping[str, Any]) -> None:
    """Trainings, running or done, with their loss curves; deletion of the user's own models."""
    names = [*runs, *(name for name in training.own_names() if name not in runs)]
    if not names:
        return
    frame = pd.DataFrame([_run_row(name, runs.get(name)) for name in names])
    Panel("trainings", "Your trainings and models").table(frame, RUN_COLUMNS)
    begun = st.session_state.get(page.key("begun"))
    if begun in names:  # its first epoch is done
        page.put("run", begun)
        del st.session_state[page.key("begun")]
    page.settle("run", names, names[0])
    panel = Panel("losses")
    with panel.question:
        name = page.select("Training", "run", names, width=260)
        with st.popover("Delete", icon=":material/delete:", disabled=_is_running(name)):
            st.write(f"Delete {literal(name)} and its loss curve? This can't be undone.")
            key = page.key("delete")
            show_button(
                "Delete it", "delete_forever", key, training.delete_model, name, type="primary"
            )
    run = runs.get(name)
    if run:
        panel.figure(
            plot_losses(run["history"]),
            "Mean loss of a card by epoch: for networks over all 52 cards, legal or not, so it "
            "isn't the log-loss of the comparison. The log-linear model is fitted several times, "
            "from zero. The model of the best epoch on the held-out games is kept.",
        )
    else:
        show_note(f"{name} was trained elsewhere: there is no loss curve.")


def _is_running(name: str) -> bool:
    return page_jobs().active(f"model {name}") is not None


def _run_row(name: str, run: Mapping[str, Any] | None) -> dict[str, Any]:
    state = "being trained" if _is_running(name) else "ready"
    if run is None:
        return {"name": name, "state": state}
    if state == "ready" and name not in model_names():
        state = "interrupted; start the same again to resume"
    plan = run["plan"]
    history = run["history"]
    data = plan["log"]
    if data == training.SIMULATED:
        data = f"{plan['rounds']:,} simulated rounds"
    return {
        "name": name,
        "state": state,
        "architecture": plan["architecture"],
        "log": data,
        "seed": plan["seed"],
        "epochs": len(history),
        "loss": min(epoch["validation_loss"] for epoch in history),
        "seconds": sum(epoch["seconds"] for epoch in history),
    }


def _start() -> None:
    with widgets.refusal_kept(page.key("train_refused")):
        numbers = page.asked("train_rounds", "train_epochs", "train_seed")
        plan = TrainingPlan(
            architecture=page.get("train_architecture").strip(),
            name=page.get("train_name").strip(),
            log=page.get("train_log").strip(),
            rounds=numbers["train_rounds"],
            epochs=numbers["train_epochs"],
            seed=numbers["train_seed"],
        )
        st.session_state[page.key("begun")] = plan.name
        start_job(plan.title, f"model {plan.name}", train_apart, plan)
