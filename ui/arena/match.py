"""The Arena page's values; one match: its result, key and games."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from analysis.decisions import judges
from analysis.matches import match, running
from analysis.matches.league import known_matches
from analysis.matches.match import DEFAULT_TARGET, MAX_GAMES, USUAL_AGENTS, MatchPlan
from analysis.matches.result import MatchResult, match_verdict, measure_table, side_texts
from analysis.plots.league import plot_match, plot_standings
from analysis.runs.progress import format_seconds
from analysis.runs.store import ResultStore
from analysis.text_tables import span
from spades.agents import BIDDERS, PLAYERS
from spades.agents.document import summary
from spades.core.options import options_of
from ui.shared import address
from ui.shared.address import Field
from ui.shared.bar import show_link
from ui.shared.codecs import FLAG, TEXT, Choice, Integer, Optional, Several
from ui.shared.jobs import WORKERS, page_jobs, show_start, start_asked, start_job
from ui.shared.page import literal
from ui.shared.records import opened
from ui.shared.tables import link, number, show_download, show_file, show_frame, show_table, text
from ui.shared.widgets import centered_row, errors_shown, row, show_chart, show_info, show_note

PRESETS = (
    "random",
    "human",
    "wrp",
    "srp",
    "srp+bis",
    "srp+rb",
    "srp+ms",
    "srp+io",
    "srp+kb",
    "human+bis",
    "ismcts:iterations=500",
    "ismcts:iterations=2500",
    "ismcts:iterations=2500+bis",
    "uct:iterations=1000",
    "best+bis",
)
HUMAN_NOTE = (
    ":material/smart_toy: *human* is the **simulated human**: Devlin's published model with bids "
    "calibrated to published figures; nobody real played. It also bids for every agent whose text "
    "names no bidder."
)
MAX_POINTS = 1_000_000
SETTINGS = ("games", "seed", "target", "floor", "nil_only")
"""What a match is set by besides its agents."""
NUMBERS = {
    "games": ("Games", 100, "Of every two agents; even: every deal is played from both sides."),
    "seed": ("Seed", 1, "Deals and chance come from it alone: the same seed, the same games."),
    "target": ("Target", 50, "Points that win the game."),
    "floor": ("Floor", 50, "A side that falls to it loses the game; empty for none."),
}
"""Label, step, what it means."""
SHOWN = {
    "match": ("view", "ns", "ew", *SETTINGS, "until"),
    "league": ("view", "league", "match", "turned", "chart", "agents", *SETTINGS),
    "best": ("view",),
    "judges": ("view", "stratum"),
}
VIEWS = {"league": "League", "match": "Match", "best": "Best", "judges": "Judges"}


def strata_shown() -> list[str]:
    """The groups of decisions by which judges are compared."""
    found = judges.measured()
    return judges.strata(found) if found else ["all"]


page = address.PageState(
    "arena",
    {
        "view": Field(Choice(VIEWS), "league"),
        "stratum": Field(Choice(strata_shown), "all"),
        "ns": Field(TEXT, "srp+bis"),
        "ew": Field(TEXT, "srp+rb"),
        "games": Field(Integer(2, MAX_GAMES), 400),
        "seed": Field(Integer(0, 2**31 - 1), 0),
        "target": Field(Integer(1, MAX_POINTS), DEFAULT_TARGET),
        "floor": Field(Optional(Integer(-MAX_POINTS, -1)), None),
        "nil_only": Field(FLAG, False),
        "until": Field(Choice(running.RULES), running.ALL),
        "agents": Field(Several(TEXT, "|"), list(USUAL_AGENTS)),
        "league": Field(TEXT, ""),
        "match": Field(TEXT, ""),
        "turned": Field(FLAG, False),
        "chart": Field(Choice({"wins": "Win rates", "points": "Points a round"}), "wins"),
    },
)
ANCHOR = "the-match"
PART_COLUMNS = {
    "part": text("Part", width="small"),
    "name": text("Name", width="small"),
    "what it is": text("What it is", width="large"),
    "options": text("Options and defaults", width="large"),
}
POLL_SECONDS = 1.5  # while a match is played


def settings() -> dict[str, Any]:
    """The form's settings; ``SpadesError`` for an illegal number."""
    return page.asked(*SETTINGS)


def asked_plan() -> MatchPlan:
    """The form's match; ``SpadesError`` says what would be legal."""
    return MatchPlan(page.get("ns"), page.get("ew"), **settings())


