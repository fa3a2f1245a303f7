"""Below the table: how the visits grew, and a search of this decision at length."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from analysis.decisions.decision import AnalysisSettings, Decision, pretty
from analysis.decisions.searching import MAX_LIVE_ITERATIONS, LiveSearch, search_key
from analysis.decisions.visits import (
    Overtaking,
    compute_band,
    compute_visit_curves,
    find_overtaking,
)
from analysis.plots.decisions import plot_visit_curves
from analysis.runs.jobs import Job
from spades.core.errors import SpadesError
from spades.core.records import RoundRecord
from spades.search import SearchResult
from ui.replay import state
from ui.replay.panel import Here, open_decision, search_desk, show_stoppable
from ui.shared.page import draw_again
from ui.shared.widgets import row, show_chart

LIVE_ITERATIONS = (5_000, 10_000, 25_000, 100_000, MAX_LIVE_ITERATIONS)
SEED_COUNTS = (1, 3, 5, 8)
POLL_SECONDS = 0.5


def show_visit_curves(here: Here) -> None:
    """Visit share against iterations for every card, from the table's search or a longer one."""
    st.subheader("How the visits grew", help="Visit share of every legal card as the search ran.")
    decision = open_decision(here)
    if decision is None:
        return
    settings = state.settings()
    _show_controls(here, settings)
    if refused := st.session_state.pop(state.key("live_refused"), None):
        st.error(refused)
    key = _search_key(here, settings)
    found = search_desk().live(key)
    running = found is not None and found[1] is not None and not found[1].is_finished

    @st.fragment(run_every=POLL_SECONDS if running else None)
    def live_chart() -> None:
        live = search_desk().live(key)
        if live is not None:
            _show_progress(*live)
        results = live[0].results if live is not None and live[0].results else (decision.search,)
        _show_chart(here.record, decision, settings, results)
        if running and live is not None and live[1] is not None and live[1].is_finished:
            draw_again()  # once more, without the timer

    live_chart()


def _show_controls(here: Here, settings: AnalysisSettings) -> None:
    with row():
        st.selectbox(
            "Iterations to add, each seed",
            LIVE_ITERATIONS,
            index=1,
            key=state.key("live_iterations"),
            format_func="{:,}".format,
            width=210,
        )
        st.selectbox("Seeds", SEED_COUNTS, index=2, key=state.key("live_seeds"), width=90)
        st.button(
            "Search longer",
            icon=":material/play_arrow:",
            key=state.key("live_start"),
            on_click=_start,  # a callback: no other rerun can cut in before it
            args=(here, settings),
        )


def _search_key(here: Here, settings: AnalysisSettings) -> str:
    n_seeds = st.session_state[state.key("live_seeds")]
    return search_key(here.record, settings, ply=here.ply, n_seeds=n_seeds)


def _start(here: Here, settings: AnalysisSettings) -> None:
    """Search on with what the controls say at the moment of the click."""
    iterations = st.session_state[state.key("live_iterations")]
    n_seeds = st.session_state[state.key("live_seeds")]
    search = LiveSearch(here.record, here.ply, settings, n_seeds)
    try:
        search_desk().start_live(_search_key(here, settings), search, iterations)
    except SpadesError as error:
        st.session_state[state.key("live_refused")] = str(error)


def _show_progress(search: LiveSearch, job: Job | None) -> None:
    n, target = search.iterations, search.target
    if job is not None and not job.is_finished:
        done = n / target if target else 0.0
        show_stoppable(job, "live", done, f"{n:,} of {target:,} iterations with each seed")
        return
    stopped = " Stopped; “Search longer” goes on from here." if n < target else ""
    full = " That is this page's limit." if n >= MAX_LIVE_ITERATIONS else ""
    st.caption(f"{n:,} iterations with each seed.{stopped}{full}")


def _show_chart(
    record: RoundRecord,
    decision: Decision,
    settings: AnalysisSettings,
    results: Sequence[SearchResult],
) -> None:
    model = settings.models[0]
    curves = compute_visit_curves(results, record.rules.cards)
    human_card = _human_card(record, decision, model)
    overtaking = find_overtaking(curves[curves["seed"] == results[0].seed], human_card)
    figure = plot_visit_curves(
        compute_band(curves),
        human={row.card: row.human[model] for row in decision.cards},
        featured=_featured(decision, model),
        overtaking=overtaking,
        n_seeds=len(results),
    )
    show_chart(figure, state.key("curves"), "visit-curves")
    st.caption(_reading_help(overtaking, results))


def _human_card(record: RoundRecord, decision: Decision, model: str) -> str:
    """The card played if a human played it, else the one a human most likely plays."""
    if decision.played and record.kinds[decision.seat] == "human":
        return decision.played
    return decision.human_choice(model).card


def _featured(decision: Decision, model: str) -> list[str]:
    """The cards worth a colour: the search's, the likeliest human's, the one played, the next."""
    by_visits = sorted(decision.cards, key=lambda row: -row.visits)
    cards = [decision.search_choice.card, decision.human_choice(model).card, decision.played]
    cards += [row.card for row in by_visits[:3]]
    return list(dict.fromkeys(card for card in cards if card))


def _reading_help(overtaking: Overtaking, results: Sequence[SearchResult]) -> str:
    card, seed = pretty(overtaking.card), results[0].seed
    if overtaking.by is None:
        told = f"The human's card {card} leads in visits to the end (seed {seed})."
    elif overtaking.iterations is None:
        told = f"The human's card {card} never led; {pretty(overtaking.by)} does (seed {seed})."
    else:
        told = (
            f"The human's card {card} is overtaken for good by {pretty(overtaking.by)} at "
            f"{overtaking.iterations:,} iterations (seed {seed})."
        )
    band = f" Bands: least to greatest of {len(results)} seeds." if len(results) > 1 else ""
    return f"{told}{band} Triangles at the right: how likely a human plays the card."
