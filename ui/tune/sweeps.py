"""The sweeps that there are, read once and run as jobs; the form of a new one."""

from dataclasses import replace
from typing import Any

import streamlit as st

from analysis.runs.progress import format_seconds
from analysis.runs.store import ResultStore
from analysis.sweeps import sweep
from analysis.sweeps.held_out import hold_out
from analysis.sweeps.library import Listed, list_sweeps, shipped_files
from analysis.sweeps.point import BENCH
from analysis.sweeps.run import check_amounts, expected_seconds, run_sweep
from analysis.sweeps.sweep import EQUAL_TIME, PUBLISHED, SweepPlan
from spades.agents.behaviour import behaviour_of
from spades.core.documents import parse_integer
from spades.human import model_names
from spades.notation.log_store import content_hash, open_log
from spades.search import Experience, Knowledge
from spades.search.techniques.technique import WHEN_NEEDED
from ui.shared.jobs import page_jobs, show_jobs, show_start, start_asked, start_tasks
from ui.shared.page import literal
from ui.shared.panel import show_file
from ui.shared.records import n_repeated
from ui.shared.tables import show_repeated
from ui.shared.widgets import errors_shown, row, show_button, show_damage
from ui.tune.state import TYPED, page

AMOUNTS = {
    "games": ("Games", "Of each setting against the unbiased search; even."),
    "decisions": ("Decisions", "Of held-out humans to predict, the same for all settings."),
    "rounds": ("Rounds", "In the human's seat, for KL of abstract moves and AUC."),
    "iterations": ("Unbiased iterations", "Of the search that all are measured against."),
    "seed": ("Seed", "Deals, decisions and chance come from it alone."),
}
BOTH = [Knowledge.name, Experience.name]
DEVLIN = "devlin2016"
BAIER = "baier2018"
PUBLISHED_GRIDS: dict[str, dict[str, Any]] = {
    "Devlin 2016, fig. 1": {
        "techniques": [Knowledge.name],
        "models": [DEVLIN],
        "c_bt": DEVLIN,
        "k": DEVLIN,
        "delay": "1",
        "asked": WHEN_NEEDED,
        "budget": "2500",
    },
    "Baier 2018, figs. 2 and 3": {
        "techniques": BOTH,
        "c_bt": BAIER,
        "k": BAIER,
        "w": BAIER,
        "delay": "1",
        "asked": WHEN_NEEDED,
        "budget": "2500",
    },
    "Baier 2018, figs. 4 and 5": {
        "techniques": BOTH,
        "c_bt": "0.2",
        "k": "1000",
        "w": "10",
        "delay": BAIER,
        "asked": WHEN_NEEDED,
        "budget": f"2500, {EQUAL_TIME}",
    },
    "Baier 2018, figs. 6 and 7": {
        "techniques": BOTH,
        "c_bt": BAIER,
        "k": "10, 100, 1000",
        "w": BAIER,
        "delay": "root",
        "asked": WHEN_NEEDED,
        "budget": EQUAL_TIME,
    },
}
"""Values of the form's fields in a paper's figures; the other fields are left as they are."""


def settings_stamp() -> tuple[Any, ...]:
    """Changes when a setting has been measured."""
    return ResultStore().stamp(sweep.SETTING)


def _stamp() -> tuple[Any, ...]:
    """Changes when a setting has been measured or a sweep begun."""
    return settings_stamp(), ResultStore().stamp(sweep.SWEEP)


def sweeps() -> dict[str, Listed]:
    """Those of several settings, which have names."""
    return {id: one for id, one in _known()[0].items() if not _is_point(one)}


def documents() -> list[dict[str, Any]]:
    """All results, those of single settings too."""
    return [one.document for one in _known()[0].values() if one.document]


def _is_point(listed: Listed) -> bool:
    return listed.plan is not None and listed.plan.name == BENCH


def _known() -> tuple[dict[str, Listed], list[str]]:
    """All sweeps, and what is wrong with stored results that are left out."""
    files = tuple((path.name, path.stat().st_mtime_ns) for path in shipped_files())
    return _sweeps(_stamp(), files, behaviour_of())


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
    start_tasks(title, plan.key, run_sweep, plan)


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
    show_jobs("tune", made=settings_stamp)


def show_run_a_sweep() -> None:
    show_sweep_jobs()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("Start from:", width="content")
        for name in PUBLISHED_GRIDS:
            show_button(
                name,
                "menu_book",
                f"tune_list_{name}",
                _fill_in,
                name,
                type="tertiary",
                help="Fill in the values of this figure.",
            )
    _show_grid(_used())
    _show_amounts()
    with errors_shown():
        plan = _asked_plan()
        plan.key  # noqa: B018 - refuses a log that isn't there
        check_amounts(plan, *_held_out_counts(plan.log, content_hash(plan.log)))
        show_repeated(n_repeated(plan.log), plan.log)
        _show_start(plan)
    _show_begun()


