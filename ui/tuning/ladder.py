"""The ladder: one decision, searched at every strength of the bias that the controls say."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from analysis.decisions.decision import pretty
from analysis.decisions.searching import record_key
from analysis.decisions.visits import (
    LadderSettings,
    choice_at,
    climb,
    ladder_table,
    published_for,
    strength_of,
)
from analysis.plots.decisions import plot_ladder
from analysis.runs.store import model_hash
from spades.core.cards import SEAT_NAMES, SEATS
from spades.core.errors import SpadesError
from spades.core.records import RoundRecord
from spades.human import load_model, model_names
from spades.search.bias import KNOWLEDGE, TECHNIQUES
from ui.shared.hands import find_hand, shipped_hands, title_of
from ui.shared.links import model_label
from ui.shared.page import literal
from ui.shared.search_options import DELAYS, TECHNIQUE_LABELS, delay_label
from ui.shared.tables import number, percent, show_download, show_table, text
from ui.shared.widgets import row, segments, select, show_chart
from ui.tuning import state

AXES = {True: "C_BT, strength of the bias", False: "w, visits that P counts for"}


@st.cache_data(max_entries=256, show_spinner="Searching every rung (the first time compiles)")
def ladder_of(key: str, ply: int, models: str, settings: LadderSettings, _record: RoundRecord):
    """The table of a ladder and each card's human probability; kept by all they depend on."""
    seen = _record.observation(ply)
    table = ladder_table(climb(seen, settings), seen)
    deck = seen.rules.cards
    asked = load_model(settings.bias.model).predict_proba([seen])[0]
    human = {card: float(asked[deck.indices[deck.parse_card(card)]]) for card in set(table["card"])}
    return table, human


@st.fragment
def show_ladder() -> None:
    """The view: which decision, how it is biased, the ladder and the rung that is set."""
    record = find_hand(state.get("hand"))
    plies = state.open_decisions(record)
    if not plies:
        st.info("This hand has no decision with more than one legal card. Pick another.")
        show_hand_picker(record)
        return
    state.put("ply", state.nearest_of(plies, state.get("ply")))
    show_decision_picker(record, plies)
    controls, chart = st.columns([1, 3], gap="medium")
    with controls:
        show_bias_controls()
    with chart:
        for remark in state.remarks():
            st.info(literal(remark), icon=":material/info:")
        show_search(record)
    state.page.write()


def show_decision_picker(record: RoundRecord, plies: list[int]) -> None:
    with row():
        show_hand_picker(record)
        names = {ply: decision_name(record, ply) for ply in plies}
        select("Decision", names, state.key("ply"), width="stretch")
        st.page_link(
            "app.py",
            label="Open in Replay",
            icon=":material/playing_cards:",
            query_params=link_to_replay(),
        )


def show_hand_picker(record: RoundRecord) -> None:
    titles = {name: title_of(hand) for name, hand in shipped_hands().items()}
    titles = {state.get("hand"): title_of(record)} | titles
    select("Hand", titles, state.key("hand"))


def decision_name(record: RoundRecord, ply: int) -> str:
    table = record.at(ply).table
    seat = SEAT_NAMES[SEATS[table.turn]]
    played = pretty(record.rules.cards.format_card(record.plays[ply]))
    how = "leads" if not table.trick else "plays"
    return f"Trick {ply // 4 + 1}: {seat} {how} {played} (ply {ply})"


def link_to_replay() -> dict[str, str]:
    """Replay at this decision, with the same bias beside the unbiased search."""
    names = {"model": "bias_model"}
    bias = {names.get(name, name): state.get(name) for name in state.BIAS}
    shown = {"hand": state.get("hand"), "ply": state.get("ply"), **bias}
    return {name: f"{value}" for name, value in shown.items()}


def show_bias_controls() -> None:
    """Technique, strength, shrinking, delay, model; iterations and seed."""
    segments(
        "Technique",
        {name: TECHNIQUE_LABELS[name] for name in TECHNIQUES},
        state.key("technique"),
        help="Knowledge bias adds to a card's score; equivalent experience lends it visits.",
    )
    if state.get("technique") == KNOWLEDGE:
        st.select_slider(
            "C_BT, strength",
            state.stops("c_bt"),
            key=state.key("c_bt"),
            format_func="{:g}".format,
            help="Added to a card's score: C_BT √(K / (n + K)) P, n the node's visits.",
        )
        st.select_slider(
            "K, how slowly it shrinks",
            state.stops("k"),
            key=state.key("k"),
            format_func="{:g}".format,
            help="Visits at which the bias has shrunk to 71 % of its strength.",
        )
    else:
        st.select_slider(
            "w, visits that P counts for",
            state.stops("w"),
            key=state.key("w"),
            help="Each card starts as if visited w times with mean P.",
        )
    st.select_slider(
        "The model is asked",
        DELAYS,
        key=state.key("delay"),
        format_func=delay_label,
        help="Delayed bias (Baier 2018): only in nodes that were visited so often before.",
    )
    select("Human model", model_names(), state.key("model"), format_func=model_label)
    with st.container(horizontal=True):
        offered = state.stops("iterations")
        key = state.key("iterations")
        select("Iterations", offered, key, format_func="{:,}".format, width=130)
        st.number_input("Seed", 0, state.MAX_SEED, key=state.key("seed"), width=130)


