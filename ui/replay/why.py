"""What the "why this card" panels share: opening on demand, what is hidden, runs under way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from analysis.decisions.decision import Decision
from analysis.runs.jobs import Desk, Job
from spades.belief import Dealing
from spades.core.cards import SEAT_NAMES, SEATS
from spades.core.errors import SpadesError
from spades.core.records import RoundRecord
from ui.replay import state
from ui.replay.search import DEALING_HELP
from ui.replay.steps import bid_at
from ui.replay.why_state import AS_SEARCH, PANEL_DEALINGS
from ui.shared.page import draw_again, literal

if TYPE_CHECKING:
    from analysis.runs.stored_runs import StoredRun

POLL_SECONDS = 0.7
CARDS_ONLY = "A bid is made here, and this is about cards. Step to a play."


@dataclass(frozen=True)
class Here:
    """Where the reader is: round, step, its decision once it is searched, and the view's hands.

    ``step``: as in ``ui.replay.steps``; ``decision`` is None at a bid.
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
        return bid_at(self.step)


def folded(name: str, title: str, icon: str):
    """An expander that a reader opens and the address remembers."""
    return st.expander(
        title,
        expanded=bool(state.get(name)),
        icon=f":material/{icon}:",
        key=state.key(name),
        on_change="rerun",
    )


def show_folded(name: str, title: str, icon: str, draw: Callable[[], None]) -> None:
    """A panel that is drawn, and whose modules are imported, only while it is open."""
    panel = folded(name, title, icon)
    if not panel.open:
        return
    with panel:
        try:
            draw()
        except SpadesError as error:
            st.error(literal(str(error)), icon=":material/block:")


def choose(
    label: str,
    name: str,
    options: tuple,
    *,
    width: int,
    form: Callable[[Any], str] = "{:,}".format,
    told: str | None = None,
) -> Any:
    """One of a panel's choices, which the address remembers by its name."""
    return st.selectbox(
        label,
        options,
        options.index(state.get(name)),
        key=state.key(name),
        format_func=form,
        width=width,
        help=told,
    )


def choose_dealing(name: str) -> Dealing:
    """How a panel's deals are dealt; by default as the search's."""
    of_search = state.settings().dealing
    chosen = choose(
        "Dealt by",
        name,
        PANEL_DEALINGS,
        width=220,
        form=lambda option: (
            f"As the search ({of_search.text()})" if option == AS_SEARCH else option.capitalize()
        ),
        told=f"As the search: as those of the decision table. {DEALING_HELP}",
    )
    return of_search if chosen == AS_SEARCH else Dealing(chosen)


def why_closed(here: Here) -> str:
    """Why there is nothing to show of the decision here; empty if there is."""
    if reason := why_nothing(here):
        return reason
    assert here.decision is not None
    return why_hidden(here, here.decision.seat)


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
class RunControls:
    """One panel's run: its key, how it is made, how many items are wanted.

    ``name`` begins the widgets' keys; ``noun`` is what is counted, ``start`` the button's label,
    empty for a run that starts by itself as its panel is opened.
    """

    name: str
    key: str
    make: Callable[[], StoredRun]
    wanted: int
    noun: str
    start: str


def show_run(
    desk: Desk[StoredRun],
    controls: RunControls,
    draw: Callable[[Sequence[Any], bool], None],
) -> None:
    """The button that starts a run or goes on with it, its progress, and what it has found.

    ``draw`` gets the first items found, as many as are wanted at most, and whether these are all.
    """
    run, job = desk.open(controls.key, controls.make)
    if not controls.start and job is None and run.done < controls.wanted:
        run, job = _start(desk, controls)
    is_running = job is not None and not job.is_finished
    _show_button(desk, controls, run, is_running=is_running)

    @st.fragment(run_every=POLL_SECONDS if is_running else None)
    def live() -> None:
        _show_progress(controls, run, job)
        items = run.items[: controls.wanted]
        if items:
            draw(items, len(items) == controls.wanted)
        if is_running and job is not None and job.is_finished:
            draw_again()  # once more, without the timer

    live()


def _start(desk: Desk[StoredRun], controls: RunControls) -> tuple[StoredRun, Job]:
    return desk.start(controls.key, controls.make, lambda run: run.extend(controls.wanted))


def _show_button(
    desk: Desk[StoredRun], controls: RunControls, run: StoredRun, *, is_running: bool
) -> None:
    if run.done >= controls.wanted or is_running:
        return
    label = f"Go on to {controls.wanted:,}" if run.done else controls.start or "Go on"
    st.button(
        label,
        icon=":material/play_arrow:",
        key=state.key(f"{controls.name}_start"),
        on_click=_start,  # a callback: no other rerun can cut in before it
        args=(desk, controls),
    )


def _show_progress(controls: RunControls, run: StoredRun, job: Job | None) -> None:
    if run.complaint:
        st.warning(literal(f"What is found is not kept: {run.complaint}"))
    if job is not None and job.error is not None:
        reason = job.error if isinstance(job.error, SpadesError) else "it failed"
        st.error(literal(f"Ended early: {reason}"))
    if job is None or job.is_finished:
        if 0 < run.done < controls.wanted:
            st.caption(
                f"{run.done:,} of {controls.wanted:,} {controls.noun} so far; what is done is kept."
            )
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        share = min(1.0, run.done / run.target) if run.target else 0.0
        note = "" if run.done else " (the first time ever compiles, up to a minute)"
        st.progress(share, text=f"{run.progress.text()}{note}")
        # A callback: it runs at once, whatever run the click interrupts.
        if st.button(
            "Stop",
            icon=":material/stop:",
            key=state.key(f"{controls.name}_stop"),
            on_click=job.stop,
        ):
            job.wait(1.0)
            draw_again()
