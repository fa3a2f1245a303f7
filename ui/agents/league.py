"""The league: ratings, who beats whom, the matches behind, the round robin that fills it."""

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from analysis.matches import league, winning
from analysis.matches.league import League, Variant
from analysis.matches.match import MATCH, MatchPlan, play_round_robin, round_robin, round_robin_key
from analysis.matches.result import MatchResult, match_verdict
from analysis.matches.shipped_league import result_by_key
from analysis.plots.colors import AGENT_COLORS_CAPTION
from analysis.plots.league import is_sparse, plot_points, plot_shares, plot_win_rates
from analysis.plots.models import plot_reliability
from analysis.runs.store import ResultStore
from analysis.text_tables import counted, span
from spades.core.errors import SpadesError
from ui.agents.state import page
from ui.shared import states, widgets
from ui.shared.agents import agent_label, offered
from ui.shared.bar import show_link
from ui.shared.jobs import page_jobs, show_jobs, show_start, start_asked, start_tasks
from ui.shared.matches import (
    PRESETS,
    SETTINGS,
    estimate,
    query_of,
    show_human_note,
    show_match,
    show_settings,
    stored_matches,
)
from ui.shared.page import is_narrow, literal
from ui.shared.panel import Panel
from ui.shared.states import show_partial, show_wrong
from ui.shared.tables import ends, percent, text, with_ends
from ui.shared.widgets import errors_shown, row

CAPTIONS = {
    "shares": (
        "Bars: exact 95% intervals. Click a dot for one of its matches. " + AGENT_COLORS_CAPTION
    ),
    "wins": "Share of the decided games that the row's agent won. Click a cell for its match.",
    "points": f"A line joins the two agents of a pair. {AGENT_COLORS_CAPTION}",
}
RATINGS = {
    "agent": text("Agent"),
    **with_ends(
        "rating",
        "Rating",
        "%.0f",
        "Bradley–Terry: 400 points are odds of ten to one; the mean of the rated agents is 0. The "
        "intervals take games as independent.",
    ),
    **with_ends(
        "behind", "Behind the first", "%.0f", "Rating points below the agent rated highest."
    ),
    "win_rate": percent("Games won"),
    **ends(),
    "note": "Note",
}
"""Games won and lost are in the download: the table stands beside the chart."""


def show() -> None:
    show_jobs("agents", made=lambda: ResultStore().stamp(MATCH))
    known, wrong = stored_matches(ResultStore().stamp(MATCH))
    widgets.show_damage(wrong)
    variant = _choose_league(known)
    matches = league.longest_of_seeds(league.matches_of(known, variant))
    if matches.empty:
        states.show_empty("No matches by these rules yet. Run the round robin below.", "trophy")
    else:
        if not variant.is_current:
            outdated = "These agents have changed since, so their games can't be watched."
            show_partial(outdated, icon="history")
        _show_league(league.league_of(known, variant), matches, variant)
        _show_chosen(matches)
    _show_round_robin(is_open=matches.empty)
    show_link("Papers", "The papers' matches beside ours", {"figure": "cohensius-table2"})
    _show_winning()


def _show_winning() -> None:
    """Calibration of the chance to win, which the objective ``game`` rewards."""
    title = "Calibration of the chance to win the game"
    with st.expander(title, icon=":material/percent:"), errors_shown():
        calibration = winning.stored_calibration()
        held_out = calibration["held_out"]
        panel = Panel("winning")
        reading = (
            "Agents with `objective=game` play for this chance. It is estimated from "
            f"{calibration['rounds']:,} rounds of `{calibration['agents']}`, and compared with the "
            "outcomes of other games, before each round, for the side that deals. Bars: 95% "
            "intervals over games."
        )
        bins = {name: measured["bins"] for name, measured in held_out.items()}
        panel.figure(plot_reliability("winning", bins), reading)
        for name, measured in held_out.items():
            interval = span(measured["ece_interval"], ".4f")
            st.caption(
                f"`{name}`: expected calibration error {measured['ece']:.4f} (95%: {interval}; "
                f"chance alone makes it larger than 0), {measured['rounds']:,} rounds of "
                f"{measured['games']:,} games."
            )


def _asked_variant() -> Variant:
    """The league of the settings' rules; of the default rules if they are refused."""
    try:
        plan = MatchPlan("human", "human", 2, target=page.get("target"), floor=page.get("floor"))
    except SpadesError:
        return Variant.of()
    return Variant.of(plan.full_rules, nil_only=page.get("nil_only"))


def _choose_league(matches: pd.DataFrame) -> Variant:
    asked = _asked_variant()
    stored = league.variants(matches)
    known = {variant.name: variant for variant in (*stored, asked)}
    page.settle("league", known, asked.name if asked in stored else next(iter(known)))
    # Without counts: labels must not change while matches are played.
    labels = {name: variant.label for name, variant in known.items()}
    hint = "Matches by the same rules, of agents that still play as they did."
    with row():
        name = page.select("League", "league", labels, help=hint, width=460)
        n = len(league.matches_of(matches, known[name]))
        st.caption(f"{counted(n, 'match', 'matches')} by these rules.")
    return known[name]


