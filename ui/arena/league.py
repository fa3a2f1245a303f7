"""The league: ratings, who beats whom, the matches behind, and the round robin that fills it."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from analysis.matches.documents import is_current, turned_document
from analysis.matches.league import (
    League,
    Variant,
    known_matches,
    league_of,
    longest_of_seeds,
    matches_of,
    variants,
)
from analysis.matches.match import MATCH, MatchPlan, RoundRobin, expected_seconds, play_round_robin
from analysis.matches.shipped_league import result_by_key
from analysis.plots.league import is_sparse, plot_points, plot_shares, plot_win_rates
from analysis.runs.parts import format_seconds
from analysis.runs.store import ResultStore
from spades.core.errors import SpadesError
from ui.arena import state
from ui.arena.controls import HUMAN_NOTE, PRESETS, show_settings, uses_simulated_human
from ui.arena.match import show_match, start_match
from ui.shared.jobs import WORKERS, job_book, start_job
from ui.shared.tables import count, ends, number, percent, show_download, show_table
from ui.shared.widgets import (
    clicked_data,
    new_click,
    row,
    select,
    select_several,
    show_chart,
    show_error,
    show_info,
    show_note,
    show_view_control,
)

QUICK_PAIRS = (("srp+bis", "srp+rb"), ("srp", "wrp"), ("human", "random"))
SHARES_HELP = (
    "Share of the decided games that each agent won against those it met, with Clopper and "
    "Pearson's 95 % interval; dotted: even odds. Click a dot for one of its matches."
)
WINS_HELP = (
    "Per cent of the decided games that the agent of the row won against the agent of the column, "
    "all seeds together; blue wins, orange loses; intervals on hover. Click a cell for its match."
)
DRAW = {"wins": plot_win_rates, "points": plot_points}


def show() -> None:
    """The league chosen, or what to do where there is none."""
    matches = _matches(ResultStore().stamp(MATCH))
    variant = _choose_league(matches)
    mine = longest_of_seeds(matches_of(matches, variant))
    _show_round_robin(is_open=mine.empty)
    if mine.empty:
        _show_empty()
        return
    found = league_of(matches, variant)
    if not variant.is_current:
        st.warning(
            "These agents decided otherwise then: the matches are not mixed with today's, and "
            "their games can't be watched.",
            icon=":material/history:",
        )
    _show_league(found, mine, variant)
    _show_chosen(mine, found)


@st.cache_data(max_entries=2, show_spinner=False)
def _matches(stamp: tuple[str, int, float]) -> pd.DataFrame:
    """``stamp``: changes when there is a new match."""
    return known_matches()


def asked_variant() -> Variant:
    """The league that the settings' matches belong to; the default rules' if they are refused."""
    try:
        plan = MatchPlan("human", "human", 2, target=state.get("target"), floor=state.get("floor"))
    except SpadesError:
        return Variant.of()
    return Variant.of(plan.full_rules, nil_only=state.get("nil_only"))


def _choose_league(matches: pd.DataFrame) -> Variant:
    asked, stored = asked_variant(), variants(matches)
    known = {variant.name: variant for variant in (*stored, asked)}
    wanted = state.get("league")
    if wanted not in known:
        if wanted:
            state.complain(
                f"The link says league={wanted[:40]}; there is: {', '.join(known)}. Shown: "
                f"{next(iter(known))}."
            )
        is_stored = asked in stored or not stored
        state.put("league", asked.name if is_stored else next(iter(known)))
    name = select(
        "League",  # without counts: labels must not change while matches are played
        {name: variant.label for name, variant in known.items()},
        state.key("league"),
        help="Matches by the same rules, of agents that still play as they did. Earlier ones are "
        "listed apart.",
    )
    n = len(matches_of(matches, known[name]))
    st.caption(f"{'1 match' if n == 1 else f'{n:,} matches'} by these rules.")
    return known[name]


def _show_round_robin(*, is_open: bool) -> None:
    with st.expander("Run a round robin", expanded=is_open, icon=":material/autorenew:"):
        select_several(
            "Agents",
            dict.fromkeys([*PRESETS, *state.get("agents")]).keys(),
            state.key("agents"),
            accept_new_options=True,
            help="Every agent meets every other. Choose, or type any agent's text.",
        )
        show_settings()
        try:
            robin = state.robin()
        except SpadesError as error:
            show_error(error)
            return
        _show_start(robin)


def _show_start(robin: RoundRobin) -> None:
    seconds = sum(map(expected_seconds, robin.plans))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Run the round robin",
            type="primary",
            icon=":material/play_arrow:",
            key="arena_robin",
            disabled=job_book().under_way(robin.key) is not None,
            on_click=_run,
            args=(robin,),
        )
        show_note(
            f"{len(robin.plans)} matches of {robin.games:,} games, about "
            f"{format_seconds(max(seconds, 5))} on one core; what is stored is not played again."
        )


def _run(robin: RoundRobin) -> None:
    title = f"Round robin of {len(robin.agents)} agents, {len(robin.plans)} matches"
    start_job(title, robin.key, play_round_robin, robin, workers=WORKERS)
    state.put("league", asked_variant().name)


def _show_empty() -> None:
    if any(not job.is_finished for job in job_book().jobs()):
        show_info("Matches appear here as they are finished.", "timer")
        return
    show_info(
        "No matches by these rules yet. Run the round robin above, or begin with a pair:", "trophy"
    )
    with st.container(horizontal=True):
        for first, second in QUICK_PAIRS:
            st.button(
                f"{first} against {second}",
                icon=":material/swords:",
                key=f"arena_quick_{first}_{second}",
                on_click=_start_quick,
                args=(first, second),
            )


def _start_quick(first: str, second: str) -> None:
    state.put("ns", first)
    state.put("ew", second)
    try:
        plan = state.plan()
    except SpadesError:
        return  # the settings above say what is wrong
    start_match(plan)
    state.open_match(plan)


def _show_league(found: League, mine: pd.DataFrame, variant: Variant) -> None:
    table, chart = st.columns([2, 3], gap="medium")
    with table:
        _show_ratings(found)
    with chart:
        _show_chart(found, mine, variant)
    if any(uses_simulated_human(agent) for agent in found.ratings["agent"]):
        st.caption(HUMAN_NOTE)


def _show_ratings(found: League) -> None:
    st.markdown("**Ratings**")
    ratings = found.ratings
    show_table(
        ratings if ratings["note"].any() else ratings.drop(columns="note"),
        "league",
        columns={
            "agent": "Agent",
            "rating": number(
                "Rating",
                "%.0f",
                "Bradley–Terry: 400 points are odds of ten to one; the mean of the rated agents "
                "is 0.",
            ),
            "rating_se": number("± s.e.", "%.0f", "Standard error, games taken as independent."),
            "wins": count("Won"),
            "losses": count("Lost"),
            "win_rate": percent("Win rate"),
            **ends(),
            "note": "Note",
        },
    )


def _show_chart(found: League, mine: pd.DataFrame, variant: Variant) -> None:
    chosen = show_view_control(state.CHARTS, state.key("chart"), "Chart")
    if found.pairs.empty:
        st.caption("Only matches of agents against themselves: nothing to compare.")
        return
    shares = chosen == "wins" and is_sparse(found)
    figure = plot_shares(found) if shares else DRAW[chosen](found)
    key = f"arena_chart_{chosen}_{variant.name}"
    event = show_chart(figure, key, f"league-{chosen}", takes_clicks=chosen == "wins")
    if chosen == "wins":
        _take_click(event, mine)
        st.caption(SHARES_HELP if shares else WINS_HELP)
    else:
        st.caption(
            "Points a round of both agents of each pair, bag penalties taken off; the line is "
            "how far they are apart."
        )
    show_download(found.pairs, "league-pairs", "Pairs (CSV)")


def _take_click(event: Any, mine: pd.DataFrame) -> None:
    """A new click on the chart chooses the pair's longest match."""
    clicked = new_click(state.key("clicked"), clicked_data(event))
    if not clicked:
        return
    first, second = sorted(clicked[:2])
    rows = mine[(mine["first"] == first) & (mine["second"] == second)]
    if len(rows):
        state.pick_match(rows.iloc[0]["key"], clicked[0] != first)


