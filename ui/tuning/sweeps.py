"""The sweeps that there are, read once and run as jobs; the form of a new one."""

from dataclasses import replace
from typing import Any

import streamlit as st

from analysis.runs.progress import format_seconds
from analysis.runs.store import ResultStore
from analysis.sweeps import sweep
from analysis.sweeps.library import Listed, list_sweeps, shipped_files
from analysis.sweeps.run import check_amounts, expected_seconds, hold_out, run_sweep
from analysis.sweeps.sweep import EQUAL_TIME, PUBLISHED, SweepPlan
from spades.core.documents import parse_integer
from spades.human import model_names
from spades.notation.log_store import content_hash, list_logs, open_log
from spades.search import Experience, Knowledge
from ui.shared.jobs import WORKERS, page_jobs, show_jobs, show_start, start_asked, start_job
from ui.shared.page import literal
from ui.shared.records import n_repeated
from ui.shared.tables import show_file, show_repeated
from ui.shared.widgets import errors_shown, row, show_button, show_damage
from ui.tuning.state import page

VALUES = ("c_bt", "k", "w", "delay", "lambda", sweep.REWARD_SCALE, "play")
"""Options whose values are typed."""
AMOUNTS = {
    "games": ("Games", "Of each setting against the unbiased search; even."),
    "decisions": ("Decisions", "Of held-out humans to predict, the same for all settings."),
    "rounds": ("Rounds", "In the human's seat, for KL of abstract moves."),
    "iterations": ("Unbiased iterations", "Of the search that all are measured against."),
    "seed": ("Seed", "Deals, decisions and chance come from it alone."),
}
BOTH, DEVLIN, BAIER = [Knowledge.name, Experience.name], "devlin2016", "baier2018"
GRID = ("techniques", "models", "c_bt", "k", "w", "delay", "budget")
PUBLISHED_GRIDS: dict[str, tuple] = {
    "Devlin 2016, fig. 1": ([Knowledge.name], [DEVLIN], DEVLIN, DEVLIN, None, "1", "2500"),
    "Baier 2018, figs. 2 and 3": (BOTH, None, BAIER, BAIER, BAIER, "1", "2500"),
    "Baier 2018, figs. 4 and 5": (BOTH, None, "0.2", "1000", "10", BAIER, f"2500, {EQUAL_TIME}"),
    "Baier 2018, figs. 6 and 7": (BOTH, None, BAIER, "10, 100, 1000", BAIER, "root", EQUAL_TIME),
}
"""Values of ``GRID``'s fields in a paper's figures; None leaves what is chosen."""


def _stamp() -> tuple[Any, ...]:
    """Changes when a setting has been measured or a sweep begun."""
    store = ResultStore()
    return store.stamp(sweep.SETTING), store.stamp(sweep.SWEEP)


def sweeps() -> dict[str, Listed]:
    return _known()[0]


def _known() -> tuple[dict[str, Listed], list[str]]:
    """All sweeps, and what is wrong with stored results that are left out."""
    files = tuple((path.name, path.stat().st_mtime_ns) for path in shipped_files())
    return _sweeps(_stamp(), files, sweep.behaviour_of_sweeps())


@st.cache_resource(max_entries=2, show_spinner=False)
def _sweeps(results: tuple, files: tuple, version: str) -> tuple[dict[str, Listed], list[str]]:
    wrong: list[str] = []
    return {one.id: one for one in list_sweeps(wrong)}, wrong


@st.cache_data(max_entries=8, show_spinner="Counting the log's humans ...")
def _held_out_counts(log: str, content: str) -> tuple[int, int]:
    """Decisions with a choice, and rounds, that humans played in a log; ``content``: its hash."""
    held = hold_out(open_log(log), seed=0)
    return len(held.choices), len(held.rounds)


def start_sweep(plan: SweepPlan) -> None:
    title = f"{plan.title or plan.name}, {len(plan.settings)} settings"
    start_job(title, plan.key, run_sweep, plan, workers=WORKERS)


def is_active(plan: SweepPlan) -> bool:
    return page_jobs().active(plan.key) is not None


def show_sweep_jobs() -> None:
    """What runs, above the views that show it; the frontier turns to what was started last, once
    its first setting is there."""
    wanted = st.session_state.get(page.key("waiting_for"))
    found = sweeps().get(wanted) if wanted else None
    if found is not None and found.document is not None:
        page.put("sweep", wanted)
        del st.session_state[page.key("waiting_for")]
    show_damage(_known()[1])
    show_jobs("tuning", made=_stamp)


def show_run_a_sweep() -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("Start from:", width="content")
        for name in PUBLISHED_GRIDS:
            look = {"type": "tertiary", "help": "Fill in the values of this figure."}
            show_button(name, "menu_book", f"tuning_list_{name}", _fill_in, name, **look)
    _show_grid(_used())
    _show_amounts()
    with errors_shown():
        plan = _asked_plan()
        plan.key  # noqa: B018 - refuses a log that isn't there
        check_amounts(plan, *_held_out_counts(plan.log, content_hash(plan.log)))
        show_repeated(n_repeated(plan.log), plan.log)
        _show_start(plan)
    _show_begun()
    page.write()


