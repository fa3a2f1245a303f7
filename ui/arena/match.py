"""One match: who won, by how much, how fast, under which key; and its games, to be watched."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from analysis.matches.documents import (
    is_current,
    match_command,
    match_verdict,
    side_table,
    side_texts,
)
from analysis.matches.match import (
    ROUNDS_KEPT,
    MatchPlan,
    expected_seconds,
    game_table,
    has_log,
    log_name,
    play_match,
    store_first_games,
    stored_document,
    stored_games,
)
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
from ui.shared.jobs import WORKERS, job_book, start_job
from ui.shared.links import replay_link
from ui.shared.page import literal
from ui.shared.stored_logs import opened
from ui.shared.tables import number, show_download, show_table, text
from ui.shared.widgets import show_chart, show_error, show_info, show_note

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
        show_error(error)


def show_unplayed(plan: MatchPlan) -> None:
    """How much of a match is in the store, how long the rest may take, and the button."""
    if job_book().under_way(plan.key):
        show_info("This match is being played; its result appears here.", "timer")
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
        show_note(f"{told}{takes}. Stopped or killed, it goes on where it was.")


def start_match(plan: MatchPlan) -> None:
    title = f"{plan.ns} against {plan.ew}, {plan.games:,} games"
    start_job(title, plan.key, play_match, plan, workers=WORKERS)


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
        key = document["key"]
        show_chart(plot_match(document), f"arena_rate_{key}", f"match-{key}")
    undecided = document["undecided"]
    open_games = f"; {undecided:,} more stayed open after 100 rounds" if undecided else ""
    difference = document["points_difference"]
    ends = difference["interval"]
    told = f" [{ends[0]:+.1f} to {ends[1]:+.1f}]" if ends else ""
    show_note(
        f"{sum(document['wins'].values()):,} games decided{open_games}: "
        f"{document['games'] // 2:,} pairs on common deals, each deal played twice with the "
        "partnerships swapped. The interval over pairs takes what they share into account. "
        f"{difference['value']:+.1f} points a round{told} apart. Dotted: even odds."
    )


def _show_sides(document: dict[str, Any]) -> None:
    texts = side_texts(document)
    second = document["ew"] + (" " if document["ns"] == document["ew"] else "")
    st.dataframe(
        texts,
        hide_index=True,
        width="stretch",
        column_config={
            "measure": text(
                "95 % intervals in brackets",
                "Points: of the game's score, bag penalties taken off, interval over pairs. "
                "Shares: Clopper and Pearson. Time: mean over all cards of the timed games, "
                "forced ones too, on the machine that played.",
            ),
            "ns": document["ns"],
            "ew": second,
        },
    )
    show_download(side_table(document), f"match-{document['key']}", "Numbers (CSV)")


def _show_key(document: dict[str, Any]) -> None:
    floor = "" if document["floor"] is None else f", floor {document['floor']}"
    variant = ", nil-only" if document["nil_only"] else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"Key `{document['key']}` · {document['games']:,} games to {document['target']}{floor}"
            f"{variant} · seed {document['seed']} · behaviour "
            f"`{document['code']}`"
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
        st.caption(
            "Its agents decided otherwise then, so its games can't be played again from here."
        )
    else:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                f"Store its first {ROUNDS_KEPT} rounds as a log",
                icon=":material/playing_cards:",
                key=f"arena_store_{document['key']}",
                on_click=_start_log,
                args=(MatchPlan.from_document(document), document),
            )
            st.caption(
                "The very games counted above, played again from the seed; whole pairs of games."
            )


def _start_log(plan: MatchPlan, document: dict[str, Any]) -> None:
    """Queue the first games of a match to be played again for Replay."""
    title = f"Games of {plan.ns} against {plan.ew} for Replay"
    start_job(title, log_name(plan.key), store_first_games, plan, document)


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
    links = [replay_link(name, index) for index in games["round"]]
    show_table(
        games.assign(open=links)[["open", *games.columns]],
        f"{name}-games",
        columns={
            "open": st.column_config.LinkColumn("Watch", display_text="Replay", width="small"),
            "pair": number("Pair", told="Both games have its deals."),
            "game": "Game",
            "round": number("First round", told="Row of the log, from 0."),
            "rounds": "Rounds",
        },
        height=250,
    )
