"""What Replay's panels share: jobs, what is hidden, series that grow; and stepping by buttons."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import streamlit as st

from analysis.bidding.bid_jobs import BidJobs
from analysis.decisions.background import RoundSearch, SearchJobs
from analysis.decisions.classes import by_class, with_findings
from analysis.decisions.conclusion import Conclusion
from analysis.decisions.decision import PlayDecision, analyse_decision, searched_longer
from analysis.decisions.judge import JUDGE
from analysis.decisions.report import touching
from analysis.decisions.settings import AnalysisSettings, search_key
from analysis.runs.jobs import IDLE_TIMEOUT, NEW, Job
from analysis.runs.registry import JobRegistry
from analysis.runs.series import StoredSeries
from spades.core.cards import SEATS, seat_name
from spades.core.records import Record
from spades.core.rules import Rules
from spades.core.winning import winning_chances
from spades.search import SearchResult
from ui.replay import state
from ui.replay.state import page
from ui.shared.jobs import reader
from ui.shared.page import draw_again, is_here, literal, poll_seconds
from ui.shared.records import DEFAULT_HAND, find_hand
from ui.shared.widgets import errors_shown, show_button

if TYPE_CHECKING:
    from analysis.decisions.evidence import Repeats

POLL_SECONDS = 0.7
SEARCH_POLL_SECONDS = 0.6
SHORT_SECONDS = 0.7  # 100 deals of seven tricks take 0.03 to 0.5
MAX_SERIES = 24
CARDS_ONLY = "A bid is made here, and this is about cards. Step to a play."


@st.cache_resource
def search_jobs() -> SearchJobs:
    """The searches of all visitors of the page; so are the other registries."""
    return SearchJobs()


@st.cache_resource
def series_jobs() -> JobRegistry[StoredSeries]:
    return JobRegistry(search_jobs().scheduler, capacity=MAX_SERIES, idle_timeout=IDLE_TIMEOUT)


@st.cache_resource
def bid_jobs() -> BidJobs:
    return BidJobs()


def warm_up() -> None:
    """Load, or compile, what the first reader needs: the search, then what shows a log's rounds."""
    analyse_decision(find_hand(DEFAULT_HAND), 0, AnalysisSettings())
    import_module("analysis.logs.tables")
    winning_chances(Rules())


@dataclass(frozen=True)
class Here:
    """Where the reader is: round, step (as in `ui.replay.state`), ``view`` (all, own or beliefs),
    and the decision once it is searched; None at a bid. ``conclusion``: the judge's, once it is
    made; ``repeats``: the first search, made many times. ``revealed``: steps at which the reader of
    spoiler mode has looked at what is hidden. ``ply``: cards played; ``bid``: which is to
    be made, 1 to 4, 0 at a play; ``hands``: those open, all or own."""

    record: Record
    step: int
    view: str
    decision: PlayDecision | None = None
    conclusion: Conclusion | None = None
    repeats: "Repeats | None" = None
    revealed: frozenset[int] = frozenset()

    @property
    def is_spoiler(self) -> bool:
        """Whether models, search and bidders are to be hidden here."""
        return bool(page.get("spoiler")) and self.step not in self.revealed

    @property
    def ply(self) -> int:
        return max(self.step, 0)

    @property
    def bid(self) -> int:
        return state.bid_at(self.step)

    @property
    def hands(self) -> str:
        return "all" if self.view == "all" else "own"


def show_folded(name: str, place: str, title: str, icon: str, here: Here) -> None:
    """A panel that is drawn, and whose module is imported, only while it is open."""
    is_open = name in state.WIDGETS and bool(page.get(name))
    look = {"icon": f":material/{icon}:", "key": page.key(name), "on_change": "rerun"}
    panel = st.expander(title, expanded=is_open, **look)
    module, _, draw = place.partition(".")
    with panel:
        if panel.open:
            with errors_shown():
                getattr(import_module(f"ui.replay.{module}"), draw)(here)


def longest_searched(
    found: Sequence[PlayDecision | None], record: Record, settings: AnalysisSettings
) -> list[PlayDecision | None]:
    """A round's decisions, each by the longest search of it that this reader has asked for."""
    kept = st.session_state.get(page.key("longer"))
    if not kept:
        return list(found)
    key = search_key(record, settings)
    return [kept.get((key, ply), decision) for ply, decision in enumerate(found)]


def keep_longer(here: Here, settings: AnalysisSettings, result: SearchResult) -> None:
    """Have the table and the verdict show a finished search of this decision, if it is longer."""
    if here.decision is None or result.iterations <= here.decision.search.iterations:
        return
    kept = st.session_state.setdefault(page.key("longer"), {})
    place = (search_key(here.record, settings), here.ply)
    kept[place] = searched_longer(here.decision, result)
    draw_again()


def open_decision(here: Here) -> PlayDecision | None:
    reason = why_nothing(here)
    if not reason and here.decision is not None:
        reason = why_hidden(here, here.decision.seat)
    if reason:
        st.caption(reason)
        return None
    return here.decision


def judged_decision(here: Here) -> PlayDecision | None:
    """``open_decision`` with equivalent cards as one, by all searches that were made of it."""
    decision = open_decision(here)
    if decision is None:
        return None
    return by_class(with_findings(decision, here.conclusion, here.repeats))


