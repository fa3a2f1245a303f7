"""What the panels below the table share: opening on demand, what is hidden, runs under way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from analysis.bidding.desk import BidDesk
from analysis.decisions.decision import Decision
from analysis.decisions.searching import SearchDesk
from analysis.runs.jobs import Desk, Job
from spades.core.cards import SEAT_NAMES, SEATS
from spades.core.errors import SpadesError
from spades.core.records import RoundRecord
from ui.replay import state
from ui.shared.page import draw_again, literal
from ui.shared.widgets import show_error

if TYPE_CHECKING:  # imported once somebody opens a panel that needs it
    from analysis.runs.jobs import StoredRun

POLL_SECONDS = 0.7
MAX_RUNS = 24
CARDS_ONLY = "A bid is made here, and this is about cards. Step to a play."


@st.cache_resource
def search_desk() -> SearchDesk:
    """What searches for every visitor of the page; so do the other desks."""
    return SearchDesk()


@st.cache_resource
def run_desk() -> Desk[StoredRun]:
    return Desk(search_desk().turns, MAX_RUNS)


@st.cache_resource
def bid_desk() -> BidDesk:
    return BidDesk()


@dataclass(frozen=True)
class Here:
    """Where the reader is: round, step, its decision once it is searched, and the view's hands.

    ``step``: as in `ui.replay.state`; ``decision`` is None at a bid.
    """

    record: RoundRecord
    step: int
    decision: Decision | None
    view: str

    @property
    def ply(self) -> int:
        """Cards played so far."""
        return max(self.step, 0)

    @property
    def bid(self) -> int:
        """Which bid is to be made, 1 to 4; 0 at a play."""
        return state.bid_at(self.step)


def show_folded(name: str, title: str, icon: str, draw: Callable[[], None]) -> None:
    """A panel that is drawn, and whose modules are imported, only while it is open."""
    panel = st.expander(
        title,
        expanded=name in state.WIDGETS and bool(state.get(name)),
        icon=f":material/{icon}:",
        key=state.key(name),
        on_change="rerun",
    )
    if not panel.open:
        return
    with panel:
        try:
            draw()
        except SpadesError as error:
            show_error(error)


def open_decision(here: Here) -> Decision | None:
    """The decision here if there is one to show; else a caption says why not."""
    reason = why_nothing(here)
    if not reason and here.decision is not None:
        reason = why_hidden(here, here.decision.seat)
    if reason:
        st.caption(reason)
        return None
    return here.decision


def why_nothing(here: Here) -> str:
    """Why no card is chosen here; empty where one is, and it is searched."""
    if here.bid:
        return CARDS_ONLY
    if here.ply >= len(here.record.plays):
        return "No play is left here. Step back to a decision."
    if here.decision is None:
        return "This decision is not searched yet."
    if here.decision.is_forced:
        return "Only one card is legal here: nothing to choose."
    return ""


def why_hidden(here: Here, seat: int) -> str:
    """Why the reader may not see what this seat knows; empty if nothing forbids it."""
    if state.get("spoiler"):
        return "Hidden in spoiler mode."
    if here.view == "own" and state.get("seat") not in ("mover", SEATS[seat]):
        return f"{SEAT_NAMES[SEATS[seat]]} decides here, and those cards are hidden."
    return ""


def is_truth_shown(here: Here) -> bool:
    """Whether the reader sees all four hands, so that a panel may show them too."""
    return here.view != "own" and not state.get("spoiler")


@dataclass(frozen=True)
class PanelRun:
    """One panel's run: its key, how it is made, how many items are wanted, what draws them.

    ``name`` begins the widgets' keys; ``noun`` is what is counted, ``start`` the button's label,
    empty for a run that starts by itself as its panel is opened. ``draw`` gets the first items
    found, as many as are wanted at most, and how many were wanted, 0 if these are all.
    """

    name: str
    key: str
    make: Callable[[], StoredRun]
    draw: Callable[[Sequence[Any], int], None]
    wanted: int
    noun: str
    start: str = ""

    def begin(self) -> tuple[StoredRun, Job]:
        return run_desk().start(self.key, self.make, lambda run: run.extend(self.wanted))


def show_run(panel: PanelRun) -> None:
    """The button that starts a run or goes on with it, its progress, and what it has found."""
    run, job = run_desk().open(panel.key, panel.make)
    if not panel.start and job is None and run.done < panel.wanted:
        run, job = panel.begin()
    is_running = job is not None and not job.is_finished
    if run.done < panel.wanted and not is_running:
        st.button(
            f"Go on to {panel.wanted:,}" if run.done else panel.start or "Go on",
            icon=":material/play_arrow:",
            key=state.key(f"{panel.name}_start"),
            on_click=panel.begin,  # a callback: no other rerun can cut in before it
        )

    @st.fragment(run_every=POLL_SECONDS if is_running else None)
    def live() -> None:
        _show_progress(panel, run, job)
        items = run.items[: panel.wanted]
        if items:
            panel.draw(items, 0 if len(items) == panel.wanted else panel.wanted)
        if is_running and job is not None and job.is_finished:
            draw_again()  # once more, without the timer

    live()


def _show_progress(panel: PanelRun, run: StoredRun, job: Job | None) -> None:
    if run.complaint:
        st.warning(literal(f"What is found is not stored: {run.complaint}"))
    if job is not None and job.error is not None:
        reason = job.error if isinstance(job.error, SpadesError) else "it failed"
        st.error(literal(f"Ended early: {reason}"))
    if job is None or job.is_finished:
        if 0 < run.done < panel.wanted:
            done = f"{run.done:,} of {panel.wanted:,} {panel.noun}"
            st.caption(f"{done} so far; what is done is stored.")
        return
    share = min(1.0, run.done / run.target) if run.target else 0.0
    note = "" if run.done else " (the first time ever compiles, up to a minute)"
    show_stoppable(job, panel.name, share, f"{run.progress.text()}{note}")


def show_stoppable(job: Job, name: str, share: float, text: str) -> None:
    """How far a job is, and the button that stops it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(share, text=text)
        # A callback: it runs at once, whatever run the click interrupts.
        key = state.key(f"{name}_stop" if name else "stop")
        if st.button("Stop", icon=":material/stop:", key=key, on_click=job.stop):
            job.wait(1.0)
            draw_again()