def open_match(plan: MatchPlan) -> None:
    """Show a match in the view of single matches; a callback."""
    page.put("view", "match")
    for name in ("ns", "ew", *SETTINGS):
        page.put(name, getattr(plan, name))


def show_human_note(*agents: str) -> None:
    """A note if an agent plays or bids as the simulated human, the bidder if none is named."""
    if any("human" in agent or "+" not in agent for agent in agents):
        st.caption(HUMAN_NOTE)


def show() -> None:
    hint = (
        "Choose one, or type PLAYER:option=value,...+BIDDER:option=value,... as in "
        "`ismcts:iterations=1000+bis:threshold=20`, and press Enter."
    )
    first, second = st.columns(2)
    with first:
        page.select("Agent", "ns", PRESETS, accept_new_options=True, help=hint)
    with second:
        page.select("against", "ew", PRESETS, accept_new_options=True, help=hint)
    show_settings()
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
            show_match(result)
    _show_legal_parts()


def show_settings() -> None:
    with row():
        for name, (label, step, meaning) in NUMBERS.items():
            page.number(label, name, step=step, width=150, help=meaning, placeholder="none")
        hint = "Deals on which nobody bids nil are thrown in (Whitehouse 2013)."
        page.checkbox("Nil-only", "nil_only", help=hint)


def _show_legal_parts() -> None:
    with st.expander("What an agent can be", icon=":material/list:"):
        st.markdown(
            "`PLAYER[:option=value,...][+BIDDER[:option=value,...]]`: the player plays the cards, "
            "the bidder bids; both sit in both seats of a partnership. " + HUMAN_NOTE
        )
        rows = _rows_of_parts("player", PLAYERS) + _rows_of_parts("bidder", BIDDERS)
        show_frame(pd.DataFrame(rows), PART_COLUMNS)


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


@st.cache_data(max_entries=2, show_spinner=False)
def stored_matches(stamp: tuple[str, int, float]) -> tuple[pd.DataFrame, list[str]]:
    """(all matches, what is wrong with others); ``stamp`` changes when there is a new one."""
    wrong: list[str] = []
    return known_matches(wrong), wrong


def estimate(plans: Sequence[MatchPlan], share: float = 1.0) -> str:
    """How long these take and how exact they are; ``share`` of their games is to be played."""
    known, _ = stored_matches(ResultStore().stamp(match.MATCH))
    total = 0.0
    sources = []
    with st.spinner("Timing a few games (the first time compiles) ..."):
        for plan in plans:
            seconds, source = running.expected_time(plan, known)
            total += seconds
            sources.append(source)
    time = format_seconds(max(1.0, share * total))
    source = " and ".join(dict.fromkeys(sources))
    games = plans[0].games
    width = running.half_width(games)
    needed = ", ".join(f"±{w:.0%} {running.games_for(w):,}" for w in (0.05, 0.02, 0.01))
    return (
        f"About {time} on one core, by {source}. {games:,} games give a win rate near 50% a 95% "
        f"interval of ±{width:.1%}; games needed: {needed}."
    )


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
    notes.append(estimate([plan], 1 - n_stored / plan.games))
    if until != running.ALL:
        notes.append("At most that: the rule may end it earlier.")
    notes.append("Resumable.")
    show_start(
        "Go on" if n_stored else "Play the match",
        " ".join(notes),
        "arena_play",
        start_asked,
        asked_plan,
        start_match,
        type="primary",
    )


def _show_standings(plan: MatchPlan, standings: running.Standings) -> None:
    standing = standings.update()
    if standing:
        show_note(f"So far: {running.standing_text(plan, standing)}")
        _show_curve(plan, standings)
    elif page_jobs().active(plan.key):
        show_info("This match is being played; its result appears here.", "timer")


def _show_curve(plan: MatchPlan, standings: running.Standings) -> None:
    figure = plot_standings(standings.all, plan.ns)
    show_chart(figure, f"arena_standing_{plan.key}", "standing")


def _show_ended(plan: MatchPlan, standings: running.Standings) -> None:
    """A match that its rule has ended, or that was played to its last game."""
    standing = standings.all[-1]
    result = match.stored_match(dataclasses.replace(plan, games=standing.games))
    assert result is not None
    how = f"ended by its rule after {standing.games:,} of {plan.games:,} games"
    if not standing.is_over:
        how = f"all {plan.games:,} games played, its rule was never met"
    show_match(result, running.sequential_verdict(plan, standing))
    _show_curve(plan, standings)
    show_note(
        f"The match {how}. The verdict's interval holds at every look; those of chart and table "
        "are a little too narrow where a rule stops a match."
    )


