"""One match: who won, by how much, how fast, under which key; and its games, to be watched."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from analysis.matches.documents import (
    expected_seconds,
    is_current,
    match_command,
    match_verdict,
    plan_of,
    side_table,
    side_texts,
    stored_document,
    stored_games,
)
from analysis.matches.logs import ROUNDS_KEPT, game_table, has_log, log_name
from analysis.matches.match import MatchPlan
from analysis.plots.league import plot_match
from analysis.runs.parts import format_seconds
from spades.core.errors import SpadesError
from ui.arena import state
from ui.arena.controls import (
    HUMAN_NOTE,
    show_agent,
    show_legal_parts,
    show_settings,
    uses_simulated_human,
)
from ui.arena.jobs import start_log, start_match
from ui.shared.jobs import job_book
from ui.shared.page import chart_config, literal
from ui.shared.stored_logs import opened
from ui.shared.tables import show_download, show_table

SOON = 60.0  # seconds that need no warning


def show() -> None:
    """The match asked for: its result, or what there is of it and a button to play it."""
    first, second = st.columns(2)
    with first:
        show_agent("ns", "Agent")
    with second:
        show_agent("ew", "against")
    show_settings()
    show_legal_parts()
    try:
        plan = state.plan()
        document = stored_document(plan)
        if document is None:
            show_unplayed(plan)
        else:
            show_match(document)
    except SpadesError as error:
        st.error(literal(str(error)), icon=":material/block:")


def show_unplayed(plan: MatchPlan) -> None:
    """How much of a match is in the store, how long the rest may take, and the button."""
    if job_book().under_way(plan.key):
        st.info("This match is being played; its result appears here.", icon=":material/timer:")
        return
    n_stored = stored_games(plan)
    seconds = expected_seconds(plan) * (1 - n_stored / plan.games)
    told = (
        f"{n_stored:,} of its {plan.games:,} games are in the store"
        if n_stored
        else "Not played yet"
    )
    takes = f"; about {format_seconds(seconds)} on one core" if seconds > SOON else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Go on" if n_stored else "Play the match",
            type="primary",
            icon=":material/play_arrow:",
            key="arena_play",
            on_click=start_match,
            args=(plan,),
        )
        st.caption(literal(f"{told}{takes}. Stopped or killed, it goes on where it was."))


def show_match(document: dict[str, Any]) -> None:
    """Everything that a match says."""
    if document["ns"] == document["ew"]:
        title = f"{document['ns']} against itself"
    else:
        title = f"{document['ns']} against {document['ew']}"
    st.subheader(literal(title))
    st.markdown(f"**{literal(match_verdict(document))}**")
    chart, sides = st.columns([2, 3], gap="medium")
    with chart:
        _show_chart(document)
    with sides:
        _show_sides(document)
    if any(uses_simulated_human(document[side]) for side in ("ns", "ew")):
        st.caption(HUMAN_NOTE)
    _show_key(document)
    _show_games(document)


def _show_chart(document: dict[str, Any]) -> None:
    if document["win_rate"] is not None:
        st.plotly_chart(
            plot_match(document),
            width="stretch",
            key=f"arena_rate_{document['key']}",
            config=chart_config(f"match-{document['key']}"),
        )
    undecided = document["undecided"]
    open_games = f"; {undecided:,} more stayed open after 100 rounds" if undecided else ""
    difference = document["points_difference"]
    ends = difference["interval"]
    told = f" [{ends[0]:+.1f} to {ends[1]:+.1f}]" if ends else ""
    st.caption(
        literal(
            f"{sum(document['wins'].values()):,} games decided{open_games}: "
            f"{document['games'] // 2:,} pairs on common deals, each deal played twice with the "
            "partnerships swapped. The interval over pairs takes what they share into account. "
            f"{difference['value']:+.1f} points a round{told} apart. Dotted: even odds."
        )
    )


def _show_sides(document: dict[str, Any]) -> None:
    texts = side_texts(document)
    second = document["ew"] + (" " if document["ns"] == document["ew"] else "")
    st.dataframe(
        texts,
        hide_index=True,
        width="stretch",
        column_config={
            "measure": st.column_config.TextColumn(
                "95 % intervals in brackets",
                help="Points: of the game's score, bag penalties taken off, interval over pairs. "
                "Shares: Clopper and Pearson. Time: mean over all cards of the timed games, "
                "forced ones too, on the machine that played.",
            ),
            "ns": st.column_config.TextColumn(document["ns"]),
            "ew": st.column_config.TextColumn(second),
        },
    )
    show_download(side_table(document), f"match-{document['key']}", "Numbers (CSV)")


def _show_key(document: dict[str, Any]) -> None:
    floor = "" if document["floor"] is None else f", floor {document['floor']}"
    variant = ", nil-only" if document["nil_only"] else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"Key `{document['key']}` · {document['games']:,} games to {document['target']}{floor}"
            f"{variant} · seed {document['seed']} · code `{document['code']}` · tables "
            f"`{document['tables']}`"
        )
        st.download_button(
            "Result with key (JSON)",
            json.dumps(document, indent=1),
            f"match-{document['key']}.json",
            icon=":material/download:",
            type="tertiary",
            on_click="ignore",
            key=f"arena_json_{document['key']}",
        )
    if command := match_command(document):
        st.code(command, language="bash", wrap_lines=True)


def _show_games(document: dict[str, Any]) -> None:
    """The first games in Replay: links, or the button that plays them again."""
    st.markdown("**Watch a game**")
    name = log_name(document["key"])
    if has_log(document["key"]):
        _show_links(name)
    elif job_book().under_way(name):
        st.caption("The games are being played again for Replay.")
    elif not is_current(document):
        st.caption("Other code played this match, so its games can't be played again from here.")
    else:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                f"Store its first {ROUNDS_KEPT} rounds as a log",
                icon=":material/playing_cards:",
                key=f"arena_store_{document['key']}",
                on_click=start_log,
                args=(plan_of(document), document),
            )
            st.caption(
                "The very games counted above, played again from the seed; whole pairs of games."
            )


def _show_links(name: str) -> None:
    try:
        games = game_table(opened(name))
    except SpadesError as error:
        st.error(literal(str(error)))
        return
    with st.container(horizontal=True):
        st.page_link(
            "app.py",
            label="Watch from the first round",
            icon=":material/playing_cards:",
            query_params={"log": name, "round": "0"},
        )
        st.page_link(
            "pages/9_Data.py",
            label="The log",
            icon=":material/database:",
            query_params={"log": name},
        )
    links = ["/?" + urlencode({"log": name, "round": row}) for row in games["round"]]
    show_table(
        games.assign(open=links)[["open", *games.columns]],
        f"{name}-games",
        columns={
            "open": st.column_config.LinkColumn("Watch", display_text="Replay", width="small"),
            "pair": st.column_config.NumberColumn("Pair", help="Both games have its deals."),
            "game": "Game",
            "round": st.column_config.NumberColumn("First round", help="Row of the log, from 0."),
            "rounds": "Rounds",
        },
        height=250,
    )
