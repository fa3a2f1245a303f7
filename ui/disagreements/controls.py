"""Which search is looked at, searching more of a log, and which decisions are shown how."""

from collections.abc import Callable

import streamlit as st

from analysis.decisions.judge import FIRST
from analysis.decisions.lenses import LENSES
from analysis.disagreements.plan import LogSearchPlan
from analysis.disagreements.search import missing_rounds, run_log_search
from analysis.disagreements.stored import Asked, find
from analysis.runs.progress import format_seconds
from spades.core.errors import SpadesError
from spades.core.logs import Log
from spades.notation.log_store import LogEntry, store_log
from ui.disagreements import state
from ui.disagreements.state import page
from ui.shared.agents import agent_label, offered
from ui.shared.jobs import page_jobs, show_jobs, show_start, start_asked, start_tasks
from ui.shared.options import model_label
from ui.shared.page import literal
from ui.shared.records import readable_logs
from ui.shared.widgets import errors_shown, row, show_button

PRESETS = (
    FIRST,
    "ismcts:iterations=2500",
    "ismcts:iterations=500",
    "ismcts:iterations=10000",
    "ismcts:iterations=2500,bias=knowledge",
    "ismcts:iterations=2500,determinization=posterior",
    "ismcts:iterations=2500,determinization=network",
)
LEAST_SECONDS = 5.0
STEPS = 20  # the page is drawn anew about so often while a log is searched
FILTERS = ("against", "bits", "points", "class", "lens", "lens_of", "seat", "kind", "tricks")
CHOSEN = ("log", "agent", "seed", "played_on")
OPENED = "replay_opened"  # where Replay keeps them
CLASS_HELP = (
    "*Human trap*: the likeliest human card is clearly worse, by at least the threshold. *Search "
    "finds, human misses*: also, humans play the best with under 10%."
)


def show_choice(listed: list[Asked]) -> None:
    """Which search is listed, by which human model."""
    current = tuple(map(page.get, CHOSEN))
    if current not in listed:
        listed = [current, *listed]
    page.put("picked", current)
    page.select(
        "Searched log",
        "picked",
        listed,
        on_change=_pick,
        format_func=_search_label,
        label_visibility="collapsed",
        width=330,
    )
    page.select(
        "Human model",
        "model",
        format_func=lambda name: f"Human: {model_label(name)}",
        label_visibility="collapsed",
        width=330,
    )


def _search_label(asked: Asked) -> str:
    """The browser identifies a search by this: it must not change while rounds are added."""
    log, agent, seed, played_on = asked
    return f"{log} · {agent} · seed {seed} · {played_on} rounds played on"


def _pick() -> None:
    picked = page.get("picked")
    if isinstance(picked, str):
        return  # a search that is gone meanwhile
    for name, value in zip(CHOSEN, picked, strict=True):
        page.put(name, value)


def show_search_form(entries: dict[str, LogEntry], *, is_open: bool) -> None:
    """The form that searches a log, behind a button where there is something to look at."""
    title = "Search a log"
    if is_open:
        place = st.container(border=True)
    else:
        icon = ":material/manage_search:"
        place = st.popover(title, icon=icon, key=page.key("search"), width="content")
    with place:
        if is_open:
            st.markdown(f"**{title}**")
        with row():
            page.select(
                "Agent",
                "agent",
                offered(PRESETS),
                format_func=agent_label,
                accept_new_options=True,
                width=380,
                help="The search whose visits are compared with humans; points are the judge's. "
                f"`{FIRST}` or any `ismcts:option=value,...`: choose one, or type it and press "
                "Enter.",
            )
            hint = "The first so many of the log. What is searched already is kept."
            page.number("Rounds", "rounds", step=100, width=140, help=hint)
            hint = "Of a decision's first search; the next ones follow."
            page.number("Seed", "seed", width=120, help=hint)
            hint = "Of a decision, at most: the judge plays on until these settle it."
            page.number("Rounds played on", "played_on", step=20, width=160, help=hint)
        n_opened = len(st.session_state.get(OPENED) or ())
        if n_opened:
            label = "Add the hand of Replay"
            if n_opened > 1:
                label = f"Add the {n_opened} hands opened on Replay"
            show_button(label, "playing_cards", page.key("add"), _add_opened)
        with errors_shown():
            show_search_start(_asked_plan, "disagreements_start")