def _show_round_robin(*, is_open: bool) -> None:
    panel = st.expander("Run a round robin", expanded=is_open, icon=":material/autorenew:")
    with panel, errors_shown():
        hint = "Every agent meets every other. Choose, or type any agent's text."
        page.several(
            "Agents",
            "agents",
            offered(PRESETS),
            format_func=agent_label,
            accept_new_options=True,
            help=hint,
        )
        show_settings(page)
        plans = _asked_round_robin()
        show_start(
            "Run the round robin",
            f"{len(plans)} matches of {plans[0].games:,} games. {estimate(plans)} Stored "
            "matches are not played again.",
            "league_robin",
            start_asked,
            _asked_round_robin,
            _run,
            type="primary",
            disabled=page_jobs().active(round_robin_key(plans)) is not None,
        )


def _asked_round_robin() -> list[MatchPlan]:
    return round_robin(page.get("agents"), **page.asked(*SETTINGS))


def _run(plans: list[MatchPlan]) -> None:
    n_agents = len({agent for plan in plans for agent in (plan.ns, plan.ew)})
    title = f"Round robin of {n_agents} agents, {len(plans)} matches"
    start_tasks(title, round_robin_key(plans), play_round_robin, plans)
    page.put("league", _asked_variant().name)


def _show_league(rated: League, matches: pd.DataFrame, variant: Variant) -> None:
    ratings = rated.ratings
    Panel("league").answer(literal(league.league_verdict(ratings)))
    _show_chart(rated, matches, variant)
    shown = ratings if ratings["note"].any() else ratings.drop(columns="note")
    order = [name for name in RATINGS if name in shown]
    height = "auto" if is_narrow() else "content"
    columns = RATINGS | {"agent": text("Agent", width=170)} if is_narrow() else RATINGS
    Panel("league-ratings").table(shown, columns, column_order=order, height=height)
    show_human_note(*ratings["agent"])


def _show_chart(rated: League, matches: pd.DataFrame, variant: Variant) -> None:
    panel = Panel(f"league-{page.get('chart')}-{variant.name}")
    with panel.question:
        chosen = page.view("Chart", "chart")
    if rated.pairs.empty:
        panel.answer("Only matches of agents against themselves: nothing to compare.")
        return
    drawn = "shares" if chosen == "wins" and is_sparse(rated) else chosen
    on_select = "rerun" if chosen == "wins" else "ignore"
    clicked = panel.figure(_draw(drawn, rated), CAPTIONS[drawn], on_select=on_select)
    panel.export(rated.pairs, "pairs")
    if clicked:
        _take_click(clicked, matches)
    _settle_match(matches, rated)
    result = _chosen_match()
    if result is not None:
        title = literal(f"{result.title}, {result.games:,} games")
        verdict = literal(match_verdict(result))
        panel.answer(f"{title} · [all numbers](#match-{result.key}). {verdict}")


def _draw(drawn: str, rated: League) -> go.Figure:
    if drawn == "wins":
        return plot_win_rates(rated)
    plot = plot_shares if drawn == "shares" else plot_points
    return plot(rated, names_above=is_narrow())


def _take_click(clicked: tuple, matches: pd.DataFrame) -> None:
    first, second = sorted(clicked[:2])
    rows = matches[(matches["first"] == first) & (matches["second"] == second)]
    if len(rows):
        page.put("match", rows.iloc[0]["key"])
        page.put("turned", clicked[0] != first)


def _settle_match(matches: pd.DataFrame, rated: League) -> None:
    """Choose the match of the two best agents that met, where no match of this league is chosen."""
    if page.get("match") in set(matches["key"]):
        return
    page.put("turned", False)
    rank = {agent: i for i, agent in enumerate(rated.ratings["agent"])}
    first = matches["first"].map(rank).fillna(len(rank))
    second = matches["second"].map(rank).fillna(len(rank))
    best = int((first + second).to_numpy().argmin())
    page.settle(
        "match", matches["key"], str(matches["key"].iloc[best]), ", which isn't in this league"
    )


def _chosen_match() -> MatchResult | None:
    stored = result_by_key(page.get("match"))
    if stored is None:
        return None
    result = MatchResult.from_document(stored.answer)
    return result.turned() if page.get("turned") else result


def _show_chosen(matches: pd.DataFrame) -> None:
    """One match of the league, chosen by name or by a click on the chart."""
    labels = {
        row.key: f"{row.first} – {row.second}, {row.games:,} games, seed {row.seed}"
        for row in matches.sort_values(["first", "second"]).itertuples()
    }
    st.divider()
    with row():
        page.select("Match", "match", labels, width=460)
        page.toggle("Exchange the sides", "turned")
    result = _chosen_match()
    if result is None:
        show_wrong("This match is no longer in the store.")
        return
    show_match(result)
    if result.is_playable:
        show_link(
            "Tune",
            "Open as a match of its own, to lengthen or change it",
            query_of(MatchPlan.of(result)),
        )
