"""Matches on several pages: the settings of one, its time, its result, its games in Replay."""

import json
from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from analysis.matches import match, running
from analysis.matches.league import known_matches
from analysis.matches.match import DEFAULT_TARGET, MAX_GAMES, MatchPlan
from analysis.matches.result import MatchResult, match_verdict, measure_table, side_texts
from analysis.plots.league import plot_match
from analysis.runs.progress import format_seconds
from analysis.runs.store import ResultStore
from analysis.text_tables import signed, span
from ui.shared import address
from ui.shared.address import Field, PageState
from ui.shared.bar import show_link
from ui.shared.codecs import FLAG, Integer, Optional
from ui.shared.jobs import page_jobs, show_start, start_job
from ui.shared.page import literal
from ui.shared.panel import Panel, show_file
from ui.shared.records import opened
from ui.shared.states import show_partial
from ui.shared.tables import link, number, text
from ui.shared.widgets import centered_row, errors_shown, row

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
    "calibrated to published figures; nobody real played. It also bids for every shipped agent "
    "whose text names no bidder."
)
MAX_POINTS = 1_000_000
SETTINGS = {
    "games": Field(Integer(2, MAX_GAMES), 400),
    "seed": Field(Integer(0, 2**31 - 1), 0),
    "target": Field(Integer(1, MAX_POINTS), DEFAULT_TARGET),
    "floor": Field(Optional(Integer(-MAX_POINTS, -1)), None),
    "nil_only": Field(FLAG, False),
}
"""What a match is set by besides its agents: fields of pages."""
NUMBERS = {
    "games": ("Games", 100, "Of every two agents; even: every deal is played from both sides."),
    "seed": ("Seed", 1, "Deals and chance come from it alone: the same seed, the same games."),
    "target": ("Target", 50, "Points that win the game."),
    "floor": ("Floor", 50, "A side that falls to it loses the game; empty for none."),
}
"""Label, step, what it means."""


def query_of(plan: MatchPlan) -> dict[str, str]:
    """A match as a link to its view says it."""
    said = {"view": "match", "ns": plan.ns, "ew": plan.ew}
    for name, field in SETTINGS.items():
        value = getattr(plan, name)
        if value != field.default:
            said[name] = field.codec_for({}).format(value)
    return said


def show_human_note(*agents: str) -> None:
    """A note if an agent plays or bids as the simulated human, the bidder if none is named."""
    if any("human" in agent or "+" not in agent for agent in agents):
        st.caption(HUMAN_NOTE)


def show_settings(page: PageState) -> None:
    with row():
        for name, (label, step, meaning) in NUMBERS.items():
            page.number(label, name, step=step, width=150, help=meaning, placeholder="none")
        hint = "Deals on which nobody bids nil are thrown in (Whitehouse 2013)."
        page.checkbox("Nil-only", "nil_only", help=hint)


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
    width = 100 * running.half_width(games)
    needed = ", ".join(
        f"for ±{100 * width:.0f} pp {running.games_for(width):,}" for width in (0.05, 0.02, 0.01)
    )
    return (
        f"About {time} on one core, by {source}. {games:,} games give a win rate near 50% a 95% "
        f"interval of ±{width:.1f} pp; games needed: {needed}."
    )


def show_match(result: MatchResult, verdict: str = "") -> None:
    """A match's result; ``verdict``: instead of the one for a set number of games."""
    other = "itself" if result.ns == result.ew else result.ew
    title = literal(f"{result.ns} against {other}")
    panel = Panel(f"match-{result.key}", title, widths=[2, 3])
    panel.answer(literal(verdict or match_verdict(result)))
    if result.win_rate is not None:
        panel.figure(plot_match(result), command=result.command)
    _show_sides(panel, result)
    panel.export(measure_table(result), "numbers")
    if result.fault_lines:
        show_partial("\n\n".join(map(literal, result.fault_lines)))
    show_human_note(*(agent for agent in (result.ns, result.ew) if agent not in result.programs))
    _show_key(result)
    _show_games(result)