def _used() -> set[str]:
    """Options that the techniques chosen have."""
    wanted = page.get("sweep_techniques")
    searches = {sweep.REWARD_SCALE} if set(wanted) - {sweep.DIRECT} else set()
    return searches | {name for one in wanted for name in sweep.NEEDS.get(one, ())}


def _fill_in(name: str) -> None:
    for field, value in zip(GRID, PUBLISHED_GRIDS[name], strict=True):
        if value is not None:
            page.put(f"sweep_{field}", value)


def _show_grid(used: set[str]) -> None:
    left, right = st.columns(2)
    with left:
        page.several("Technique", "sweep_techniques")
    with right:
        models = dict.fromkeys([*model_names(), *page.get("sweep_models")])
        page.several("Human model", "sweep_models", list(models))
    columns = st.columns(len(VALUES) + 1)
    for column, name in zip(columns, VALUES, strict=False):
        option = sweep.AGENT_OPTIONS[name]
        hint = f"{option.help} Values with commas"
        if lists := ", ".join(PUBLISHED.get(name, {})):
            hint += f", or a published list: {lists}"
        if name == sweep.REWARD_SCALE:
            hint += f"; empty: the search's own, {option.default:g}"
        with column:
            page.text(option.title, f"sweep_{name}", disabled=name not in used, help=hint)
    with columns[-1]:
        hint = f"A move. *{EQUAL_TIME}*: as many as take the unbiased search's time, measured on "
        page.text("Iterations", "sweep_budget", help=hint + "this machine. Several with commas.")


def _show_amounts() -> None:
    with row():
        for name, (label, meaning) in AMOUNTS.items():
            step = 2 if name == "games" else 1
            page.number(label, f"sweep_{name}", step=step, width=150, help=meaning)
        logs = [entry.name for entry in list_logs() if entry.is_readable]
        logs = list(dict.fromkeys([*logs, page.get("sweep_log")]))
        hint = "Its humans are predicted and compared with. No model was trained on *human-south*."
        page.select("Held-out log", "sweep_log", logs, width=200, help=hint)
        page.text("Name", "sweep_name", width=200)


def _asked_plan() -> SweepPlan:
    plain, used = (*sweep.COUNTS, "seed", "iterations", "log"), _used()
    asked = page.asked(*(f"sweep_{name}" for name in plain))
    grid = {name: _listed(page.get(f"sweep_{name}")) for name in VALUES if name in used}
    grid |= {"model": page.get("sweep_models")} if "model" in used else {}
    if not grid.get(sweep.REWARD_SCALE):
        grid.pop(sweep.REWARD_SCALE, None)
    grid["technique"] = page.get("sweep_techniques")
    grid["iterations"] = _listed(page.get("sweep_budget"))
    config = {name: asked[f"sweep_{name}"] for name in plain}
    return sweep.sweep_of({**config, "title": page.get("sweep_name"), "grid": [grid]}, "sweep")


def _listed(text: str) -> Any:
    """Values as typed: numbers where they are numbers; one word alone stays a word."""
    values = [_number(item.strip()) for item in text.split(",") if item.strip()]
    return values[0] if len(values) == 1 and isinstance(values[0], str) else values


def _number(text: str) -> int | float | str:
    for kind in (parse_integer, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _show_start(plan: SweepPlan) -> None:
    seconds = max(5.0, expected_seconds(plan))
    note = f"{len(plan.settings)} settings with the unbiased one, about {format_seconds(seconds)} "
    note += "on one core. Resumable."
    look = {"type": "primary", "disabled": is_active(plan)}
    call = ("tuning_run", start_asked, _asked_plan, _start)
    show_start("Run the sweep", note, *call, **look)
    command = "python -m spades sweep sweep.toml"
    label, make = "As TOML, for the command", lambda: sweep.config_text(plan)
    show_file(label, make, "sweep.toml", "tuning_toml", help=command)


def _start(plan: SweepPlan) -> None:
    start_sweep(plan)
    page.put("view", "frontier")
    for one in sweeps().values():
        if one.plan and not one.problem:
            names = {"name": one.plan.name, "title": one.plan.title}
            if replace(plan, **names) == one.plan:
                page.put("waiting_for", one.id)
                return
    page.put("waiting_for", plan.key)


def _show_begun() -> None:
    """Sweeps that were cancelled or killed: what they measured is kept."""
    for one in sweeps().values():
        if one.plan is None or one.problem or not one.is_begun or is_active(one.plan):
            continue
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            title = literal(one.title)
            st.write(f"**{title}**: {one.n_done} of {one.n_settings} settings measured")
            key = f"tuning_resume_{one.id}"
            show_button("Go on", "play_arrow", key, start_sweep, one.plan)
