"""What Replay's panels share: jobs, what is hidden, growing series; and the round's search."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import streamlit as st

from analysis.bidding.bid_jobs import BidJobs
from analysis.decisions.background import RoundSearch, SearchJobs
from analysis.decisions.classes import by_class, with_findings
from analysis.decisions.conclusion import Conclusion
from analysis.decisions.decision import PlayDecision, Repeats, analyse_decision
from analysis.decisions.judgement import touching
from analysis.decisions.settings import AnalysisSettings
from analysis.runs.jobs import IDLE_TIMEOUT, NEW, Job
from analysis.runs.registry import JobRegistry
from analysis.runs.series import StoredSeries
from spades.core.cards import SEATS, seat_name
from spades.core.records import Record
from spades.core.rules import Rules
from spades.core.winning import winning_chances
from ui.replay import state
from ui.replay.state import page
from ui.shared.jobs import reader
from ui.shared.page import draw_again, is_here, literal, poll_seconds
from ui.shared.records import DEFAULT_HAND, find_hand
from ui.shared.states import show_empty, show_loading, show_partial, show_wrong
from ui.shared.widgets import centered_row, errors_shown, show_button

POLL_SECONDS = 0.7
SEARCH_POLL_SECONDS = 0.6
SHORT_SECONDS = 0.7  # 100 deals of seven tricks take 0.03 to 0.5
MAX_SERIES = 24
CARDS_ONLY = "A bid is made here, and this is about cards. Step to a play."


@st.cache_resource
def search_jobs() -> SearchJobs:
    """Shared by all visitors, as the other registries."""
    return SearchJobs()


@st.cache_resource
def series_jobs() -> JobRegistry[StoredSeries]:
    return JobRegistry(search_jobs().scheduler, capacity=MAX_SERIES, idle_timeout=IDLE_TIMEOUT)


@st.cache_resource
def bid_jobs() -> BidJobs:
    return BidJobs()


def complaint_of(job: Job) -> str:
    """Why the bidders have not answered."""
    return f"The bidders can't bid here: {job.reason}"


def warm_up() -> None:
    """Load, or compile, what the first reader needs: the search, then what shows a log's rounds,
    then the charts of other pages."""
    analyse_decision(find_hand(DEFAULT_HAND), 0, AnalysisSettings())
    import_module("analysis.logs.tables")
    import_module("plotly.graph_objects")
    winning_chances(Rules())


@dataclass(frozen=True)
class Here:
    """Where the reader is.

    ``step``: as in ``ui.replay.state``; ``view``: all, own or beliefs; ``decision``: None at a bid,
    and before it is searched; ``conclusion``: the judge's, once made; ``is_judge_over``: whether
    the judge has ended without one; ``repeats``: of the first search; ``revealed``: the steps that
    the reader has revealed in spoiler mode."""

    record: Record
    step: int
    view: str
    decision: PlayDecision | None = None
    conclusion: Conclusion | None = None
    repeats: Repeats | None = None
    is_judge_over: bool = False
    revealed: frozenset[int] = frozenset()

    @property
    def is_spoiler(self) -> bool:
        """Whether models, search and bidders are to be hidden here."""
        return bool(page.get("spoiler")) and self.step not in self.revealed

    @property
    def ply(self) -> int:
        """Number of cards played."""
        return max(self.step, 0)

    @property
    def bid(self) -> int:
        """The bid to be made, 1 to 4; 0 at a play."""
        return state.bid_at(self.step)

    @property
    def hands(self) -> str:
        """The open hands, ``all`` or ``own``."""
        return "all" if self.view == "all" else "own"

    @property
    def is_checking(self) -> bool:
        """Whether the judge is at work on the decision, and has concluded nothing yet."""
        is_choice = self.decision is not None and not self.decision.is_forced
        return is_choice and self.conclusion is None and not self.is_judge_over

    @property
    def is_over(self) -> bool:
        """Whether no play of the record is left."""
        return self.ply >= len(self.record.plays)


def show_tabs(panels: Mapping[str, Sequence[str]], here: Here) -> None:
    """A tab for each name of ``state.TABS``. The panels of the open one alone are drawn, and their
    modules imported; a panel: module and function of ``ui.replay``."""
    tabs = st.tabs(
        list(state.TABS.values()), default=page.get("tab"), key=page.key("tab"), on_change="rerun"
    )
    for name, tab in zip(state.TABS, tabs, strict=True):
        if not tab.open:
            continue
        for place in panels[name]:
            module_name, _, function_name = place.partition(".")
            with tab, errors_shown():
                draw = getattr(import_module(f"ui.replay.{module_name}"), function_name)
                draw(here)


def open_decision(here: Here) -> PlayDecision | None:
    reason = why_nothing(here)
    if not reason and here.decision is not None:
        reason = why_hidden(here, here.decision.seat)
    if reason:
        st.caption(reason)
        return None
    return here.decision


def judged_decision(here: Here) -> PlayDecision | None:
    """``open_decision`` by all searches made of it, equivalent cards as one."""
    decision = open_decision(here)
    if decision is None:
        return None
    return by_class(with_findings(decision, here.conclusion, here.repeats))


def apart_from_conclusion(here: Here, card: str, why: str) -> None:
    """Say why a panel's best card isn't the judge's, unless the judge may prefer it too."""
    conclusion = here.conclusion
    if conclusion is None:
        return
    possibly_best = (*conclusion.open, *conclusion.within)
    if all(card not in choice.cards for choice in possibly_best):
        best = touching(conclusion.class_of(card))
        first = touching(conclusion.best)
        st.caption(f"Here {best} comes first, in the judge's conclusion {first}: {why}")


