"""One match: its form, its games as they are played, its result."""

import dataclasses
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from analysis.matches import match, running
from analysis.matches.match import MATCH, MatchPlan
from analysis.plots.league import plot_standings
from analysis.runs.store import ResultStore
from spades.agents import BIDDERS, PLAYERS
from spades.agents.document import summary
from spades.core.options import options_of
from ui.shared import matches
from ui.shared.agents import agent_label, offered
from ui.shared.jobs import page_jobs, show_jobs, show_start, start_asked, start_tasks
from ui.shared.matches import HUMAN_NOTE, PRESETS, SETTINGS
from ui.shared.page import literal
from ui.shared.panel import Panel
from ui.shared.states import show_empty
from ui.shared.tables import text
from ui.shared.widgets import errors_shown
from ui.tune.state import page

PART_COLUMNS = {
    "part": text("Part", width="small"),
    "name": text("Name", width="small"),
    "what it is": text("What it is", width="large"),
    "options": text("Options and defaults", width="large"),
}
POLL_SECONDS = 1.5  # while a match is played


def asked_plan() -> MatchPlan:
    """The form's match; ``SpadesError`` says what would be legal."""
    return MatchPlan(page.get("ns"), page.get("ew"), **page.asked(*SETTINGS))


def show() -> None:
    show_jobs("tune", made=lambda: ResultStore().stamp(MATCH))
    first, second = st.columns(2)
    with first:
        _select_agent("Agent", "ns")
    with second:
        _select_agent("Against", "ew")
    matches.show_settings(page)
    hint = (
        "The rule's interval holds at all times: between equal agents it stops at most 5% of all "
        "matches wrongly. Such a match doesn't enter the league."
    )
    page.select("The match ends when", "until", width=420, help=hint)
    with errors_shown():
        plan = asked_plan()
        until = page.get("until")
        result = match.stored_match(plan) if until == running.ALL else None
        if result is None:
            _show_open(plan, until)
        else:
            matches.show_match(result)
    _show_legal_parts()


def _select_agent(label: str, name: str) -> None:
    hint = (
        "Choose one, or type PLAYER:option=value,...+BIDDER:option=value,... as in "
        "`ismcts:iterations=1000+bis:threshold=20`, and press Enter."
    )
    page.select(
        label,
        name,
        offered(PRESETS),
        format_func=agent_label,
        accept_new_options=True,
        help=hint,
    )


def _show_legal_parts() -> None:
    with st.expander("What an agent can be", icon=":material/list:"):
        st.markdown(
            "`PLAYER[:option=value,...][+BIDDER[:option=value,...]]`: the player plays the cards, "
            "the bidder bids; both sit in both seats of a partnership. " + HUMAN_NOTE
        )
        rows = _rows_of_parts("player", PLAYERS) + _rows_of_parts("bidder", BIDDERS)
        Panel("agent-parts").table(pd.DataFrame(rows), PART_COLUMNS)


def _rows_of_parts(role: str, kinds: Mapping[str, type]) -> list[dict[str, str]]:
    rows = []
    for name, kind in kinds.items():
        options = options_of(kind).values()
        defaults = [f"{option.name}={option.format(option.default)}" for option in options]
        rows.append(
            {
                "part": role,
                "name": name,
                "what it is": summary(kind),
                "options": ", ".join(defaults),
            }
        )
    return rows


def _show_open(plan: MatchPlan, until: str) -> None:
    """A match that isn't complete, or that a rule ends."""
    is_active = page_jobs().active(plan.key) is not None
    standings = running.Standings(plan, until)

    @st.fragment(run_every=POLL_SECONDS if is_active else None)
    def show_standings() -> None:
        _show_standings(plan, standings)

    standing = standings.update()
    if standing and (standings.is_over or standing.games == plan.games):
        _show_ended(plan, standings)
    elif is_active:
        show_standings()
    else:
        _show_play_button(plan, until)
        show_standings()


def _show_play_button(plan: MatchPlan, until: str) -> None:
    n_stored = match.stored_games(plan)
    notes = []
    if n_stored:
        notes.append(f"{n_stored:,} of its {plan.games:,} games are in the store.")
    notes.append(matches.estimate([plan], 1 - n_stored / plan.games))
    if until != running.ALL:
        notes.append("At most that: the rule may end it earlier.")
    notes.append("Resumable.")
    show_start(
        "Go on" if n_stored else "Play the match",
        " ".join(notes),
        "match_play",
        start_asked,
        asked_plan,
        start_match,
        type="primary",
    )


def _show_standings(plan: MatchPlan, standings: running.Standings) -> None:
    standing = standings.update()
    if standing:
        panel = Panel("standing")
        panel.answer(literal(f"So far: {running.standing_text(plan, standing)}"))
        panel.figure(plot_standings(standings.all, plan.ns))
    elif page_jobs().active(plan.key):
        show_empty("This match is being played; its result appears here.", "timer")


def _show_ended(plan: MatchPlan, standings: running.Standings) -> None:
    """A match that its rule has ended, or that was played to its last game."""
    standing = standings.all[-1]
    result = match.stored_match(dataclasses.replace(plan, games=standing.games))
    assert result is not None
    how = f"ended by its rule after {standing.games:,} of {plan.games:,} games"
    if not standing.is_over:
        how = f"all {plan.games:,} games played, its rule was never met"
    matches.show_match(result, running.sequential_verdict(plan, standing))
    reading = (
        f"The match {how}. The verdict's interval holds at every look; those of chart and table "
        "are a little too narrow where a rule stops a match."
    )
    Panel("standing").figure(plot_standings(standings.all, plan.ns), literal(reading))


def start_match(plan: MatchPlan) -> None:
    title = f"{plan.ns} against {plan.ew}"
    games = f"{plan.games:,} games"
    until = page.get("until")
    if until == running.ALL:
        start_tasks(f"{title}, {games}", plan.key, match.play_match, plan)
        return
    title = f"{title}, up to {games}"
    start_tasks(title, plan.key, running.play_until, plan, until)
