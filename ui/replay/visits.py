"""Panels: how the visits grew, a longer search of the decision, and a report for a bug tracker."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from analysis.decisions import visits
from analysis.decisions.background import MAX_LIVE_ITERATIONS, LiveSearch
from analysis.decisions.classes import by_class, with_findings
from analysis.decisions.decision import PlayDecision
from analysis.decisions.report import report_markdown
from analysis.decisions.settings import AnalysisSettings, search_key
from analysis.decisions.visits import Overtaking
from analysis.plots.decisions import plot_visit_curves
from analysis.runs.jobs import Job
from spades.core.errors import SpadesError
from spades.search import SearchResult
from ui.replay import panel, state
from ui.replay.keep_position import show_keep_position
from ui.replay.panel import Here, open_decision, search_jobs
from ui.replay.searches import keep_longer
from ui.replay.stability import show_stability
from ui.replay.state import page
from ui.shared.page import draw_again, poll_seconds
from ui.shared.panel import Panel, show_file
from ui.shared.widgets import row, show_button, show_error

LIVE_ITERATIONS = (5_000, 10_000, 25_000, 100_000, MAX_LIVE_ITERATIONS)
SEED_COUNTS = (1, 3, 5, 8)
POLL_SECONDS = 0.5
MAX_CHARTS = 200  # kept for readers who come back to a decision
ONE_SEARCH = (
    "this is one search by the agent shown, whose seed decides between cards that are close."
)


def show_searches(here: Here) -> None:
    """What each of many searches chooses, and how the visits of one grew."""
    if open_decision(here) is None:
        return
    st.subheader("How often each card wins", anchor=False)
    show_stability(here)
    st.subheader("How the visits grew", anchor=False)
    show_visit_curves(here)


def show_visit_curves(here: Here) -> None:
    """The visit share of every class of equal cards as the search ran, and a longer search."""
    decision = open_decision(here)
    if decision is None:
        return
    settings = state.settings()
    _show_controls(here, settings)
    key = _search_key(here, settings)
    refused_key, reason = st.session_state.get(page.key("live_refused"), ("", ""))
    if refused_key == key:
        show_error(reason)
    is_running = search_jobs().live.active(key) is not None

    @st.fragment(run_every=poll_seconds(POLL_SECONDS) if is_running else None)
    def live_chart() -> None:
        job = search_jobs().live.find(key)
        results: Sequence[SearchResult] = ()
        if job is not None:
            _show_progress(job)
            results = job.work.results
        _show_chart(here, decision, settings, results or (decision.search,))
        has_ended = job is not None and job.is_finished
        if has_ended and results:
            keep_longer(here, settings, results[0])
        if is_running and has_ended:
            draw_again()  # once more, without the timer

    live_chart()


def _show_controls(here: Here, settings: AnalysisSettings) -> None:
    with row():
        st.selectbox(
            "Iterations to add, each seed",
            LIVE_ITERATIONS,
            index=1,
            key=page.key("live_iterations"),
            format_func="{:,}".format,
            width=210,
        )
        st.selectbox("Seeds", SEED_COUNTS, index=2, key=page.key("live_seeds"), width=90)
        key = page.key("live_start")
        show_button("Search longer", "play_arrow", key, _start, here, settings)


def _search_key(here: Here, settings: AnalysisSettings) -> str:
    n_seeds = st.session_state[page.key("live_seeds")]
    return search_key(here.record, settings, ply=here.ply, n_seeds=n_seeds)


def _start(here: Here, settings: AnalysisSettings) -> None:
    """Search on with the controls' values at the moment of the click."""
    iterations = st.session_state[page.key("live_iterations")]
    n_seeds = st.session_state[page.key("live_seeds")]
    key = _search_key(here, settings)
    live_jobs = search_jobs().live
    st.session_state.pop(page.key("live_refused"), None)
    try:
        job = live_jobs.find(key)
        search = job.work if job else LiveSearch(here.record, here.ply, settings, n_seeds)
        size = search.bytes_with(iterations)
        live_jobs.start(key, lambda: search, lambda known: known.extend(iterations), size=size)
    except SpadesError as error:
        page.put("live_refused", (key, error))


def _show_progress(job: Job[LiveSearch]) -> None:
    search = job.work
    n = search.iterations
    target = search.target
    if job.is_active:
        text = f"{n:,} of {target:,} iterations with each seed"
        panel.show_cancellable(job, "live_cancel", n / target if target else 0.0, text)
        return
    text = f"{n:,} iterations with each seed."
    if n < target:
        text += " Cancelled; “Search longer” goes on from here."
    if n >= MAX_LIVE_ITERATIONS:
        text += " That is this page's limit."
    st.caption(text)