def why_nothing(here: Here) -> str:
    """Why there is no searched choice of a card here; empty where there is."""
    if here.bid:
        return CARDS_ONLY
    if here.is_over:
        return "No play is left here. Step back to a decision."
    if here.decision is None:
        return "This decision is not searched yet."
    if here.decision.is_forced:
        return "Only one card is legal here: nothing to choose."
    return ""


def why_hidden(here: Here, seat: int) -> str:
    """Why the reader may not see what this seat knows; empty if nothing forbids it."""
    if here.is_spoiler:
        return "Hidden in spoiler mode until you look (M)."
    if here.hands == "own" and page.get("seat") not in ("mover", SEATS[seat]):
        return f"{seat_name(seat)} decides here, and those cards are hidden."
    return ""


def is_truth_shown(here: Here) -> bool:
    """Whether the reader sees all four hands, so that a panel may show them too."""
    return here.hands == "all" and not here.is_spoiler


@dataclass(frozen=True)
class SeriesPanel:
    """One panel's series of ``wanted`` items.

    ``name``: what the widgets' keys begin with; ``noun``: what is counted; ``start``: the button's
    label, empty for a series that starts when its panel is opened. ``draw`` gets the items made, at
    most ``wanted``, and the number wanted, 0 if these are all."""

    name: str
    key: str
    make: Callable[[], StoredSeries]
    draw: Callable[[Sequence[Any], int], None]
    wanted: int
    noun: str
    start: str = ""

    def begin(self) -> Job[StoredSeries]:
        def extend(series: StoredSeries) -> None:
            series.extend(self.wanted)

        return series_jobs().start(self.key, self.make, extend)

    def begin_and_wait(self) -> None:
        """Have a short series end before the panel is drawn."""
        self.begin().wait(SHORT_SECONDS)


@st.fragment
def show_series(panel: SeriesPanel) -> None:
    """The button that starts or resumes a series, its progress, and its items. A click draws no
    other part of the page."""
    job = series_jobs().open(panel.key, panel.make)
    series = job.work
    if not panel.start and job.state == NEW and series.done < panel.wanted:
        job = panel.begin()
    is_active = job.is_active
    if series.done < panel.wanted and not is_active:
        label = panel.start or "Go on"
        if series.done:
            label = f"Go on to {panel.wanted:,}"
        show_button(label, "play_arrow", page.key(f"{panel.name}_start"), panel.begin_and_wait)

    @st.fragment(run_every=poll_seconds(POLL_SECONDS) if is_active else None)
    def live() -> None:
        _show_series_progress(panel, job)
        items = series.items[: panel.wanted]
        if items:
            panel.draw(items, 0 if len(items) == panel.wanted else panel.wanted)
        if is_active and job.is_finished:
            draw_again()  # once more, without the timer

    live()


