"""Run a sweep: the grid, how much of each measure, and the jobs under way."""

from __future__ import annotations

from typing import Any

import streamlit as st

from analysis.runs.parts import format_seconds
from analysis.sweeps.run import check_amounts, expected_seconds
from analysis.sweeps.sweep import (
    EQUAL_TIME,
    EXPERIENCE,
    KNOWLEDGE,
    NEEDS,
    PUBLISHED,
    SweepPlan,
    config_text,
    sweep_of,
)
from spades.core.errors import SpadesError
from spades.human import model_names
from spades.notation.log_store import content_hash, list_logs
from ui.shared.jobs import show_jobs
from ui.shared.page import literal
from ui.shared.widgets import row, select, select_several, show_error
from ui.tuning import state
from ui.tuning.sweeps import held_out_counts, is_under_way, stamp, start_sweep, sweeps

VALUES = {
    "c_bt": ("C_BT", "How strong knowledge bias is, in rewards of 0 to 1."),
    "k": ("K", "After how many visits of a node knowledge bias fades (Devlin calls it DR)."),
    "w": ("w", "Visits that the model's word is worth, in equivalent experience."),
    "delay": ("Delay", "Visits before the model is called in a node; *root*: only there."),
}
BOTH, DEVLIN, BAIER = [KNOWLEDGE, EXPERIENCE], "devlin2016", "baier2018"
GRID = ("techniques", "models", "c_bt", "k", "w", "delay", "budget")
PUBLISHED_GRIDS: dict[str, tuple] = {
    "Devlin 2016, fig. 1": ([KNOWLEDGE], [DEVLIN], DEVLIN, DEVLIN, None, "1", "2500"),
    "Baier 2018, figs. 2 and 3": (BOTH, None, BAIER, BAIER, BAIER, "1", "2500"),
    "Baier 2018, figs. 4 and 5": (BOTH, None, "0.2", "1000", "10", BAIER, f"2500, {EQUAL_TIME}"),
    "Baier 2018, figs. 6 and 7": (BOTH, None, BAIER, "10, 100, 1000", BAIER, "root", EQUAL_TIME),
}
"""Values of ``GRID``'s fields in a paper's figures; None leaves what is chosen."""


def show_run_a_sweep() -> None:
    """The form, what it comes to and its button; sweeps to go on with."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("Start from:", width="content")
        for name in PUBLISHED_GRIDS:
            st.button(
                name,
                icon=":material/menu_book:",
                type="tertiary",
                key=f"tuning_list_{name}",
                help="Fill in the values of this figure.",
                on_click=_fill_in,
                args=(name,),
            )
    _show_grid()
    _show_amounts()
    try:
        plan = asked_plan()
        plan.key  # noqa: B018 - refuses a log that isn't there
        check_amounts(plan, *held_out_counts(plan.log, content_hash(plan.log)))
        _show_start(plan)
    except SpadesError as error:
        show_error(error)
    _show_begun()
    state.page.write()


def show_sweep_jobs() -> None:
    """What runs, above the views that show it; the frontier turns to what was started last."""
    _show_when_begun()
    show_jobs("tuning", made=stamp)


def _fill_in(name: str) -> None:
    for field, value in zip(GRID, PUBLISHED_GRIDS[name], strict=True):
        if value is not None:
            state.put(f"sweep_{field}", value)


def _show_grid() -> None:
    used = {name for one in state.get("sweep_techniques") for name in NEEDS.get(one, ())}
    left, right = st.columns(2)
    with left:
        select_several("Technique", state.SWEEP_TECHNIQUES, state.key("sweep_techniques"))
    with right:
        models = dict.fromkeys([*model_names(), *state.get("sweep_models")])
        select_several("Human model", list(models), state.key("sweep_models"))
    columns = st.columns(5)
    for column, (name, (label, told)) in zip(columns, VALUES.items(), strict=False):
        lists = ", ".join(PUBLISHED[name])
        column.text_input(
            label,
            key=state.key(f"sweep_{name}"),
            disabled=name not in used,
            help=f"{told} Values with commas, or a published list: {lists}.",
        )
    columns[-1].text_input(
        "Iterations",
        key=state.key("sweep_budget"),
        help=f"A move. *{EQUAL_TIME}*: as many as take the unbiased search's time, measured on "
        "this machine. Several with commas.",
    )


def _show_amounts() -> None:
    with row():
        for name, label, told in (
            ("games", "Games", "Of each setting against the unbiased search; even."),
            ("decisions", "Decisions", "Of held-out humans to predict, the same for all settings."),
            ("rounds", "Rounds", "In the human's seat, for KL of abstract moves."),
            ("iterations", "Unbiased iterations", "Of the search that all are measured against."),
            ("seed", "Seed", "Deals, decisions and chance come from it alone."),
        ):
            limits = state.FORM[f"sweep_{name}"].codec
            st.number_input(
                label,
                limits.low,
                limits.high,
                step=2 if name == "games" else 1,
                key=state.key(f"sweep_{name}"),
                width=150,
                help=told,
            )
        logs = [entry.name for entry in list_logs() if entry.is_readable]
        select(
            "Held-out log",
            list(dict.fromkeys([*logs, state.get("sweep_log")])),
            state.key("sweep_log"),
            width=200,
            help="Its humans are predicted and compared with. *human-south* was made from a seed "
            "that no model was trained on.",
        )
        st.text_input("Name", key=state.key("sweep_name"), width=200)


def asked_plan() -> SweepPlan:
    """The sweep that the form asks for; ``SpadesError`` if it can't be."""
    techniques = state.get("sweep_techniques")
    used = {name for one in techniques for name in NEEDS.get(one, ())}
    grid: dict[str, Any] = {
        "technique": techniques,
        "iterations": _listed(state.get("sweep_budget")),
    }
    for name in VALUES:
        if name in used:
            grid[name] = _listed(state.get(f"sweep_{name}"))
    if "model" in used:
        grid["model"] = state.get("sweep_models")
    numbers = {name: state.get(f"sweep_{name}") for name in ("games", "decisions", "rounds")}
    config = {
        **numbers,
        "seed": state.get("sweep_seed"),
        "iterations": state.get("sweep_iterations"),
        "log": state.get("sweep_log"),
        "title": state.get("sweep_name"),
        "grid": [grid],
    }
    return sweep_of(config, "sweep")