def _used() -> set[str]:
    """Options that the techniques chosen have."""
    techniques = page.get("sweep_techniques")
    used = {name for technique in techniques for name in sweep.SET_BY.get(technique, ())}
    if set(techniques) - {sweep.DIRECT}:
        used.add(sweep.REWARD_SCALE)
    return used


def _fill_in(name: str) -> None:
    for field, value in PUBLISHED_GRIDS[name].items():
        page.put(f"sweep_{field}", value)


def _show_grid(used: set[str]) -> None:
    left, right = st.columns(2)
    with left:
        page.several("Technique", "sweep_techniques")
    with right:
        models = dict.fromkeys([*model_names(), *page.get("sweep_models")])
        page.several("Human model", "sweep_models", list(models))
    with row():
        for name in TYPED:
            _show_values(name, is_used=name in used)
        hint = (
            f"A move. *{EQUAL_TIME}*: as many as take the unbiased search's time, measured on this "
            "machine. Several with commas."
        )
        page.text("Iterations", "sweep_budget", width=150, help=hint)


def _show_values(name: str, *, is_used: bool) -> None:
    """The values of one option, as text."""
    option = sweep.AGENT_OPTIONS[name]
    hint = f"{option.help} Values with commas"
    lists = PUBLISHED.get(name)
    if lists:
        hint += f", or a published list: {', '.join(lists)}"
    if name == sweep.REWARD_SCALE:
        hint += f"; empty: the search's own, {option.default:g}"
    page.text(option.title, f"sweep_{name}", disabled=not is_used, width=150, help=hint)


def _show_amounts() -> None:
    with row():
        for name, (label, meaning) in AMOUNTS.items():
            step = 2 if name == "games" else 1
            page.number(label, f"sweep_{name}", step=step, width=150, help=meaning)
        page.text("Name", "sweep_name", width=200)
    st.caption(
        f"The decisions predicted, and the play compared with, are of the humans of "
        f"{literal(page.get('sweep_log'))}, the log in hand. No model was trained on *human-south*."
    )


def _asked_plan() -> SweepPlan:
    plain = (*sweep.COUNTS, "seed", "iterations", "log")
    asked = page.asked(*(f"sweep_{name}" for name in plain))
    used = _used()
    grid = {name: _listed(page.get(f"sweep_{name}")) for name in TYPED if name in used}
    if not grid.get(sweep.REWARD_SCALE):  # the search's own
        grid.pop(sweep.REWARD_SCALE, None)
    if "model" in used:
        grid["model"] = page.get("sweep_models")
    grid["technique"] = page.get("sweep_techniques")
    grid["iterations"] = _listed(page.get("sweep_budget"))
    config = {name: asked[f"sweep_{name}"] for name in plain}
    return sweep.sweep_of({**config, "title": page.get("sweep_name"), "grid": [grid]}, "sweep")


def _listed(text: str) -> Any:
    """Values as typed: numbers where they are numbers; one word alone stays a word."""
    values = [_number(item.strip()) for item in text.split(",") if item.strip()]
    if len(values) == 1 and isinstance(values[0], str):
        return values[0]
    return values


def _number(text: str) -> int | float | str:
    for kind in (parse_integer, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _show_start(plan: SweepPlan) -> None:
    seconds = max(5.0, expected_seconds(plan))
    note = (
        f"{len(plan.settings)} settings with the unbiased one, about {format_seconds(seconds)} on "
        "one core. Resumable."
    )
    show_start(
        "Run the sweep",
        note,
        "tune_run",
        start_asked,
        _asked_plan,
        _start,
        type="primary",
        disabled=is_active(plan),
    )
    show_file(
        "As TOML, for the command",
        lambda: sweep.config_text(plan),
        "sweep.toml",
        "tune_toml",
        help="python -m spades sweep sweep.toml",
    )


def _start(plan: SweepPlan) -> None:
    start_sweep(plan)
    page.put("view", "frontier")
    page.put("waiting_for", plan.key)
    for listed in sweeps().values():
        if listed.plan is None or listed.problem:
            continue
        if replace(plan, name=listed.plan.name, title=listed.plan.title) == listed.plan:
            page.put("waiting_for", listed.id)
            return


def _show_begun() -> None:
    """Sweeps that were cancelled or killed: what they measured is kept."""
    for listed in sweeps().values():
        plan = listed.plan
        if plan is None or listed.problem or not listed.is_begun or is_active(plan):
            continue
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            title = literal(listed.title)
            st.write(f"**{title}**: {listed.n_done} of {listed.n_settings} settings measured")
            key = f"tune_resume_{listed.id}"
            show_button("Go on", "play_arrow", key, start_sweep, plan)