def _show_series_progress(panel: SeriesPanel, job: Job[StoredSeries]) -> None:
    series = job.work
    if series.complaint:
        show_partial(literal(f"These results are not stored: {series.complaint}"))
    if job.error is not None:
        show_wrong(literal(f"Ended early: {job.reason}"))
    if not job.is_active:
        if 0 < series.done < panel.wanted:
            done = f"{series.done:,} of {panel.wanted:,} {panel.noun}"
            st.caption(f"{done} so far; what is done is stored.")
        return
    progress = series.progress
    note = "" if series.done else " (the first time ever compiles, up to a minute)"
    show_cancellable(job, f"{panel.name}_cancel", progress.share, f"{progress.text()}{note}")


def show_cancellable(job: Job, name: str, share: float, text: str) -> None:
    """A job's progress, who waits for it, and the button that cancels it for this reader."""
    job.heartbeat(reader())
    job.drop_absent_readers(is_here)
    has_cancelled = job.is_cancelled_by(reader())
    n_others = job.n_readers if has_cancelled else job.n_readers - 1
    waiting = _waiting_text(n_others, keeps_going=has_cancelled)
    with centered_row():
        show_loading(share, text=f"{text}{waiting}")
        key = page.key(name)
        if show_button("Cancel", "stop", key, job.cancel, reader(), disabled=has_cancelled):
            job.wait(0.0 if n_others else 1.0)
            draw_again()


def _waiting_text(n_others: int, *, keeps_going: bool) -> str:
    """Who else waits for a job; ``keeps_going``: only they do."""
    if not n_others:
        return ""
    who = "another reader waits" if n_others == 1 else f"{n_others} other readers wait"
    ending = " and keeps it going" if keeps_going else ""
    return f"; {who} for it{ending}"


def show_search(job: Job[RoundSearch], shown: dict[str, int] | None) -> None:
    """The view's keys, and the round's search; ``shown``: the progress that the view was sent, None
    where none."""
    search = job.work
    with centered_row():
        if search.n_done == len(search.decisions):
            st.caption("Keys: ← → step, ↑ ↓ this seat, N next mistake, ? all of them")
        _show_search_progress(job, shown)


def _show_search_progress(job: Job[RoundSearch], shown: dict[str, int] | None) -> None:
    """The progress of the round's search, and a button that cancels or resumes it."""
    search = job.work
    total = len(search.decisions)
    if shown is not None and job.is_finished:
        draw_again()  # it ended while this run was drawn
    if job.error is not None:
        show_empty(literal(f"Not searched: {job.reason}"), icon="search_off")
        return
    if search.n_done == total:
        return
    if job.is_finished:
        resume = partial(search_jobs().search_round, search.record, search.settings, restart=True)
        show_button("Go on searching", "play_arrow", page.key("go_on"), resume)
        return
    n_shown = shown["done"] if shown else 0

    @st.fragment(run_every=poll_seconds(SEARCH_POLL_SECONDS))
    def progress() -> None:
        note = "" if search.n_done else " (the first search ever compiles, about 15 s)"
        text = f"{search.n_done} of {total} searched{note}"
        show_cancellable(job, "cancel", search.n_done / total, text)
        if search.n_done > n_shown or job.is_finished:
            draw_again()

    progress()


def await_bidders(record: Record, *, is_wanted: bool) -> None:
    """Start the bidders in the background and draw the page again with their answers.

    If the reader doesn't wait for them, only once the browser's timer says the page is drawn."""

    @st.fragment(run_every=poll_seconds(SEARCH_POLL_SECONDS))
    def answers() -> None:
        key = page.key("drawn")
        name = page.get("hand").name
        if not is_wanted and st.session_state.get(key) != name:
            st.session_state[key] = name
            return
        if bid_jobs().start(record).is_finished:
            draw_again()

    answers()
