"""Which search is looked at, how much of the log it covers, and searching more of it."""

from __future__ import annotations

import streamlit as st

from analysis.disagreements.files import gaps, parts_of
from analysis.disagreements.search import (
    MAX_ROUNDS,
    MAX_SEED,
    Asked,
    Found,
    LogSearchPlan,
    find,
    run_log_search,
)
from analysis.runs.parts import format_seconds
from spades.core.errors import SpadesError
from spades.human import model_names
from spades.notation.log_store import LogEntry
from ui.disagreements import state
from ui.disagreements.cached import facts_of, refused_rounds
from ui.shared.jobs import WORKERS, job_book, show_jobs, start_job
from ui.shared.links import model_label
from ui.shared.page import literal
from ui.shared.widgets import row, select, show_error

PRESETS = (
    "ismcts:iterations=2500",
    "ismcts:iterations=500",
    "ismcts:iterations=10000",
    "ismcts:iterations=2500,bias=knowledge",
    "ismcts:iterations=2500,determinization=posterior",
)
LEAST_SECONDS = 5.0
DAMAGED_SHOWN = 5
STEPS = 20  # the page is drawn anew about so often while a log is searched
PICKED = "disagreements_picked"
FACTS = ("log", "content", "agent", "seed", "human_model", "human_model_hash", "code")


def show_choice(listed: list[Asked]) -> None:
    """The searches there are, and the human model that is compared with them."""
    with row():
        current = (state.get("log"), state.get("agent"), state.get("seed"))
        st.session_state[PICKED] = current
        select(
            "Searched log",
            listed if current in listed else [current, *listed],
            PICKED,
            format_func=_name,
            on_change=_pick,
            help="What has been searched here, and what came with the project.",
        )
        select(
            "Human model",
            model_names(),
            state.key("model"),
            format_func=model_label,
            width=260,
            help="How likely a human plays each card. Another model needs no new search.",
        )


def _name(asked: Asked) -> str:
    """What the browser knows a search by: it must not change while the search grows."""
    log, agent, seed = asked
    return f"{log} · {agent} · seed {seed}"


def _pick() -> None:
    picked = st.session_state[PICKED]
    if isinstance(picked, str):
        return  # the browser names one that is gone meanwhile
    log, agent, seed = picked
    for name, value in (("log", log), ("agent", agent), ("seed", seed)):
        state.put(name, value)


def show_search_form(entries: dict[str, LogEntry], *, is_open: bool) -> None:
    """What to search, how much of it, how long that takes, and the button."""
    with st.expander("Search a log", expanded=is_open, icon=":material/manage_search:"):
        with row():
            select("Log", list(entries), state.key("log"), width=220, help="Logs of the Data page.")
            select(
                "Agent",
                dict.fromkeys([*PRESETS, state.get("agent")]).keys(),
                state.key("agent"),
                accept_new_options=True,
                width=380,
                help="Any `ismcts:option=value,...`: choose one, or type it and press Enter.",
            )
            st.number_input(
                "Rounds",
                1,
                MAX_ROUNDS,
                step=100,
                key=state.key("rounds"),
                width=140,
                help="The first so many of the log. What is searched already is kept.",
            )
            st.number_input(
                "Seed",
                0,
                MAX_SEED,
                key=state.key("seed"),
                width=120,
                help="Of every decision, as on Replay: a row opens there with the same numbers.",
            )
        try:
            _show_start(state.plan(), entries)
        except SpadesError as error:
            show_error(error)


def _show_start(plan: LogSearchPlan, entries: dict[str, LogEntry]) -> None:
    rounds = min(plan.rounds, entries[plan.log].n_rounds)
    missing = gaps(parts_of(plan.question()), rounds, plan.part_size)
    left = sum(end - first for first, end in missing)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Search" if left == rounds else "Search on",
            type="primary",
            icon=":material/play_arrow:",
            key="disagreements_start",
            disabled=not left or job_book().under_way(_subject(plan)) is not None,
            on_click=start,
            args=(plan,),
        )
        if not left:
            st.caption(f"All {rounds:,} rounds are searched; ask for more to go on.")
            return
        seconds = max(LEAST_SECONDS, left * plan.seconds_a_round)
        st.caption(
            f"{left:,} of {rounds:,} rounds are to be searched: about {format_seconds(seconds)} on "
            "one core, while you use the page. Stopped, killed or asked for more rounds, it goes "
            "on where it was."
        )


def start(plan: LogSearchPlan) -> None:
    """Queue a search; what is there already isn't searched again."""
    title = f"{plan.log}, {plan.rounds:,} rounds by {plan.agent}"
    start_job(title, _subject(plan), run_log_search, plan, workers=WORKERS)


def _subject(plan: LogSearchPlan) -> str:
    return f"{plan.key} {plan.rounds}"


def show_search_jobs() -> None:
    """What runs, with progress, time left and a stop button."""
    try:
        plan = state.plan()
        plan.key  # noqa: B018 - refuses a log or a model that isn't there
    except SpadesError:
        show_jobs("disagreements")
    else:
        show_jobs("disagreements", made=lambda: drawn(plan))


def drawn(plan: LogSearchPlan) -> tuple[str, int]:
    """Changes with the first part and some ``STEPS`` times as a search goes on; once it is
    stopping, with each part."""
    job, rounds = job_book().under_way(_subject(plan)), find(plan).rounds
    if job and job.is_stopping:
        return "stopping", rounds
    return "running" if rounds else "begun", rounds * STEPS // max(1, plan.rounds)


def show_damaged(found: Found) -> None:
    """Files that should be parts of the search and can't be read."""
    damaged = found.damaged
    if not damaged:
        return
    lines = [f"- {literal(one.why)}" for one in damaged[:DAMAGED_SHOWN]]
    if len(damaged) > DAMAGED_SHOWN:
        lines.append(f"- and {len(damaged) - DAMAGED_SHOWN:,} more")
    files = "1 file is" if len(damaged) == 1 else f"{len(damaged):,} files are"
    st.warning(
        f"{files} damaged. Nothing of a damaged file is shown: its rounds count as not searched, "
        "and “Search on” searches them again. In the results folder:\n" + "\n".join(lines),
        icon=":material/broken_image:",
    )


def show_coverage(found: Found, entry: LogEntry, n_decisions: int) -> None:
    """How much of the log is searched, and by what; everything the numbers depend on."""
    told = f"**{found.rounds:,} of {entry.n_rounds:,} rounds searched**, {n_decisions:,} decisions"
    told += " with a choice. A decision counts once its search is complete."
    if refused := refused_rounds(found):
        why = literal(next(iter(refused.values())))
        told += f" {len(refused):,} of these rounds can't be searched: {why}."
    st.markdown(told)
    facts = facts_of(found, state.get("model"))
    said = [f"key `{facts['key']}`"]
    for name in FACTS:
        said.append(f"{name.replace('_', ' ')} {literal(str(facts[name]))}")
    if facts["bias_models"]:
        said.append(f"bias {literal(facts['bias_models'])}")
    st.caption(" · ".join(said))
    if found.is_shipped:
        st.caption(
            ":material/inventory_2: Searched by an agent that played otherwise, and shipped. "
            "“Search” above begins anew with today's."
        )