def apart_from_conclusion(here: Here, card: str, why: str) -> None:
    """Say why a panel's best card isn't the judge's; nothing where it is, or may be."""
    conclusion = here.conclusion
    if conclusion is None:
        return
    possible = (*conclusion.open, *conclusion.within)
    if all(card not in found.cards for found in possible):
        best = touching(conclusion.class_of(card))
        first = touching(conclusion.best)
        st.caption(f"Here {best} comes first, in the conclusion of {JUDGE} {first}: {why}")


def why_nothing(here: Here) -> str:
    """Why no card is chosen here; empty where one is, and it is searched."""
    if here.bid:
        return CARDS_ONLY
    if here.ply >= len(here.record.plays):
        return "No play is left here. Step back to a decision."
    if here.decision is None:
        return "This decision is not searched yet."
    return "Only one card is legal here: nothing to choose." if here.decision.is_forced else ""


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
    """One panel's series: its key, how it is made, how many items are wanted, what draws them.

    ``name`` begins the widgets' keys; ``noun`` is what is counted, ``start`` the button's label,
    empty for a series that starts by itself as its panel is opened. ``draw`` gets the first items,
    as many as are wanted at most, and how many were wanted, 0 if these are all.
    """

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
    """The button that starts or resumes a series, its progress, and its items; a click draws no
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
        st.warning(literal(f"These results are not stored: {series.complaint}"))
    if job.error is not None:
        st.error(literal(f"Ended early: {job.reason}"))
    if not job.is_active:
        if 0 < series.done < panel.wanted:
            done = f"{series.done:,} of {panel.wanted:,} {panel.noun}"
            st.caption(f"{done} so far; what is done is stored.")
        return
    progress = series.progress
    note = "" if series.done else " (the first time ever compiles, up to a minute)"
    show_cancellable(job, f"{panel.name}_cancel", progress.share, f"{progress.text()}{note}")


def show_cancellable(job: Job, name: str, share: float, text: str) -> None:
    """How far a job is, who waits for it, and the button that cancels it for this reader."""
    job.heartbeat(reader())
    job.drop_absent_readers(is_here)
    has_cancelled = job.is_cancelled_by(reader())
    n_others = job.n_readers
    if not has_cancelled:
        n_others -= 1
    waiting = _waiting_text(n_others, keeps_going=has_cancelled)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(share, text=f"{text}{waiting}")
        key = page.key(name)
        if show_button("Cancel", "stop", key, job.cancel, reader(), disabled=has_cancelled):
            job.wait(0.0 if n_others else 1.0)
            draw_again()


def _waiting_text(n_others: int, *, keeps_going: bool) -> str:
    """Who else waits for a job; ``keeps_going``: only they do."""
    if not n_others:
        return ""
    who = "another reader waits" if n_others == 1 else f"{n_others} other readers wait"
    if keeps_going:
        return f"; {who} for it and keeps it going"
    return f"; {who} for it"


def show_stepping(
    step: int, move: Callable, job: Job[RoundSearch], shown: dict[str, int] | None
) -> None:
    """Plain buttons for touch, screen readers and tests (the view has keys of its own), and how far
    the round's search is; ``shown``: the progress that the view was sent, None where none."""
    search = job.work
    record = search.record
    first = state.first_step(record.has_bids)
    back, on = ("bid" if is_bid else "play" for is_bid in (first < step <= 0, step < -1))
    buttons = (
        (f"Previous {back}", "chevron_left", page.key("previous"), -1, step <= first),
        (f"Next {on}", "chevron_right", page.key("next"), 1, step >= len(record.plays)),
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for label, icon, key, steps, is_end in buttons:
            show_button(label, icon, key, move, steps, disabled=is_end)
        if search.n_done == len(search.decisions):
            st.caption("Keys: ← → step, ↑ ↓ this seat, N next disagreement, ? all of them")
        _show_search_progress(job, shown)
        _show_second_opinion()


def _show_second_opinion() -> None:
    key, agents = page.key("second"), page.get("agents")
    st.session_state[key] = state.SECOND in agents
    hint = f"A column by `{state.SECOND}`, the strongest search found and the judge of every "
    hint += "decision, beside the published baseline: what its own searches visit. Arena shows "
    hint += "what it is made of; other agents are under Search."
    is_full = len(agents) >= state.MAX_AGENTS and state.SECOND not in agents
    st.toggle("Second opinion", key=key, help=hint, on_change=_switch_second, disabled=is_full)


def _switch_second() -> None:
    others = [agent for agent in page.get("agents") if agent != state.SECOND]
    is_wanted = st.session_state[page.key("second")]
    page.put("agents", [state.SECOND, *others] if is_wanted else others)


def _show_search_progress(job: Job[RoundSearch], shown: dict[str, int] | None) -> None:
    """What the round's search is doing while it isn't done, with a button that cancels it."""
    search = job.work
    total = len(search.decisions)
    if shown is not None and job.is_finished:
        draw_again()  # it ended while this run was drawn
    if job.error is not None:
        st.info(literal(f"Not searched: {job.reason}"), icon=":material/search_off:")
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

    Where nobody waits for them, not before the browser's timer says that the page is on screen."""

    @st.fragment(run_every=poll_seconds(SEARCH_POLL_SECONDS))
    def answers() -> None:
        drawn, name = page.key("drawn"), page.get("hand").name
        if not is_wanted and st.session_state.get(drawn) != name:
            st.session_state[drawn] = name
            return
        if bid_jobs().start(record).is_finished:
            draw_again()

    answers()