def _listed(text: str) -> Any:
    """Values as typed: numbers where they are numbers; one word alone stays a word."""
    items = [item.strip() for item in text.split(",") if item.strip()]
    values = [_number(item) for item in items]
    return values[0] if len(values) == 1 and isinstance(values[0], str) else values


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _show_start(plan: SweepPlan) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Run the sweep",
            type="primary",
            icon=":material/play_arrow:",
            key="tuning_run",
            disabled=is_under_way(plan),
            on_click=_start,
            args=(plan,),
        )
        st.caption(
            f"{len(plan.settings)} settings with the unbiased one, about "
            f"{format_seconds(max(5.0, expected_seconds(plan)))} on one core; what is stored is "
            "not measured again. Stopped or killed, it goes on where it was."
        )
        st.download_button(
            "As TOML, for the command",
            lambda: config_text(plan),
            "sweep.toml",
            icon=":material/download:",
            type="tertiary",
            on_click="ignore",
            key="tuning_toml",
            help="python -m spades sweep sweep.toml",
        )


def _start(plan: SweepPlan) -> None:
    """Queue the sweep and show it on the frontier as its settings come in."""
    start_sweep(plan)
    state.put("view", "frontier")
    shipped = [one.id for one in sweeps().values() if one.plan and _same(one.plan, plan)]
    state.put("waiting_for", shipped[0] if shipped else plan.key)


def _same(one: SweepPlan, other: SweepPlan) -> bool:
    try:
        return one.key == other.key
    except SpadesError:
        return False


def _show_when_begun() -> None:
    """Turn the frontier to the sweep started last, once its first setting is there."""
    wanted = st.session_state.get(state.key("waiting_for"))
    found = sweeps().get(wanted) if wanted else None
    if found is not None and found.document is not None:
        state.put("sweep", wanted)
        del st.session_state[state.key("waiting_for")]


def _show_begun() -> None:
    """Sweeps that were stopped or killed: what they measured is kept."""
    for one in sweeps().values():
        if one.plan is None or one.problem or not one.is_begun or is_under_way(one.plan):
            continue
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            st.write(
                f"**{literal(one.title)}**: {one.n_done} of {one.n_settings} settings measured"
            )
            st.button(
                "Go on",
                icon=":material/play_arrow:",
                key=f"tuning_resume_{one.id}",
                on_click=start_sweep,
                args=(one.plan,),
            )