def _games_text(result: MatchResult) -> str:
    """How many games and pairs were played, and how many points apart."""
    difference = result.points_difference
    open_games = ""
    if result.undecided:
        open_games = f"; {result.undecided:,} more stayed open after 100 rounds"
    interval = ""
    if difference.interval:
        interval = f" ({span(difference.interval, '+.1f')})"
    apart = ""
    if difference.value is not None:
        apart = f" {signed(difference.value)} points a round{interval} apart."
    return (
        f"{result.decided:,} games decided{open_games}: "
        f"{result.games // 2:,} pairs on common deals, each deal played from both sides.{apart}"
    )


def _show_sides(panel: Panel, result: MatchResult) -> None:
    hint = (
        "Points: bag penalties taken off, interval over pairs. Shares: Clopper and Pearson. "
        "Time: mean over all cards, forced ones too, on the machine that played."
    )
    columns = {
        "measure": text("95% intervals in brackets", hint),
        "ns": result.ns,
        "ew": f"{result.ew} " if result.ns == result.ew else result.ew,  # names must differ
    }
    note = literal(_games_text(result))
    panel.table(side_texts(result), columns, note, is_exported=False)


def _show_key(result: MatchResult) -> None:
    name = f"match-{result.key}.json"
    with centered_row():
        st.markdown(
            f"Key `{result.key}` · {result.games:,} games to {result.variant_text} · "
            f"seed {result.seed} · behaviour `{result.code}`"
        )
        key = f"match_json_{result.key}"
        make = partial(json.dumps, result.document(), indent=1)
        show_file("Result with key (JSON)", make, name, key)
    if command := result.command:
        st.code(command, language="bash", wrap_lines=True)


def _show_games(result: MatchResult) -> None:
    """The first games in Replay: links, or the button that plays them again."""
    name = match.log_name(result.key)
    panel = Panel(f"{name}-games", "Watch a game")
    if match.has_log(result.key):
        _show_links(panel, name)
    elif page_jobs().active(name):
        st.caption("The games are being played again for Replay.")
    elif not result.is_current:
        st.caption("Its agents have changed since: its games can't be played again here.")
    elif not result.is_playable:
        st.caption(
            f"{_whose_code(result)} Where that code is, the command above plays the match again, "
            "and `spades simulate` logs games to watch here."
        )
    else:
        show_start(
            f"Store its first {match.ROUNDS_KEPT} rounds as a log",
            "The games counted above, played again from the seed; whole pairs of games.",
            f"match_store_{result.key}",
            _start_log,
            MatchPlan.of(result),
            result,
            icon="playing_cards",
        )


def _whose_code(result: MatchResult) -> str:
    """Of what code that isn't shipped a match was played."""
    named = ", ".join(f"`{name}` ({version})" for name, version in result.versions.items())
    return f"Played by other people's code, which no page runs: {named}."


def _start_log(plan: MatchPlan, result: MatchResult) -> None:
    title = f"Games of {plan.ns} against {plan.ew} for Replay"
    start_job(title, match.log_name(plan.key), match.store_first_games, plan, result)


@errors_shown()
def _show_links(panel: Panel, name: str) -> None:
    games = match.game_table(opened(name))
    with panel.question:
        show_link("Replay", "Watch from the first round", {"log": name, "round": 0})
        show_link("Data", "The log", {"log": name})
    games.insert(0, "open", [address.replay_link(name, index) for index in games["round"]])
    columns = {
        "open": link("Watch", "Replay"),
        "pair": number("Pair", hint="Both games have its deals."),
        "game": "Game",
        "round": number("First round", hint="Row of the log, from 0."),
        "rounds": "Rounds",
        "fault": text("Fault", hint="The seat that lost the game by one."),
    }
    panel.table(games, columns, height=250)
