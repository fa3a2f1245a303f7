"""Training a model from the page: queued, with progress and stop; the model is there when done."""

from __future__ import annotations

import streamlit as st

from analysis.models.train_models import SHIPPED
from analysis.models.training import (
    LOG_LINEAR,
    MAX_EPOCHS,
    MAX_ROUNDS,
    SIMULATED,
    TrainingPlan,
    train_apart,
)
from spades.core.errors import SpadesError
from spades.human import PUBLISHED, model_names
from spades.human.networks.config import ABSTRACT, BAIER_2018, OURS
from ui.models import state
from ui.shared.jobs import show_jobs, start_job
from ui.shared.page import literal
from ui.shared.widgets import select

ARCHITECTURES = (*BAIER_2018, ABSTRACT, OURS, *LOG_LINEAR)


def show_train() -> None:
    st.caption(
        "Nine networks of Baier 2018 (t-: bids and tricks too; c: convolutions; A: with the raw "
        "input), one over abstract moves, one of ours (h-: what was played so far), and the "
        "log-linear model of Devlin 2016. A tenth of the games is held out for early stopping; of "
        "the log-linear model, as published, a fifth, and another fifth to test it."
    )
    with st.form(state.key("train_form")):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.selectbox(
                "Architecture",
                ARCHITECTURES,
                ARCHITECTURES.index("t-200-150-100"),
                key=state.key("train_architecture"),
                accept_new_options=True,
                help="Or any of the same grammar, as in t-300-100.",
            )
            logs = {SIMULATED: "Simulated rounds", **{name: name for name in state.log_names()}}
            select("Trained on", logs, state.key("train_log"))
            rounds = state.key("train_rounds")
            st.number_input("Rounds, if simulated", 100, MAX_ROUNDS, 24_100, key=rounds)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.number_input("Epochs, at most", 1, MAX_EPOCHS, 6, key=state.key("train_epochs"))
            st.number_input("Seed", 0, state.MAX_SEED, 0, key=state.key("train_seed"))
            st.text_input("Name of the model", "my-model", key=state.key("train_name"))
        # A callback: no other rerun can cut in before it.
        st.form_submit_button("Train", icon=":material/play_arrow:", on_click=_start)
    if refused := st.session_state.pop(state.key("train_refused"), None):
        st.error(literal(refused))
    show_jobs("models", made=model_names)
    own = ", ".join(map(literal, sorted(set(model_names()) - SHIPPED - set(PUBLISHED))))
    st.caption(
        "About 10 s an epoch for 24,100 rounds (1.25 million plays). A trained model is a file in "
        "`data/models` and can be chosen on every page, and in an agent's text as `model=NAME`. "
        "Stopped or killed, a training goes on after its last epoch once the same is asked for."
        + f" Yours: {own}."
        * bool(own)
    )


def _start() -> None:
    names = ("architecture", "name", "log", "rounds", "epochs", "seed")
    values = {name: st.session_state[state.key(f"train_{name}")] for name in names}
    try:
        plan = TrainingPlan(**values | {name: values[name].strip() for name in names[:2]})
    except SpadesError as error:
        st.session_state[state.key("train_refused")] = str(error)
        return
    start_job(plan.title, f"model {plan.name}", train_apart, plan)