def _usual_match(mine: pd.DataFrame, found: League) -> str:
    """The match between the best two that met; the first where nobody is rated."""
    place = {agent: i for i, agent in enumerate(found.ratings["agent"])}
    worst = len(place)
    ranks = [
        place.get(row.first, worst) + place.get(row.second, worst) for row in mine.itertuples()
    ]
    return str(mine.iloc[ranks.index(min(ranks))]["key"])


def _show_chosen(mine: pd.DataFrame, found: League) -> None:
    """One match of the league: by name for keyboards, or as a click on the chart chose it."""
    labels = {
        row.key: f"{row.first} – {row.second}, {row.games:,} games, seed {row.seed}"
        for row in mine.sort_values(["first", "second"]).itertuples()
    }
    if state.get("match") not in labels:
        if wanted := state.get("match"):
            state.complain(f"The link says match={wanted[:40]}, which isn't in this league.")
        state.pick_match(_usual_match(mine, found), False)
    st.divider()
    with row():
        select("Match", labels, state.key("match"), width=460)
        st.toggle("Exchange the sides", key=state.key("turned"))
    stored = result_by_key(state.get("match"))
    if stored is None:
        st.error("This match is no longer in the store.", icon=":material/block:")
        return
    document = turned_document(stored.answer) if state.get("turned") else stored.answer
    show_match(document)
    if is_current(document):
        st.button(
            "Open as a match of its own, to lengthen or change it",
            icon=":material/open_in_full:",
            type="tertiary",
            key="arena_open",
            on_click=state.open_match,
            args=(MatchPlan.from_document(document),),
        )