def start_match(plan: MatchPlan) -> None:
    title = f"{plan.ns} against {plan.ew}"
    games = f"{plan.games:,} games"
    until = page.get("until")
    if until == running.ALL:
        start_job(f"{title}, {games}", plan.key, match.play_match, plan, workers=WORKERS)
        return
    title = f"{title}, up to {games}"
    start_job(title, plan.key, running.play_until, plan, until, workers=WORKERS)


def show_match(result: MatchResult, verdict: str = "") -> None:
    """A match's result; ``verdict``: instead of the one for a set number of games."""
    other = "itself" if result.ns == result.ew else result.ew
    st.subheader(literal(f"{result.ns} against {other}"), anchor=ANCHOR)
    st.markdown(f"**{literal(verdict or match_verdict(result))}**")
    chart, sides = st.columns([2, 3], gap="medium")
    with chart:
        _show_chart(result)
    with sides:
        _show_sides(result)
    show_human_note(result.ns, result.ew)
    _show_key(result)
    _show_games(result)


def _show_chart(result: MatchResult) -> None:
    if result.win_rate is not None:
        show_chart(plot_match(result), f"arena_rate_{result.key}", f"match-{result.key}")
    difference = result.points_difference
    open_games = ""
    if result.undecided:
        open_games = f"; {result.undecided:,} more stayed open after 100 rounds"
    interval = ""
    if difference.interval:
        interval = f" [{span(difference.interval, '+.1f')}]"
    show_note(
        f"{result.decided:,} games decided{open_games}: "
        f"{result.games // 2:,} pairs on common deals, each deal played from both sides. "
        f"{difference.value:+.1f} points a round{interval} apart."
    )


def _show_sides(result: MatchResult) -> None:
    hint = (
        "Points: bag penalties taken off, interval over pairs. Shares: Clopper and Pearson. "
        "Time: mean over all cards, forced ones too, on the machine that played."
    )
    columns = {
        "measure": text("95% intervals in brackets", hint),
        "ns": result.ns,
        "ew": f"{result.ew} " if result.ns == result.ew else result.ew,  # names must differ
    }
    show_frame(side_texts(result), columns)
    show_download(measure_table(result), f"match-{result.key}", "Numbers (CSV)")


def _show_key(result: MatchResult) -> None:
    name = f"match-{result.key}.json"
    with centered_row():
        st.markdown(
            f"Key `{result.key}` · {result.games:,} games to {result.variant_text} · "
            f"seed {result.seed} · behaviour `{result.code}`"
        )
        key = f"arena_json_{result.key}"
        make = partial(json.dumps, result.document(), indent=1)
        show_file("Result with key (JSON)", make, name, key)
    if command := result.command:
        st.code(command, language="bash", wrap_lines=True)


def _show_games(result: MatchResult) -> None:
    """The first games in Replay: links, or the button that plays them again."""
    st.markdown("**Watch a game**")
    name = match.log_name(result.key)
    if match.has_log(result.key):
        _show_links(name)
    elif page_jobs().active(name):
        st.caption("The games are being played again for Replay.")
    elif not result.is_current:
        st.caption("Its agents have changed since: its games can't be played again here.")
    else:
        show_start(
            f"Store its first {match.ROUNDS_KEPT} rounds as a log",
            "The games counted above, played again from the seed; whole pairs of games.",
            f"arena_store_{result.key}",
            _start_log,
            MatchPlan.of(result),
            result,
            icon="playing_cards",
        )


def _start_log(plan: MatchPlan, result: MatchResult) -> None:
    title = f"Games of {plan.ns} against {plan.ew} for Replay"
    start_job(title, match.log_name(plan.key), match.store_first_games, plan, result)


@errors_shown()
def _show_links(name: str) -> None:
    games = match.game_table(opened(name))
    with st.container(horizontal=True):
        show_link("Replay", "Watch from the first round", {"log": name, "round": 0})
        show_link("Data", "The log", {"log": name})
    games.insert(0, "open", [address.replay_link(name, index) for index in games["round"]])
    columns = {
        "open": link("Watch", "Replay"),
        "pair": number("Pair", hint="Both games have its deals."),
        "game": "Game",
        "round": number("First round", hint="Row of the log, from 0."),
        "rounds": "Rounds",
    }
    show_table(games, f"{name}-games", columns, height=250)