def _show_chart(
    here: Here, decision: PlayDecision, settings: AnalysisSettings, results: Sequence[SearchResult]
) -> None:
    key = _search_key(here, settings)
    lengths = tuple((result.seed, result.iterations) for result in results)
    classes = by_class(decision)
    labels = {row.card: row.label for row in classes.cards}
    figure, overtaking, is_humans = _drawn_curves(key, lengths, here, classes, settings, results)
    band = f" Bands: least to greatest of {len(results)} seeds." if len(results) > 1 else ""
    lead = _lead_sentence(overtaking, labels, results[0].seed, is_played=is_humans)
    reading = f"{lead}{band} Triangles at the right: how likely a human plays the card."
    Panel("visit-curves").figure(figure, reading)
    panel.apart_from_conclusion(here, overtaking.by or overtaking.card, ONE_SEARCH)


@st.cache_resource(max_entries=MAX_CHARTS, show_spinner=False)
def _drawn_curves(
    key: str,
    lengths: tuple[tuple[int, int], ...],
    _here: Here,
    _decision: PlayDecision,
    _settings: AnalysisSettings,
    _results: Sequence[SearchResult],
) -> tuple[Any, Overtaking, bool]:
    """(curves, how the human's class of cards is overtaken, whether a human played it); of
    ``_decision``, by classes.

    The human's card is the one played if a human played it, else the likeliest of humans. In
    colour: the choice of the search, the likeliest of humans, the one played, the most visited.
    Cached for all readers of ``key`` and ``lengths``: (seed, iterations) of each result."""
    model = _settings.models[0]
    record = _here.record
    played = _decision.played
    likeliest = _decision.human_choice(model).card
    is_humans = bool(played) and record.kinds[_decision.seat] == "human"
    by_human = played if played and is_humans else likeliest
    by_visits = sorted(_decision.cards, key=lambda row: -row.visits)
    most_visited = [row.card for row in by_visits[:3]]
    cards = [_decision.search_choice.card, likeliest, played, *most_visited]
    class_of = {card: row.card for row in _decision.cards for card in row.cards}
    by_card = visits.compute_visit_curves(_results, record.rules.cards)
    curves = visits.sum_by_class(by_card, class_of)
    overtaking = visits.find_overtaking(curves[curves["seed"] == _results[0].seed], by_human)
    figure = plot_visit_curves(
        visits.compute_band(curves),
        human={row.card: row.human[model] for row in _decision.cards},
        labels={row.card: row.label for row in _decision.cards},
        featured=list(dict.fromkeys(filter(None, cards))),
        overtaking=overtaking,
        n_seeds=len(_results),
    )
    return figure, overtaking, is_humans


def _lead_sentence(
    overtaking: Overtaking, labels: Mapping[str, str], seed: int, *, is_played: bool
) -> str:
    whose = "the card the human played" if is_played else "the card likeliest for humans"
    card = f"{labels[overtaking.card]}, {whose},"
    if overtaking.by is None:
        return f"{card} leads in visits to the end (seed {seed})."
    if overtaking.iterations is None:
        return f"{card} never led; {labels[overtaking.by]} does (seed {seed})."
    return (
        f"{card} is overtaken for good by {labels[overtaking.by]} at "
        f"{overtaking.iterations:,} iterations (seed {seed})."
    )


def show_report(here: Here) -> None:
    """Markdown for a bug tracker, once the decision is searched and open to see."""
    job = panel.bid_jobs().find(here.record) if here.bid else None
    bids = job.work.decisions if job else None
    decision = bids[here.bid - 1] if bids else here.decision
    if decision is None:
        st.caption("The bidders have not answered yet." if here.bid else panel.why_nothing(here))
        return
    hidden = panel.why_hidden(here, decision.seat)
    if hidden:
        st.caption(hidden)
        return
    if here.is_checking:
        st.caption("Checking … The report stands here as soon as the card is judged.")
        return
    link = state.link_here()
    if isinstance(decision, PlayDecision):
        settings = replace(state.settings(), iterations=decision.iterations)
        judged = with_findings(decision, here.conclusion, here.repeats)
        text = report_markdown(here.record, judged, settings, link)
    else:
        from analysis.bidding.decisions import bid_report_markdown  # loads the bidders

        text = bid_report_markdown(here.record, decision, link)
    file = f"spades-bid-{here.bid}.md" if here.bid else f"spades-decision-{here.ply}.md"
    key = page.key("report_file")
    show_file("Download (Markdown)", text, file, key, mime="text/markdown", type="secondary")
    show_keep_position(here)
    st.code(text, language="markdown", height=420, wrap_lines=True)
    st.caption(
        "The button in the corner copies it. It holds the whole record with all four hands and the "
        "players' names; the link opens this decision where the dashboard runs."
    )
