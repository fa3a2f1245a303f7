"""Below the table: how the visits grew, and a search of this decision at length."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from analysis.decisions.decision import AnalysisSettings, Decision, pretty
from analysis.decisions.searching import MAX_LIVE_ITERATIONS, LiveSearch, SearchDesk, search_key
from analysis.decisions.visit_curves import (
    Overtaking,
    compute_band,
    compute_visit_curves,
    find_overtaking,
)
from analysis.plots.visits import plot_visit_curves
from analysis.runs.jobs import Job
from spades.core.errors import SpadesError
from spades.core.records import RoundRecord
from spades.search import SearchResult
from ui.replay import state
from ui.replay.why import Here, why_closed
from ui.shared.page import chart_config, draw_again

LIVE_ITERATIONS = (5_000, 10_000, 25_000, 100_000, MAX_LIVE_ITERATIONS)
SEED_COUNTS = (1, 3, 5, 8)
POLL_SECONDS = 0.5


def show_visit_curves(desk: SearchDesk, here: Here) -> None:
    """Visit share against iterations for every card, from the table's search or a longer one."""
    st.subheader("How the visits grew", help="Visit share of every legal card as the search ran.")
    if closed := why_closed(here):
        st.caption(closed)
        return
    record, ply, decision = here.record, here.ply, here.decision
    assert decision is not None
    settings = state.settings()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox(
            "Iterations to add, each seed",
            LIVE_ITERATIONS,
            index=1,
            key=state.key("live_iterations"),
            format_func="{:,}".format,
            width=210,
        )
        n_seeds = st.selectbox("Seeds", SEED_COUNTS, index=2, key=state.key("live_seeds"), width=90)
        key = search_key(record, settings, ply=ply, n_seeds=n_seeds)
        st.button(
            "Search longer",
            icon=":material/play_arrow:",
            key=state.key("live_start"),
            on_click=_start,  # a callback: no other rerun can cut in before it
            args=(desk, record, ply, settings),
        )
    if refused := st.session_state.pop(state.key("live_refused"), None):
        st.error(refused)
    found = desk.live(key)
    running = found is not None and found[1] is not None and not found[1].is_finished

    @st.fragment(run_every=POLL_SECONDS if running else None)
    def live_chart() -> None:
        live = desk.live(key)
        if live is not None:
            _show_progress(live)
        results = live[0].results if live is not None and live[0].results else (decision.search,)
        _show_chart(record, decision, settings, results)
        if running and live is not None and live[1] is not None and live[1].is_finished:
            draw_again()  # once more, without the timer

    live_chart()


def _start(desk: SearchDesk, record: RoundRecord, ply: int, settings: AnalysisSettings) -> None:
    """Search on with what the controls say at the moment of the click."""
    iterations = st.session_state[state.key("live_iterations")]
    n_seeds = st.session_state[state.key("live_seeds")]
    key = search_key(record, settings, ply=ply, n_seeds=n_seeds)
    try:
        desk.start_live(key, LiveSearch(record, ply, settings, n_seeds), iterations)
    except SpadesError as error:
        st.session_state[state.key("live_refused")] = str(error)


def _show_progress(live: tuple[LiveSearch, Job | None]) -> None:
    search, job = live
    if job is None or job.is_finished:
        stopped = (
            " Stopped; “Search longer” goes on from here."
            if search.iterations < search.target
            else ""
        )
        full = " That is this page's limit." if search.iterations >= MAX_LIVE_ITERATIONS else ""
        st.caption(f"{search.iterations:,} iterations with each seed.{stopped}{full}")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        done = search.iterations / search.target if search.target else 0.0
        st.progress(
            done, text=f"{search.iterations:,} of {search.target:,} iterations with each seed"
        )
        if st.button("Stop", icon=":material/stop:", key=state.key("live_stop"), on_click=job.stop):
            job.wait(1.0)
            draw_again()


def _show_chart(
    record: RoundRecord,
    decision: Decision,
    settings: AnalysisSettings,
    results: Sequence[SearchResult],
) -> None:
    model = settings.models[0]
    curves = compute_visit_curves(results, record.rules.cards)
    human_card = _human_card(record, decision, model)
    first = curves[curves["seed"] == results[0].seed]
    overtaking = find_overtaking(first, human_card)
    st.plotly_chart(
        plot_visit_curves(
            compute_band(curves),
            human={row.card: row.human[model] for row in decision.cards},
            featured=_featured(decision, model),
            overtaking=overtaking,
            n_seeds=len(results),
        ),
        width="stretch",
        key=state.key("curves"),
        config=chart_config("visit-curves"),
    )
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