def show_search(record: RoundRecord) -> None:
    """The ladder, what it says in a sentence, and the rung that is set as a table."""
    bias, ply = state.bias(), state.get("ply")
    settings = LadderSettings(bias, state.get("iterations"), state.get("seed"))
    try:
        table, human = ladder_of(record_key(record), ply, model_hash(bias.model), settings, record)
        published = published_for(bias)
    except SpadesError as error:
        st.info(literal(f"Not searched: {error}"), icon=":material/search_off:")
        return
    played = record.rules.cards.format_card(record.plays[ply])
    strength = strength_of(bias)
    figure = plot_ladder(
        table,
        human=human,
        featured=featured(table, human, played),
        chosen=strength,
        published=published,
        axis=AXES[bias.technique == KNOWLEDGE],
    )
    show_chart(figure, state.key("ladder"), "ladder")
    st.markdown(sentence(table, human, strength, played))
    show_rung(table, human, strength, played)


def featured(table: pd.DataFrame, human: dict[str, float], played: str) -> list[str]:
    """The choices at every rung, the likeliest human card, the card played."""
    choices = [choice_at(table, rung) for rung in dict.fromkeys(table["strength"])]
    return list(dict.fromkeys([*choices, max(human, key=human.__getitem__), played]))[:6]


def sentence(table: pd.DataFrame, human: dict[str, float], strength: float, played: str) -> str:
    """What the bias does to the choice at this strength, and from which strength on."""
    rungs = list(dict.fromkeys(table["strength"]))
    choices = {rung: choice_at(table, rung) for rung in rungs}
    likely = max(human, key=human.__getitem__)
    first = next((rung for rung in rungs if choices[rung] == likely), None)
    if choices[rungs[0]] == likely:
        turn = f"the unbiased search already plays the likeliest human card, {pretty(likely)}"
    elif first is None:
        turn = f"no strength here makes it play the likeliest human card, {pretty(likely)}"
    else:
        turn = f"from {first:g} on it plays the likeliest human card, {pretty(likely)}"
    return (
        f"At **{strength:g}** the search plays **{pretty(choices[strength])}** (unbiased: "
        f"{pretty(choices[rungs[0]])}); {turn} ({human[likely]:.0%}). The record says "
        f"{pretty(played)}. Lines: mean of {int(table['seeds'].iloc[0])} seeds, bands: least to "
        "greatest; triangles: how likely a human plays the card."
    )


def show_rung(table: pd.DataFrame, human: dict[str, float], strength: float, played: str) -> None:
    rung = table[table["strength"] == strength].drop(columns=["strength"])
    rung = rung.assign(
        human=[human[card] for card in rung["card"]],
        unbiased=table[table["strength"] == 0]["share"].to_numpy(),
        played=["●" if card == played else "" for card in rung["card"]],
    ).sort_values("share", ascending=False)
    order = ["played", "card", "human", "unbiased", "share", "share_min", "share_max"]
    order += ["chosen", "seeds", "prior", "bias", "value", "visits"]
    with st.expander("Every card at this rung, and all rungs to download"):
        show_table(
            rung[order].assign(card=[pretty(card) for card in rung["card"]]),
            "ladder-rung",
            columns={
                "played": text("", "● the card played", width="small"),
                "human": percent("Human", "By the model chosen."),
                "unbiased": percent("Unbiased share"),
                "share": percent("Share of visits"),
                "share_min": percent("Least"),
                "share_max": percent("Greatest"),
                "chosen": number("Chosen", told="Seeds in which it was the choice."),
                "prior": percent("Prior P", "What the search was given."),
                "bias": number("Bias, points", "%+.1f", "Added to the value at the end."),
                "value": number("Value, points", "%+.1f"),
                "visits": number("Visits", "%.0f"),
            },
        )
        show_download(table, "ladder", "All rungs (CSV)")