def _add_opened() -> None:
    """Make a log of the hands that were pasted or opened on Replay, and choose it."""
    log = Log.from_records(hand.record for hand in st.session_state[OPENED])
    facts = {"source": "hands opened on Replay"}
    page.put("log", store_log(log, "opened-hands", facts).name)


def show_search_start(ask: Callable[[], LogSearchPlan], key: str) -> None:
    """The button that searches the rounds still missing; ``ask``: what is asked for at the time."""
    plan = ask()
    rounds = min(plan.rounds, readable_logs()[plan.log].n_rounds)
    n_missing = len(missing_rounds(plan, rounds))
    note = f"All {rounds:,} rounds are searched; ask for more to go on."
    if n_missing:
        seconds = max(LEAST_SECONDS, n_missing * plan.seconds_a_round)
        note = (
            f"{n_missing:,} of {rounds:,} rounds are to be searched: about "
            f"{format_seconds(seconds)} on one core. Resumable."
        )
    is_running = page_jobs().active(_job_key(plan)) is not None
    show_start(
        "Search" if n_missing == rounds else "Search on",
        note,
        key,
        start_asked,
        ask,
        start,
        type="primary",
        disabled=is_running or not n_missing,
    )


def _asked_plan() -> LogSearchPlan:
    page.asked("rounds", "seed", "played_on")
    return state.plan()


def start(plan: LogSearchPlan) -> None:
    title = f"{plan.log}, {plan.rounds:,} rounds by {plan.agent}"
    start_tasks(title, _job_key(plan), run_log_search, plan)


def _job_key(plan: LogSearchPlan) -> str:
    return f"{plan.key} {plan.rounds}"


def show_search_jobs() -> None:
    try:
        plan = state.plan()
        plan.question()  # refuses a log or a model that isn't there
    except SpadesError:
        show_jobs("disagreements")
    else:
        show_jobs("disagreements", made=lambda: drawn(plan))


def drawn(plan: LogSearchPlan) -> tuple[str, int]:
    """A value that changes with the first round and some ``STEPS`` times while a search runs; once
    it is cancelled, with each round."""
    job = page_jobs().active(_job_key(plan))
    n_rounds = len(find(plan).rounds)
    if job and job.is_cancelled:
        return "cancelling", n_rounds
    if not n_rounds:
        return "begun", 0
    return "running", n_rounds * STEPS // max(1, plan.rounds)


def show_filters() -> None:
    """Behind a button that says how many are set."""
    n_set = len(page.format(page.values(), FILTERS))
    label = f"Filters: {n_set} set" if n_set else "Filters"
    icon = ":material/filter_alt:"
    with st.popover(label, icon=icon, key=page.key("filters"), width="content"):
        _show_filters()


def _show_filters() -> None:
    with row():
        hint = "The card that a disagreement is about."
        page.segments("Loss against", "against", help=hint)
        hint = "Least divergence of a row, in the order by divergence."
        page.slider("Shown from (bits)", "bits", step=0.01, width=200, help=hint)
        hint = "Least difference of a find or a trap; in the order by loss, of a row too."
        page.number("Threshold (points)", "points", step=1.0, width=160, help=hint)
        page.several("Class", "class", width=260, placeholder="Any", help=CLASS_HELP)
        hint = "What players complain of. The definitions are at the foot of the page."
        page.several("Lens", "lens", width=260, placeholder="Any", help=hint)
        hint = (
            "The card that is complained of. The best is put beside the human's likeliest, any "
            "other beside the best."
        )
        page.select("Lenses look at", "lens_of", width=175, help=hint)
        page.several("Seat", "seat", width=150, placeholder="Any")
        hint = "Who sits in the seat that decides."
        page.several("Kind", "kind", width=170, placeholder="Any", help=hint)
        page.slider("Tricks", "tricks", width=150)


def show_definitions() -> None:
    with st.expander("What the lenses find", icon=":material/search:"):
        for lens in LENSES:
            st.markdown(f"**{lens.label}.** {literal(lens.definition)}")
        st.caption("They say what a card does that the other doesn't, not that it was wrong.")
